"""Checks of the hosts for `doctor`: run each installed hook as its host would run it."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from engrain.adapters.hosts.files import read
from engrain.adapters.hosts.json_text import parse
from engrain.adapters.hosts.planning import Ledger
from engrain.adapters.hosts.table import ENTRY_HOSTS, HOSTS, Host, HostFile
from engrain.adapters.hosts.toml_part import find_table
from engrain.engine.diagnosis import Finding
from engrain.model.errors import ConfigError, EngrainError
from engrain.seam.journal import PROBE
from engrain_hook import BUDGETS

LIMIT = 10.0
"""Seconds after which a host would give up."""

_SENT: Mapping[str, Mapping[str, str]] = {
    "session-start": {"source": "startup"},
    "prompt": {"prompt": "What do we know about this project?"},
    "tool": {"tool_name": "Read"},
    "tool-failed": {"tool_name": "Bash"},
    "subagent": {"agent_type": "general-purpose"},
    "pre-compact": {"trigger": "manual"},
    "session-end": {"reason": "other"},
}
_COMMON = ("continue", "stopReason", "suppressOutput", "systemMessage")
_TAKEN = {
    "claude-code": (*_COMMON, "decision", "reason", "hookSpecificOutput", "terminalSequence"),
    "codex": (*_COMMON, "decision", "reason", "hookSpecificOutput"),
    "gemini": (*_COMMON, "decision", "reason", "hookSpecificOutput"),
    "qwen": (*_COMMON, "decision", "reason", "hookSpecificOutput"),
    "copilot": ("additionalContext", "modifiedTransformedPrompt"),
    "cursor": ("continue", "user_message", "additional_context", "env", "followup_message"),
    "opencode": ("context", "message"),
    "pi": ("context", "message"),
}


def make_payload(host: str, name: str, event: str, session: str, folder: str) -> dict[str, object]:
    """Return the input that `host` sends at its event `name`, ours being `event`, for a session
    in `folder`."""
    sent = _SENT.get(event, {})
    if host == "copilot" and name[:1].islower():  # its own form, without the event's name
        more = {"transformedPrompt": sent["prompt"]} if "prompt" in sent else {}
        return {"sessionId": session, "cwd": folder, **sent, **more}
    if host == "cursor":
        where: dict[str, object] = {"conversation_id": session, "workspace_roots": [folder]}
    else:
        where = {"session_id": session, "cwd": folder}
    return {**where, "hook_event_name": name, **sent}


def run_hook(
    command: Sequence[str], payload: Mapping[str, object], folder: str, environ: Mapping[str, str]
) -> tuple[subprocess.CompletedProcess[bytes], float]:
    """Run a hook and return (the ended process, the seconds it took). Raises OSError if it can't
    be run, subprocess.TimeoutExpired after `LIMIT`."""
    begun = time.perf_counter()
    done = subprocess.run(
        command,
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=False,
        cwd=folder,
        env=dict(environ),
        timeout=LIMIT,
    )
    return done, time.perf_counter() - begun


def find_fault(host: str, name: str, output: bytes) -> str | None:
    """Return why `host` would not accept this output at its event `name`, None if it would."""
    if not output.strip():
        return None
    try:
        answer = json.loads(output)
    except ValueError:
        return "its output is not JSON"
    if not isinstance(answer, dict):
        return "its output is no JSON object"
    if unknown := [key for key in answer if key not in _TAKEN[host]]:
        return f"its output has {', '.join(sorted(unknown))}, which {host} does not know"
    specific = answer.get("hookSpecificOutput")
    if specific is None:
        return None
    if not isinstance(specific, dict) or specific.get("hookEventName") not in (None, name):
        return f"its output is not for {name}"
    return None


def last_said(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the last line that a process wrote to its error stream, "" for none."""
    return " ".join(done.stderr.decode(errors="replace").strip().splitlines()[-1:])


# Host -> its file, and each (path of keys, value) that switches every hook off.
_SWITCHES: Mapping[str, tuple[str, Sequence[tuple[Sequence[str], bool]]]] = {
    "claude-code": ("settings.json", [(("disableAllHooks",), True)]),
    "qwen": ("settings.json", [(("disableAllHooks",), True)]),
    "codex": (
        "config.toml",
        [(("features", "hooks"), False), (("features", "codex_hooks"), False)],
    ),
    "gemini": (
        "settings.json",
        [(("hooksConfig", "enabled"), False), (("tools", "enableHooks"), False)],
    ),
}
_PLUGINS = "enabledPlugins"
_UNTRUSTED = (
    "{} does not run the hooks for {}, which its user has not trusted as they are now, or has"
    " switched off: type /hooks there, then t"
)


def find_obstacles(host: Host, environ: Mapping[str, str]) -> list[str]:
    """Return sentences for a person about settings of the host that keep our hooks from working."""
    name, switches = _SWITCHES.get(host.name, ("", ()))
    if not name:
        return []
    settings = _read_settings(os.path.join(host.folder(environ), name))
    found = [
        f"{host.title} has its hooks switched off: {'.'.join(path)} in {name}"
        for path, value in switches
        if (find_table(settings, path[:-1]) or {}).get(path[-1]) is value
    ]
    records = [part for file in host.files(environ) for part in file.trust]
    if untrusted := [event for part in records for event in part.find_untrusted(settings)]:
        found.append(_UNTRUSTED.format(host.title, ", ".join(untrusted)))
    plugins = settings.get(_PLUGINS)
    if isinstance(plugins, dict):
        found += [
            f"the plugin {plugin} is enabled in {host.title} too, so each hook runs twice:"
            " disable the plugin, or uninstall here"
            for plugin, enabled in plugins.items()
            if str(plugin).startswith("engrain@") and enabled
        ]
    return found


def _read_settings(path: str) -> Mapping[str, object]:
    """Return the settings, empty if they can't be read: other checks report that."""
    try:
        text = (read(path) or b"").decode().removeprefix("\ufeff")
        if path.endswith(".toml"):
            return tomllib.loads(text)
        value = parse(text, comments=True).read(text)
    except (EngrainError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


Installed: TypeAlias = "tuple[str, str, list[str] | str]"
"""(the host's event, ours, the command: words, or a line for a shell)."""


_NOT_FOUND = (126, 127)  # how a shell says that it can't run a program
_NO_PACKAGE = "ModuleNotFoundError"  # how an interpreter says that the package is gone
_PROGRAM = re.compile(r"^const PROGRAM = (\[.*\])$", re.MULTILINE)


def check_hooks(environ: Mapping[str, str], state_dir: str) -> list[Finding]:
    """Run each installed hook with its host's documented payload for a session that is not kept,
    and report its time. Hosts without hooks that were never set up are left out."""
    return [finding for host in HOSTS.values() for finding in _check_host(host, environ, state_dir)]


def find_wired(environ: Mapping[str, str]) -> dict[str, bool]:
    """Return for each host whether our parts are in its files: hooks, which are not run, or the
    entry of a host without hooks."""
    wired = {}
    for host in HOSTS.values():
        try:
            if host.name in ENTRY_HOSTS:
                wired[host.name] = _has_parts(host.files(environ)[0])
                continue
            hooks = [hook for file in host.files(environ) for hook in _find_installed(host, file)]
        except (EngrainError, ValueError):
            hooks = []
        wired[host.name] = bool(hooks)
    return wired


def _has_parts(file: HostFile) -> bool:
    """Return whether a file has our parts as `setup` would write them."""
    raw = read(file.path)
    return raw is not None and file.add(raw) == raw


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
    if missing := [event for event in BUDGETS if event in wanted and event not in found]:
        yield Finding(subject, "warning", f"no hook for {', '.join(missing)}", remedy=remedy)
    for obstacle in find_obstacles(host, environ) if found else ():
        yield Finding(subject, "warning", obstacle)
    for name, event, command in found.values():
        yield _try(host.name, name, event, command, environ)


def _find_installed(host: Host, file: HostFile) -> Iterator[Installed]:
    """Yield our hooks in a file as it is now."""
    raw = read(file.path)
    text = "" if raw is None else raw.decode()
    for hooks in file.hooks:
        yield from hooks.installed(text)
    if file.path.endswith(".ts") and (program := _PROGRAM.search(text)):
        words = [str(word) for word in json.loads(program.group(1))]
        for event in BUDGETS:
            yield event, event, [*words, "hook", event, "--host", host.name]


def _try(
    host: str, name: str, event: str, command: Sequence[str] | str, environ: Mapping[str, str]
) -> Finding:
    subject = f"hook {event} of {host}"
    remedy = f"run `engrain setup {host}`"
    argv = command
    if isinstance(command, str):
        argv = [os.environ.get("SHELL") or "/bin/sh", "-c", command]
    with tempfile.TemporaryDirectory(prefix="engrain-doctor-") as folder:
        session = PROBE + secrets.token_hex(8)
        payload = make_payload(host, name, event, session, folder)
        try:
            done, took = run_hook(argv, payload, folder, environ)
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
