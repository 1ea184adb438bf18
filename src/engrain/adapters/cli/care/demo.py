"""`engrain demo`: on the sample that the project ships, one session of an agent that learns and a
second that knows, in a throw-away vault."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.hooks.answers import PROMPT, SESSION_END, SESSION_START, STOP
from engrain.adapters.hooks.events import PROMPT_BUDGET, PROMPT_LIMIT
from engrain.adapters.hooks.losses import read_losses
from engrain.adapters.hosts.check import LIMIT, find_fault, last_said, make_payload, run_hook
from engrain.adapters.hosts.commands import hook_command
from engrain.adapters.hosts.table import HOSTS
from engrain.adapters.present.records import Data, describe_outcome, fields
from engrain.adapters.present.text import clean, clean_line, excerpt, outcome_lines, style
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import Outcome
from engrain.language.text.instants import parse_instant, read_instant
from engrain.lifecycle.sessions.sessions import MARKS, list_given
from engrain.model.errors import EngrainError
from engrain.model.links.link import parse_links
from engrain.model.note.note import split_note
from engrain.model.note.plain_fields import parse_fields
from engrain.resolution.keys import find_keys
from engrain.seam.clock import Clock
from engrain.wiring import open_memory

HOST = "claude-code"
_PAUSES = (0.0, 0.0, 0.2, 0.4, 0.8, 1.6, 3.2)
"""Seconds before each run of a hook that loses what it was to give, until it counts as failed:
what else the machine is busy with ends, or it does not."""


class _HookError(EngrainError):
    """A hook failed, or lost what it was to give."""

    code = "hook"


class _HookAnswer:
    """What a hook gave: `context` for the agent, `message` for the person, and the milliseconds
    that its process took. `losses` are what it and runs before it could not do in time."""

    def __init__(self, event: str, ms: int, printed: bytes) -> None:
        answer = json.loads(printed or b"{}")
        self.event = event
        self.ms = ms
        self.context: str = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        self.message: str = answer.get("systemMessage", "")
        self.losses: list[str] = []


class _HostSession:
    """A new session in `folder`, over the vault that `settings` name; no other ENGRAIN_ variables
    reach the hooks."""

    def __init__(self, folder: str, settings: Mapping[str, str]) -> None:
        self.id = f"demo-{secrets.token_hex(8)}"
        self._folder = folder
        self._state_dir = settings["ENGRAIN_STATE_DIR"]
        others = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAIN_")}
        self._environ = {**others, **settings}

    def tell(self, event: str, **said: str) -> _HookAnswer:
        """Run the hook of an event; its payload gets `said` as well. A hook that gives nothing
        because it ran out of time is run again. Raises _HookError."""
        losses: list[str] = []
        for pause in _PAUSES:
            time.sleep(pause)
            before = len(read_losses(self._state_dir, 0.0))
            answer = self._run(event, said)
            # A hook that fails says nothing to its host; it says so here.
            lost = [loss.reason for loss in read_losses(self._state_dir, 0.0)[before:]]
            losses += lost
            if answer.context or not lost:
                answer.losses = losses
                return answer
        raise _failed(event, losses[-1])

    def _run(self, event: str, said: Mapping[str, str]) -> _HookAnswer:
        name = _NAMES[event]
        payload = {**make_payload(HOST, name, event, self.id, self._folder), **said}
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
        return _HookAnswer(event, round(took * 1000), done.stdout)


_NAMES = {
    event: name
    for file in HOSTS[HOST].files({})
    for hooks in file.hooks
    for name, event in hooks.events.items()
}
"""By our events the host's names of them."""


def _failed(event: str, why: str) -> _HookError:
    return _HookError(
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


@dataclass(slots=True, eq=False)
class _Script:
    """One session: what the person asks, and the fields of what the agent learns, if anything."""

    prompts: list[str]
    lesson: Mapping[str, str] | None


def _read_scripts() -> list[_Script]:
    with open(os.path.join(_SAMPLE, "demo.json"), encoding="utf-8") as file:  # noqa: PTH123
        sessions = json.load(file)["sessions"]
    return [_Script(session["prompts"], session.get("learns")) for session in sessions]


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


_NOTHING = "nothing"
_HAS_IT = f"{_NOTHING}: the agent has what fits it already"
_FOREIGN = f"{_NOTHING}: no memory is about this"
_MARKED = "marked to be learned from"
_CARRIED = "what the session before learned is among them"

_COLUMN = 14
_ROOM = 64
"""Characters beside the column on a terminal of 80."""
_SHOWN = 5
"""Lines of a block for the agent that are shown, before its end."""


@dataclass(slots=True, eq=False)
class _Step:
    """One event of a session: what a hook answered, to `prompt` if there is one, or what was saved.
    `note` explains it."""

    answer: _HookAnswer | None = None
    _: KW_ONLY
    saved: Outcome | None = None
    prompt: str = ""
    note: str = ""

    @property
    def losses(self) -> list[str]:
        return self.answer.losses if self.answer else []


class _Stage:
    """The folders that the demo is played in: the vault, a state folder and the agent's own."""

    def __init__(self, folder: str, vault: str) -> None:
        self.vault = vault
        self.clock = SampleClock()
        self._state = os.path.join(folder, "state")
        self._folder = os.path.join(folder, PROJECT)
        self._keys_dir = os.path.join(folder, "keys")
        os.makedirs(self._folder)
        self._settings = {
            "ENGRAIN_VAULT": vault,
            "ENGRAIN_STATE_DIR": self._state,
            "ENGRAIN_PROJECT": PROJECT,
            "ENGRAIN_EMBEDDER": "none",
            # One that is not there: a person's own settings have no part in this.
            "ENGRAIN_CONFIG": os.path.join(folder, "config.toml"),
        }

    def open(self, trust: str) -> Memory:
        return open_memory(
            self.vault,
            state_dir=self._state,
            backend="auto",
            project=PROJECT,
            agent="demo",
            trust=trust,
            create=True,
            clock=self.clock,
            keys_dir=self._keys_dir,
        )

    def keep_key(self) -> None:
        """Give the user the key of the vault, which stays when the demo's own folders go."""
        with self.open("operator") as memory:
            vault = memory.vault
        made = find_keys({}, self.vault, folder=self._keys_dir)
        kept = find_keys(os.environ, self.vault)
        secret = made.secret(vault) if made else None
        if secret and kept:
            kept.put(vault, secret)

    def play(self, script: _Script, learned: Sequence[str]) -> Iterator[_Step]:
        """One session from its start to its end; `learned` are ids from sessions before it."""
        session = _HostSession(self._folder, self._settings)
        start = session.tell(SESSION_START)
        carried = any(id_ in start.context for id_ in learned)
        yield _Step(start, note=_CARRIED if carried else "")
        for prompt in script.prompts:
            answer = session.tell(PROMPT, prompt=prompt)
            note = ""
            if not answer.context:
                with self.open("agent") as memory:
                    found = memory.recall(prompt, limit=PROMPT_LIMIT, budget=PROMPT_BUDGET)
                    given = list_given(memory.journal, session.id)
                known = {one.row.id for one in found.results}.intersection(given)
                note = _HAS_IT if known else _FOREIGN
            yield _Step(answer, prompt=prompt, note=note)
        if script.lesson:
            lesson = script.lesson
            self.clock.at = parse_instant(lesson["created"])
            with self.open("agent") as memory:
                saved = memory.save(lesson["text"], title=lesson["title"], kind=lesson["kind"])
            yield _Step(saved=saved)
        for event in (STOP, SESSION_END):
            answer = session.tell(event)
            with self.open("agent") as memory:
                noted = {happened.name for happened in memory.journal.read(session.id)}
            yield _Step(answer, note=_MARKED if event in noted.intersection(MARKS) else "")


def _demo(args: Arguments) -> Answer:
    with tempfile.TemporaryDirectory(prefix="engrain-demo-") as folder:
        vault = args.keep or os.path.join(folder, "vault")
        stage = _Stage(folder, os.path.abspath(os.path.expanduser(vault)))
        with (
            stage.open("operator") as memory,
            args.console.progress("saving the sample") as progress,
        ):
            count = 0
            for count, _ in enumerate(save_sample(memory, stage.clock), 1):
                if progress:
                    progress(count, None)
        played: list[list[_Step]] = []
        learned: list[str] = []
        for script in _read_scripts():
            played.append(list(stage.play(script, learned)))
            learned += [step.saved.id for step in played[-1] if step.saved]
        if args.keep:
            stage.keep_key()
    sessions = [[_describe(step) for step in steps] for steps in played]
    data: Data = {"saved": count, "vault": args.keep, "host": HOST, "sessions": sessions}
    return data, _show(count, played, args.keep)


def _show(count: int, played: Sequence[list[_Step]], kept: str | None) -> Iterator[str]:
    yield f"{count} memories of a small team's September are saved in a vault. Now their agent"
    yield f"works with it: its hooks are run as {HOST} runs them, as real processes."
    for number, steps in enumerate(played, 1):
        yield from ("", style("good", f"Session {number}"), "")
        for step in steps:
            yield from _lines(step)
    losses = [reason for steps in played for step in steps for reason in step.losses]
    if losses:
        notice = f"Some hooks failed at first on this machine: {clean_line(losses[0])}."
        yield from ("", style("warning", notice))
    if kept:
        yield from ("", f"The vault is in {kept}: ENGRAIN_VAULT={kept} engrain list")


def _describe(step: _Step) -> Data:
    if step.saved:
        return {"event": "save", **describe_outcome(step.saved)}
    data: Data = {"prompt": step.prompt} if step.prompt else {}
    data |= fields(step.answer, "event ms message context losses") if step.answer else {}
    return data | {"note": step.note}


def _lines(step: _Step) -> Iterator[str]:
    if step.prompt:
        yield _line("person", style("title", clean(step.prompt)))
    if step.saved:
        first, *more = outcome_lines(step.saved)
        yield _line("agent saves", first)
        yield from (_line("", line) for line in more[:1])
    if answer := step.answer:
        took = f"  ({answer.ms} ms)"
        said = _fit(answer.message or step.note or _NOTHING, _ROOM - len(took))
        yield _line(answer.event, said + style("dim", took))
        if answer.context:
            yield _line("", f"{len(answer.context):,} characters for the agent")
        if answer.message and step.note:
            yield _line("", step.note)
        if step.prompt:
            lines = [_fit(line, _ROOM) for line in answer.context.splitlines() if line]
            if len(lines) > _SHOWN:
                lines[_SHOWN:] = ["…", lines[-1]]
            yield from (_line("", style("dim", f"| {line}")) for line in lines)


def _line(name: str, text: str) -> str:
    return f"{name:<{_COLUMN}}{text}"


def _fit(text: str, room: int) -> str:
    return excerpt(text, room - 2)  # an excerpt that is cut ends in two more


COMMAND = Command(
    _demo,
    """
--keep FOLDER  create the vault there and keep it
$ engrain demo
$ engrain demo --keep ./demo-vault
""",
    opens=None,
)
