"""`engrain doctor`: check the installation, with a real save and recall."""

from __future__ import annotations

import os
import shutil
import tempfile
import time

from engrain.adapters.cli.options import (
    Answer,
    Arguments,
    Command,
    open_from,
    open_scratch,
    resolve_from,
)
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.hooks.losses import log_path, read_losses, read_times, tell_cold
from engrain.adapters.hosts.check import check_hooks
from engrain.adapters.present.records import list_fields
from engrain.adapters.present.text import clean, clean_line, counted, style
from engrain.api.memory import Memory
from engrain.engine.diagnosis import Finding
from engrain.language.text.instants import format_local
from engrain.model.errors import EngrainError, StorageError, UsageError
from engrain.resolution.leftovers import describe_leftover, find_leftovers
from engrain.resolution.selector import Resolution
from engrain.seam.batches import TableDifference
from engrain.seam.derived import Progress

_LATELY = 7 * 86_400.0
_LEVELS = {"ok": ("good", "ok"), "warning": ("warning", "note"), "unusable": ("bad", "FAIL")}
_NO_JOBS = "none has run on this device yet; `engrain schedule install` runs them regularly"
_REBUILD = "`engrain doctor --deep --repair` uses the index that is built from the files"


def _doctor(args: Arguments) -> Answer:
    preview = resolve_from(args)
    if not args.console.as_json:
        args.console.write_lines(preview.reasons)  # at once: they help most where opening fails
    with open_from(args) as memory:
        accepted = memory.accept_missing() if args.accept_missing else 0
        findings = examine(memory, preview)
        if args.deep:
            with show_progress(args.console, "comparing") as progress:
                findings += compare(memory, progress, repair=args.repair)
    if args.accept_missing:
        said = f"recorded as removed: {counted(accepted, 'missing note')}"
        findings.insert(0, Finding("missing", "ok", said))
    levels = {finding.level for finding in findings}
    wrong = "unusable" in levels or (args.strict and "warning" in levels)
    names = "subject level message path line reason remedy"
    described = list_fields(findings, names)
    lines = [_line(finding) for finding in findings]
    return {"resolution": list(preview.reasons), "findings": described}, lines, wrong


def _check(args: Arguments) -> None:
    if args.repair and not args.deep:
        raise UsageError("--repair belongs to --deep", remedy="engrain doctor --deep --repair")


def examine(memory: Memory, place: Resolution) -> list[Finding]:
    """Check everything about a vault and its installation here: see `engrain doctor`."""
    ran = [state.status.started for state in memory.jobs.status() if state.status]
    last = f"last ran {format_local(max(ran))}" if ran else _NO_JOBS
    findings = [*memory.diagnose(), Finding("jobs", "ok", last)]
    try:
        findings.append(Finding("round trip", "ok", _try_round_trip(place.state_dir)))
    except (EngrainError, OSError) as error:
        findings.append(Finding("round trip", "unusable", str(error)))
    findings += check_hooks(os.environ, place.state_dir)
    if losses := read_losses(place.state_dir, time.time() - _LATELY):
        latest = losses[-1]
        times = "once" if len(losses) == 1 else f"{len(losses)} times"
        message = (
            f"{times} in the last 7 days a hook could not do all of its work; the latest:"
            f" {latest.event} of {latest.host} at {format_local(latest.at)},"
            f" after {latest.ms} ms: {latest.reason}"
        )
        findings.append(Finding("hooks", "warning", message, path=log_path(place.state_dir)))
    if cold := tell_cold(read_times(place.state_dir, time.time() - _LATELY)):
        findings.append(Finding("cold hooks", "ok", cold))
    for folder in find_leftovers(os.environ):
        what, remedy = describe_leftover(folder)
        findings.append(Finding("telemetry", "warning", what, path=folder, remedy=remedy))
    return findings


def compare(memory: Memory, progress: Progress | None, *, repair: bool) -> list[Finding]:
    """Compare the index with one that is built from the files, and use that one if asked."""
    found = memory.compare_index(progress, repair=repair)
    if found is None:
        message = "it lies in the database, where a second one can't be built beside it"
        return [Finding("deep", "ok", message, remedy="`engrain reindex` builds it anew")]
    if not found:
        return [Finding("deep", "ok", "every table of the index is what the files say")]
    level, remedy = ("ok", None) if repair else ("unusable", _REBUILD)
    findings = [Finding("deep", level, _tell(one), remedy=remedy) for one in found]
    if repair:
        findings.append(Finding("deep", "ok", "the index that was built from the files is in use"))
    return findings


def _tell(one: TableDifference) -> str:
    """Say in a line what differs in a table."""
    parts = []
    if one.kept:
        parts.append(f"{counted(one.kept, 'row')} not from the files, such as {one.kept_row}")
    if one.rebuilt:
        parts.append(f"{counted(one.rebuilt, 'row')} missing, such as {one.rebuilt_row}")
    return f"{one.table}: {'; '.join(parts)}"


def _try_round_trip(state_dir: str) -> str:
    """Save, recall and verify in a throw-away vault, and say how long that took. Raises
    EngrainError or OSError where it does not work."""
    # In the state folder, which nothing synchronises and this user can write.
    folder = tempfile.mkdtemp(prefix="round-trip-", dir=state_dir)
    try:
        started = time.perf_counter()
        with open_scratch(folder) as memory:
            saved = memory.save("The lighthouse keeper counts the waves.", title="Round trip")
            found = memory.recall("lighthouse waves").results
            if [recalled.row.id for recalled in found] != [saved.id]:
                raise StorageError("what was saved was not recalled", path=memory.where)
            if any(report.wrong for report in memory.verify()):
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
    reason = f" ({finding.reason})" if finding.reason else ""
    remedy = f"; {finding.remedy}" if finding.remedy else ""
    said = clean_line(f"{finding.message}{reason}{remedy}")
    return f"{style(colour, f'{word:<5}')} {finding.subject}: {where}{said}"


COMMAND = Command(
    _doctor,
    """
--strict  exit 1 for warnings too
--deep    build a second index from the files, and compare every table of the index with it; exit 1
          if they differ
--repair  with --deep: use the second index if the first differs from it
--accept-missing  record the notes that are reported as missing as removed on purpose
$ engrain doctor
$ engrain doctor --strict
$ engrain doctor --deep
$ engrain doctor --deep --repair
""",
    opens=None,
    check=_check,
)
