"""`engrain demo`: play two sessions of an agent on the sample memories, in a throw-away vault. The
first session learns something, and the second knows it."""

from __future__ import annotations

import json
import math
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from engrain.adapters.cli.base import Answer, BaseCommand, option
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.hooks.answers import PROMPT, SESSION_END, SESSION_START, STOP
from engrain.adapters.hooks.events import HANDLERS, HookCall, make_answer, note_answer
from engrain.adapters.hooks.payloads import Occasion
from engrain.adapters.present.records import Data, describe_outcome
from engrain.adapters.present.text import bold, clean, excerpt, style
from engrain.api.memory import Memory
from engrain.language.text.instants import parse_instant, read_instant
from engrain.lifecycle.sessions.sessions import MARKS
from engrain.model.links.link import parse_links
from engrain.model.note.note import Note, split_note
from engrain.resolution.settings import user_config_file
from engrain.seam.clock import Clock
from engrain.wiring import open_memory

HOST = "claude-code"
PROJECT = "billing"
"""The project of the sample's team."""
_SAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "sample")


class SampleClock(Clock):
    """A clock that gives each sample's own date, so that the demo's history has them."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at


def save_sample(memory: Memory, clock: SampleClock) -> Iterator[str]:
    """Save every sample note in the order of time; one that replaces another evolves it."""
    notes = sorted(_read_notes(), key=lambda note: note[:2])
    known = {slug for _, slug, _, _ in notes}
    for clock.at, slug, kind, note in notes:
        links = parse_links(note.body)
        replaced = [link.target for link in links if link.relation == "supersedes"]
        title, tags = str(note.fields["title"]), note.fields.get("tags")
        words = list(map(str, tags)) if isinstance(tags, list) else None
        if known.intersection(replaced):
            yield memory.evolve(replaced[0], note.body, title=title, tags=words).id
        else:
            yield memory.save(note.body, title=title, kind=kind, tags=words, slug=slug).id


def _read_notes() -> Iterator[tuple[float, str, str, Note]]:
    """Yield (time, slug, kind, note) for each note of the sample."""
    for folder, _, names in os.walk(_SAMPLE):
        for name in names:
            if name.endswith(".md"):
                with open(os.path.join(folder, name), "rb") as file:  # noqa: PTH123
                    note = split_note(file.read())
                kind = os.path.basename(folder)
                at = read_instant(str(note.fields["created"])) or 0.0
                yield at, name[:-3], "memory" if kind == "sessions" else kind, note


@contextmanager
def _without_settings(folder: str) -> Iterator[None]:
    """Hide a person's own settings, which have no part in the demo."""
    kept = {key: os.environ.pop(key) for key in list(os.environ) if key.startswith("ENGRAIN_")}
    os.environ["ENGRAIN_CONFIG"] = os.path.join(folder, "config.toml")
    os.environ["ENGRAIN_EMBEDDER"] = "none"
    try:
        yield
    finally:
        del os.environ["ENGRAIN_CONFIG"], os.environ["ENGRAIN_EMBEDDER"]
        os.environ.update(kept)


Open: TypeAlias = "Callable[[str, Clock | None], Memory]"


def _play(open_as: Open, script: Mapping[str, object], learned: Sequence[str]) -> Iterator[Data]:
    """Play one session and yield its steps; `learned` are ids from sessions before it."""
    session = f"demo-{secrets.token_hex(8)}"
    prompts, lesson = script["prompts"], script.get("learns")
    with open_as("agent", None) as memory:
        step = _describe_given(memory, session, SESSION_START)
        if any(id_ in str(step["ids"]) for id_ in learned):
            step["note"] = "what the session before learned is among them"
        yield step
        for prompt in prompts if isinstance(prompts, list) else ():
            yield _describe_given(memory, session, PROMPT, prompt=prompt)
    if isinstance(lesson, dict):
        clock = SampleClock()
        clock.at = parse_instant(lesson["created"])
        with open_as("agent", clock) as memory:
            saved = memory.save(lesson["text"], title=lesson["title"], kind=lesson["kind"])
        yield {"event": "save", **describe_outcome(saved)}
    with open_as("agent", None) as memory:
        for event in (STOP, SESSION_END):
            step = _describe_given(memory, session, event)
            marks = {happened.name for happened in memory.journal.read(session)} & set(MARKS)
            step["note"] = "marked to be learned from" if event in marks else ""
            yield step


def _describe_given(memory: Memory, session: str, event: str, **said: str) -> Data:
    """Handle an event as the hook does, and return what the agent gets."""
    begun = time.monotonic()
    occasion = Occasion({"session_id": session, **said})
    call = HookCall(
        event, HOST, occasion, memory, deadline=math.inf, at=time.time(), phase="", project=PROJECT
    )
    HANDLERS[event](call)
    answer = make_answer(call)
    note_answer(call, answer)
    took = max(1, round((time.monotonic() - begun) * 1000))
    note = ""
    if event == PROMPT and not answer.context:
        why = "the agent has what fits it already" if call.again else "no memory is about this"
        note = f"nothing: {why}"
    found: Data = {"event": event, "ms": took, "message": answer.message}
    return {**said, **found, "context": answer.context, "ids": [*answer.ids], "note": note}


@dataclass(kw_only=True)
class DemoCommand(BaseCommand):
    """Try Engrain on sample data, in a separate vault."""

    examples = """
engrain demo
engrain demo --keep ./demo-vault
"""
    keep: str | None = option("create the vault there and keep it", "FOLDER")

    def run(self) -> Answer:
        with open(os.path.join(_SAMPLE, "demo.json"), encoding="utf-8") as file:  # noqa: PTH123
            scripts = json.load(file)["sessions"]
        own_keys = os.path.join(
            os.path.dirname(os.path.abspath(user_config_file(os.environ))), "keys"
        )
        with (
            tempfile.TemporaryDirectory(prefix="engrain-demo-") as folder,
            _without_settings(folder),
        ):

            def open_as(trust: str, clock: Clock | None) -> Memory:
                return open_memory(
                    os.path.abspath(os.path.expanduser(self.keep or os.path.join(folder, "vault"))),
                    state_dir=os.path.join(folder, "state"),
                    backend="auto",
                    project=PROJECT,
                    agent="demo",
                    trust=trust,
                    create=True,
                    clock=clock,
                    keys_dir=own_keys if self.keep else os.path.join(folder, "keys"),
                )

            clock, count = SampleClock(), 0
            with (
                open_as("operator", clock) as memory,
                show_progress(self.console, "saving the sample") as progress,
            ):
                for count, _ in enumerate(save_sample(memory, clock), 1):
                    if progress:
                        progress(count, None)
            sessions: list[list[Data]] = []
            learned: list[str] = []
            for script in scripts:
                sessions.append(list(_play(open_as, script, learned)))
                learned += [str(step["id"]) for step in sessions[-1] if "id" in step]
        data: Data = {"saved": count, "vault": self.keep, "host": HOST, "sessions": sessions}
        return data, _lines(count, sessions, self.keep)


def _lines(count: int, sessions: Sequence[Sequence[Data]], kept: str | None) -> Iterator[str]:
    yield f"{count} memories of a small team's September are saved in a vault. Now their agent"
    yield f"works with it: it gets what the hooks of {HOST} give."
    for number, steps in enumerate(sessions, 1):
        yield from ("", style("good", f"Session {number}"), "")
        for step in steps:
            yield from (f"{name:<14}{text}" for name, text in _step_lines(step))
    if kept:
        yield from ("", f"The vault is in {kept}: ENGRAIN_VAULT={kept} engrain list")


def _step_lines(step: Data) -> Iterator[tuple[str, str]]:
    """Yield (who, what) for a step, in lines for a terminal of 80 characters."""
    if prompt := step.get("prompt"):
        yield "person", style("title", clean(str(prompt)))
    if step["event"] == "save":
        yield "agent saves", f"{step['outcome']}  {bold(str(step['title']))}"
        yield "", style("dim", f"  {step['id']}  {step['path']}")
        return
    message, note, context = (str(step[key]) for key in ("message", "note", "context"))
    took = f"  ({step['ms']} ms)"
    said = excerpt(message or note or "nothing", 62 - len(took))
    yield str(step["event"]), said + style("dim", took)
    if context:
        yield "", f"{len(context):,} characters for the agent"
    if message and note:
        yield "", note
    if prompt:
        shown = [excerpt(line, 62) for line in context.splitlines() if line]
        shown[5:] = ["…", shown[-1]] if len(shown) > 5 else []
        yield from (("", style("dim", f"| {line}")) for line in shown)


COMMAND = DemoCommand
