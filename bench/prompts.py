r"""What prompts and starts of sessions bring: 200 real prompts, replayed through the hooks.

python tasks.py bench --prompts                  in a vault with an import of 5,000 foreign notes
python tasks.py bench --prompts --foreign 0      without it

The vault has what an agent said on three days of a developer's work, as notes of the project; the
prompts are those of the other days, in order, ten to a session, and each turn is ended. By rule an
entry is unrelated if the import brought it (notes about a notes tool and about commands), and so is
whatever comes with small talk: a prompt without a word of four letters.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.corpus import DATA
from bench.desk import Desk
from bench.measure import describe_machine, percentile
from bench.sets.folder import read_transcripts
from bench.sets.foreign import thin
from bench.sets.questions import read_own
from engrain.language.text.tokens import estimate_tokens
from engrain.model.facts.fact import Turn

DAYS = ("004", "006", "008")
"""The days whose turns are in the vault; the prompts are of the others."""
PROMPTS = 200
SESSION = 10
QUESTIONS = 50
COLLECTIONS = ("dendron", "tldr")
_SHORT, _LONG = 200, 1500
"""Characters of a turn that becomes a note."""
_ENTRY = re.compile(r"^\(.*\bid ([0-9a-z]{26})\)$", re.MULTILINE)
_TITLE = re.compile(r"^\[[0-9a-f]{6} \d+\] (.*)$", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]{4}")


class Given(NamedTuple):
    """What a hook brought: its tokens, the ids of the entries, and their titles."""

    tokens: int
    ids: Sequence[str]
    titles: Sequence[str]
    asked: bool = True


def main(arguments: list[str]) -> None:
    """Replay the prompts and print the figures as JSON."""
    parser = argparse.ArgumentParser(
        prog="bench --prompts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--foreign", type=int, default=5000, help="notes that are imported")
    parser.add_argument("--most", type=int, default=PROMPTS, help="prompts, at most")
    args = parser.parse_args(arguments)
    if not (DATA / "transcripts" / "console").exists():
        sys.exit(f"the transcripts are not in {DATA} (ENGRAIN_DATA)")
    os.environ["ENGRAIN_EMBEDDER"] = "none"
    with tempfile.TemporaryDirectory(prefix="engrain-prompts-") as folder:
        found = measure(Path(folder), args.foreign, args.most)
    print(json.dumps({"machine": describe_machine(), "prompts": found}, indent=2))


def measure(folder: Path, foreign: int, most: int) -> dict[str, object]:
    """The figures of one replay."""
    desk = Desk(folder)
    desk.patient = True
    desk.begin()
    known, prompts = _read_days()
    for number, turn in enumerate(known):
        desk.save(f"Turn {number}: {turn.text.split(chr(10))[0][:60]}", turn.text)
    if foreign:
        print(f"importing {foreign} notes …", file=sys.stderr)
        _gather(folder / "notes", foreign)
        desk.command("import", str(folder / "notes"))
    desk.command("jobs", "run", "calibrate")
    desk.configure(embedder="none")
    imported = desk.list_imported()
    since = time.time()
    starts, given = _replay(desk, prompts[:most])
    events = ("prompt", "session-start")
    return {
        "notes": len(known),
        "imported": len(imported),
        "start": _describe(starts, imported),
        "prompt": _describe(given, imported),
        "starts_with": [sorted(one.titles) for one in starts],
        "lost": sum(desk.count_losses(since, event) for event in events),
        "import_found": _ask_import(desk, imported) if foreign else None,
    }


def _read_days() -> tuple[list[Turn], list[str]]:
    """What the agent said on the days that are known, and the prompts of the others."""
    days = {
        name.partition("day-")[2].removesuffix(".md"): turns
        for name, turns in read_transcripts(str(DATA / "transcripts")).items()
        if name.startswith("console/")
    }
    known = [
        turn
        for day in DAYS
        for turn in days[day]
        if turn.role == "agent" and _SHORT <= len(turn.text) <= _LONG
    ]
    prompts = [
        turn.text
        for day in sorted({*days} - {*DAYS})
        for turn in days[day]
        if turn.role == "operator" and not turn.text.startswith(("/", "!", "This session is being"))
    ]
    return known, prompts


def _gather(folder: Path, most: int) -> None:
    """Copy so many notes of the collections into a folder, as of today."""
    paths = [
        path for name in COLLECTIONS for path in sorted((DATA / f"vault-{name}").rglob("*.md"))
    ]
    for path in paths[:most]:
        to = folder / path.relative_to(DATA)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)


def _replay(desk: Desk, prompts: Sequence[str]) -> tuple[list[Given], list[Given]]:
    """What each session's start and each prompt brings."""
    starts, given = [], []
    for number, prompt in enumerate(prompts):
        session = f"replay-{number // SESSION}"
        if number % SESSION == 0:
            starts.append(_read(desk.tell("session-start", session)[1]))
        brought = _read(desk.tell("prompt", session, prompt)[1])
        given.append(brought._replace(asked=bool(_WORD.search(prompt))))
        desk.tell("stop", session)
        if number % SESSION == SESSION - 1:
            desk.tell("session-end", session)
    return starts, given


def _read(printed: bytes) -> Given:
    if not printed.strip():
        return Given(0, (), ())
    context = json.loads(printed)["hookSpecificOutput"]["additionalContext"]
    return Given(estimate_tokens(context), _ENTRY.findall(context), _TITLE.findall(context))


def _describe(given: Sequence[Given], imported: Mapping[str, str]) -> dict[str, object]:
    tokens = [float(one.tokens) for one in given]
    entries = [(id_, one.asked) for one in given for id_ in one.ids]
    unrelated = sum(id_ in imported or not asked for id_, asked in entries)
    return {
        "hooks": len(given),
        "with_something": sum(map(bool, tokens)),
        "tokens_p50": percentile(tokens, 0.5),
        "tokens_p95": percentile(tokens, 0.95),
        "tokens": sum(tokens),
        "entries": len(entries),
        "unrelated": unrelated,
        "share_unrelated": round(unrelated / len(entries), 3) if entries else 0.0,
    }


def _ask_import(desk: Desk, imported: Mapping[str, str]) -> str:
    """Of how many questions that a note of the import answers the hook brings that note."""
    stems = {*imported.values()}
    found = asked = 0
    for name in COLLECTIONS:
        questions = read_own((DATA / "prompts" / f"own_{name}.jsonl").read_bytes())
        there = [one for one in questions if one.gold & stems]
        for question in thin(there, QUESTIONS):
            asked += 1
            ids = _read(desk.tell("prompt", f"own-{asked}", question.text)[1]).ids
            found += any(imported.get(id_) in question.gold for id_ in ids)
    return f"{found} of {asked}"
