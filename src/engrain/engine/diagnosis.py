"""`doctor`: checks the store, its index, its vectors and its key on this device."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from engrain.engine.core.store import Store
from engrain.engine.history.verification import count_unattested, has_key
from engrain.engine.recall.embedding import count_lacking
from engrain.engine.recall.silence.calibration import read_calibration
from engrain.engine.survey import describe_recall
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConfigError, EngrainError, IndexUnavailableError

OK = "ok"
WARNING = "warning"
UNUSABLE = "unusable"


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
    remedy: str | None = None


def diagnose(store: Store) -> list[Finding]:
    """Check the store, its index and its key. An index that is found to be damaged is rebuilt, and
    everything is checked once more."""
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
    if unfit := store.upkeep.ensure(scan=True):
        findings.append(Finding("index", WARNING, unfit, remedy="run `engrain jobs reindex`"))
        return findings
    status = store.index.status()
    scanned = "never" if status.scanned_at is None else format_instant(status.scanned_at)
    findings.append(Finding("index", OK, f"{status.entries} entries, last full scan {scanned}"))
    findings.append(Finding("recall", OK, describe_recall(store)))
    findings += _look_at_vectors(store)
    findings += _look_at_silence(store)
    findings.append(_look_at_key(store))
    return findings


def _look_at_vectors(store: Store) -> list[Finding]:
    """Check which embedders of the chain can be used, and whether their vectors exist."""
    findings = []
    try:
        links = store.models.vectors.links
    except ConfigError as error:
        return [Finding("embedder", WARNING, error.message, remedy=error.remedy)]
    if store.models.vectors.exist() and not store.models.vectors.index.verify():
        message = "vectors were damaged and removed, so recall goes by words until all are back"
        findings.append(Finding("embedder", WARNING, message, remedy="run `engrain jobs embed`"))
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
            level, remedy = WARNING, "run `engrain jobs embed`"
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
