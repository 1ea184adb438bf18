"""`engrain doctor`: check everything, with a live write and recall."""

from __future__ import annotations

import argparse
import os
import time

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.everyday.round_trip import try_round_trip
from engrain.adapters.cli.options import (
    Command,
    open_from,
    resolve_from,
)
from engrain.adapters.hooks.losses import log_path, read_losses
from engrain.adapters.hosts.check import check_hooks
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.records import (
    describe_findings,
    envelope,
)
from engrain.adapters.present.text import clean, clean_line
from engrain.engine.core.outcomes import Finding
from engrain.face.memory import Memory
from engrain.language.text.instants import format_instant
from engrain.model.errors import EngrainError
from engrain.resolution.device import DeviceFile

_LATELY = 7 * 86_400.0


_LEVELS = {"ok": ("good", "ok"), "warning": ("warning", "note"), "unusable": ("bad", "FAIL")}


def _doctor_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--strict", action="store_true", help="exit 1 for warnings too")
    parser.add_argument(
        "--repair",
        action="store_true",
        help="break circles of what supersedes what; undo takes it back",
    )


def _doctor(args: argparse.Namespace, console: Console) -> int:
    preview = resolve_from(args)
    if not console.as_json:
        console.write_lines(preview.reasons)  # at once: they help most where opening fails
    with open_from(args) as memory:
        mended = memory.mend_successions() if args.repair else 0
        findings = [*memory.diagnose(), _look_at_jobs(memory)]
    if args.repair:
        told = f"circles broken in files: {mended}; `engrain undo` takes it back"
        findings.insert(0, Finding("repair", "ok", told if mended else "nothing to do"))
    try:
        findings.append(Finding("round trip", "ok", try_round_trip(preview.state_dir)))
    except (EngrainError, OSError) as error:
        findings.append(Finding("round trip", "unusable", str(error)))
    findings += _check_hooks(preview.state_dir)
    findings += _look_at_device(preview.state_dir)
    if console.as_json:
        console.write_json(envelope("doctor", describe_findings(findings, preview.reasons)))
    else:
        for finding in findings:
            console.write_lines([_finding_line(finding, console)])
    levels = {finding.level for finding in findings}
    wrong = "unusable" in levels or (args.strict and "warning" in levels)
    return EXIT_ERROR if wrong else EXIT_OK


def _look_at_device(state_dir: str) -> list[Finding]:
    """Whether this device's id may be another installation's as well."""
    doubt = DeviceFile(state_dir, os.urandom).find_doubt()
    if doubt is None:
        return []
    remedy = (
        "nothing, if the state folder was moved, or lies in a container or on a network; if a copy"
        " of it is still in use elsewhere, remove the files device and device.json here, and this"
        " device takes a new id"
    )
    return [Finding("device", "warning", doubt, path=state_dir, remedy=remedy)]


def _look_at_jobs(memory: Memory) -> Finding:
    """Whether anything strengthens and fades here: without jobs nothing does."""
    ran = [state.status.started for state in memory.job_status() if state.status]
    if not ran:
        return Finding("jobs", "ok", "none ran here yet; `engrain schedule install` has them run")
    return Finding("jobs", "ok", f"last ran {format_instant(max(ran))}")


def _check_hooks(state_dir: str) -> list[Finding]:
    """Every installed hook, run; and what hooks lost lately, which no host shows anyone."""
    findings = check_hooks(os.environ, state_dir)
    losses = read_losses(state_dir, time.time() - _LATELY)
    if losses:
        latest = losses[-1]
        times = "once" if len(losses) == 1 else f"{len(losses)} times"
        message = (
            f"{times} in the last 7 days a hook could not do all of its work; the latest:"
            f" {latest.event} of {latest.host} at {format_instant(latest.at)},"
            f" after {latest.ms} ms: {latest.reason}"
        )
        findings.append(Finding("hooks", "warning", message, path=log_path(state_dir)))
    return findings


def _finding_line(finding: Finding, console: Console) -> str:
    colour, word = _LEVELS[finding.level]
    where = ""
    if finding.path:
        where = f"{clean(finding.path)}{f':{finding.line}' if finding.line else ''}: "
    reason = f" ({finding.reason})" if finding.reason else ""
    remedy = f"; {finding.remedy}" if finding.remedy else ""
    said = clean_line(f"{finding.message}{reason}{remedy}")
    return f"{console.style(colour, f'{word:<5}')} {finding.subject}: {where}{said}"


COMMANDS = {
    "doctor": Command(
        _doctor_arguments,
        _doctor,
        "engrain doctor",
        "engrain doctor --strict",
        "engrain doctor --repair",
    ),
}
