"""The explanation of a recall: scores by channel, and which entries were left out and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engrain.seam.rows import Row


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
