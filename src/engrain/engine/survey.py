"""Counts a vault's entries and describes its recall, from the index alone: no file is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from engrain.engine.core.contradictions import list_contradictions
from engrain.engine.core.scope import Scope, filter_for
from engrain.engine.core.store import Store
from engrain.engine.recall.rejection import THRESHOLD, silence_key
from engrain.engine.recall.silence.calibration import read_calibration
from engrain.model.errors import ConfigError
from engrain.model.note.tiers import KINDS, ZONES
from engrain.seam.rows import Filter


@dataclass(slots=True, eq=False)
class Survey:
    """The active entries of a vault in all, by kind and by tier (T2 is shared with the operator, T3
    the agent's own); the numbers of entries in the inbox, of open proposals (which the caller
    counts), of contradicting pairs and of unreadable files, and the time of the last full scan, in
    epoch seconds.

    `embedder` is the first of the chain that can run here, "" for none; `recall` describes recall
    with it in a line, here and in hooks. Recall is silent below `threshold`, which was found at the
    moment `calibrated`, or is built in where that is None.
    """

    vault: str
    entries: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    tiers: dict[str, int] = field(default_factory=dict)
    inbox: int = 0
    proposals: int = 0
    conflicts: int = 0
    problems: int = 0
    scanned: float | None = None
    embedder: str = ""
    recall: str = ""
    threshold: float = THRESHOLD
    calibrated: float | None = None


def survey(store: Store) -> Survey:
    """Count what the index knows. Raises IndexUnavailableError."""
    index = store.index
    status = index.status()
    found = Survey(store.backend.vault, problems=status.problems, scanned=status.scanned_at)
    listed = filter_for(store, Scope(all_projects=True))
    found.kinds, found.tiers = dict.fromkeys((*KINDS, "other"), 0), {"T2": 0, "T3": 0}
    for (kind, tier), count in index.tally(listed).items():
        found.entries += count
        found.tiers[tier] += count
        found.kinds[kind if kind in KINDS else "other"] += count
    found.kinds = {kind: count for kind, count in found.kinds.items() if count}
    # With all zones named, the index finds the few entries and is not read whole.
    found.inbox = index.count(Filter(statuses=("inbox",), zones=ZONES))
    found.conflicts = len(list_contradictions(store))
    try:
        usable = (link.name for link in store.models.vectors.links if not link.missing())
        found.embedder = next(usable, "")
    except ConfigError as error:
        found.embedder = f"none: {error.message}"
    found.recall = describe_recall(store)
    # Recall uses the vectors of one model at a time, the latest.
    names = index.figures(silence_key("")[:-1])
    models = {name.rpartition(":")[0] for name in names}
    known = filter(None, (read_calibration(index, model) for model in models))
    latest = max(known, key=lambda one: one.at, default=None)
    if latest:
        found.threshold, found.calibrated = latest.threshold, latest.at
    return found


_MEANS = {
    "api": "the vectors of an API",
    "local": "the local model",
    "local-multilingual": "the local model for several languages",
    "static": "token vectors",
    "stub": "the stub's vectors",
}
"""Descriptions of what recall uses besides words, by the embedder's name."""


def describe_recall(store: Store) -> str:
    """Describe in a line what recall uses here, and in hooks, which can't load a model in time."""
    try:
        links = [link.name for link in store.models.vectors.links if not link.missing()]
    except ConfigError as error:
        return f"words alone, since {error.message}"
    if not links:
        return "words alone; hooks: the same"
    ways = f"words and {_MEANS[links[0]]}"
    if not store.models.vectors.exist():
        ways = f"words alone until `engrain jobs embed` or the next job makes vectors, then {ways}"
    named = "static" in (store.settings.get("embedder") or "")
    cold = f"words and {_MEANS['static']}" if named else "words alone"
    return f"{ways}; hooks: the same if a server or a host's bridge runs, else {cold}"
