"""Hooks run as their hosts run them: a process an event, over a vault in a folder of its own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from engrain import Memory, open_memory
from engrain.adapters.hooks.listener import Listener
from engrain.adapters.hooks.place import HookPlace
from engrain.resolution.files import detect_project
from support.hosts import Answer, make_payload, read_answer
from support.vaults import write_as
from unit.adapters.shell import Done, Shell

LIMIT = 30.0
"""Seconds after which a hook counts as hanging, however loaded the machine is."""

ENTRIES = {
    "Nightly billing lock": (
        "fix",
        "The nightly billing job takes an advisory lock in Postgres; a second run waits.",
    ),
    "Rebase before pushing": (
        "workflow",
        "Rebase onto main before you push: the pipeline refuses merge commits.",
    ),
    "Tabs in the parser": (
        "preference",
        "In the parser's sources indentation is by tabs, everywhere else by four spaces.",
    ),
    "Thumbnails are made lazily": (
        "decision",
        "Image thumbnails are rendered at the first request and cached for a week.",
    ),
    "Retry of the mail relay": (
        "fix",
        "The mail relay drops connections after 100 messages; reconnect and retry.",
    ),
}

# The real program, with time enough: how long it takes is the machine's affair, `bench` measures.
PATIENT = """
import sys
from engrain.adapters.hooks import main
main.BUDGETS.update(dict.fromkeys(main.BUDGETS, float(sys.argv.pop(1))))
from engrain.__main__ import main as start
start()
"""


class Desk(Shell):
    """A home with a vault, at which hosts run hooks.

    A hook has its own budget where `budget` is None, else so many seconds.
    """

    def hook(
        self,
        *argv: str,
        stdin: bytes = b"",
        budget: float | None = 20.0,
        environ: Mapping[str, str] | None = None,
    ) -> Done:
        """Run `engrain hook` on these arguments; it must leave with 0."""
        _, *words = command(*argv, budget=budget)
        env = {**self.environ, **(environ or {})}
        done = self.execute(words, stdin=stdin, cwd=self.here, env=env, timeout=LIMIT)
        assert done.returncode == 0, done.stderr.decode()
        assert b"Traceback" not in done.stdout + done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    def tell(
        self,
        event: str,
        payload: object,
        *flags: str,
        host: str = "claude-code",
        budget: float | None = 20.0,
        environ: Mapping[str, str] | None = None,
    ) -> Answer:
        """What a host gets that says `payload` at an event."""
        raw = json.dumps(payload).encode()
        done = self.hook(event, "--host", host, *flags, stdin=raw, budget=budget, environ=environ)
        assert done.err == ""
        return read_answer(host, event, done.raw)

    def start(self, session: str = "s-1", *flags: str, **more: object) -> Answer:
        """What Claude Code gets at the start of a session."""
        payload = make_payload("claude-code", "session-start", session, str(self.here), **more)
        return self.tell("session-start", payload, *flags)

    def ask(self, prompt: str, session: str = "s-1", *flags: str, **more: object) -> Answer:
        """What Claude Code gets at a prompt."""
        payload = make_payload(
            "claude-code", "prompt", session, str(self.here), prompt=prompt, **more
        )
        return self.tell("prompt", payload, *flags)

    def memory(self) -> Memory:
        """The vault's memory, in this process."""
        return open_memory(self.vault, state_dir=self.state, create=True)

    def save(
        self,
        title: str,
        text: str,
        *,
        kind: str | None = None,
        project: str | None = None,
        confidence: float | None = None,
    ) -> str:
        """Save an entry; its id."""
        with self.memory() as memory:
            return memory.save(
                text, title=title, kind=kind, project=project, confidence=confidence
            ).id

    def put(self, name: str, text: str) -> None:
        """Write a note by hand, as another program does, and have it indexed."""
        path = self.vault / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        with self.memory() as memory:
            memory.scan()

    def record(self, name: str, text: str, trust: str = "agent") -> None:
        """Have a whole note written by a recorded change, as an actor of that trust."""
        with self.memory() as memory:
            write_as(memory, trust, name, text)

    @property
    def sessions(self) -> Path:
        """The folder of the sessions' journals."""
        (found,) = self.state.glob("vaults/*")
        return found / "sessions"

    def journal(self, session: str) -> list[dict[str, object]]:
        """The events of a session, as they stand in its journal."""
        paths = (self.sessions / where / f"{session}.jsonl" for where in (".", "closed", "settled"))
        (path,) = (path for path in paths if path.exists())
        return [json.loads(line) for line in path.read_text().splitlines() if line]

    def events(self, session: str) -> list[object]:
        """Their names."""
        return [event["event"] for event in self.journal(session)]

    def losses(self, state: Path | None = None) -> list[str]:
        """The reasons in the log of what hooks lost."""
        log = (state or self.state) / "hooks.log"
        return (
            [json.loads(line)[4] for line in log.read_text().splitlines()] if log.exists() else []
        )

    def vault_bytes(self) -> dict[str, str]:
        """Every file of the vault, by the digest of its bytes."""
        return {
            str(path.relative_to(self.vault)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.vault.rglob("*"))
            if path.is_file()
        }


def command(*argv: str, budget: float | None = None) -> list[str]:
    """The command line of a hook."""
    program = ["-m", "engrain"] if budget is None else ["-c", PATIENT, str(budget)]
    return [sys.executable, *program, "hook", *argv]


def git(folder: Path, *argv: str) -> None:
    """Run git in a folder, as nobody in particular."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    subprocess.run(
        ["git", *who, *argv],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
    )


def find_project(folder: str, named: str) -> str | None:
    """The project as a server finds it."""
    return named or (detect_project(folder) if folder else None)


@contextmanager
def listening(
    desk: Desk, endpoint: str, find: Callable[[str, str], str | None] = find_project
) -> Iterator[Listener]:
    """A server in this process that answers the hooks of a desk."""
    place = HookPlace(endpoint)
    with desk.memory() as memory:

        def seek(folder: str, environ: Mapping[str, str]) -> tuple[Memory, str]:
            return memory, find(folder, environ.get("ENGRAIN_PROJECT", "")) or ""

        assert place.acquire(wait=False)
        assert place.socket is not None
        try:
            with Listener(place.socket, str(desk.state), seek, place.token) as listener:
                yield listener
        finally:
            place.release()
