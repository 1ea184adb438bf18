"""Stores that are gone, broken or in use: a hook leaves with 0, and what was lost is in its log."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from engrain.adapters.hooks.losses import read_losses
from engrain.backends.lock import hold_lock
from support.hosts import EVENTS, HOSTS, make_payload, read_answer
from unit.adapters.hooks.running import Desk, command
from unit.adapters.shell import SOURCE

QUESTION = "how does the nightly billing job lock in postgres?"
LOCK = "Nightly billing lock"


def index_file(desk: Desk) -> Path:
    (found,) = desk.state.glob("vaults/*/index/index-*.sqlite")
    return found


def tell_all(desk: Desk, **environ: str) -> list[str]:
    """The contexts that every event of every host gets, all of them taken by the hosts."""
    contexts = []
    for host in HOSTS:
        for event in EVENTS:
            more = {"prompt": QUESTION} if event == "prompt" else {}
            payload = make_payload(host, event, f"of-{host}", str(desk.here), **more)
            contexts.append(desk.tell(event, payload, host=host, environ=environ).context)
    return contexts


def test_no_vault_is_a_reason_in_the_log_of_the_default_folder(away: Path) -> None:
    desk = Desk(away, configured=False)
    assert set(tell_all(desk)) == {""}
    reasons = desk.losses(desk.home / ".local" / "state" / "engrain")
    assert set(reasons) == {"no vault is configured"}


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "opencode"])
def test_a_person_without_a_vault_is_reported_at_the_start_what_to_do(
    away: Path, host: str
) -> None:
    desk = Desk(away, configured=False)
    said = {
        event: desk.tell(event, make_payload(host, event), host=host).message for event in EVENTS
    }
    assert said.pop("session-start").startswith("Engrain: no vault is configured; run `engrain")
    assert set(said.values()) == {""}


def test_a_vault_of_the_users_configuration_is_found(filled: Desk) -> None:
    config = filled.home / ".config" / "engrain" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'vault = "{filled.vault}"\nstate_dir = "{filled.state}"\n')
    for name in ("ENGRAIN_VAULT", "ENGRAIN_STATE_DIR"):
        del filled.environ[name]
    assert LOCK in filled.start().context
    assert LOCK in filled.ask(QUESTION, "s-2").context
    config.write_text("vault = ")
    assert filled.ask(QUESTION, "s-3").context == ""
    (reason,) = filled.losses(filled.home / ".local" / "state" / "engrain")
    assert "not TOML" in reason


def test_a_vault_that_vanished_is_no_new_vault(filled: Desk) -> None:
    shutil.move(filled.vault, filled.folder / "unmounted")
    assert set(tell_all(filled)) == {""}
    assert not filled.vault.exists()
    assert len(filled.losses()) == len(EVENTS) * len(HOSTS)


def test_a_folder_that_is_no_vault_is_left_as_it_is(desk: Desk) -> None:
    other = desk.folder / "other"
    other.mkdir()
    (other / "note.md").write_text("# A note\nThe mail relay limps.\n")
    assert set(tell_all(desk, ENGRAIN_VAULT=str(other))) == {""}
    assert [path.name for path in other.iterdir()] == ["note.md"]


def test_a_transcript_and_a_folder_that_are_gone_are_no_loss(filled: Desk) -> None:
    gone = str(filled.folder / "gone")
    payload = make_payload("claude-code", "prompt", "s-1", gone, prompt=QUESTION)
    assert LOCK in filled.tell("prompt", payload).context
    for event in ("stop", "pre-compact", "session-end"):
        filled.tell(event, make_payload("claude-code", event, "s-1", gone))
    assert filled.events("s-1") == [
        "recalled", "stop", "pre-compact", "session-end", "folded",
    ]  # fmt: skip
    assert filled.losses() == []


class TestIndex:
    def overwrite(self, desk: Desk) -> None:
        path = index_file(desk)
        size = path.stat().st_size
        with open(path, "r+b") as file:
            file.seek(100)
            file.write(os.urandom(max(size - 100, 1)))

    def test_that_is_corrupt_is_reported_and_mended_by_the_next_stop(self, filled: Desk) -> None:
        self.overwrite(filled)
        tell_all(filled)
        assert any("index is" in reason for reason in filled.losses())
        assert LOCK in filled.start("later").context

    def test_that_is_no_database_is_reported(self, filled: Desk) -> None:
        index_file(filled).write_bytes(b"no database" * 1000)
        filled.start()
        assert "the index is" in filled.losses()[0]

    def test_that_is_missing_is_made_by_the_next_stop(self, filled: Desk) -> None:
        shutil.rmtree(index_file(filled).parent)
        filled.start()
        assert filled.losses() == ["the index is missing; run `engrain jobs reindex`"]
        filled.tell("stop", make_payload("claude-code", "stop", "s-1", str(filled.here)))
        assert LOCK in filled.start("later").context

    def test_that_is_missing_brings_no_repetition(self, filled: Desk) -> None:
        shutil.rmtree(index_file(filled).parent)
        filled.ask(QUESTION)
        assert LOCK not in filled.ask(QUESTION).context

    @pytest.mark.parametrize(
        "prompt", ["thanks, and the rest?", "how do I boil spaghetti for the four of us?"]
    )
    def test_that_is_missing_makes_nothing_relevant(self, prompt: str, filled: Desk) -> None:
        shutil.rmtree(index_file(filled).parent)
        assert filled.ask(prompt).context == ""

    @pytest.mark.parametrize("mode", ["IMMEDIATE", "EXCLUSIVE"])
    def test_that_another_writes_to_is_read_or_done_without(self, mode: str, filled: Desk) -> None:
        other = apsw.Connection(str(index_file(filled)))
        try:
            other.execute(f"BEGIN {mode}; CREATE TABLE IF NOT EXISTS taken(a)")
            for number, context in enumerate(
                [filled.start("s-1").context, filled.ask(QUESTION, "s-2").context]
            ):
                assert LOCK in context or filled.losses(), number
            filled.tell("stop", make_payload("claude-code", "stop", "s-1", str(filled.here)))
            other.execute("ROLLBACK")
        finally:
            other.close()
        assert LOCK in filled.ask(QUESTION, "s-3").context

    def test_that_another_holds_for_itself_alone_is_done_without(self, filled: Desk) -> None:
        other = apsw.Connection(str(index_file(filled)))
        try:
            other.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            other.execute("BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS taken(a)")
            filled.start()
            filled.ask(QUESTION, "s-2")
            filled.tell("stop", make_payload("claude-code", "stop", "s-1", str(filled.here)))
            other.execute("ROLLBACK")
        finally:
            other.close()
        assert LOCK in filled.ask(QUESTION, "s-3").context


def test_a_vault_that_another_process_writes_to_is_read_all_the_same(filled: Desk) -> None:
    (notes,) = filled.state.glob("vaults/*")
    with hold_lock(str(filled.vault), str(notes)):
        contexts = tell_all(filled)
    assert sum(LOCK in context for context in contexts) == len(HOSTS), "each once a session"
    assert filled.losses() == []


class TestState:
    # Root may write anywhere; less this capability it is bound by modes like everybody.
    UNPRIVILEGED = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""

    @pytest.fixture
    def locked(self, filled: Desk) -> Desk:
        if not hasattr(ctypes.CDLL(None), "prctl"):
            pytest.skip("needs Linux")
        assert filled.start("before").context
        return filled

    def run_locked(self, desk: Desk, event: str, session: str) -> str:
        """The context at an event, with a state folder that can't be written."""
        folders = [path for path in (desk.state, *desk.state.rglob("*")) if path.is_dir()]
        files = [path for path in desk.state.rglob("*") if path.is_file()]
        for path in files:
            path.chmod(0o400)
        for path in folders:
            path.chmod(0o500)
        more = {"prompt": QUESTION} if event == "prompt" else {}
        payload = make_payload("gemini", event, session, str(desk.here), **more)
        argv = command(event, "--host", "gemini", budget=20.0)
        try:
            done = subprocess.run(
                [sys.executable, "-c", self.UNPRIVILEGED, *argv],
                input=json.dumps(payload).encode(),
                capture_output=True,
                check=False,
                cwd=desk.here,
                env={**desk.environ, "PYTHONPATH": SOURCE},
                timeout=60,
            )
        finally:
            for path in folders:
                path.chmod(0o700)
            for path in files:
                path.chmod(0o600)
        assert (done.returncode, done.stderr) == (0, b"")
        return read_answer("gemini", event, done.stdout).context

    @pytest.mark.parametrize("event", EVENTS)
    def test_that_cannot_be_written_leaves_a_hook_quiet(self, event: str, locked: Desk) -> None:
        self.run_locked(locked, event, "s-1")
        assert not list(locked.sessions.rglob("s-1.jsonl"))

    def test_that_is_a_file_leaves_a_hook_quiet(self, filled: Desk) -> None:
        (filled.folder / "file").write_text("in the way")
        for place in ("file", "file/below"):
            state = str(filled.folder / place)
            assert set(tell_all(filled, ENGRAIN_STATE_DIR=state)) == {""}

    def test_within_the_vault_is_refused(self, filled: Desk) -> None:
        inside = filled.vault / "state"
        assert set(tell_all(filled, ENGRAIN_STATE_DIR=str(inside))) == {""}
        assert not inside.exists()


class TestLog:
    def test_says_when_at_which_event_of_which_host_and_why(self, desk: Desk) -> None:
        desk.hook("prompt", "--host", "gemini", stdin=b"[]")
        (loss,) = read_losses(str(desk.state), 0.0)
        assert (loss.event, loss.host) == ("prompt", "gemini")
        assert "no JSON object" in loss.reason
        assert loss.ms > 0
        assert read_losses(str(desk.state), loss.at + 1) == []

    def test_is_kept_short_in_line_and_length(self, desk: Desk) -> None:
        log = desk.state / "hooks.log"
        line = json.dumps([1.0, "prompt", "gemini", 5, "x" * 200]) + "\n"
        log.write_text(line * (300 * 1024 // len(line)))
        desk.hook("prompt", "--host", "gemini", stdin=b"[]")
        assert log.read_bytes().count(b"\n") == 1
        assert len(read_losses(str(desk.state), 0.0)) > 1000

    def test_is_for_its_owners_eyes_only_and_holds_no_prompt(self, desk: Desk) -> None:
        desk.hook("prompt", "--host", "gemini", stdin=b'{"prompt": "my secret"')
        log = desk.state / "hooks.log"
        assert log.stat().st_mode & 0o077 == 0
        assert b"secret" not in log.read_bytes()
