"""demo: on the sample that the project ships, one session of an agent that learns and a second that
knows, in a throw-away vault."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass

from engrain.adapters.cli.answer import Answer as CommandAnswer
from engrain.adapters.cli.care.sample import (
    HOST,
    PROJECT,
    Answer,
    HostSession,
    SampleClock,
    Script,
    read_scripts,
    save_sample,
)
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command
from engrain.adapters.hooks.answers import PROMPT, SESSION_END, SESSION_START, STOP
from engrain.adapters.hooks.events import PROMPT_BUDGET, PROMPT_LIMIT
from engrain.adapters.present.records import Data, describe_outcome, fields
from engrain.adapters.present.text import clean, clean_line, excerpt, outcome_lines
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import Outcome
from engrain.lifecycle.sessions.sessions import MARKS, list_given
from engrain.resolution.keys import find_keys
from engrain.wiring import open_memory

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
    """One thing that happens in a session: what a hook answers, to `prompt` if there is one, or
    what was saved. `note` says what else there is to know of it."""

    answer: Answer | None = None
    _: KW_ONLY
    saved: Outcome | None = None
    prompt: str = ""
    note: str = ""

    @property
    def losses(self) -> list[str]:
        return self.answer.losses if self.answer else []


class _Stage:
    """Where it is played: a vault, and a state folder and a folder of the agent's own."""

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
            also=(),
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

    def play(self, script: Script, learned: Sequence[str]) -> Iterator[_Step]:
        """One session from its start to its end; `learned` are ids from sessions before it."""
        session = HostSession(self._folder, self._settings)
        start = session.tell(SESSION_START)
        known = any(id_ in start.context for id_ in learned)
        yield _Step(start, note=_CARRIED if known else "")
        for prompt in script.prompts:
            answer = session.tell(PROMPT, prompt=prompt)
            note = "" if answer.context else self._explain_silence(session.id, prompt)
            yield _Step(answer, prompt=prompt, note=note)
        if script.lesson:
            self.clock.at = script.lesson.at
            with self.open("agent") as memory:
                saved = script.lesson.save(memory)
            yield _Step(saved=saved)
        for event in (STOP, SESSION_END):
            answer = session.tell(event)
            with self.open("agent") as memory:
                noted = {happened.name for happened in memory.journal.read(session.id)}
            yield _Step(answer, note=_MARKED if event in noted.intersection(MARKS) else "")

    def _explain_silence(self, session: str, prompt: str) -> str:
        with self.open("agent") as memory:
            found = memory.recall(prompt, limit=PROMPT_LIMIT, budget=PROMPT_BUDGET)
            given = list_given(memory.journal, session)
        return _HAS_IT if {one.row.id for one in found.results}.intersection(given) else _FOREIGN


def _demo(args: Arguments, console: Console) -> CommandAnswer:
    with tempfile.TemporaryDirectory(prefix="engrain-demo-") as folder:
        vault = args.keep or os.path.join(folder, "vault")
        stage = _Stage(folder, os.path.abspath(os.path.expanduser(vault)))
        with stage.open("operator") as memory, console.progress("saving the sample") as progress:
            count = 0
            for count, _ in enumerate(save_sample(memory, stage.clock), 1):
                if progress:
                    progress(count, None)
        played = list(_play(stage))
        if args.keep:
            stage.keep_key()
    sessions = [[_describe(step) for step in steps] for steps in played]
    data: Data = {"saved": count, "vault": args.keep, "host": HOST, "sessions": sessions}
    return data, _show(count, played, args.keep, console)


def _play(stage: _Stage) -> Iterator[list[_Step]]:
    learned: list[str] = []
    for script in read_scripts():
        steps = list(stage.play(script, learned))
        learned += [step.saved.id for step in steps if step.saved]
        yield steps


def _show(
    count: int, played: Sequence[list[_Step]], kept: str | None, console: Console
) -> Iterator[str]:
    yield f"{count} memories of a small team's September are saved in a vault. Now their agent"
    yield f"works with it: its hooks are run as {HOST} runs them, as real processes."
    for number, steps in enumerate(played, 1):
        yield from ("", console.style("good", f"Session {number}"), "")
        for step in steps:
            yield from _lines(step, console)
    losses = [reason for steps in played for step in steps for reason in step.losses]
    if losses:
        notice = f"Some hooks failed at first on this machine: {clean_line(losses[0])}."
        yield from ("", console.style("warning", notice))
    if kept:
        yield from ("", f"The vault is in {kept}: ENGRAIN_VAULT={kept} engrain list")


def _describe(step: _Step) -> Data:
    if step.saved:
        return {"event": "save", **describe_outcome(step.saved)}
    data: Data = {"prompt": step.prompt} if step.prompt else {}
    if step.answer:
        answer = step.answer
        data |= fields(answer, "event ms message context losses") | {"note": step.note}
    return data


def _lines(step: _Step, console: Console) -> Iterator[str]:
    if step.prompt:
        yield _line("person", console.style("title", clean(step.prompt)))
    if step.saved:
        first, *more = outcome_lines(step.saved, console.style)
        yield _line("agent saves", first)
        yield from (_line("", line) for line in more[:1])
    if answer := step.answer:
        took = f"  ({answer.ms} ms)"
        said = _fit(answer.message or step.note or _NOTHING, _ROOM - len(took))
        yield _line(answer.event, said + console.style("dim", took))
        if answer.context:
            yield _line("", f"{len(answer.context):,} characters for the agent")
        if answer.message and step.note:
            yield _line("", step.note)
        if step.prompt:
            yield from (_line("", console.style("dim", f"| {line}")) for line in _cut(answer))


def _line(name: str, text: str) -> str:
    return f"{name:<{_COLUMN}}{text}"


def _cut(answer: Answer) -> Iterator[str]:
    """The beginning and the end of what the agent gets."""
    lines = [line for line in answer.context.splitlines() if line]
    yield from (_fit(line, _ROOM) for line in lines[:_SHOWN])
    if len(lines) > _SHOWN:
        yield "…"
        yield lines[-1]


def _fit(text: str, room: int) -> str:
    return excerpt(text, room - 2)  # an excerpt that is cut ends in two more


COMMAND = Command(
    _demo,
    """
--keep FOLDER  create the vault there and keep it
$ engrain demo
$ engrain demo --keep ./demo-vault
""",
)
