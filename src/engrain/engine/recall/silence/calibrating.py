"""Measuring one vault, so that recall is silent in it when nothing fits and only then.

The value that rejection weighs is measured for questions made of the vault's entries and for
foreign prompts: without vectors, and with those of each model that recalls may use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import median
from zlib import crc32

from engrain.engine.core.scope import Scope, counted_origin, filter_for, in_every_project
from engrain.engine.core.store import Store
from engrain.engine.core.vectors import Vectors
from engrain.engine.recall import rejection
from engrain.engine.recall.gathering import VECTOR_CHANNELS, gather
from engrain.engine.recall.meaning import Meaning
from engrain.engine.recall.profiles import DEFAULT_PROFILE, PROFILES
from engrain.engine.recall.query import Query
from engrain.engine.recall.rejection import CROWD, THRESHOLD, WEIGHTS, rise_beyond, weigh_signals
from engrain.engine.recall.signals import read_nearness, read_signals
from engrain.engine.recall.silence.calibration import (
    HIGH,
    SILENCED,
    Calibration,
    choose_threshold,
    differ,
    keep_calibration,
    measure_area,
    read_calibration,
    share_below,
    silence_share,
)
from engrain.engine.recall.silence.foreign import list_foreign
from engrain.engine.recall.silence.own_questions import make_questions
from engrain.model.errors import EngrainError
from engrain.seam.embedder import Link

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
    vectors = {"": _none(store)} if words_alone else _list_models(store)
    entries = store.index.status().entries
    for model in vectors:
        known = read_calibration(store.index, model)
        fresh = known and not known.is_stale(entries, store.clock.now(), stamp)
        (measured.kept if fresh else measured.due).append(model)
    if dry_run or not measured.due:
        return measured
    own = _ask_itself(store)
    texts = [*own, *prompts]
    for model in measured.due:
        signals: list[Mapping[str, float]] = []
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
    found = {"": _none(store)}
    try:
        if store.vectors.exist():
            kept = set(store.vectors.index.models())
            for link in store.vectors.links:
                embedder = None if link.missing() else link.open()
                if embedder and embedder.answers and embedder.model in kept:
                    found.setdefault(embedder.model, _only(store, link))
    except EngrainError:  # recalls do without too, and say why
        pass
    return found


def _none(store: Store) -> Vectors:
    return Vectors(lambda: False, lambda: store.vectors.index, list)


def _only(store: Store, link: Link) -> Vectors:
    return Vectors(lambda: True, lambda: store.vectors.index, lambda: [link])


def _ask_itself(store: Store) -> list[str]:
    only = in_every_project(filter_for(store, Scope()))
    with store.index.view() as view:
        return list(make_questions(store, view, only, MOST_QUESTIONS))


def _measure_bar(signals: Sequence[Mapping[str, float]]) -> tuple[float, float]:
    """How near half of the foreign prompts come, and `HIGH` of them."""
    ranked = sorted(found.get(_NEARNESS, 0.0) for found in signals)
    return (median(ranked), ranked[ceil(HIGH * len(ranked)) - 1]) if ranked else (0.0, 0.0)


def _hold(signals: Mapping[str, float], bar: tuple[float, float]) -> dict[str, float]:
    """The signals of a text as rejection weighs them."""
    return {**signals, "similarity": rise_beyond(signals.get(_NEARNESS, 0.0), bar)}


def _read_all(
    store: Store,
    vectors: Vectors,
    model: str,
    texts: Sequence[str],
    signals: list[Mapping[str, float]],
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
