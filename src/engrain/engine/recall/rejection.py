"""Estimates whether anything found is relevant at all (DESIGN section 9).

The weighted sum of some signals of the candidates is compared with a threshold. docs/recall.md
shows how the weights were chosen, and how well they separate questions that a vault answers from
others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp
from typing import TYPE_CHECKING

from engrain.engine.recall.evidence import spread_words
from engrain.model.note.entry import USED
from engrain.model.note.tiers import EXTERNAL

if TYPE_CHECKING:
    from engrain.engine.recall.evidence import Candidates
    from engrain.seam.rows import Row


ENOUGH = 0.5
"""The relevance below which nothing is returned."""

THRESHOLD = 0.9
"""The weighted sum that has the relevance `ENOUGH` in a vault that was not calibrated;
`calibration` finds the threshold of each vault."""

FIRST_ENTRIES = range(150, 20_001)
"""The sizes, in entries, of a vault for which a first recall asks for the job `CALIBRATE`. In a
smaller one the prior weighs nearly as much; a larger one's index isn't built in a recall either."""

CALIBRATE = "calibrate"
"""The job that calibrates."""

UNCONFIRMED = 0.85
"""The factor for evidence from an external entry that nobody confirmed. At .85 a vault that is
wholly external loses 7 to 8 of 100 of its own questions instead of 2; see docs/recall.md."""

TAIL = 0.5
"""The share of the best score below which a result is withheld: on LoCoMo these are 1 in 100 of the
right results, and a tenth of all results."""

SIGNALS: dict[str, str] = {
    "own": "share of the query's surprise that the best passage covers by itself",
    "near": "share that the best passage and its neighbours cover",
    "surprise": "surprise in general English of the words that the best passage covers",
    "similarity": "how far the greatest cosine is beyond those of foreign prompts in this vault",
    "trust": "what the evidence of the best passage counts in these, an unconfirmed external one",
}

WEIGHTS: dict[str, float] = {"own": 1.0, "near": 0.5, "surprise": 0.1, "similarity": 2.0}
_STEEPNESS = 8.0

CROWD = 0.3
"""The share of the mean cosine of the next ten passages that is subtracted from the nearest one's:
if many passages are as near, the query is about a field rather than about one of them."""
_LEAST_SPREAD = 0.02


def silence_key(model: str) -> str:
    """Return the prefix of the index's figures about silence for recalls with the vectors of a
    model, or without vectors for ""."""
    return f"silence:{model}:"


def tried_key() -> str:
    """Return the prefix of the index's figures about attempts to calibrate that had no result."""
    return "calibrating:"


def stand_out(cosine: float, crowd: float) -> float:
    """Return how far a passage's cosine stands out from the `crowd` of the next nearest ones."""
    return cosine - CROWD * crowd


def rise_beyond(nearness: float, bar: tuple[float, float] | None) -> float:
    """Return how far `nearness` is above the `high` of `bar`, which 95 of 100 foreign prompts don't
    exceed, from 0 to 1, in units of `high` minus `usual`, their median. Return 0 without a `bar`.
    """
    if bar is None:
        return 0.0
    usual, high = bar
    return min(1.0, max(0.0, nearness - high) / max(high - usual, _LEAST_SPREAD))


def weigh_signals(signals: Mapping[str, float]) -> float:
    """Return the weighted sum of signals, which is compared with the threshold."""
    return sum(weight * signals.get(name, 0.0) for name, weight in WEIGHTS.items())


def estimate_relevance(signals: Mapping[str, float], threshold: float = THRESHOLD) -> float:
    """Return how likely it is, from 0 to 1, that something in the vault answers the query."""
    value = weigh_signals(signals)
    return 1 / (1 + exp(-max(-30.0, min(30.0, _STEEPNESS * (value - threshold)))))


BEST = 10
"""The number of best passages whose words are looked at."""


def read_signals(candidates: Candidates) -> dict[str, float]:
    """Return the signals by their names in `SIGNALS`: `similarity` only if vectors took part, and
    `trust` only if it is not 1."""
    evidence = candidates.evidence
    asked = sum(evidence.surprises) or 1.0
    best = evidence.best(BEST)
    trust = {passage: _trust(candidates, evidence.places[passage][1]) for passage in best}
    around = spread_words(evidence, best)
    surprise = {p: trust[p] * evidence.total_surprise(evidence.words(p)) for p in best}
    near = (trust[p] * evidence.total_surprise(words) for p, words in around.items())
    leading = max(surprise, key=surprise.__getitem__, default=None)
    signals = {
        "own": max(surprise.values(), default=0.0) / asked,
        "near": max(near, default=0.0) / asked,
        "surprise": max(surprise.values(), default=0.0),
    }
    if candidates.cosines[0]:
        signals["similarity"] = rise_beyond(read_nearness(candidates), candidates.bar)
    if leading is not None and trust[leading] != 1:
        signals["trust"] = trust[leading]
    return signals


def weigh_alone(candidates: Candidates, passages: Iterable[int]) -> dict[int, float]:
    """Return for each of some passages the weighted sum of its own signals, as if nothing else had
    been found; without those that neither words nor vectors found."""
    evidence = candidates.evidence
    asked = sum(evidence.surprises) or 1.0
    cosines, _ = candidates.cosines
    here = {passage for passage in passages if passage in evidence.places or passage in cosines}
    around = spread_words(evidence, here & evidence.places.keys())
    sums = {}
    for passage in here:
        trust = _trust(candidates, candidates.found[passage].entry)
        surprise = trust * evidence.total_surprise(evidence.words(passage))
        near = trust * evidence.total_surprise(around.get(passage, 0))
        nearness = stand_out(trust * cosines.get(passage, 0.0), candidates.crowd)
        signals = {
            "own": surprise / asked,
            "near": near / asked,
            "surprise": surprise,
            "similarity": rise_beyond(nearness, candidates.bar),
        }
        sums[passage] = weigh_signals(signals)
    return sums


def is_unconfirmed(row: Row) -> bool:
    """Whether an entry is external and, if it was imported, was never used here."""
    return row.source == EXTERNAL and row.imported != USED


def read_nearness(candidates: Candidates) -> float:
    """Return how far the nearest passage stands out (see `stand_out`); 0 without vectors."""
    found = candidates.found
    own = candidates.cosines[0]
    trusted = (_trust(candidates, found[p].entry) * cosine for p, cosine in own.items())
    return stand_out(max(trusted), candidates.crowd) if own else 0.0


def _trust(candidates: Candidates, entry: int) -> float:
    """Return the factor for an entry's evidence, which is below 1 if nobody confirmed the entry."""
    row = candidates.rows.get(entry)
    return UNCONFIRMED if row is not None and is_unconfirmed(row) else 1.0
