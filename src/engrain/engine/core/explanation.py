"""Why a recall answered as it did: scores by channel, and which entries were cut and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engrain.seam.rows import Row


@dataclass(slots=True, eq=False)
class Part:
    """What one channel contributed to an entry's best passage: its rank there (0: not found by it),
    its score, and the factor by which that counted."""

    channel: str
    rank: int
    score: float
    factor: float


class Reasons:
    """Why one entry stands where it stands: `parts` by channel, and the `priors` by which their
    sum was multiplied."""

    __slots__ = ("parts", "priors")

    def __init__(self, parts: Sequence[Part], priors: Mapping[str, float]) -> None:
        self.parts = tuple(parts)
        self.priors = dict(priors)


@dataclass(slots=True, eq=False)
class Cut:
    """An entry that was found but left out, and the reason: too weak, at the limit, over the budget
    or its kind's share, a near-copy, or loaded already."""

    row: Row
    reason: str
    reasons: Reasons


@dataclass(slots=True, eq=False)
class Silence:
    """Whether recall had enough to say: the `value` its signals weigh, the `threshold` below which
    nothing is returned, and the `reason` why it is that one."""

    value: float
    threshold: float
    reason: str


class Explanation:
    """Why a recall answered as it did. `words` has each word of the query that was looked for with
    the passages that have it; `signals` are those of `rejection.SIGNALS`; `stages` says, of a
    recall in stages, what each brought and why the next one was or was not asked; `silence` is what
    the signals came to, None where the index could not be asked."""

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
