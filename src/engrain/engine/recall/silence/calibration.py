"""Calibrates silence: finds the threshold that fits one vault.

Two samples decide: questions made from the vault's own entries, which recall should answer, and
prompts about other topics, at which it should be silent. For each the weighted sum of
`rejection` is measured, without vectors and with those of each model that recalls may use. The
figures are stored in the index that they were measured on. docs/recall.md shows the effect of each
rule.
"""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, inf, nextafter
from statistics import median
from zlib import crc32

from engrain.engine.core.recalled import Silence
from engrain.engine.core.scope import Scope, counted_origin, in_every_project, recall_filter
from engrain.engine.core.store import Store
from engrain.engine.core.vectors import Vectors
from engrain.engine.recall import rejection
from engrain.engine.recall.gathering import gather
from engrain.engine.recall.meaning import VECTOR_CHANNELS, Meaning, Query
from engrain.engine.recall.profiles import DEFAULT_PROFILE, PROFILES
from engrain.engine.recall.rejection import (
    CROWD,
    JUDGING,
    THRESHOLD,
    WEIGHTS,
    read_nearness,
    read_signals,
    rise_beyond,
    silence_key,
    tried_key,
    weigh_signals,
)
from engrain.engine.recall.silence.own_questions import list_foreign, make_questions
from engrain.index.sqlite_index import SearchIndex
from engrain.language.text.instants import format_day
from engrain.model.errors import EngrainError
from engrain.seam.embedder import EmbedderLink

LOST = 0.025
"""The share of the vault's own questions that may get nothing. For real questions the goal is .03;
the made ones are only a sample."""
SILENCED = 0.95
"""The share of foreign prompts to be silent at, if that loses at most `LOST` own questions."""
PRIOR_ENTRIES = 150
"""The entries of a vault whose measured threshold counts as much as the prior."""
FARTHEST = (0.9, 1.5)
"""The least and the greatest threshold as a share of the prior, since samples can mislead."""
TOLD_APART = 0.85
"""The area under the curve (see `measure_area`) from which own and foreign count as different."""
HIGH = 0.95
"""The share of foreign prompts whose nearness must be exceeded before `similarity` counts."""
LEAST_QUESTIONS = 8
"""The least number of own questions for a calibration; with fewer the prior holds."""
GROWTH = 0.2
"""The share by which a vault must grow or shrink to be measured again."""
LONGEST = 30 * 86_400.0
"""The seconds after which a vault is measured again in any case."""
MOST_SECONDS = 60.0
"""The seconds of work after which a calibration is given up, over all attempts of a day: it usually
takes 5 to 15."""
KILLED_SECONDS = MOST_SECONDS / 3
"""The seconds that count for an attempt whose process died: its work can't be known."""
AGAIN = 86_400.0
"""The seconds after which a calibration that was given up is tried again."""


class Calibration:
    """The calibration of a vault for recalls with the vectors of one model, or without vectors.

    `threshold` was found `at` a moment in epoch seconds, when the vault had `entries` entries, from
    numbers of `own` questions and `foreign` prompts. `area`, from 0 to 1, is how well the values
    separate the two; `silent` is the share of foreign prompts that get nothing. `usual` and `high`
    are the nearness that half and `HIGH` of these stay within, 0 without vectors. `stamp` is a
    checksum of the formula and the prompts."""

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
        """Whether a vault that now has this many entries must be measured again."""
        return (
            stamp != self.stamp or not 0 <= at - self.at < LONGEST or differ(self.entries, entries)
        )


def read_calibration(index: SearchIndex, model: str) -> Calibration | None:
    """Return the stored calibration for the vectors of a model ("" for no vectors), or None."""
    figures = index.figures(silence_key(model))
    try:
        return Calibration(**figures)
    except TypeError:  # nothing is stored, or figures of another version of Engrain
        return None


def save_calibration(index: SearchIndex, model: str, found: Calibration) -> None:
    """Store a calibration, replacing the previous one."""
    figures = {name: float(getattr(found, name)) for name in Calibration.__slots__}
    index.put_figures(silence_key(model), figures)


def choose_threshold(
    own: Sequence[float], foreign: Sequence[float], entries: int, prior: float = THRESHOLD
) -> float:
    """Return the threshold for a vault, from the values of its own questions and of foreign
    prompts; the `prior` if there are too few of them.

    It is the prior, or what silences `SILENCED` of the foreign prompts if that is more, but loses
    at most `LOST` of the own questions. If the two can't be distinguished, it is at least the
    prior, whatever it loses, since silence is worth more. The fewer `entries`, the closer it is to
    the prior.
    """
    if len(own) < LEAST_QUESTIONS or not foreign:
        return prior
    ranked = sorted(foreign)
    silent = silence_share(foreign, SILENCED)
    if ranked[len(ranked) // 2] <= 0:
        # Most prompts share no word with the vault, since it is tiny or in another language. They
        # say nothing about foreign prompts that do share words with it.
        silent = max(silent, prior)
    if measure_area(own, foreign) >= TOLD_APART:
        found = min(max(silent, prior), sorted(own)[int(LOST * len(own))])
    else:
        found = max(silent, prior)
    least, most = FARTHEST
    found = max(least * prior, min(most * prior, found))
    return prior + (found - prior) * entries / (entries + PRIOR_ENTRIES)


def share_below(values: Sequence[float], threshold: float) -> float:
    """Return the share of values below a threshold; 1 if there are no values."""
    return sum(value < threshold for value in values) / len(values) if values else 1.0


def silence_share(foreign: Sequence[float], share: float) -> float:
    """Return the least threshold that is above this share of the values of foreign prompts."""
    count = ceil(share * len(foreign) - 1e-9)
    return nextafter(sorted(foreign)[count - 1], inf) if count else 0.0


def measure_area(own: Sequence[float], foreign: Sequence[float]) -> float:
    """Return the probability that an own question has a greater value than a foreign prompt, ties
    counting half: the area under the receiver operating characteristic (Hanley and McNeil, 1982).
    It is 1 if either sample is empty."""
    if not own or not foreign:
        return 1.0
    below = sorted(foreign)
    found = sum(bisect_left(below, value) + bisect_right(below, value) for value in own)
    return found / (2 * len(own) * len(below))


def differ(before: int, now: int) -> bool:
    """Whether a vault has grown or shrunk so much that it must be measured again."""
    return abs(now - before) > GROWTH * max(before, 1)


def explain_silence(index: SearchIndex, signals: Mapping[str, float], model: str) -> Silence:
    """Explain the threshold of a recall with the vectors of a model, and where it comes from."""
    found = read_calibration(index, model) or read_calibration(index, "")
    return Silence(
        weigh_signals(signals),
        found.threshold if found else THRESHOLD,
        describe_reason(found, index.status().entries),
    )


def describe_reason(found: Calibration | None, entries: int) -> str:
    """Say where the threshold comes from, for a person."""
    if found is None:
        return f"prior: the vault has {_count(entries)} and was not calibrated yet"
    if found.own < LEAST_QUESTIONS:
        return f"prior: {_count(entries)} make too few questions to calibrate on"
    day = format_day(found.at)
    reason = f"calibrated on {found.own} own questions and {found.foreign} foreign prompts on {day}"
    if not found.told_apart:
        reason += f"; the two are too alike (area {found.area:.2f}), so it is a cautious one"
    return reason


def _count(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries} entries"


MOST_QUESTIONS = 400
"""The most questions made from a vault. The standard deviation of the threshold between samples is
.025, with half as many questions .035."""

_NEARNESS = "nearness"
_CHANNELS = ("text", "context", *VECTOR_CHANNELS)
"""The channels that the signals of rejection come from."""

OUT_OF_TIME = "there was no time for it"
CHANGING = "the vault changed too much meanwhile"
WITHOUT_VECTORS = "most passages have no vectors of it yet"
TOO_SLOW = f"it took more than {MOST_SECONDS:.0f} seconds of work, and is tried again in a day"


@dataclass(slots=True, eq=False)
class CalibrationOutcome:
    """The outcome of a calibration by model ("" for no vectors): `kept` have a fresh calibration,
    `due` need one, `found` has those calibrated now, and `put_off` says why the others were not.
    """

    kept: list[str] = field(default_factory=list, init=False)
    due: list[str] = field(default_factory=list, init=False)
    found: dict[str, Calibration] = field(default_factory=dict, init=False)
    put_off: dict[str, str] = field(default_factory=dict, init=False)


def calibrate_first(store: Store) -> None:
    """Calibrate a vault whose size is in `rejection.FIRST_ENTRIES`, which takes some seconds. Never
    raises if the index can't store the result now: the job will calibrate it."""
    try:
        if store.index.status().entries in rejection.FIRST_ENTRIES:
            calibrate(store)
    except EngrainError:
        return


class _Attempts:
    """The time that calibrations of a vault have worked without a result, stored before each begins
    and again at its end, so that a vault that takes too long is not tried over and over."""

    def __init__(self, store: Store, entries: int, stamp: int) -> None:
        self._store = store
        self._now: dict[str, float] = {"entries": entries, "stamp": stamp, "spent": 0.0}
        self._now["at"] = store.clock.now()
        known = store.index.figures(tried_key())
        if known.keys() == self._now.keys() and not self._is_old(known):
            self._now.update(spent=known["spent"], at=known["at"])
        self._before = self._now["spent"]

    def _is_old(self, known: Mapping[str, float]) -> bool:
        changed = known["stamp"] != self._now["stamp"]
        changed = changed or differ(int(known["entries"]), int(self._now["entries"]))
        return changed or not 0 <= self._now["at"] - known["at"] < AGAIN

    @property
    def left(self) -> float:
        """The seconds that are left for this attempt."""
        return MOST_SECONDS - self._before

    def begin(self) -> None:
        """Store that an attempt begins, so that a killed attempt counts too."""
        self._store.index.put_figures(
            tried_key(), {**self._now, "spent": self._before + KILLED_SECONDS}
        )

    def end(self, seconds: float, *, done: bool) -> None:
        """Store how long the attempt took; nothing if it is `done`."""
        spent = {} if done else {**self._now, "spent": self._before + seconds}
        self._store.index.put_figures(tried_key(), spent)


def calibrate(
    store: Store,
    *,
    out_of_time: Callable[[], bool] = lambda: False,
    dry_run: bool = False,
    monotonic: Callable[[], float] = time.monotonic,
) -> CalibrationOutcome:
    """Measure the vault for each model whose calibration is missing or stale, and store the
    results; with `dry_run` only list the models. Nothing is stored if the vault changes much
    meanwhile. All attempts of a day together take at most `MOST_SECONDS`."""
    prompts = list_foreign()
    stamp = crc32(repr((THRESHOLD, WEIGHTS, JUDGING, CROWD, prompts)).encode())
    measured = CalibrationOutcome()
    vectors = _list_models(store)
    entries = store.index.status().entries
    for model in vectors:
        known = read_calibration(store.index, model)
        fresh = known and not known.is_stale(entries, store.clock.now(), stamp)
        (measured.kept if fresh else measured.due).append(model)
    if dry_run or not measured.due:
        return measured
    attempts = _Attempts(store, entries, stamp)
    began = monotonic()

    def is_too_slow() -> bool:
        return monotonic() - began >= attempts.left

    if is_too_slow():
        measured.put_off = dict.fromkeys(measured.due, TOO_SLOW)
        return measured
    attempts.begin()
    _measure_due(
        store, measured, vectors, prompts, entries, stamp, lambda: out_of_time() or is_too_slow()
    )
    if is_too_slow():
        for model, reason in measured.put_off.items():
            measured.put_off[model] = TOO_SLOW if reason == OUT_OF_TIME else reason
    late = {OUT_OF_TIME, TOO_SLOW}.intersection(measured.put_off.values())
    attempts.end(monotonic() - began, done=not late)
    return measured


def _measure_due(
    store: Store,
    measured: CalibrationOutcome,
    vectors: Mapping[str, Vectors],
    prompts: Sequence[str],
    entries: int,
    stamp: int,
    out_of_time: Callable[[], bool],
) -> None:
    """Measure the models that are due, and store each result at once."""
    only = in_every_project(recall_filter(store, Scope()))
    with store.index.view() as view:
        own = list(make_questions(store, view, only, MOST_QUESTIONS, out_of_time))
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
        values = [weigh_signals(_read_signals(found, bar)) for found in signals]
        mine, foreign = values[: len(own)], values[len(own) :]
        threshold = choose_threshold(mine, foreign, entries)
        if model and (words := read_calibration(store.index, "")):
            # With vectors, at most as many foreign prompts may get an answer as by words alone; and
            # they find own questions that lack words, so that nothing is gained below the prior.
            silent = silence_share(foreign, min(SILENCED, words.silent))
            threshold = max(threshold, silent, THRESHOLD)
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
        save_calibration(store.index, model, measured.found[model])


def _list_models(store: Store) -> dict[str, Vectors]:
    """Return the vectors that recalls may use by model; the first, "", is without vectors."""
    found = {"": _vectors_of(store, [])}
    try:
        if store.models.vectors.exist():
            kept = set(store.models.vectors.index.models())
            for link in store.models.vectors.links:
                embedder = None if link.missing() else link.open()
                if embedder and embedder.answers and embedder.model in kept:
                    found.setdefault(embedder.model, _vectors_of(store, [link]))
    except EngrainError:  # recalls work without vectors too, and say why
        pass
    return found


def _measure_bar(signals: Sequence[Mapping[str, float]]) -> tuple[float, float]:
    """Return the nearness that half of the foreign prompts stay within, and that `HIGH` do."""
    ranked = sorted(found.get(_NEARNESS, 0.0) for found in signals)
    return (median(ranked), ranked[ceil(HIGH * len(ranked)) - 1]) if ranked else (0.0, 0.0)


def _read_signals(signals: Mapping[str, float], bar: tuple[float, float]) -> dict[str, float]:
    """Return the signals of a text as rejection weighs them."""
    return {**signals, "similarity": rise_beyond(signals.get(_NEARNESS, 0.0), bar)}


def _vectors_of(store: Store, links: Sequence[EmbedderLink]) -> Vectors:
    return Vectors(lambda: bool(links), lambda: store.models.vectors.index, lambda: links)


def _read_all(
    store: Store,
    vectors: Vectors,
    model: str,
    texts: Sequence[str],
    signals: list[dict[str, float]],
    out_of_time: Callable[[], bool],
) -> str | None:
    """Append the signals of each text and its nearness. Return the reason if that failed."""
    only = in_every_project(recall_filter(store, Scope()))
    profile = PROFILES[DEFAULT_PROFILE]
    # Other channels find entries, but say nothing about whether any fits.
    profile = replace(profile, weights={name: profile.weights[name] for name in _CHANNELS})
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
            row.source = counted_origin(row, store)
        nearness = {_NEARNESS: read_nearness(candidates)}
        signals.append({} if query.chatter else {**read_signals(candidates), **nearness})
    return None
