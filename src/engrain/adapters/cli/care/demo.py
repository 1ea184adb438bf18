"""`engrain demo`: play two sessions of an agent on the sample memories, in a throw-away vault. The
first session learns something, and the second knows it."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.hooks.answers import PROMPT, SESSION_END, SESSION_START, STOP
from engrain.adapters.hooks.events import PROMPT_BUDGET, PROMPT_LIMIT
from engrain.adapters.hooks.losses import read_losses
from engrain.adapters.hosts.check import LIMIT, find_fault, last_said, make_payload, run_hook
from engrain.adapters.hosts.commands import hook_command
from engrain.adapters.hosts.table import HOSTS
from engrain.adapters.present.records import Data, describe_outcome
from engrain.adapters.present.text import bold, clean, clean_line, excerpt, style
from engrain.api.memory import Memory
from engrain.language.text.instants import parse_instant, read_instant
from engrain.lifecycle.sessions.sessions import MARKS, list_given
from engrain.model.errors import EngrainError
from engrain.model.links.link import parse_links
from engrain.model.note.note import Note, split_note
from engrain.resolution.device import find_keys
from engrain.seam.clock import Clock
from engrain.wiring import open_memory

HOST = "claude-code"
PROJECT = "billing"
"""The project of the sample's team."""
_SAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "sample")
_PAUSES = (0.0, 0.0, 0.2, 0.4, 0.8, 1.6, 3.2)
"""Seconds before each try of a hook that runs out of time, as on a busy machine."""
_NAMES = {
    event: name
    for file in HOSTS[HOST].files({})
    for hooks in file.hooks
    for name, event in hooks.events.items()
}
"""The host's name of each event."""


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


class _HookError(EngrainError):
    """A hook failed, or ran out of time at each try."""

    code = "hook"

    def __init__(self, event: str, why: str) -> None:
        super().__init__(
            f"the hook {event} failed: {why}",
            remedy="try again: on a busy machine a hook may run out of time; else report it",
        )


class _Stage:
    """The folders of the demo: the vault, a state folder and the agent's own. `losses` are what
    hooks could not do in time."""

    def __init__(self, folder: str, vault: str) -> None:
        self.clock = SampleClock()
        self.losses: list[str] = []
        self._vault = vault
        self._state = os.path.join(folder, "state")
        self._folder = os.path.join(folder, PROJECT)
        self._keys_dir = os.path.join(folder, "keys")
        os.makedirs(self._folder)
        # A person's own settings have no part in this.
        others = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAIN_")}
        self._environ = {
            **others,
            "ENGRAIN_VAULT": vault,
            "ENGRAIN_STATE_DIR": self._state,
            "ENGRAIN_PROJECT": PROJECT,
            "ENGRAIN_EMBEDDER": "none",
            "ENGRAIN_CONFIG": os.path.join(folder, "config.toml"),
        }

    def open(self, trust: str) -> Memory:
        return open_memory(
            self._vault,
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
        made = find_keys({}, self._vault, folder=self._keys_dir)
        kept = find_keys(os.environ, self._vault)
        secret = made.secret(vault) if made else None
        if secret and kept:
            kept.put(vault, secret)

    def play(self, script: Mapping[str, object], learned: Sequence[str]) -> Iterator[Data]:
        """Play one session and yield its steps; `learned` are ids from sessions before it."""
        session = f"demo-{secrets.token_hex(8)}"
        step = self._tell(session, SESSION_START)
        if any(id_ in str(step["context"]) for id_ in learned):
            step["note"] = "what the session before learned is among them"
        yield step
        prompts, lesson = script["prompts"], script.get("learns")
        for prompt in prompts if isinstance(prompts, list) else ():
            step = self._tell(session, PROMPT, prompt=prompt)
            if not step["context"]:
                with self.open("agent") as memory:
                    found = memory.recall(prompt, limit=PROMPT_LIMIT, budget=PROMPT_BUDGET)
                    known = {one.row.id for one in found.results}
                    known &= set(list_given(memory.journal, session))
                why = "the agent has what fits it already" if known else "no memory is about this"
                step["note"] = f"nothing: {why}"
            yield step
        if isinstance(lesson, dict):
            self.clock.at = parse_instant(lesson["created"])
            with self.open("agent") as memory:
                saved = memory.save(lesson["text"], title=lesson["title"], kind=lesson["kind"])
            yield {"event": "save", **describe_outcome(saved)}
        for event in (STOP, SESSION_END):
            step = self._tell(session, event)
            with self.open("agent") as memory:
                marks = {happened.name for happened in memory.journal.read(session)} & set(MARKS)
            step["note"] = "marked to be learned from" if event in marks else ""
            yield step

    def _tell(self, session: str, event: str, **said: str) -> Data:
        """Run the hook of an event, again if it gave nothing because it ran out of time; return
        what it gave. Raises _HookError."""
        for pause in _PAUSES:
            time.sleep(pause)
            before = len(read_losses(self._state, 0.0))
            step = self._run(session, event, said)
            lost = [loss.reason for loss in read_losses(self._state, 0.0)[before:]]
            self.losses += lost
            if step["context"] or not lost:
                return step
        raise _HookError(event, self.losses[-1])

    def _run(self, session: str, event: str, said: Mapping[str, str]) -> Data:
        name = _NAMES[event]
        payload = {**make_payload(HOST, name, event, session, self._folder), **said}
        command = hook_command(event, HOST)
        try:
            done, took = run_hook(command, payload, self._folder, self._environ)
        except subprocess.TimeoutExpired:
            raise _HookError(event, f"no answer within {LIMIT:.0f} s") from None
        except OSError as error:
            raise _HookError(event, f"it can't be run: {error.strerror}") from None
        if done.returncode:
            raise _HookError(event, f"exit code {done.returncode} {last_said(done)}".strip())
        if fault := find_fault(HOST, name, done.stdout):
            raise _HookError(event, fault)
        answer = json.loads(done.stdout or b"{}")
        context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        message = answer.get("systemMessage", "")
        found: Data = {"event": event, "ms": round(took * 1000), "message": message}
        return {**said, **found, "context": context, "note": ""}


def _demo(args: Arguments) -> Answer:
    with open(os.path.join(_SAMPLE, "demo.json"), encoding="utf-8") as file:  # noqa: PTH123
        scripts = json.load(file)["sessions"]
    with tempfile.TemporaryDirectory(prefix="engrain-demo-") as folder:
        vault = args.keep or os.path.join(folder, "vault")
        stage = _Stage(folder, os.path.abspath(os.path.expanduser(vault)))
        count = 0
        with (
            stage.open("operator") as memory,
            args.console.progress("saving the sample") as progress,
        ):
            for count, _ in enumerate(save_sample(memory, stage.clock), 1):
                if progress:
                    progress(count, None)
        sessions: list[list[Data]] = []
        learned: list[str] = []
        for script in scripts:
            sessions.append(list(stage.play(script, learned)))
            learned += [str(step["id"]) for step in sessions[-1] if "id" in step]
        if args.keep:
            stage.keep_key()
    data: Data = {"saved": count, "vault": args.keep, "host": HOST, "sessions": sessions}
    return data, _lines(count, sessions, stage.losses, args.keep)


def _lines(
    count: int, sessions: Sequence[Sequence[Data]], losses: Sequence[str], kept: str | None
) -> Iterator[str]:
    yield f"{count} memories of a small team's September are saved in a vault. Now their agent"
    yield f"works with it: its hooks are run as {HOST} runs them, as real processes."
    for number, steps in enumerate(sessions, 1):
        yield from ("", style("good", f"Session {number}"), "")
        for step in steps:
            yield from (f"{name:<14}{text}" for name, text in _step_lines(step))
    if losses:
        notice = f"Some hooks failed at first on this machine: {clean_line(losses[0])}."
        yield from ("", style("warning", notice))
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


COMMAND = Command(
    _demo,
    """
--keep FOLDER  create the vault there and keep it
$ engrain demo
$ engrain demo --keep ./demo-vault
""",
    opens=None,
)
