"""The sample that the project ships: a small team's notes, and what its agent is asked."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engrain.adapters.hooks.losses import read_losses
from engrain.adapters.hosts.check import LIMIT, find_fault, last_said, make_payload, run_hook
from engrain.adapters.hosts.commands import hook_command
from engrain.adapters.hosts.table import HOSTS
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import Outcome
from engrain.language.text.instants import parse_instant, read_instant
from engrain.model.errors import EngrainError
from engrain.model.links.link import parse_links
from engrain.model.note.note import split_note
from engrain.model.note.plain_fields import parse_fields
from engrain.seam.clock import Clock

HOST = "claude-code"
_PAUSES = (0.0, 0.0, 0.2, 0.4, 0.8, 1.6, 3.2)
"""Seconds before each run of a hook that loses what it was to give, until it counts as failed:
what else the machine is busy with ends, or it does not."""


class HookError(EngrainError):
    """A hook failed, or lost what it was to give."""

    code = "hook"


class Answer:
    """What a hook gave: `context` for the agent, `message` for the person, "" for nothing; and the
    milliseconds from the start of its process to the end. `losses` are what it could not do in
    time, in runs before this one too."""

    def __init__(self, event: str, ms: int, printed: bytes) -> None:
        said = json.loads(printed or b"{}")
        self.event = event
        self.ms = ms
        self.context: str = said.get("hookSpecificOutput", {}).get("additionalContext", "")
        self.message: str = said.get("systemMessage", "")
        self.losses: list[str] = []


class HostSession:
    """A new session in `folder`, over the vault that `settings` name: variables of the environment,
    of which no others of ours reach the hooks."""

    def __init__(self, folder: str, settings: Mapping[str, str]) -> None:
        self.id = f"demo-{secrets.token_hex(8)}"
        self._folder = folder
        self._state_dir = settings["ENGRAIN_STATE_DIR"]
        others = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAIN_")}
        self._environ = {**others, **settings}

    def tell(self, event: str, **fields: str) -> Answer:
        """Run the hook of an event, of which the payload says `fields` too. One that gives nothing
        because it loses something, as on a busy machine, is run again. Raises HookError."""
        losses: list[str] = []
        for pause in _PAUSES:
            time.sleep(pause)
            before = len(read_losses(self._state_dir, 0.0))
            answer = self._run(event, fields)
            # A hook that fails says nothing to its host; it says so here.
            lost = [loss.reason for loss in read_losses(self._state_dir, 0.0)[before:]]
            losses += lost
            if answer.context or not lost:
                answer.losses = losses
                return answer
        raise _failed(event, losses[-1])

    def _run(self, event: str, fields: Mapping[str, str]) -> Answer:
        name = _NAMES[event]
        payload = {**make_payload(HOST, name, event, self.id, self._folder), **fields}
        try:
            done, took = run_hook(hook_command(event, HOST), payload, self._folder, self._environ)
        except subprocess.TimeoutExpired:
            raise _failed(event, f"no answer within {LIMIT:.0f} s") from None
        except OSError as error:
            raise _failed(event, f"it can't be run: {error.strerror}") from None
        if done.returncode:
            raise _failed(event, f"exit code {done.returncode} {last_said(done)}".strip())
        if fault := find_fault(HOST, name, done.stdout):
            raise _failed(event, fault)
        return Answer(event, round(took * 1000), done.stdout)


_NAMES = {
    event: name
    for file in HOSTS[HOST].files({})
    for hooks in file.hooks
    for name, event in hooks.events.items()
}
"""By our events the host's names of them."""


def _failed(event: str, why: str) -> HookError:
    return HookError(
        f"the hook {event} failed: {why}",
        remedy="try again: on a busy machine a hook may run out of time; else report it",
    )


PROJECT = "billing"
"""What the team works on."""
_SAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "sample")


class SampleClock(Clock):
    """A clock that gives each sample's own date, so that the demo's history has them."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at


class Lesson:
    """What the agent learns in a session, and when."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields
        self.at = parse_instant(fields["created"])

    def save(self, memory: Memory) -> Outcome:
        """Save it, as the agent does."""
        fields = self._fields
        return memory.save(fields["text"], title=fields["title"], kind=fields["kind"])


@dataclass(slots=True, eq=False)
class Script:
    """One session: what the person asks, and what the agent learns of it, if anything."""

    prompts: list[str]
    lesson: Lesson | None


def read_scripts() -> list[Script]:
    """The sessions of the demo, in order."""
    with open(os.path.join(_SAMPLE, "demo.json"), encoding="utf-8") as file:  # noqa: PTH123
        sessions = json.load(file)["sessions"]
    return [
        Script(session["prompts"], Lesson(session["learns"]) if "learns" in session else None)
        for session in sessions
    ]


def save_sample(memory: Memory, clock: SampleClock) -> Iterator[str]:
    """Save every sample note in the order of time; one that replaces another evolves it."""
    notes = sorted(_read_notes(), key=lambda note: (note[0], note[1]))
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


def _read_notes() -> Iterator[tuple[float, str, str, bytes]]:
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
