"""`doctor`'s view of the hosts: every installed hook is run, as its host would run it."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from engrain.adapters.hosts.commands import EVENTS
from engrain.adapters.hosts.files import read
from engrain.adapters.hosts.ledger import Ledger
from engrain.adapters.hosts.obstacles import find_obstacles
from engrain.adapters.hosts.table import HOSTS, Host, HostFile
from engrain.adapters.hosts.trial import LIMIT, find_fault, last_said, make_payload, run_hook
from engrain.engine.diagnosis import Finding
from engrain.lifecycle.sessions.sessions import PROBE
from engrain.model.errors import ConfigError, EngrainError

Installed: TypeAlias = "tuple[str, str, list[str] | str]"
"""(the host's event, ours, the command: words, or a line for a shell)."""


BUDGETS = {"session-start": 0.5, "prompt": 0.3, "stop": 2.0, "pre-compact": 1.0, "session-end": 1.0}
"""Seconds that each hook promises to take at most (S1.18)."""
_NOT_FOUND = (126, 127)  # how a shell says that it can't run a program
_NO_PACKAGE = "ModuleNotFoundError"  # how an interpreter says that the package is gone
_PROGRAM = re.compile(r"^const PROGRAM = (\[.*\])$", re.MULTILINE)


def check_hooks(environ: Mapping[str, str], state_dir: str) -> list[Finding]:
    """Run each installed hook with its host's documented payload, of a session of which nothing is
    kept, and say how long it took; nothing for a host that has none and was never set up."""
    findings: list[Finding] = []
    for host in HOSTS.values():
        findings += _check_host(host, environ, state_dir)
    return findings


def find_wired(environ: Mapping[str, str]) -> dict[str, bool]:
    """Whether our hooks are in the files of each host; none is run."""
    wired = {}
    for host in HOSTS.values():
        try:
            hooks = [hook for file in host.files(environ) for hook in _find_installed(host, file)]
        except (EngrainError, ValueError):
            hooks = []
        wired[host.name] = bool(hooks)
    return wired


def _check_host(host: Host, environ: Mapping[str, str], state_dir: str) -> Iterator[Finding]:
    subject = f"hooks of {host.name}"
    remedy = f"run `engrain setup {host.name}`"
    found: dict[str, Installed] = {}
    wanted: set[str] = set()
    for file in host.files(environ):
        wanted |= {event for hooks in file.hooks for event in hooks.events.values()}
        try:
            for installed in _find_installed(host, file):
                found.setdefault(installed[1], installed)
        except (ConfigError, ValueError) as error:
            yield Finding(subject, "warning", f"can't be read: {error}", path=file.path)
            return
    if not found and not Ledger(state_dir, host.name).files:
        return
    if missing := [event for event in EVENTS if event in wanted and event not in found]:
        yield Finding(subject, "warning", f"no hook for {', '.join(missing)}", remedy=remedy)
    for obstacle in find_obstacles(host, environ) if found else ():
        yield Finding(subject, "warning", obstacle)
    for name, event, command in found.values():
        yield _try(host.name, name, event, command, environ)


def _find_installed(host: Host, file: HostFile) -> Iterator[Installed]:
    """Our hooks in a file as it is now."""
    raw = read(file.path)
    text = "" if raw is None else raw.decode()
    for hooks in file.hooks:
        yield from hooks.installed(text)
    if file.path.endswith(".ts") and (program := _PROGRAM.search(text)):
        words = [str(word) for word in json.loads(program.group(1))]
        for event in EVENTS:
            yield event, event, [*words, "hook", event, "--host", host.name]


def _try(
    host: str, name: str, event: str, command: Sequence[str] | str, environ: Mapping[str, str]
) -> Finding:
    subject = f"hook {event} of {host}"
    remedy = f"run `engrain setup {host}`"
    with tempfile.TemporaryDirectory(prefix="engrain-doctor-") as folder:
        session = PROBE + secrets.token_hex(8)
        payload = make_payload(host, name, event, session, folder)
        try:
            done, took = run_hook(_argv(command), payload, folder, environ)
        except subprocess.TimeoutExpired:
            return Finding(subject, "unusable", f"no answer within {LIMIT:.0f} s")
        except OSError as error:
            message = f"its program can't be run: {error.strerror}"
            return Finding(subject, "unusable", message, path=error.filename, remedy=remedy)
    if done.returncode:
        said = last_said(done)
        why = f"exit code {done.returncode}"
        if _NO_PACKAGE in said or (isinstance(command, str) and done.returncode in _NOT_FOUND):
            why = "its program can't be run"
        return Finding(subject, "unusable", f"{why}: {said}", remedy=remedy)
    if fault := find_fault(host, name, done.stdout):
        return Finding(subject, "unusable", fault, remedy=remedy)
    message = f"{took * 1000:.0f} ms"
    if took > BUDGETS[event]:
        budget = f"the budget is {BUDGETS[event] * 1000:.0f} ms"
        return Finding(subject, "warning", f"{message}; {budget}")
    return Finding(subject, "ok", message)


def _argv(command: Sequence[str] | str) -> Sequence[str]:
    """What a host starts: the words, or its shell with the line."""
    if not isinstance(command, str):
        return command
    if sys.platform == "win32":
        return ["powershell", "-NoProfile", "-Command", command]
    return [os.environ.get("SHELL") or "/bin/sh", "-c", command]
