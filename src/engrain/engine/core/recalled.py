"""The results of a recall and their explanation, as values that the CLI, MCP and the API show."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field

from engrain.seam.rows import Row


@dataclass(slots=True, eq=False)
class ChannelPart:
    """The contribution of one channel to an entry's best passage: the passage's rank in the channel
    (0: not found), its score, and the factor by which the score was multiplied."""

    channel: str
    rank: int
    score: float
    factor: float


@dataclass(slots=True, eq=False)
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


@dataclass(slots=True, eq=False)
class Explanation:
    """The explanation of a recall. `words` has each searched word with the number of passages that
    contain it; `signals` are those of docs/recall.md; `lost` has the errors of embedders that could
    not take part; `stages` says for each stage of a tiered recall what it found and why the next
    was or was not asked; `silence` is None if the index could not answer."""

    words: Sequence[tuple[str, int]]
    signals: Mapping[str, float]
    lost: tuple[str, ...]
    cut: list[Cut] = field(default_factory=list, init=False)
    stages: list[str] = field(default_factory=list, init=False)
    silence: Silence | None = field(default=None, init=False)


MISTAKEN = ("anti-pattern", "learning")
"""The kinds of mistakes."""
SKILL = "procedural"
"""The kind of skills."""


UNCONFIRMED = "unconfirmed: ask before relying on it"


LIKELY = "likely"


CONFIRMED = 0.5
"""The confidence from which an agent need not ask."""


_ASKING = ((CONFIRMED, UNCONFIRMED), (0.8, LIKELY))
"""Bounds of confidence, each with the words shown for an entry below it; from the last bound on an
entry is shown as known (S1.22)."""


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
    "" for other kinds. `older` says that a newer statement about the same thing comes before it.
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
    older: bool = False

    @property
    def asking(self) -> str:
        """The words that say whether an agent should ask before it relies on this (S1.22)."""
        return asking(self.row.confidence)


LEADING = 0.9
"""The share of the best score from which a result counts as recalled; weaker results only came
along, and gain nothing by it."""


@dataclass(slots=True, eq=False)
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

    def retain(self, ids: Collection[str]) -> None:
        """Drop all other entries from the answer."""
        self.results = tuple(found for found in self.results if found.row.id in ids)


@dataclass(slots=True, eq=False)
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

    def retain(self, ids: Collection[str]) -> None:
        Recall.retain(self, ids)  # `super()` fails in a dataclass with slots
        self.avoid_these = tuple(found for found in self.avoid_these if found.row.id in ids)
        self.skills = tuple(found for found in self.skills if found.row.id in ids)


def _list_leading(found: Sequence[Recalled]) -> list[str]:
    best = max((one.row.score for one in found), default=0.0)
    return [one.row.id for one in found if one.row.score >= LEADING * best]
