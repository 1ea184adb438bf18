"""The results of the verbs, and the explanation of a recall, as plain values that the CLI, MCP and
the API can show."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import TYPE_CHECKING

from engrain.seam.locator import Locator
from engrain.seam.rows import Row

if TYPE_CHECKING:
    from engrain.model.note.entry import Entry


@dataclass(slots=True, eq=False)
class ChannelPart:
    """The contribution of one channel to an entry's best passage: the passage's rank in the channel
    (0: not found), its score, and the factor by which the score was multiplied."""

    channel: str
    rank: int
    score: float
    factor: float


@dataclass(slots=True)
class Reasons:
    """The reasons for an entry's rank: `parts` by channel, and the `priors` by which their sum was
    multiplied."""

    parts: tuple[ChannelPart, ...]
    priors: dict[str, float]


@dataclass(slots=True, eq=False)
class Cut:
    """An entry that was found but left out, and the reason: too weak, beyond the limit, the budget
    or the share of its kind, a near-copy, or loaded already."""

    row: Row
    reason: str
    reasons: Reasons


@dataclass(slots=True, eq=False)
class Silence:
    """The decision whether to return anything: the `value` computed from the signals, the
    `threshold` below which nothing is returned, and the `reason` for that threshold."""

    value: float
    threshold: float
    reason: str


@dataclass(slots=True)
class Explanation:
    """The explanation of a recall. `words` has each searched word with the number of passages that
    contain it; `signals` are those of `rejection.SIGNALS`; `lost` has the errors of embedders that
    could not take part; `stages` says for each stage of a tiered recall what it
    found and why the next was or was not asked; `silence` is None if the index could not answer."""

    words: Sequence[tuple[str, int]]
    signals: Mapping[str, float]
    lost: tuple[str, ...]
    cut: list[Cut] = field(default_factory=list, init=False)
    stages: list[str] = field(default_factory=list, init=False)
    silence: Silence | None = field(default=None, init=False)


CREATED = "created"
UNCHANGED = "unchanged"
RESTORED = "restored"
SIMILAR = "similar"
UPDATED = "updated"
DELETED = "deleted"
TRUSTED = "trust changed"
STAYS_DELETED = "stays deleted"
KEPT = "kept"
LEFT_OUT = "left out"
"""Outcomes of an imported document: its entry got another origin; the entry was deleted here and
stays deleted; both changed, and the entry stays as it is; the document can't be imported."""
COPY = "conflict copy"
"""The outcome of a document that a synchroniser copied from another one, which comes in instead."""
COPIED = "copied"
"""The outcome of a file that is no document, such as an image."""

SKILL = "procedural"
"""The kind of skills."""
UNCONFIRMED = "unconfirmed: ask before relying on it"
LIKELY = "likely"
CONFIRMED = 0.5
"""The confidence from which an agent need not ask."""
_ASKING = ((CONFIRMED, UNCONFIRMED), (0.8, LIKELY))
"""Bounds of confidence, each with the words shown for an entry below it; from the last bound on an
entry is shown as known (S1.22)."""


@dataclass(slots=True, eq=False)
class Outcome:
    """The result of a write: `outcome` is one of the words above, `hash` that of the present file.

    `decided` has each field that the caller left open, with its value and the tier that decided it
    (S1.22). `other` is the id of the entry that the outcome refers to: the similar or the
    superseded one. `redacted` names the rules by which secrets in the input were replaced.
    `proposals` are the ids of proposals made because the operator has to decide.
    """

    outcome: str
    entry: InitVar[Entry]
    _: KW_ONLY
    decided: dict[str, tuple[str, str]] = field(default_factory=dict)
    other: str | None = None
    redacted: tuple[str, ...] = ()
    id: str = field(init=False)
    locator: Locator = field(init=False)
    hash: str = field(init=False)
    kind: str = field(init=False)
    title: str = field(init=False)
    proposals: tuple[str, ...] = field(init=False, default=())

    def __post_init__(self, entry: Entry) -> None:
        self.id = entry.id
        self.locator = Locator(entry.path)
        self.hash = entry.hash
        self.kind = entry.kind
        self.title = entry.title


def asking(confidence: float | None) -> str:
    """Return the words that warn of a low confidence, "" if it is high or not given (S1.22)."""
    if confidence is None:
        return ""
    return next((words for bound, words in _ASKING if confidence < bound), "")


@dataclass(slots=True)
class Recalled:
    """A found entry with its text, just read from the store; `row.score` is above 0.

    `part` says that `text` is not the whole: it is the best passage of an entry too long for the
    budget, or the main part of a trace. `tokens` is the estimated cost of `text`. `reasons` is set
    if an explanation was asked for. `contradicts` has the ids of active entries that contradict it,
    until somebody settles it (S2.9). `fact` is the id of the fact of an entity that was found, ""
    for anything else. `heading` is the path of the headings above the found text (`Setup > Linux`),
    "" for none. `standing` is the state of a commitment ("kept", "open, overdue since 2026-09-02"),
    "" for other kinds.
    """

    row: Row
    text: str
    _: KW_ONLY
    part: bool = False
    tokens: int = 0
    reasons: Reasons | None = None
    heading: str = ""
    contradicts: tuple[str, ...] = ()
    fact: str = ""
    standing: str = ""

    @property
    def asking(self) -> str:
        """The words that say whether an agent should ask before it relies on this (S1.22)."""
        return asking(self.row.confidence)


LEADING = 0.9
"""The share of the best score from which a result counts as recalled; weaker results only came
along, and gain nothing by it."""


@dataclass(slots=True)
class Recall:
    """The results of a recall, best first.

    `relevance`, from 0 to 1, is the probability that anything found is useful. If it is too low,
    `rejected` is True, and `withheld` is the number of entries found but not returned; `nearest`
    has up to three of them, for a person who looks and not to answer from. `over_budget` counts
    entries that did not fit; `tokens` is the cost of the returned ones. `degraded` says why the
    index could not answer, None if it did, so that an empty answer can be believed. `embedder` and
    `model` name the source of the vectors that took part, "" for none. `elsewhere` counts matches
    that only the project filter kept out. `again` has the ids of matching entries that the reader
    has already. `exhausted` says that nothing was searched because the session has reached its
    limit.
    """

    results: tuple[Recalled, ...]
    _: KW_ONLY
    relevance: float = 0.0
    rejected: bool = False
    embedder: str = ""
    model: str = ""
    degraded: str | None = None
    exhausted: bool = False
    again: tuple[str, ...] = ()
    nearest: tuple[Recalled, ...] = ()
    elsewhere: int = 0
    withheld: int = 0
    over_budget: int = 0
    tokens: int = 0
    explanation: Explanation | None = None

    @property
    def given(self) -> tuple[Recalled, ...]:
        """All entries in the answer."""
        return self.results

    @property
    def leading(self) -> list[str]:
        """The ids of the results that count as recalled, see LEADING."""
        return _list_leading(self.results)

    def keep(self, ids: Collection[str]) -> None:
        """Drop all other entries from the answer."""
        self.results = tuple(found for found in self.results if found.row.id in ids)


@dataclass(slots=True)
class TaskRecall(Recall):
    """A recall before a task (S2.10): `results` are the patterns, successful episodes and skills
    that fit it best; `avoid_these` are mistakes that were made at such tasks or by such actions;
    `skills` are further skills that apply."""

    results: tuple[Recalled, ...] = ()
    avoid_these: tuple[Recalled, ...] = ()
    skills: tuple[Recalled, ...] = ()

    @property
    def given(self) -> tuple[Recalled, ...]:
        return (*self.results, *self.avoid_these, *self.skills)

    @property
    def leading(self) -> list[str]:
        parts = (self.results, self.avoid_these, self.skills)
        return [id_ for part in parts for id_ in _list_leading(part)]

    @property
    def relevant_patterns(self) -> tuple[Recalled, ...]:
        """The results, under the name that loki uses."""
        return self.results

    @property
    def applicable_skills(self) -> tuple[Recalled, ...]:
        """Every skill that applies, those among the results first."""
        return (*(found for found in self.results if found.row.kind == SKILL), *self.skills)

    def keep(self, ids: Collection[str]) -> None:
        Recall.keep(self, ids)  # `super()` fails in a dataclass with slots
        self.avoid_these = tuple(found for found in self.avoid_these if found.row.id in ids)
        self.skills = tuple(found for found in self.skills if found.row.id in ids)


def _list_leading(found: Sequence[Recalled]) -> list[str]:
    best = max((one.row.score for one in found), default=0.0)
    return [one.row.id for one in found if one.row.score >= LEADING * best]


_SKIPPED = "skipped"
_SUMS = {
    "added": (CREATED, SIMILAR),
    "changed": (UPDATED, TRUSTED, RESTORED),
    "unchanged": (UNCHANGED,),
    _SKIPPED: (),
    "refused": (LEFT_OUT,),
}
"""The outcomes that each sum adds up; all other outcomes count as skipped."""


@dataclass(slots=True, eq=False)
class Imported:
    """The result of an import. `counts` has the documents by outcome, each counted once, `attached`
    the files that notes link to or embed, by outcome. `problems` has what could not be imported, or
    not unchanged; `deleted` the labels and ids of entries that were deleted here and stay so;
    `statuses` the notes of a folder by their status; `unread` the documents whose frontmatter
    became part of their text, with the reason; `passed_over` the files and folders that stayed out,
    with the reason and the number of files; `withheld` what only the operator may let in. `links`
    counts all links of the notes as `links check` does, `ambiguous` those that may mean several
    notes, `broken` those that lead nowhere, and `redacted` the files in which a secret was
    replaced."""

    deleted: list[tuple[str, str]] = field(default_factory=list, init=False)
    withheld: list[str] = field(default_factory=list, init=False)
    statuses: dict[str, int] = field(default_factory=dict, init=False)
    unread: list[tuple[str, str]] = field(default_factory=list, init=False)
    passed_over: list[tuple[str, str, int]] = field(default_factory=list, init=False)
    counts: dict[str, int] = field(default_factory=dict, init=False)
    attached: dict[str, int] = field(default_factory=dict, init=False)
    problems: list[tuple[str, str]] = field(default_factory=list, init=False)
    tiers: dict[str, int] = field(default_factory=dict, init=False)
    links: int = field(default=0, init=False)
    ambiguous: int = field(default=0, init=False)
    broken: int = field(default=0, init=False)
    redacted: int = field(default=0, init=False)

    @property
    def documents(self) -> int:
        """The number of documents in the import."""
        return sum(self.counts.values())

    @property
    def sums(self) -> dict[str, int]:
        """The number of documents that were read; and, adding up to it, of those that were added,
        changed here, left unchanged, skipped because of an existing entry, or refused because they
        can't be imported."""
        sums = {"read": self.documents, **dict.fromkeys(_SUMS, 0)}
        for outcome, count in self.counts.items():
            sums[next((key for key, of in _SUMS.items() if outcome in of), _SKIPPED)] += count
        return sums

    def count(self, outcome: str) -> None:
        """Count a document with its outcome."""
        self.counts[outcome] = self.counts.get(outcome, 0) + 1

    def add(self, other: Imported) -> None:
        """Add the result of another import."""
        for sums, counts in (
            (self.counts, other.counts),
            (self.tiers, other.tiers),
            (self.statuses, other.statuses),
            (self.attached, other.attached),
        ):
            for what, count in counts.items():
                sums[what] = sums.get(what, 0) + count
        self.problems += other.problems
        self.deleted += other.deleted
        self.withheld += other.withheld
        self.unread += other.unread
        self.passed_over += other.passed_over
        self.links += other.links
        self.ambiguous += other.ambiguous
        self.broken += other.broken
        self.redacted += other.redacted

    def tell(self, label: str, message: str) -> None:
        """Record why something could not be imported, or not unchanged."""
        self.problems.append((label, message))
