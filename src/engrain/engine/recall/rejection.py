"""Estimates whether anything found is relevant at all (DESIGN section 9).

Signals are read off what the channels brought, and their weighted sum is compared with a threshold.
docs/recall.md shows how the weights were chosen, and how well they separate questions that a vault
answers from others.
"""

from __future__ import annotations

from math import exp

from engrain.engine.recall.evidence import spread_words
from engrain.model.note.entry import USED
from engrain.model.note.tiers import EXTERNAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engrain.engine.recall.evidence import Candidates
    from engrain.seam.rows import Row

ENOUGH = 0.5
"""The relevance below which nothing is returned."""

THRESHOLD = 0.9
"""The sum of weighted signals that has a relevance of `ENOUGH` in a vault that nobody calibrated;
`calibration` finds the one of each vault."""

FIRST_ENTRIES = range(150, 20_001)
"""Entries of a vault that is calibrated before the first recall that can wait: in a smaller one the
prior weighs nearly as much, and a larger one's index is not made within a recall either."""

UNCONFIRMED = 0.85
"""What evidence of an external entry counts that nobody confirmed. At .85 a vault that is external
as a whole loses 7 to 8 of 100 of its own questions, in the place of 2; docs/recall.md."""

TAIL = 0.5
"""With less than this share of the best one's score a result is withheld: on LoCoMo that costs 1 in
100 of the right ones, and a tenth of what is returned."""

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
"""The share of the mean cosine of the next ten passages that is taken off the nearest one's: where
many are as near, the query is about a field rather than about one of them."""
_LEAST_SPREAD = 0.02


def silence_key(model: str) -> str:
    """The prefix of the index's figures about silence in recalls with the vectors of a model; ""
    stands for none."""
    return f"silence:{model}:"


def stand_out(cosine: float, crowd: float) -> float:
    """How near a passage lies to a query, less what its neighbours are as near as."""
    return cosine - CROWD * crowd


def rise_beyond(nearness: float, bar: tuple[float, float] | None) -> float:
    """How far `nearness` is above what 95 of 100 foreign prompts reach, from 0 to 1. The unit is
    from their median to there; `bar` has both."""
    if bar is None:
        return 0.0
    usual, high = bar
    return min(1.0, max(0.0, nearness - high) / max(high - usual, _LEAST_SPREAD))


def weigh_signals(signals: Mapping[str, float]) -> float:
    """The sum that is held against the threshold."""
    return sum(weight * signals.get(name, 0.0) for name, weight in WEIGHTS.items())


def estimate_relevance(signals: Mapping[str, float], threshold: float = THRESHOLD) -> float:
    """How likely it is, from 0 to 1, that something in the vault answers the query."""
    value = weigh_signals(signals)
    return 1 / (1 + exp(-max(-30.0, min(30.0, _STEEPNESS * (value - threshold)))))


BEST = 10
"""Passages whose words are looked at, the best first."""


def read_signals(candidates: Candidates) -> dict[str, float]:
    """Each signal by its name in `SIGNALS`; that of vectors only if there are any, and
    the one of trust only where it is not 1."""
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
    """The sum of weighted signals that each of some passages has by itself, whatever else was
    found."""
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
    """Whether an entry is external, and nobody confirmed it or used what an import brought."""
    return row.source == EXTERNAL and row.imported != USED


def read_nearness(candidates: Candidates) -> float:
    """How near the nearest passage is, see `stand_out`; 0 without vectors."""
    found = candidates.found
    own = candidates.cosines[0]
    trusted = (_trust(candidates, found[p].entry) * cosine for p, cosine in own.items())
    return stand_out(max(trusted), candidates.crowd) if own else 0.0


def _trust(candidates: Candidates, entry: int) -> float:
    """Return the factor for an entry's evidence: it is less where nobody confirmed the entry."""
    row = candidates.rows.get(entry)
    return UNCONFIRMED if row is not None and is_unconfirmed(row) else 1.0
