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

from unit.adapters.shell import Shell

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip
PATIENCE = 20_000.0  # milliseconds


_PREPARE = """
import sys
from engrain import open_memory
from engrain.engine.core.scope import Scope
from engrain.model.facts.fact import FactDraft
with open_memory(project="billing") as memory:
    rows = memory.list(scope=Scope(kinds=["fix", "memory"])).rows
    for row in rows[:3]:
        memory.review.propose("archive", row.id, "not recalled in 9 sessions")
    memory.link(rows[3].id, rows[4].id, "contradicts")
    for day, firm in ((1, "Acme"), (300, "Initech"), (300, "Umbrella")):
        said = f"Ilse works at {firm}."
        draft = FactDraft("Ilse Brandt", said, ref=firm, at=1_750_000_000.0 + day * 86_400)
        memory.facts.add_all([draft])
    memory.sessions.begin("release-4711")
    for asked in ("a webhook charged the customer twice", "how do penguins sleep in winter?"):
        memory.recall(asked, session="release-4711")
"""
_PROMPT = {
    "session_id": "billing-0815",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "how do we roll a bad release back, and who has to know?",
}


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


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell with an empty vault."""
    made = Shell(tmp_path)
    made.environ["TZ"] = "UTC"
    assert made.run("init").code == 0
    return made


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def visitor(chromium: Browser, shell: Shell, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    """A visitor of the shell's vault."""
    with console(shell) as address:
        context = chromium.new_context(java_script_enabled=request.param)
        yield Visitor(context, address)
        context.close()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A shell with the sample vault, in which something waits for a decision, a session recalled
    something and nothing, and hooks ran."""
    made = Shell(tmp_path_factory.mktemp("sample"), configured=False)
    vault = made.folder / "vault"
    assert made.run("demo", "--keep", str(vault)).code == 0
    made.environ |= {"ENGRAIN_VAULT": str(vault), "ENGRAIN_STATE_DIR": str(made.state)}
    done = made.sh(f"{sys.executable} - <<'END'\n{_PREPARE}\nEND")
    assert done.code == 0, done.err
    for event in ("session-start", "prompt", "stop"):
        piped = f"echo '{json.dumps(_PROMPT)}' | {sys.executable} -m engrain hook {event}"
        assert made.sh(f"{piped} --host claude-code").code == 0
    return made


@pytest.fixture
def bare_shell(tmp_path: Path) -> Shell:
    """A shell for which nothing is configured."""
    return Shell(tmp_path, configured=False)


@pytest.fixture
def pictures() -> bool:
    """Whether the pictures of the documents are made anew."""
    return os.environ.get("ENGRAIN_PICTURES") == "on"
