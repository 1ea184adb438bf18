"""`doctor`: reports every file that can't be read, every conflict copy and every inconsistency."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from engrain.engine.core.reading import MERGE_MARKS
from engrain.engine.core.store import Store
from engrain.engine.entities.resolution import list_entities
from engrain.engine.history.removals import list_missing, list_removed
from engrain.engine.history.verification import (
    ChainReport,
    count_unattested,
    has_key,
    verify_chains,
)
from engrain.engine.links.linking import list_circles, list_doubtful
from engrain.engine.recall.embedding import count_lacking
from engrain.engine.recall.silence.calibration import read_calibration
from engrain.engine.survey import describe_recall
from engrain.engine.verbs.copies import find_copies
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConfigError, EngrainError, IndexUnavailableError
from engrain.model.note.note import base_device, is_branch
from engrain.seam.locator import Locator

OK = "ok"
WARNING = "warning"
UNUSABLE = "unusable"

MERGE_REMEDY = "keep what is right of both versions, and take the marks away, in an editor"
_MEND = "correct it in an editor; Engrain did not change the file"
_NAMED = 3
_MOVE = "move it out of the vault"
_REMEDIES = {
    "symlink": _MOVE,
    "not-a-file": _MOVE,
    "forbidden_path": _MOVE,
    "too-large": "split it into notes, or move it out of the vault",
    "too-deep": "move it up some folders",
    "unreadable": "give your user the right to read it",
}


@dataclass(slots=True, eq=False)
class Finding:
    """One line of `doctor`: its subject, level (ok, warning, unusable) and message; if it is not ok
    also the place and the remedy."""

    subject: str
    level: str
    message: str
    _: KW_ONLY
    path: str | None = None
    line: int = 0
    reason: str = ""
    remedy: str | None = None


def diagnose(store: Store) -> list[Finding]:
    """Check the store, its index and its history. It repairs only what a reader would: an index
    that is found to be damaged is rebuilt, and everything is checked once more."""
    try:
        return _diagnose(store)
    except IndexUnavailableError as error:
        told = Finding("index", WARNING, f"{error.message}; it was rebuilt from the files")
    return [told, *_diagnose(store)]


def _diagnose(store: Store) -> list[Finding]:
    where = store.backend.describe()
    findings = [Finding("vault", OK, f"{where} can be read and written")]
    if reason := store.backend.probe():
        findings = [Finding("vault", UNUSABLE, f"can't be written: {reason}", path=where)]
    findings += [
        Finding("recovery", OK, f"completed change {record.change}, cut off half-way")
        for record in store.backend.recover()
    ]
    unfit = store.upkeep.ensure(scan=True)
    problems = [] if unfit else list_problems(store)
    named = {problem.path for problem in problems}
    findings += [
        Finding(
            "obstacle",
            WARNING,
            found.message,
            path=found.path,
            remedy=found.remedy + _tell_of_entry(store, found.path),
        )
        for found in store.backend.obstacles()
        if found.path not in named
    ]
    if unfit:
        findings.append(Finding("index", WARNING, unfit, remedy="run `engrain reindex`"))
        return findings
    status = store.index.status()
    scanned = "never" if status.scanned_at is None else format_instant(status.scanned_at)
    findings.append(Finding("index", OK, f"{status.entries} entries, last full scan {scanned}"))
    findings += problems
    findings += list_copies(store)
    findings += _look_for_removed(store)
    findings += [
        Finding("index", WARNING, difference, remedy="run `engrain reindex`")
        for difference in store.upkeep.verify()
    ]
    findings += _look_at_successions(store)
    findings += _look_at_facts(store)
    findings.append(Finding("recall", OK, describe_recall(store)))
    findings += _look_at_vectors(store)
    findings += _look_at_silence(store)
    findings.append(_look_at_key(store))
    for report in verify_chains(store):
        erased = f", {report.erased} payloads erased" if report.erased else ""
        message = f"{report.device}: {report.links} changes{erased}"
        if report.wrong:
            findings.append(Finding("history", UNUSABLE, f"{message}; {report.wrong}"))
        else:
            findings.append(Finding("history", OK, f"{message}, unbroken{_tell_branch(report)}"))
    return findings


def _tell_branch(report: ChainReport) -> str:
    if not is_branch(report.device):
        return ""
    former = base_device(report.device)
    return f"; a branch: from change {report.first} on two devices wrote as {former}"


def list_problems(store: Store) -> list[Finding]:
    """List every file that can't be read, and every field with an invalid value."""
    found = []
    for problem in store.index.problems():
        merged = problem.reason == MERGE_MARKS
        remedy = MERGE_REMEDY if merged else None
        if problem.fatal and not merged:
            remedy = _REMEDIES.get(problem.reason)
            remedy = remedy + _tell_of_entry(store, problem.locator) if remedy else _MEND
        found.append(
            Finding(
                "file" if problem.fatal else "text" if merged else "field",
                WARNING,
                problem.message,
                path=problem.locator,
                line=problem.line,
                reason=problem.reason,
                remedy=remedy,
            )
        )
    return found


def _tell_of_entry(store: Store, place: str) -> str:
    """Say how to restore the entry whose place is taken, "" where there was none."""
    try:
        changes = store.index.changes(locator=Locator(place), limit=1)
    except IndexUnavailableError:
        return ""
    if not changes or changes[0].after_hash is None:
        return ""
    return f"; `engrain restore {changes[0].entry}` then brings back the entry that was there"


def list_copies(store: Store) -> list[Finding]:
    """List every file with another file's id, and every unmerged conflict copy of a structured
    file."""
    places = [Locator(place) for place, _, hash_, _ in store.index.stamps() if hash_]
    found = {
        pair.copy: Finding(
            "copy",
            WARNING,
            f"conflict copy of {pair.home}",
            path=pair.copy,
            reason="conflict-copy",
            remedy="it is merged by itself once the history of both is here, or after a day; if it"
            " stays, compare the two, keep what is right in the other, and remove this one",
        )
        for pair in find_copies(store, places, set(places))
        if pair.make() is not None
    }
    for row in store.index.duplicates():
        original = next(one.locator for one in store.index.lookup(row.id) if one.primary)
        found.setdefault(
            row.locator,
            Finding(
                "copy",
                WARNING,
                f"conflict copy of {original}, whose id it has",
                path=row.locator,
                reason="conflict-copy",
                remedy="compare the two, keep what is right in the other, and remove this one",
            ),
        )
    return [found[place] for place in sorted(found)]


def _look_for_removed(store: Store) -> list[Finding]:
    """Report the notes that another program removed: those that may be so by mistake, since many
    went at once, and those that the history calls removed."""
    findings = []
    if missing := list_missing(store):
        names = ", ".join(str(one.place) for one in missing[:_NAMED])
        findings.append(
            Finding(
                "missing",
                WARNING,
                f"{len(missing)} notes that the history has are not there: {names}"
                f"{' …' if len(missing) > _NAMED else ''}; so many at once may be a mistake, so"
                " they do not count as removed",
                path=missing[0].place,
                reason="missing",
                remedy="bring them back (`engrain restore --missing`, or from a backup), or"
                " `engrain doctor --accept-missing` if they were removed on purpose",
            )
        )
    if removed := list_removed(store):
        when = f" at {format_instant(removed[0].at)}" if removed[0].at else ""
        findings.append(
            Finding(
                "removed",
                OK,
                f"{len(removed)} notes were removed by other programs, the latest{when}",
                path=removed[0].place,
                remedy=f"`engrain restore {removed[0].id}` brings that one back",
            )
        )
    return findings


def _look_at_successions(store: Store) -> list[Finding]:
    """Check the successions for circles and for successors with less trusted origins."""
    findings = [
        Finding(
            "successions",
            WARNING,
            "these supersede one another in a circle, so none of it counts: "
            + ", ".join(row.id for row in circle),
            path=circle[0].locator,
            reason="circle",
            remedy="correct the older one's file; `engrain history` says who wrote it",
        )
        for circle in list_circles(store)
    ]
    doubtful = list_doubtful(store)
    if doubtful:
        older, newer = doubtful[0]
        findings.append(
            Finding(
                "successions",
                OK,
                f"{len(doubtful)} entries are said to be replaced by some that come from less"
                f" trusted origins, so both are recalled; the first is {older.id} by {newer.id}",
                path=older.locator,
                remedy="`engrain review list` has them once the job `scan` ran",
            )
        )
    return findings


def _look_at_facts(store: Store) -> list[Finding]:
    disputed = list_entities(store, disputed=True)
    if not disputed:
        return []
    facts = sum(len(filed.disputed) for filed in disputed)
    return [
        Finding(
            "facts",
            OK,
            f"{facts} facts of {len(disputed)} entities are disputed",
            remedy="`engrain entity list --disputed` shows them, `engrain fact settle` decides",
        )
    ]


def _look_at_vectors(store: Store) -> list[Finding]:
    """Check which embedders of the chain can be used, and whether their vectors exist."""
    findings = []
    try:
        links = store.models.vectors.links
    except ConfigError as error:
        return [Finding("embedder", WARNING, error.message, remedy=error.remedy)]
    if store.models.vectors.exist() and not store.models.vectors.index.verify():
        message = "vectors were damaged and removed, so recall goes by words until all are back"
        findings.append(Finding("embedder", WARNING, message, remedy="run `engrain embed`"))
    answering = ""  # the first link that has vectors of all
    for link in links:
        reason = link.missing()
        if reason is not None:
            findings.append(Finding("embedder", OK, f"{link.name} is not used: {reason}"))
            continue
        try:
            embedder = link.open()
            if not embedder.is_ready():
                embedder.embed([""])
            lacking = count_lacking(store, embedder)
            kept = store.models.vectors.index.count(embedder.model)
        except EngrainError as error:
            findings.append(
                Finding("embedder", WARNING, f"{link.name}: {error.message}", remedy=error.remedy)
            )
            continue
        message = f"{link.name} ({embedder.model}), {kept} vectors"
        level, remedy = OK, None
        if lacking and answering:
            message += f"; not needed while {answering} answers"
        elif lacking:
            level, remedy = WARNING, "run `engrain embed`"
            message += f"; {lacking} of the newest passages have none"
            message += ", so recall does not use it yet"
        else:
            answering = answering or link.name
        findings.append(Finding("embedder", level, message, remedy=remedy))
    return findings


def _look_at_silence(store: Store) -> list[Finding]:
    found = read_calibration(store.index, "")
    if found is None or found.told_apart:
        return []
    return [
        Finding(
            "silence",
            WARNING,
            "the words of a question do not show whether this vault answers it"
            f" (area {found.area:.2f}), so recall stays silent when in doubt",
            remedy="ask with --profile deep; an embedding model may help, see docs/recall.md",
        )
    ]


def _look_at_key(store: Store) -> Finding:
    """Check whether this device has the vault's key, and count the unattested entries."""
    left = ", ".join(f"{count} in {tier}" for tier, count in count_unattested(store).items())
    message = f"active entries without proof of who wrote them: {left}"
    if store.backend.capabilities.authenticated:
        return Finding("key", OK, f"the server knows who wrote what, no key is needed; {message}")
    if has_key(store):
        return Finding("key", OK, f"the vault's key is here; {message}")
    if not store.backend.bears_codes():
        return Finding("key", OK, f"the vault has no key yet, the next change makes it; {message}")
    return Finding(
        "key",
        WARNING,
        f"the vault's key is not here, so nothing is attested; {message}",
        remedy="copy its file from the device that has it, and run `engrain device join FILE` here",
    )
