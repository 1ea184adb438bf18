"""The signals of `rejection`, read off what the channels brought."""

from __future__ import annotations

from engrain.engine.recall.evidence import spread_words
from engrain.engine.recall.rejection import UNCONFIRMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.recall.candidates import Candidates

EXTERNAL = "external"
_BEST = 10
"""Passages whose words are looked at, the best first."""


def read_signals(candidates: Candidates) -> dict[str, float]:
    """Each signal by its name in `rejection.SIGNALS`; that of vectors only if there are any, and
    the one of trust only where it is not 1."""
    evidence = candidates.evidence
    asked = sum(evidence.surprises) or 1.0
    best = evidence.best(_BEST)
    trust = {passage: _trust(candidates, evidence.places[passage][1]) for passage in best}
    around = spread_words(evidence, best)
    surprise = {p: trust[p] * evidence.total_surprise(evidence.words[p]) for p in best}
    near = (trust[p] * evidence.total_surprise(words) for p, words in around.items())
    leading = max(surprise, key=surprise.__getitem__, default=None)
    signals = {
        "own": max(surprise.values(), default=0.0) / asked,
        "near": max(near, default=0.0) / asked,
        "surprise": max(surprise.values(), default=0.0),
    }
    own, _ = candidates.cosines
    if own:
        found = candidates.found
        trusted = (_trust(candidates, found[p].entry) * cosine for p, cosine in own.items())
        signals["similarity"] = max(0.0, max(trusted) - candidates.usual)
    if leading is not None and trust[leading] != 1:
        signals["trust"] = trust[leading]
    return signals


def _trust(candidates: Candidates, entry: int) -> float:
    """What evidence of an entry counts: less where it is external, and nobody confirmed it."""
    row = candidates.rows.get(entry)
    return UNCONFIRMED if row is not None and row.source == EXTERNAL else 1.0
