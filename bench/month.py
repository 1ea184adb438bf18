"""A month of one developer through the hooks: what is learned, what is given, and what of it helps.

python -m bench.month              the figures
python -m bench.month --show       with every learned entry and every block that a prompt got
python -m bench.month --json       as JSON

Each hook and job is a process of its own, whose clock stands in the simulated month. The labels are
in `data/month/sessions.txt`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from time import time
from typing import Any

from bench.labelled import LABELLED, share
from engrain import open_memory
from engrain.adapters.hosts.check import make_payload
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope

SCRIPT = LABELLED / "month" / "sessions.txt"
FIRST_DAY = datetime(2026, 11, 2, 9, tzinfo=UTC)
RECORDS = ("episode", "learning", "daily", "continuity", "handoff", "checkpoint")
"""Kinds that are kept for other jobs than prompts, and are no lessons."""
START = "(start)"

_SHIFTED = (
    "import sys, time; now, by = time.time, float(sys.argv.pop(1)); time.time = lambda: now() + by;"
    "from engrain.__main__ import main; sys.exit(main())"
)
_HEAD = re.compile(r"^\[\w+ [\w-]+ \d{4}-\d\d-\d\d .*\]", re.MULTILINE)


@dataclass(slots=True)
class Prompt:
    """One prompt, whose words are the harness's unless `typed`; what happens until the next one,
    by the sign of each line; and the words of entries that are useful at it."""

    text: str
    typed: bool
    steps: list[tuple[str, str]] = field(default_factory=list)
    useful: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Session:
    """One session: its day, its project, its prompts, the alternatives of words by name of what is
    worth keeping, and the names of what ends."""

    day: int
    project: str
    prompts: list[Prompt] = field(default_factory=list)
    worth: dict[str, list[list[str]]] = field(default_factory=dict)
    ends: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Item:
    """One learned entry, with the name of what is worth keeping that it has, "" for none, and
    whether an earlier entry has it already."""

    title: str
    kind: str
    status: str
    text: str
    name: str = ""
    again: bool = False


@dataclass(slots=True)
class Given:
    """What one prompt got."""

    day: int
    prompt: str
    block: str
    entries: int
    useful: int


def read_sessions(text: str) -> list[Session]:
    """Read the sessions of a script; its head says what the lines mean."""
    sessions: list[Session] = []
    for line in text.splitlines():
        if line.startswith("## "):
            day, project = line[3:].split()
            sessions.append(Session(int(day), project))
        elif line and not line.startswith("#"):
            sign, _, said = line.partition(" ")
            _add(sessions[-1], sign, said.replace("|", "\n") if sign in (">", "~") else said)
    return sessions


def _add(session: Session, sign: str, said: str) -> None:
    if sign in (">", "~"):
        session.prompts.append(Prompt(said.removeprefix("~ "), sign == ">"))
    elif sign == "=":
        name, _, words = said.partition(": ")
        options = [[w.strip().casefold() for w in one.split(",")] for one in words.split("|")]
        session.worth[name] = options
    elif sign == "-":
        session.ends.append(said)
    elif sign == "@":
        session.prompts[-1].useful.append(said.casefold())
    else:
        session.prompts[-1].steps.append((sign, said))


class Desk:
    """A home, a vault and the projects, in a folder, in which hooks run at simulated moments."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        kept = {name: said for name, said in os.environ.items() if name[:8] != "ENGRAIN_"}
        self.environ = {
            **kept,
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
            "ENGRAIN_EMBEDDER": "static",
            "ENGRAIN_VAULT": str(folder / "vault"),
            "TZ": "UTC",
        }
        self.open().close()

    def open(self) -> Memory:
        """Open the vault in this process."""
        return open_memory(
            self.folder / "vault", state_dir=self.folder / "state" / "engrain", create=True
        )

    def run(self, at: float, *command: str, project: str = "", given: str = "") -> str:
        """Run a command of ours at a moment; return what it prints."""
        place = self.folder / project
        (place / ".git").mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-c", _SHIFTED, str(at - time()), *command],
            input=given.encode(),
            capture_output=True,
            check=False,
            cwd=place,
            env=self.environ,
        )
        return done.stdout.decode()


class Transcript:
    """The lines that Claude Code writes about a session, each some seconds after the last."""

    def __init__(self, path: Path, session: str, cwd: str, at: float) -> None:
        self.path = path
        self.at = at
        self._session = session
        self._cwd = cwd
        self._lines = 0
        path.parent.mkdir(parents=True, exist_ok=True)

    def write(self, role: str, content: object) -> None:
        self.at += 5
        self._lines += 1
        line = {
            "type": role, "sessionId": self._session, "cwd": self._cwd, "version": "2.1.15",
            "isSidechain": False, "uuid": f"{self._session}-{self._lines}",
            "timestamp": datetime.fromtimestamp(self.at, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "message": {"role": role, "content": content},
        }  # fmt: skip
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        os.utime(self.path, (self.at, self.at))

    def call(self, tool: str, given: Mapping[str, object], result: str, *, failed: bool) -> None:
        call = f"toolu_{self._session}_{self._lines}"
        self.write("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": given}])
        answer = {"type": "tool_result", "tool_use_id": call, "content": result, "is_error": failed}
        self.write("user", [answer])

    def step(self, sign: str, said: str) -> None:
        """Write one step of a script."""
        command, _, output = said.partition(" => ")
        output = output.replace("|", "\n")
        if sign == "<":
            self.write("assistant", [{"type": "text", "text": said}])
        elif sign == "*":
            name, _, old = command.partition(":")
            path = f"{self._cwd}/{name}"
            new = output or "a = 2"
            given = {"file_path": path, "old_string": old.strip() or "a = 1", "new_string": new}
            self.call("Edit", given, f"The file {path} has been updated.", failed=False)
        else:
            failed = sign == "$!"
            output = f"Exit code 1\n{output}" if failed else output
            self.call("Bash", {"command": command}, output, failed=failed)


def play(desk: Desk, sessions: Sequence[Session]) -> tuple[list[Given], list[str]]:
    """Play the sessions; return what the prompts got, and the names of what was still in force
    after it had been withdrawn."""
    given: list[Given] = []
    standing: list[str] = []
    worth: dict[str, list[list[str]]] = {}
    desk.run(FIRST_DAY.timestamp(), "setup", "claude-code", "--learn", "rules")
    for number, session in enumerate(sessions):
        begin = (FIRST_DAY + timedelta(days=session.day - 1, minutes=number)).timestamp()
        given += _play(desk, session, f"session-{number:02}", begin)
        at = begin + 3600
        desk.run(at, "jobs", "run", "--due")
        worth |= session.worth
        standing += [name for name in session.ends if _stands(desk, worth[name], begin)]
    return given, standing


def _play(desk: Desk, session: Session, name: str, at: float) -> Iterator[Given]:
    cwd = str(desk.folder / session.project)
    path = desk.folder / ".claude" / "projects" / session.project / f"{name}.jsonl"
    transcript = Transcript(path, name, cwd, at)

    def hook(event: str, theirs: str, **more: object) -> str:
        payload = make_payload("claude-code", theirs, event, name, cwd)
        payload |= {"transcript_path": str(path), **more}
        command = ("hook", event, "--host", "claude-code")
        raw = desk.run(transcript.at, *command, project=session.project, given=json.dumps(payload))
        said: dict[str, Any] = json.loads(raw or "{}").get("hookSpecificOutput", {})
        return str(said.get("additionalContext", ""))

    start = split_block(hook("session-start", "SessionStart", source="startup"))
    if start:
        yield Given(session.day, START, "".join(start), len(start), 0)
    for prompt in session.prompts:
        block = hook("prompt", "UserPromptSubmit", prompt=prompt.text)
        if block:
            entries = split_block(block)
            useful = [e for e in entries if any(word in e.casefold() for word in prompt.useful)]
            yield Given(session.day, prompt.text, block, len(entries), len(useful))
        transcript.write("user", prompt.text)
        for sign, said in prompt.steps:
            transcript.step(sign, said)
        hook("stop", "Stop")
    hook("session-end", "SessionEnd", reason="exit")


def split_block(block: str) -> list[str]:
    """Return the entries of a block, without its frame."""
    starts = [*(found.start() for found in _HEAD.finditer(block)), len(block)]
    return [block[start:end] for start, end in pairwise(starts)]


def _stands(desk: Desk, options: list[list[str]], before: float) -> bool:
    """Whether an entry from before a moment still says this and is in force."""
    with desk.open() as memory:
        rows = memory.list(limit=1000, scope=Scope(all_projects=True)).rows
        return any(
            (row.created or 0) < before and _says(memory, row.id, options)
            for row in rows
            if row.kind not in RECORDS
        )


def _says(memory: Memory, id_: str, options: list[list[str]]) -> bool:
    entry = memory.show(id_).entry
    lines = [line for line in entry.text.splitlines() if " (until " not in line]
    text = " ".join([entry.title, *lines]).casefold()
    return any(_has(text, words) for words in options)


def list_learned(desk: Desk, sessions: Sequence[Session]) -> list[Item]:
    """Return what was learned, the oldest first, each with what is worth keeping of it."""
    worth = {name: words for one in sessions for name, words in one.worth.items()}
    items: list[Item] = []
    with desk.open() as memory:
        everything = Scope(
            all_projects=True, include_archive=True, include_inbox=True, include_superseded=True
        )
        rows = sorted(
            memory.list(limit=10_000, scope=everything).rows, key=lambda r: r.created or 0
        )
        for row in rows:
            entry = memory.show(row.id).entry
            item = Item(row.title, row.kind, row.status, entry.text)
            items += _split_facts(item) if row.kind == "entity" else [item]
    for number, item in enumerate(items):
        text = f"{item.title} {item.text}".casefold()
        named = [n for n, options in worth.items() if any(_has(text, one) for one in options)]
        if item.kind not in RECORDS and named:
            known = {one.name for one in items[:number]}
            item.name = next((name for name in named if name not in known), named[0])
            item.again = item.name in known
    return items


def _split_facts(item: Item) -> list[Item]:
    """Return an item for each fact of an entity."""
    facts = [line[2:] for line in item.text.splitlines() if line.startswith("- ")]
    return [Item(item.title, "fact", item.status, fact) for fact in facts]


def _has(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words)


def measure(desk: Desk) -> tuple[dict[str, Any], list[Item], list[Given]]:
    """Play the month, and count."""
    sessions = read_sessions(SCRIPT.read_text(encoding="utf-8"))
    given, standing = play(desk, sessions)
    items = list_learned(desk, sessions)
    lessons = [one for one in items if one.kind not in RECORDS]
    names = {name for one in sessions for name in one.worth}
    prompts = [prompt for one in sessions for prompt in one.prompts]
    starts = [one for one in given if one.prompt == START]
    given = [one for one in given if one.prompt != START]
    entries = sum(one.entries for one in given)
    figures = {
        "lessons learned": len(lessons),
        "worth keeping": share(bool(one.name) and not one.again for one in lessons),
        "learned twice": sum(one.again for one in lessons),
        "of what is worth keeping, learned": share(
            any(one.name == name for one in lessons) for name in sorted(names)
        ),
        "missed": sorted(names - {one.name for one in lessons}),
        "in force though withdrawn": standing,
        "records beside": dict(Counter(one.kind for one in items if one.kind in RECORDS)),
        "prompts": len(prompts),
        "prompts that got anything": share(bool(_find(given, p)) for p in prompts),
        "entries given": entries,
        "useful of these": round(sum(one.useful for one in given) / max(1, entries), 3),
        "prompts that something helps": sum(bool(p.useful) for p in prompts),
        "... and that got it then": share(
            any(one.useful for one in _find(given, p)) for p in prompts if p.useful
        ),
        "... or at the start of its session": share(_had_it(sessions, given, starts)),
        "characters given at prompts": sum(len(one.block) for one in given),
        "characters given at starts": sum(len(one.block) for one in starts),
    }
    return figures, items, [*starts, *given]


def _had_it(
    sessions: Sequence[Session], given: Sequence[Given], starts: Sequence[Given]
) -> Iterator[bool]:
    """Yield for each prompt that something helps whether the agent had that by then."""
    for session in sessions:
        block = " ".join(one.block for one in starts if one.day == session.day).casefold()
        for prompt in session.prompts:
            if prompt.useful:
                got = any(one.useful for one in _find(given, prompt))
                yield got or any(word in block for word in prompt.useful)


def _find(given: Sequence[Given], prompt: Prompt) -> list[Given]:
    return [one for one in given if one.prompt == prompt.text]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(
        prog="bench.month",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--show", action="store_true", help="with all that was learned and given")
    parser.add_argument("--json", action="store_true", help="as JSON, with all of it")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        figures, items, given = measure(Desk(Path(folder)))
    if args.json:
        whole = {**figures, "learned": list(map(asdict, items)), "given": list(map(asdict, given))}
        print(json.dumps(whole, indent=2, ensure_ascii=False))
        return
    if args.show:
        for item in items:
            mark = "twice" if item.again else item.name or "-"
            print(f"[{mark}] {item.kind}, {item.status}: {item.title}\n{item.text}\n")
        for one in given:
            print(f"day {one.day}, {one.useful} of {one.entries}: {one.prompt!r}\n{one.block}\n")
    for name, value in figures.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
