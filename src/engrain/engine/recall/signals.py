"""The signals of `rejection`, read off what the channels brought."""

from __future__ import annotations

from engrain.engine.recall.evidence import spread_words
from engrain.engine.recall.rejection import UNCONFIRMED, rise_beyond, stand_out, weigh_signals
from engrain.model.note.entry import USED
from engrain.model.note.tiers import EXTERNAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engrain.engine.recall.candidates import Candidates
    from engrain.seam.rows import Row

BEST = 10
"""Passages whose words are looked at, the best first."""


def read_signals(candidates: Candidates) -> dict[str, float]:
    """Each signal by its name in `rejection.SIGNALS`; that of vectors only if there are any, and
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
    """How near the nearest passage is, see `rejection.stand_out`; 0 without vectors."""
    found = candidates.found
    own = candidates.cosines[0]
    trusted = (_trust(candidates, found[p].entry) * cosine for p, cosine in own.items())
    return stand_out(max(trusted), candidates.crowd) if own else 0.0


def _trust(candidates: Candidates, entry: int) -> float:
    """What evidence of an entry counts: less where nobody confirmed it."""
    row = candidates.rows.get(entry)
    return UNCONFIRMED if row is not None and is_unconfirmed(row) else 1.0
