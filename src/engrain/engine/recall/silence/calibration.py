"""Calibration: the threshold of the silence that fits one vault, and what it was found from.

Two samples of the value that rejection weighs decide: questions made of the vault's own entries,
which recall should answer, and prompts about anything else, at which it should keep silent. Their
figures are kept with the index that they were measured on. docs/silence.md shows what each rule is
worth.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from math import ceil, inf, nextafter

from engrain.engine.core.explanation import Silence
from engrain.engine.recall.rejection import THRESHOLD, silence_key, weigh_signals
from engrain.language.text.instants import format_instant
from engrain.seam.search import SearchIndex

LOST = 0.025
"""Share of the vault's own questions that may get nothing. Of real ones .03 is the goal, and those
that are made are but a sample."""
SILENCED = 0.95
"""Share of the foreign prompts at which to keep silent, while that loses fewer of its own."""
PRIOR_ENTRIES = 150
"""Entries of a vault in which its own figure counts as much as the prior."""
FARTHEST = (0.7, 1.5)
"""The least and the greatest threshold, as a share of the prior: what was measured is a sample."""
TOLD_APART = 0.85
"""The area under the curve (see `measure_area`) from which own and foreign count as different."""
HIGH = 0.95
"""The share of the foreign prompts whose greatest cosine says nothing yet."""
LEAST_QUESTIONS = 8
"""Own questions without which nothing is concluded."""
GROWTH = 0.2
"""Share by which a vault grows or shrinks before it is measured again."""
LONGEST = 30 * 86_400.0
"""Seconds after which it is measured again in any case."""


class Calibration:
    """What a vault of so many `entries` came to, for recalls with the vectors of one model: its
    `threshold`, found from so many `own` questions and `foreign` prompts, `at` a moment in epoch
    seconds. `area` is how well the values separate the two, 0 to 1; `silent` is the share of the
    foreign prompts that get nothing; `usual` and `high` are how near half and `HIGH` of these come
    to the vault, 0 without vectors; `stamp` stands for the formula and the prompts, and is another
    when either is."""

    __slots__ = (
        "area", "at", "entries", "foreign", "high", "own", "silent", "stamp", "threshold", "usual",
    )  # fmt: skip

    def __init__(
        self,
        *,
        threshold: float,
        own: float,
        foreign: float,
        entries: float,
        area: float,
        at: float,
        stamp: float,
        silent: float,
        usual: float = 0.0,
        high: float = 0.0,
    ) -> None:
        self.threshold = threshold
        self.silent = silent
        self.usual = usual
        self.high = high
        self.own = int(own)
        self.foreign = int(foreign)
        self.entries = int(entries)
        self.area = area
        self.at = at
        self.stamp = int(stamp)

    @property
    def told_apart(self) -> bool:
        """Whether the vault's own questions differ from foreign prompts."""
        return self.area >= TOLD_APART

    def is_stale(self, entries: int, at: float, stamp: int) -> bool:
        """Whether a vault of so many entries is to be measured again at a moment."""
        return (
            stamp != self.stamp or not 0 <= at - self.at < LONGEST or differ(self.entries, entries)
        )


def read_calibration(index: SearchIndex, model: str) -> Calibration | None:
    """What is kept for the vectors of a model, "" for none; None where nothing is."""
    figures = index.figures(silence_key(model))
    try:
        return Calibration(**figures)
    except TypeError:  # nothing, or what another version of Engrain kept
        return None


def keep_calibration(index: SearchIndex, model: str, found: Calibration) -> None:
    """Keep a calibration in the place of the one before."""
    figures = {name: float(getattr(found, name)) for name in Calibration.__slots__}
    index.put_figures(silence_key(model), figures)


def choose_threshold(
    own: Sequence[float], foreign: Sequence[float], entries: int, prior: float = THRESHOLD
) -> float:
    """The threshold for a vault with so many entries from the values of its own questions and of
    foreign prompts; the `prior` where there are too few of them.

    The least that silences `SILENCED` of the foreign ones, but none that loses more than `LOST` of
    the vault's own, unless these can't be distinguished from foreign ones: then silence is worth
    more. Few entries weigh little against the prior.
    """
    if len(own) < LEAST_QUESTIONS or not foreign:
        return prior
    ranked = sorted(foreign)
    silent = silence_share(foreign, SILENCED)
    if ranked[len(ranked) // 2] <= 0:
        # Most have no word in common with the vault, since it is tiny or in another language: they
        # say nothing of prompts that are foreign to it and yet like it.
        silent = max(silent, prior)
    if measure_area(own, foreign) >= TOLD_APART:
        found = min(silent, sorted(own)[int(LOST * len(own))])
    else:
        found = max(silent, prior)
    least, most = FARTHEST
    found = max(least * prior, min(most * prior, found))
    return prior + (found - prior) * entries / (entries + PRIOR_ENTRIES)


def share_below(values: Sequence[float], threshold: float) -> float:
    """The share of `values` that are below a threshold; 1 where there are none."""
    return sum(value < threshold for value in values) / len(values) if values else 1.0


def silence_share(foreign: Sequence[float], share: float) -> float:
    """The least threshold that is above such a share of the values of foreign prompts."""
    count = ceil(share * len(foreign) - 1e-9)
    return nextafter(sorted(foreign)[count - 1], inf) if count else 0.0


def measure_area(own: Sequence[float], foreign: Sequence[float]) -> float:
    """How likely an own question has a greater value than a foreign prompt, an equal one counting
    half: the area under the receiver operating characteristic (Hanley and McNeil, 1982). Without
    any it is 1: nothing speaks against it."""
    if not own or not foreign:
        return 1.0
    below = sorted(foreign)
    found = sum(bisect_left(below, value) + bisect_right(below, value) for value in own)
    return found / (2 * len(own) * len(below))


def differ(before: int, now: int) -> bool:
    """Whether so many entries are another vault than so many before."""
    return abs(now - before) > GROWTH * max(before, 1)


def explain_silence(index: SearchIndex, signals: Mapping[str, float], model: str) -> Silence:
    """What the signals of a recall with the vectors of a model are held against, and why."""
    found = read_calibration(index, model) or read_calibration(index, "")
    return Silence(
        weigh_signals(signals),
        found.threshold if found else THRESHOLD,
        tell_reason(found, index.status().entries),
    )


def tell_reason(found: Calibration | None, entries: int) -> str:
    """Why the threshold is what it is, in a vault of so many entries."""
    if found is None:
        return f"prior: the vault has {_count(entries)} and was not calibrated yet"
    if found.own < LEAST_QUESTIONS:
        return f"prior: {_count(entries)} make too few questions to calibrate on"
    day = format_instant(found.at)[:10]
    reason = f"calibrated on {found.own} own questions and {found.foreign} foreign prompts on {day}"
    if not found.told_apart:
        reason += f"; the two are too alike (area {found.area:.2f}), so it is a cautious one"
    return reason


def _count(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries} entries"
