"""A real browser on a real console: the system's chromium, driven by Playwright."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from unit.adapters.hooks.running import PATIENT
from unit.adapters.hooks.test_deadline import SLOW
from unit.adapters.shell import Shell

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip
PATIENCE = 20_000.0  # milliseconds


_PREPARE = """
import time
from engrain import Scope, open_memory
from engrain.model.facts.fact import FactDraft
from engrain.seam.clock import Clock
from support.tasks import make_episode

class Days(Clock):
    at = time.time() - 9 * 86_400
    def now(self):
        self.at += 1
        return self.at

days = Days()
with open_memory(project="billing", clock=days) as memory:
    for day in range(3):
        memory.sessions.begin(f"sprint-{day}")
        memory.recall("a webhook charged the customer twice", session=f"sprint-{day}")
        memory.sessions.end(f"sprint-{day}")
        days.at += 2 * 86_400
with open_memory(project="billing", agent="qa", state_dir="laptop") as memory:
    memory.save("Rehearse the release on a copy.", title="Rehearsal", kind="workflow")
with open_memory(project="billing") as memory:
    rows = memory.list(scope=Scope(kinds=["fix", "memory"])).rows
    for row in rows[:3]:
        memory.review.propose("archive", row.id, "not recalled in 9 sessions")
    memory.link(rows[3].id, rows[4].id, "contradicts")
    for day, firm in ((1, "Acme"), (300, "Initech"), (300, "Umbrella")):
        said = f"Ilse works at {firm}."
        at = 1_750_000_000.0 + day * 86_400
        draft = FactDraft("Ilse Brandt", said, entity_type="person", ref=firm, at=at)
        memory.facts.add_all([draft])
    for number in range(4):
        memory.episodes.save(make_episode("todos", number))
        memory.episodes.save(make_episode("users", number))
        memory.episodes.save(make_episode("bills", number, "failure"))
    memory.episodes.consolidate()
    memory.handoffs.create("qa", "Half of the ledger is done.", agent="dev")
    memory.handoffs.save_ledger("dev", completed=7, task="the other half")
    memory.sessions.begin("release-4711")
    webhook = "a webhook charged the customer twice"
    for asked in (webhook, "how do penguins sleep in winter?", webhook):
        memory.recall(asked, session="release-4711")
    memory.save("Announce a release an hour before.", title="Announce", kind="workflow")
"""
"""What the sample vault does not have: something that waits for a decision, sessions that got
something and nothing, what a second agent did on a second device, and experience."""
_TESTS = Path(__file__).parents[1]
_HOST = ("--host", "claude-code", "--project", "billing")


class Visitor:
    """Opens pages of one console; `asked` has every address that the browser asked for, `said` what
    it wrote to its console."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.asked: list[str] = []
        self.said: list[str] = []
        context.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", self._hear)
        self.page.on("dialog", lambda dialog: self.said.append(f"dialog: {dialog.message}"))
        self.page.goto(address)
        self.home = self.page.url

    def _hear(self, message: ConsoleMessage) -> None:
        if "GL Driver Message" not in message.text:  # how busy a graphics card of software is
            self.said.append(message.text)

    def open(self, path: str) -> Page:
        self.page.goto(self.home + path)
        return self.page


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser."""
    if not CHROMIUM.exists():
        pytest.skip(f"no {CHROMIUM}: `apt-get install chromium` (no browser is downloaded)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Console:
    """A console that runs, and the cookie of the browser that it let in."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser = browser
        self.address = address
        context = browser.new_context()
        self.home = Visitor(context, address).home
        self._state = context.storage_state()
        context.close()

    @contextmanager
    def visit(self, *, scripts: bool = True) -> Iterator[Visitor]:
        """A fresh window of that browser, with scripts or without."""
        context = self._browser.new_context(java_script_enabled=scripts, storage_state=self._state)
        yield Visitor(context, self.home)
        context.close()


@contextmanager
def console(shell: Shell) -> Iterator[str]:
    """The address of a console in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "engrain", "console", "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE,
        cwd=shell.here,
        env=shell.environ,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close()


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A shell with a vault that the tests of a module share."""
    made = Shell(tmp_path_factory.mktemp("shared"))
    made.environ["TZ"] = "UTC"
    assert made.run("init").code == 0
    return made


@pytest.fixture(scope="module")
def opened(chromium: Browser, shell: Shell) -> Iterator[Console]:
    """The console of the shell's vault."""
    with console(shell) as address:
        yield Console(chromium, address)


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def scripts(request: pytest.FixtureRequest) -> bool:
    """Whether the browser runs scripts."""
    return bool(request.param)


@pytest.fixture
def visitor(opened: Console, scripts: bool) -> Iterator[Visitor]:
    """A visitor of the shell's vault."""
    with opened.visit(scripts=scripts) as visitor:
        yield visitor


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A shell with the sample vault, to look at: no test changes anything in it."""
    made = Shell(tmp_path_factory.mktemp("sample"), configured=False)
    vault = made.folder / "vault"
    assert made.run("demo", "--keep", str(vault)).code == 0
    made.environ |= {
        "ENGRAIN_VAULT": str(vault),
        "ENGRAIN_STATE_DIR": str(made.state),
        "PYTHONPATH": f"{made.environ['PYTHONPATH']}:{_TESTS}",
        "TZ": "UTC",
    }
    run_python(made, _PREPARE)
    assert made.run("setup", "claude-code", "--learn", "no").code == 0
    webhook = "a webhook charged the customer twice, how do we repair that?"
    for event, prompt in (("session-start", ""), ("prompt", webhook), ("stop", "")):
        run_hook(made, PATIENT, "20", event, prompt)
    run_hook(made, SLOW + PATIENT, ".md", "2", "prompt", "why do invoice numbers skip?")
    return made


def run_python(shell: Shell, script: str, *argv: str) -> None:
    """Run a script in a process of the shell."""
    command = [sys.executable, "-c", script, *argv]
    subprocess.run(command, check=True, cwd=shell.here, env=shell.environ, timeout=60)


def run_hook(shell: Shell, script: str, *argv: str) -> None:
    """Run a hook of a session in a process, which a script starts."""
    *before, event, prompt = argv
    said = {"session_id": "billing-0815", "hook_event_name": event, "prompt": prompt}
    subprocess.run(
        [sys.executable, "-c", script, *before, "hook", event, *_HOST],
        input=json.dumps(said),
        check=True,
        cwd=shell.here,
        env=shell.environ,
        stdout=subprocess.DEVNULL,
        text=True,
        timeout=60,
    )


@pytest.fixture
def bare_shell(tmp_path: Path) -> Shell:
    """A shell for which nothing is configured."""
    return Shell(tmp_path, configured=False)


@pytest.fixture
def pictures() -> bool:
    """Whether the pictures of the documents are made anew."""
    return os.environ.get("ENGRAIN_PICTURES") == "on"
