"""Calibration: the threshold of the silence that fits one vault, and what it was found from.

Two samples of the value that rejection weighs decide: questions made of the vault's own entries,
which recall should answer, and prompts about anything else, at which it should keep silent. They
are measured without vectors, and with those of each model that recalls may use. The figures are
kept with the index that they were measured on. docs/silence.md shows what each rule is worth.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, inf, nextafter
from statistics import median
from zlib import crc32

from engrain.engine.core.explanation import Silence
from engrain.engine.core.scope import Scope, counted_origin, filter_for, in_every_project
from engrain.engine.core.store import Store
from engrain.engine.core.vectors import Vectors
from engrain.engine.recall import rejection
from engrain.engine.recall.gathering import VECTOR_CHANNELS, gather
from engrain.engine.recall.meaning import Meaning
from engrain.engine.recall.profiles import DEFAULT_PROFILE, PROFILES
from engrain.engine.recall.query import Query
from engrain.engine.recall.rejection import (
    CROWD,
    THRESHOLD,
    WEIGHTS,
    read_nearness,
    read_signals,
    rise_beyond,
    silence_key,
    weigh_signals,
)
from engrain.engine.recall.silence.own_questions import list_foreign, make_questions
from engrain.language.text.instants import format_instant
from engrain.model.errors import EngrainError
from engrain.seam.embedder import Link
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
    """Return the calibration for the vectors of a model ("" for none), None if none is kept."""
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
    """Explain the threshold of a recall with the vectors of a model, and where it comes from."""
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


MOST_QUESTIONS = 400
"""Made of a vault at most: with half of them the threshold differs by .035 from sample to sample
(standard deviation), with these by .025."""

_NEARNESS = "nearness"
_CHANNELS = ("text", "context", *VECTOR_CHANNELS)
"""The channels that rejection reads its signals off."""

OUT_OF_TIME = "there was no time for it"
CHANGING = "the vault changed too much meanwhile"
WITHOUT_VECTORS = "most passages have no vectors of it yet"


@dataclass(slots=True, eq=False)
class Measured:
    """What came of it, by model ("" for none): `kept` are calibrated as they should be, `due` are
    to be (in a dry run), `found` were just now, and `put_off` says why others were not."""

    kept: list[str] = field(default_factory=list, init=False)
    due: list[str] = field(default_factory=list, init=False)
    found: dict[str, Calibration] = field(default_factory=dict, init=False)
    put_off: dict[str, str] = field(default_factory=dict, init=False)


def calibrate_first(store: Store, *, words_alone: bool) -> None:
    """Calibrate a vault of `rejection.FIRST_ENTRIES`, which takes some seconds. Never raises for an
    index that can't keep it now: the job does it."""
    try:
        if store.index.status().entries in rejection.FIRST_ENTRIES:
            calibrate(store, words_alone=words_alone)
    except EngrainError:
        return


def calibrate(
    store: Store,
    *,
    out_of_time: Callable[[], bool] = lambda: False,
    dry_run: bool = False,
    words_alone: bool = False,
) -> Measured:
    """Measure the vault for each model whose calibration is missing or stale, and keep what is
    found; with `dry_run` only say for which. Of a vault that is being filled nothing is kept.
    `words_alone` leaves out recalls with vectors."""
    prompts = list_foreign()
    stamp = crc32(repr((THRESHOLD, WEIGHTS, CROWD, prompts)).encode())
    measured = Measured()
    vectors = {"": _vectors_of(store, [])} if words_alone else _list_models(store)
    entries = store.index.status().entries
    for model in vectors:
        known = read_calibration(store.index, model)
        fresh = known and not known.is_stale(entries, store.clock.now(), stamp)
        (measured.kept if fresh else measured.due).append(model)
    if dry_run or not measured.due:
        return measured
    only = in_every_project(filter_for(store, Scope()))
    with store.index.view() as view:
        own = list(make_questions(store, view, only, MOST_QUESTIONS))
    texts = [*own, *prompts]
    for model in measured.due:
        signals: list[dict[str, float]] = []
        reason = _read_all(store, vectors[model], model, texts, signals, out_of_time)
        if reason is None and differ(entries, store.index.status().entries):
            reason = CHANGING
        if reason is not None:
            measured.put_off[model] = reason
            continue
        bar = _measure_bar(signals[len(own) :])
        values = [weigh_signals(_hold(found, bar)) for found in signals]
        mine, foreign = values[: len(own)], values[len(own) :]
        threshold = choose_threshold(mine, foreign, entries)
        if model and (words := read_calibration(store.index, "")):
            # With vectors no more foreign prompts get an answer than by words alone.
            threshold = max(threshold, silence_share(foreign, min(SILENCED, words.silent)))
        measured.found[model] = Calibration(
            threshold=threshold,
            silent=share_below(foreign, threshold),
            own=len(own),
            foreign=len(foreign),
            entries=entries,
            area=measure_area(mine, foreign),
            at=store.clock.now(),
            stamp=stamp,
            usual=bar[0],
            high=bar[1],
        )
        keep_calibration(store.index, model, measured.found[model])
    return measured


def _list_models(store: Store) -> dict[str, Vectors]:
    """The vectors that recalls may use by the name of their model; "" comes first, without any."""
    found = {"": _vectors_of(store, [])}
    try:
        if store.vectors.exist():
            kept = set(store.vectors.index.models())
            for link in store.vectors.links:
                embedder = None if link.missing() else link.open()
                if embedder and embedder.answers and embedder.model in kept:
                    found.setdefault(embedder.model, _vectors_of(store, [link]))
    except EngrainError:  # recalls do without too, and say why
        pass
    return found


def _measure_bar(signals: Sequence[Mapping[str, float]]) -> tuple[float, float]:
    """How near half of the foreign prompts come, and `HIGH` of them."""
    ranked = sorted(found.get(_NEARNESS, 0.0) for found in signals)
    return (median(ranked), ranked[ceil(HIGH * len(ranked)) - 1]) if ranked else (0.0, 0.0)


def _hold(signals: Mapping[str, float], bar: tuple[float, float]) -> dict[str, float]:
    """Return the signals of a text as rejection weighs them."""
    return {**signals, "similarity": rise_beyond(signals.get(_NEARNESS, 0.0), bar)}


def _vectors_of(store: Store, links: Sequence[Link]) -> Vectors:
    return Vectors(lambda: bool(links), lambda: store.vectors.index, lambda: links)


def _read_all(
    store: Store,
    vectors: Vectors,
    model: str,
    texts: Sequence[str],
    signals: list[dict[str, float]],
    out_of_time: Callable[[], bool],
) -> str | None:
    """Append the signals of each text, and how near it comes. Return why that failed, if it did."""
    only = in_every_project(filter_for(store, Scope()))
    profile = PROFILES[DEFAULT_PROFILE]
    # Other channels bring entries, but say nothing of whether any fits.
    profile = profile.replace(weights={name: profile.weights[name] for name in _CHANNELS})
    for text in texts:
        if out_of_time():
            return OUT_OF_TIME
        query = Query(text, store.clock.now())
        meaning = Meaning(vectors)
        with store.index.view() as view:
            candidates = gather(view, query, only, profile, meaning)
        if meaning.model != model:
            return "; ".join(meaning.lost) or WITHOUT_VECTORS
        for row in candidates.rows.values():
            row.source = counted_origin(row, store.settings)
        nearness = {_NEARNESS: read_nearness(candidates)}
        signals.append({} if query.chatter else {**read_signals(candidates), **nearness})
    return None
