"""The explanation of a recall: scores by channel, and which entries were left out and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engrain.seam.rows import Row


@dataclass(slots=True, eq=False)
class Part:
    """The contribution of one channel to an entry's best passage: the passage's rank in the channel
    (0: not found), its score, and the factor by which the score was multiplied."""

    channel: str
    rank: int
    score: float
    factor: float


class Reasons:
    """The reasons for an entry's rank: `parts` by channel, and the `priors` by which their sum was
    multiplied."""

    __slots__ = ("parts", "priors")

    def __init__(self, parts: Sequence[Part], priors: Mapping[str, float]) -> None:
        self.parts = tuple(parts)
        self.priors = dict(priors)


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


class Explanation:
    """The explanation of a recall. `words` has each searched word with the number of passages that
    contain it; `signals` are those of `rejection.SIGNALS`; `lost` has the errors of embedders that
    could not take part; `stages` says for each stage of a tiered recall what it
    found and why the next was or was not asked; `silence` is None if the index could not answer."""

    __slots__ = ("cut", "lost", "signals", "silence", "stages", "words")

    def __init__(
        self, words: Sequence[tuple[str, int]], signals: Mapping[str, float], lost: Sequence[str]
    ) -> None:
        self.words = tuple(words)
        self.signals = dict(signals)
        self.lost = tuple(lost)
        self.cut: list[Cut] = []
        self.stages: list[str] = []
        self.silence: Silence | None = None
