"""What a hook costs and leaves: the modules it loads, no process, nothing in the vault."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.hosts import EVENTS, make_payload, read_answer
from support.strace import needs_strace
from unit.adapters.hooks.running import LIMIT, Desk, command, listening

QUESTION = "how does the nightly billing job lock in postgres?"
LOCK = "Nightly billing lock"

OUTSIDE_COLD = {
    "__future__", "_blake2", "_json", "_operator", "_sha2", "_sha256", "_sre", "apsw", "errno",
    "fcntl", "gc", "math", "select", "zlib",
}  # fmt: skip
"""What a prompt may load of others' modules beside what a bare interpreter has loaded."""
EXPRESSIONS = {
    "_collections", "_functools", "_operator", "collections", "copyreg", "enum", "functools",
    "itertools", "keyword", "operator", "re", "re._casefix", "re._compiler", "re._constants",
    "re._parser", "reprlib", "types",
}  # fmt: skip
"""What it loads too as long as the file of compiled modules and patterns is not written."""
INSIDE_COLD = {
    "__main__", "adapters", "adapters.hooks", "adapters.hooks.answers", "adapters.hooks.events",
    "adapters.hooks.intake", "adapters.hooks.main", "adapters.hooks.payloads",
    "adapters.hooks.warm", "adapters.present", "adapters.present.injection",
    "adapters.present.text", "api", "api.binding", "api.memory",
    "backends", "backends.confined", "backends.device_local", "compiled",
    "backends.folder", "backends.segments", "backends.tails", "engine", "engine.core",
    "engine.core.contradictions", "engine.core.outcomes", "engine.core.scope",
    "engine.core.store", "engine.core.upkeep", "engine.core.vectors",
    "engine.recall", "engine.recall.association",
    "engine.recall.evidence", "engine.recall.filling",
    "engine.recall.gathering", "engine.recall.judging", "engine.recall.meaning",
    "engine.recall.packing", "engine.recall.pipeline", "engine.recall.priors",
    "engine.recall.profiles", "engine.recall.query", "engine.recall.ranking",
    "engine.recall.rejection",
    "index", "index.access", "index.connection", "index.english", "index.generations",
    "index.graph", "index.matching", "index.queries",
    "index.rows", "index.sqlite_index", "index.text", "language",
    "language.text", "language.text.date_phrases",
    "language.text.fences", "language.text.folding",
    "language.text.instants", "language.text.json_codec", "language.text.patterns",
    "language.text.periods",
    "language.text.tokens", "lifecycle", "lifecycle.policy", "lifecycle.sessions",
    "lifecycle.sessions.recall", "lifecycle.sessions.sessions",
    "model", "model.errors", "model.history",
    "model.history.attestation", "model.history.record",
    "model.note", "model.note.entry", "model.note.field", "model.note.ids", "model.note.kinds",
    "model.note.note", "model.note.plain_fields", "model.note.tiers",
    "model.settings", "model.struct", "resolution", "resolution.device",
    "resolution.endpoint", "resolution.files", "resolution.keys", "resolution.place",
    "resolution.projects", "resolution.selector", "resolution.settings", "resolution.switch",
    "seam", "seam.attestor",
    "seam.clock", "seam.derived", "seam.graph", "seam.journal", "seam.locator", "seam.rows",
    "seam.search", "seam.storage", "seam.view", "state", "state.journals", "wiring",
}  # fmt: skip
"""What it may load of our own."""
NEVER = {
    "argparse", "asyncio", "dataclasses", "datetime", "hashlib", "importlib.metadata", "inspect",
    "logging", "numpy", "pathlib", "platformdirs", "random", "shutil", "socket", "sqlite3",
    "subprocess", "tempfile", "threading", "tomllib", "traceback", "typing", "urllib", "yaml",
}  # fmt: skip

OUTSIDE_WARM = {"__future__", "_blake2", "_socket", "gc", "select"}
INSIDE_WARM = {
    "__main__", "adapters", "adapters.hooks", "adapters.hooks.answers", "adapters.hooks.intake",
    "adapters.hooks.main", "adapters.hooks.warm", "compiled", "model", "model.errors",
    "model.settings", "model.struct",
    "resolution", "resolution.endpoint", "resolution.files", "resolution.place",
    "resolution.selector", "resolution.settings", "resolution.switch",
}  # fmt: skip
"""What it may load where a server answers."""


def load(desk: Desk, session: str) -> set[str]:
    """The modules that a prompt loads more than a bare interpreter; it must be answered."""
    payload = make_payload("claude-code", "prompt", session, str(desk.here), prompt=QUESTION)
    _, *hook = command("prompt", "--host", "claude-code", budget=20.0)
    bare, loaded = (
        subprocess.run(
            [sys.executable, "-X", "importtime", *program],
            input=json.dumps(payload).encode(),
            capture_output=True,
            check=True,
            cwd=desk.here,
            env=desk.environ,
            timeout=LIMIT,
        )
        for program in (["-c", "import sys"], hook)
    )
    names = [
        set(re.findall(r"^import time:.*\| +([\w.]+)$", done.stderr.decode(), re.MULTILINE))
        for done in (bare, loaded)
    ]
    assert names[0]
    assert LOCK in read_answer("claude-code", "prompt", loaded.stdout).context
    return names[1] - names[0]


def own(modules: set[str]) -> set[str]:
    return {name.removeprefix("engrain.") for name in modules if name.startswith("engrain.")}


def others(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] != "engrain"}


class TestImports:
    def test_of_a_prompt_are_few(self, filled: Desk) -> None:
        modules = load(filled, "s-1")
        allowed = OUTSIDE_COLD | (EXPRESSIONS if "re" in modules else set())
        assert others(modules) - allowed == set()
        assert own(modules) - INSIDE_COLD == set()

    def test_of_a_prompt_are_none_of_the_slow(self, filled: Desk) -> None:
        config = filled.home / ".config" / "engrain" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(f'vault = "{filled.vault}"\nstate_dir = "{filled.state}"\n')
        for name in ("ENGRAIN_VAULT", "ENGRAIN_STATE_DIR"):
            del filled.environ[name]
        assert "tomllib" in load(filled, "first"), "which keeps the settings as lines"
        assert load(filled, "second") & NEVER == set()

    def test_of_a_prompt_that_a_server_answers_are_next_to_none(
        self, filled: Desk, endpoint: str
    ) -> None:
        with listening(filled, endpoint):
            modules = load(filled, "s-1")
        assert others(modules) - OUTSIDE_WARM == set()
        assert own(modules) - INSIDE_WARM == set()


def test_nothing_in_the_vault_is_written_by_a_hook(filled: Desk) -> None:
    before = filled.vault_bytes()
    for event in EVENTS:
        more = {"prompt": QUESTION} if event == "prompt" else {}
        payload = make_payload("claude-code", event, "s-1", str(filled.here), **more)
        filled.tell(event, payload)
        assert filled.vault_bytes() == before, event


def test_what_another_program_wrote_is_taken_in_by_a_stop_and_by_nothing_else(filled: Desk) -> None:
    (filled.vault / "Memory" / "fix" / "walrus.md").write_text("# Walrus\nIt limps on ice.\n")
    question = "does the walrus limp on ice?"
    assert filled.ask(question, "s-1").context == ""
    filled.tell("stop", make_payload("claude-code", "stop", "s-1", str(filled.here)))
    assert "Walrus" in filled.ask(question, "s-1").context


@needs_strace
@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_starts_no_process(event: str, filled: Desk, tmp_path: Path) -> None:
    more = {"prompt": QUESTION} if event == "prompt" else {}
    payload = make_payload("gemini", event, "s-1", str(filled.here), **more)
    trace = tmp_path / "trace"
    calls = "trace=execve,execveat,fork,vfork,clone,clone3,connect,bind,listen,setsid"
    done = subprocess.run(
        [
            "strace",
            "-f",
            "-qq",
            "-e",
            calls,
            "-o",
            str(trace),
            *command(event, "--host", "gemini", budget=20.0),
        ],
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=True,
        cwd=filled.here,
        env=filled.environ,
        timeout=LIMIT,
    )
    assert (LOCK in read_answer("gemini", event, done.stdout).context) == bool(
        event in ("session-start", "prompt")
    )
    made = [line for line in trace.read_text().splitlines() if "CLONE_THREAD" not in line]
    calls_made = [line for line in made if re.match(r"\d+ +\w+\(", line)]
    assert [line for line in calls_made if "execve(" not in line] == []
    assert sum(line.endswith("= 0") for line in calls_made) == 1, "the hook itself"


def test_a_hook_that_is_out_of_time_leaves_no_process(filled: Desk) -> None:
    """The watch of the deadline ends the whole process, whatever its other thread waits for."""
    hook = subprocess.Popen(
        command("prompt", "--host", "gemini"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=filled.here,
        env=filled.environ,
        start_new_session=True,
    )
    assert hook.stdin is not None and hook.stdout is not None
    with hook.stdin, hook.stdout:
        assert hook.wait(LIMIT) == 0
    with pytest.raises(ProcessLookupError):
        os.killpg(hook.pid, 0)
