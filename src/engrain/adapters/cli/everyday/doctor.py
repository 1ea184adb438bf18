"""`engrain doctor`: check the installation, with a real save and recall."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, BaseCommand, flag
from engrain.adapters.cli.review.check import describe_counts
from engrain.adapters.hooks.distant import DistantServer, find_server
from engrain.adapters.hooks.losses import describe_cold, log_path, read_losses, read_times
from engrain.adapters.hosts.check import check_hooks
from engrain.adapters.present.records import list_fields
from engrain.adapters.present.text import clean, clean_line, style
from engrain.api.memory import Memory
from engrain.engine.diagnosis import Finding
from engrain.language.text.instants import format_local
from engrain.model.errors import EngrainError, StorageError
from engrain.resolution.selector import Resolution
from engrain.wiring import open_memory

_LATELY = 7 * 86_400.0
_LEVELS = {"ok": ("good", "ok"), "warning": ("warning", "note"), "unusable": ("bad", "FAIL")}
_NO_JOBS = "none has run on this device yet; `engrain jobs schedule` runs them regularly"


@dataclass(kw_only=True)
class DoctorCommand(BaseCommand):
    """Check the installation, with a real save and recall."""

    examples = """
engrain doctor
engrain doctor --strict
"""
    strict: bool = flag("exit 1 for warnings too")

    def run(self) -> Answer:
        if server := find_server({"vault": self.vault, "state_dir": self.state_dir}):
            reasons: Sequence[str] = [f"memory: {clean(server.url)}"]
            self._print_reasons(reasons)
            return self._report(reasons, _examine_distant(server))
        preview = self.resolve()
        self._print_reasons(preview.reasons)  # at once: they help most where opening fails
        with self.open() as memory:
            return self._report(preview.reasons, examine(memory, preview))

    def _print_reasons(self, reasons: Sequence[str]) -> None:
        if not self.console.as_json:
            self.console.write_lines(reasons)

    def _report(self, reasons: Sequence[str], findings: Sequence[Finding]) -> Answer:
        levels = {finding.level for finding in findings}
        wrong = "unusable" in levels or (self.strict and "warning" in levels)
        names = "subject level message path line remedy"
        described = list_fields(findings, names)
        lines = [_line(finding) for finding in findings]
        return {"resolution": list(reasons), "findings": described}, lines, wrong


def _examine_distant(server: DistantServer) -> list[Finding]:
    """Check the way to a memory on another machine, and the hooks that ask it."""
    try:
        found = Finding("remote server", "ok", server.describe())
    except EngrainError as error:
        found = Finding("remote server", "unusable", error.message, remedy=error.remedy)
    return [found, *_check_hooks(server.state_dir)]


def examine(memory: Memory, place: Resolution) -> list[Finding]:
    """Check a vault and its installation here: see `engrain doctor`."""
    ran = [state.status.started for state in memory.jobs.status() if state.status]
    last = f"last ran {format_local(max(ran))}" if ran else _NO_JOBS
    findings = [*memory.diagnose(), *_check_vault(memory), Finding("jobs", "ok", last)]
    try:
        findings.append(Finding("round trip", "ok", _try_round_trip(place.state_dir)))
    except (EngrainError, OSError) as error:
        findings.append(Finding("round trip", "unusable", str(error)))
    return [*findings, *_check_hooks(place.state_dir)]


def _check_hooks(state_dir: str) -> list[Finding]:
    """Run the installed hooks, and tell of those that failed or found no bridge lately."""
    findings = check_hooks(os.environ, state_dir)
    if losses := read_losses(state_dir, time.time() - _LATELY):
        latest = losses[-1]
        times = "once" if len(losses) == 1 else f"{len(losses)} times"
        message = (
            f"{times} in the last 7 days a hook could not do all of its work; the latest:"
            f" {latest.event} of {latest.host} at {format_local(latest.at)},"
            f" after {latest.ms} ms: {latest.reason}"
        )
        findings.append(Finding("hooks", "warning", message, path=log_path(state_dir)))
    if cold := describe_cold(read_times(state_dir, time.time() - _LATELY)):
        findings.append(Finding("cold hooks", "ok", cold))
    return findings


def _check_vault(memory: Memory) -> list[Finding]:
    """Return a line about the findings of `engrain check`, and its errors."""
    try:
        result = memory.check()
    except EngrainError as error:
        return [Finding("check", "warning", error.message, remedy=error.remedy)]
    level = "ok" if result.sound else "warning"
    said = describe_counts(result) if result.left else "nothing is wrong in the vault"
    return [
        Finding("check", level, said, remedy="see `engrain check`" if result.left else None),
        *(
            Finding(
                one.rule, "warning", one.message, path=one.place, line=one.line, remedy=one.remedy
            )
            for one in result.left
            if one.severity == "error"
        ),
    ]


def _open_scratch(folder: str) -> Memory:
    """Make a vault in a folder that is thrown away, with its state and key beside it."""
    return open_memory(
        os.path.join(folder, "vault"),
        state_dir=os.path.join(folder, "state"),
        backend="device-local",
        create=True,
        keys_dir=os.path.join(folder, "state", "keys"),
    )


def _try_round_trip(state_dir: str) -> str:
    """Save, recall and verify in a throw-away vault, and say how long that took. Raises
    EngrainError or OSError where it does not work."""
    # In the state folder, which nothing synchronises and this user can write.
    folder = tempfile.mkdtemp(prefix="round-trip-", dir=state_dir)
    try:
        started = time.perf_counter()
        with _open_scratch(folder) as memory:
            saved = memory.save("The lighthouse keeper counts the waves.", title="Round trip")
            found = memory.recall("lighthouse waves").results
            if [recalled.row.id for recalled in found] != [saved.id]:
                raise StorageError("what was saved was not recalled", path=memory.where)
            if any(report.wrong for report in memory.trust.survey().chains):
                raise StorageError(
                    "the history of a fresh vault does not verify", path=memory.where
                )
        milliseconds = (time.perf_counter() - started) * 1000
        return f"saved, recalled and verified in {milliseconds:.0f} ms"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _line(finding: Finding) -> str:
    colour, word = _LEVELS[finding.level]
    where = ""
    if finding.path:
        where = f"{clean(finding.path)}{f':{finding.line}' if finding.line else ''}: "
    remedy = f"; {finding.remedy}" if finding.remedy else ""
    said = clean_line(f"{finding.message}{remedy}")
    return f"{style(colour, f'{word:<5}')} {finding.subject}: {where}{said}"


COMMAND = DoctorCommand
