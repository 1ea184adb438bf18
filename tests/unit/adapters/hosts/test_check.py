"""doctor's trial of the hooks: run as the host would run them, with what the host would send."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from engrain.adapters.hosts import commands
from engrain.adapters.hosts.check import check_hooks, find_fault, find_wired
from engrain.adapters.hosts.planning import plan_setup
from engrain.adapters.hosts.table import ENTRY_HOSTS, HOSTS
from engrain.engine.diagnosis import Finding
from engrain_hook import BUDGETS
from support.hosts import trust_hooks


@pytest.fixture
def environ(away: Path) -> dict[str, str]:
    return {**os.environ, "SHELL": "/bin/sh", "SEEN": str(away / "seen")}


def install(
    away: Path, monkeypatch: pytest.MonkeyPatch, script: str, name: str = "claude-code"
) -> Path:
    """Wire a host to an interpreter that does what `script` says with the words of the hook, in a
    folder with a space."""
    interpreter = away / "some tools" / "python"
    interpreter.parent.mkdir()
    skipping = 'while [ "$1" != hook ]; do shift; done'
    interpreter.write_text(f"#!/bin/sh\n{skipping}\n{script}\n")
    interpreter.chmod(interpreter.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(interpreter))
    monkeypatch.setattr(commands, "program", lambda: [str(interpreter), "-m", "engrain"])
    plan_setup(HOSTS[name], {}, str(away / "state")).apply()
    if name == "codex":
        trust_hooks(away / "home")
    return interpreter


def test_where_no_host_is_set_up_there_is_nothing_to_say(
    away: Path, environ: dict[str, str]
) -> None:
    assert check_hooks(environ, str(away / "state")) == []


HOOKED = [name for name in HOSTS if name not in ENTRY_HOSTS]
MISSING = {
    "codex": {"tool-failed"},
    "gemini": {"pre-compact", "subagent", "tool-failed"},
    "cursor": {"subagent", "tool", "tool-failed"},
}
"""The events that a host has not: some have one for successes and failures of tools."""


@pytest.mark.parametrize("name", HOOKED)
def test_every_hook_is_run_with_its_hosts_payload_and_its_time_told(
    away: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], name: str
) -> None:
    install(away, monkeypatch, 'cat >> "$SEEN"; echo " $*" >> "$SEEN"; echo "{}"', name)
    findings = check_hooks(environ, str(away / "state"))
    events = {finding.subject.split()[1] for finding in findings}
    assert BUDGETS.keys() - events == MISSING.get(name, set())
    assert {finding.level for finding in findings} <= {"ok", "warning"}
    assert all(" ms" in finding.message for finding in findings)
    for line in (away / "seen").read_text().splitlines():
        payload, end = json.JSONDecoder().raw_decode(line)
        event = line[end:].split()[1]
        assert line[end:].split() == ["hook", event, "--host", name]
        names = ("session_id", "conversation_id", "sessionId")
        session = next(payload[name] for name in names if name in payload)
        assert session.startswith("doctor-")
        assert ("prompt" in payload) or event != "prompt"


def test_a_hook_slower_than_its_own_budget_is_a_warning(
    away: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]
) -> None:
    install(away, monkeypatch, 'case "$2" in prompt | stop) sleep 0.4;; esac')
    findings = {finding.subject: finding for finding in check_hooks(environ, str(away / "state"))}
    assert findings["hook prompt of claude-code"].level == "warning"
    assert "the budget is 300 ms" in findings["hook prompt of claude-code"].message
    assert findings["hook stop of claude-code"].level == "ok"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo oh >&2; exit 3", "exit code 3: oh"),
        ("echo hello", "not JSON"),
        ("echo [1]", "no JSON object"),
        ('echo \'{"context": "x"}\'', "does not know"),
        ('echo \'{"hookSpecificOutput": {"hookEventName": "Else"}}\'', "is not for"),
    ],
)
@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini"])
def test_a_hook_that_its_host_would_reject_is_unusable(
    away: Path,
    monkeypatch: pytest.MonkeyPatch,
    environ: dict[str, str],
    script: str,
    why: str,
    name: str,
) -> None:
    install(away, monkeypatch, script, name)
    findings = check_hooks(environ, str(away / "state"))
    assert {finding.level for finding in findings} == {"unusable"}
    assert all(why in finding.message for finding in findings)


@pytest.mark.parametrize("name", HOOKED)
def test_an_interpreter_that_is_gone_is_reported_with_what_to_do(
    away: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], name: str
) -> None:
    gone = install(away, monkeypatch, "exit 0", name)
    gone.unlink()
    assert_unusable(check_hooks(environ, str(away / "state")), name, gone)


@pytest.mark.parametrize("name", HOOKED)
def test_a_package_that_is_gone_is_reported_with_what_to_do(
    away: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], name: str
) -> None:
    gone = "import engrain_that_was"
    monkeypatch.setattr(commands, "_PACKAGES", ("engrain_that_was",))
    monkeypatch.setattr(commands, "program", lambda: [sys.executable, "-c", gone])
    plan_setup(HOSTS[name], {}, str(away / "state")).apply()
    if name == "codex":
        trust_hooks(away / "home")
    assert_unusable(check_hooks(environ, str(away / "state")), name, "engrain")


def assert_unusable(findings: list[Finding], name: str, gone: Path | str) -> None:
    """Every finding tells that `gone` is, and what to do."""
    assert findings
    for finding in findings:
        assert finding.level == "unusable"
        assert finding.message.startswith("its program can't be run: ")
        assert str(gone) in f"{finding.message} {finding.path}"
        assert finding.remedy == f"run `engrain setup {name}`"


def test_hooks_that_someone_took_out_are_missed(
    away: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]
) -> None:
    install(away, monkeypatch, "exit 0")
    (away / "home" / ".claude" / "settings.json").write_text("{}")
    (finding,) = check_hooks(environ, str(away / "state"))
    assert finding.level == "warning"
    assert finding.message.startswith(
        "no hook for session-start, prompt, stop, pre-compact, session-end,"
    )


def test_hooks_that_codex_would_not_run_are_reported(away: Path, environ: dict[str, str]) -> None:
    plan_setup(HOSTS["codex"], {}, str(away / "state")).apply()
    (warned, *_) = check_hooks(environ, str(away / "state"))
    assert (warned.subject, warned.level) == ("hooks of codex", "warning")
    assert "SessionStart, UserPromptSubmit" in warned.message


def test_settings_that_can_not_be_read_are_reported(
    away: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]
) -> None:
    install(away, monkeypatch, "exit 0")
    settings = away / "home" / ".claude" / "settings.json"
    settings.write_text("{")
    (finding,) = check_hooks(environ, str(away / "state"))
    assert (finding.level, finding.path) == ("warning", str(settings))


@pytest.mark.parametrize(
    ("host", "name", "output"),
    [
        ("claude-code", "SessionStart", b""),
        ("claude-code", "Stop", b"\n"),
        (
            "codex",
            "UserPromptSubmit",
            b'{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit"}}',
        ),
        ("gemini", "AfterAgent", b"{}"),
        ("cursor", "sessionStart", b'{"additional_context": "x"}'),
        ("opencode", "prompt", b'{"context": "x", "message": "1 memory"}'),
    ],
)
def test_what_a_host_takes_has_no_fault(host: str, name: str, output: bytes) -> None:
    assert find_fault(host, name, output) is None


def test_a_host_without_hooks_is_wired_by_its_entry_and_is_not_run(
    away: Path, environ: dict[str, str]
) -> None:
    assert not find_wired(environ)["zed"]
    plan_setup(HOSTS["zed"], {}, str(away / "state")).apply()
    assert find_wired(environ)["zed"] and not find_wired(environ)["kiro"]
    assert check_hooks(environ, str(away / "state")) == []
