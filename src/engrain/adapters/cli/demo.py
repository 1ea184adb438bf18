"""demo: the main job on the sample that the project ships, in a throw-away vault."""

from __future__ import annotations

import json
import os
import tempfile

from engrain.adapters.cli.options import Command
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import describe_recall, envelope
from engrain.adapters.present.text import clean, recall_lines
from engrain.model.frontmatter import parse_fields
from engrain.model.instants import read_instant
from engrain.model.links import parse_links
from engrain.model.note import split_note
from engrain.seam.clock import Clock
from engrain.wiring import open_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from engrain.adapters.cli.console import Console
    from engrain.engine.memory import Memory

_SAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "sample")
_PROJECT = "billing"
_RESULTS = 3


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--keep", metavar="FOLDER", help="make the vault there and leave it, to look around in"
    )


def _demo(args: argparse.Namespace, console: Console) -> int:
    with tempfile.TemporaryDirectory(prefix="engrain-demo-") as folder:
        vault = args.keep or os.path.join(folder, "vault")
        clock = _SampleClock()
        with open_memory(
            vault,
            state_dir=os.path.join(folder, "state"),
            project=_PROJECT,
            agent="demo",
            trust="operator",
            create=True,
            clock=clock,
        ) as memory:
            with console.progress("saving the sample") as progress:
                saved = 0
                for saved, _ in enumerate(_save_sample(memory, clock), 1):
                    if progress:
                        progress(saved, None)
            return _show(memory, saved, vault if args.keep else None, console)


def _show(memory: Memory, saved: int, kept: str | None, console: Console) -> int:
    with open(os.path.join(_SAMPLE, "demo.json"), encoding="utf-8") as file:  # noqa: PTH123
        prompts = [item["prompt"] for item in json.load(file)["prompts"]]
    answers = [(prompt, memory.recall(prompt, limit=_RESULTS)) for prompt in prompts]
    if console.as_json:
        data: dict[str, object] = {
            "saved": saved,
            "vault": kept,
            "answers": [{"prompt": prompt, **describe_recall(found)} for prompt, found in answers],
        }
        console.write_json(envelope("demo", data))
        return EXIT_OK
    listing = memory.list(limit=8)
    console.write_lines([f"{saved} memories of a small team's September, saved. The latest:", ""])
    for row in listing.rows:
        console.write_lines([f"  {row.kind:<17} {clean(row.title)}"])
    for prompt, found in answers:
        console.write_lines(["", console.style("good", f"prompt> {prompt}"), ""])
        console.write_lines(recall_lines(found, console.style, full=False))
    if kept:
        console.write_lines([f"The vault is in {kept}: ENGRAIN_VAULT={kept} engrain list"])
    return EXIT_OK


class _SampleClock(Clock):
    """Tells the time the sample was written at, so that the demo's history reads as it happened."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at


def _save_sample(memory: Memory, clock: _SampleClock) -> Iterator[str]:
    """Save every sample note in the order of time; one that replaces another evolves it."""
    notes = sorted(_read_sample(), key=lambda note: (note[0], note[1]))
    known = {stem for _, stem, _, _ in notes}
    for created, stem, kind, raw in notes:
        note = split_note(raw)
        fields = {key: field.value for key, field in parse_fields(note.front).items()}
        tags = fields.get("tags")
        replaced = [
            link.target
            for link in parse_links(note.body)
            if link.relation == "supersedes" and link.target in known
        ]
        title = str(fields["title"])
        words = [str(tag) for tag in tags] if isinstance(tags, list) else None
        clock.at = created
        if replaced:
            yield memory.evolve(replaced[0], note.body, title=title, tags=words).id
        else:
            yield memory.save(note.body, title=title, kind=kind, tags=words, slug=stem).id


def _read_sample() -> Iterator[tuple[float, str, str, bytes]]:
    """(created, stem, kind, bytes) of every sample note."""
    for folder, _, names in os.walk(_SAMPLE):
        for name in names:
            if name.endswith(".md"):
                with open(os.path.join(folder, name), "rb") as file:  # noqa: PTH123
                    raw = file.read()
                fields = parse_fields(split_note(raw).front)
                kind = os.path.basename(folder)
                yield (
                    read_instant(fields["created"].value) or 0.0,
                    name.removesuffix(".md"),
                    "memory" if kind == "sessions" else kind,
                    raw,
                )


COMMANDS = {
    "demo": Command(_arguments, _demo, "engrain demo", "engrain demo --keep ./demo-vault"),
}
