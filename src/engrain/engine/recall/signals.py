"""The signals of `rejection`, read off what the channels brought."""

from __future__ import annotations

from engrain.engine.recall.evidence import spread_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.recall.candidates import Candidates

_BEST = 10
"""Passages whose words are looked at, the best first."""
_BY_CHANCE = 3.5
"""Standard deviations above the mean that the greatest of 4,000 values has by chance, where they
are distributed normally."""


def read_signals(candidates: Candidates) -> dict[str, float]:
    """Each signal by its name in `rejection.SIGNALS`; those of vectors only if there are any."""
    evidence = candidates.evidence
    asked = sum(evidence.surprises) or 1.0
    best = evidence.best(_BEST)
    around = spread_words(evidence, best)
    surprise = [evidence.total_surprise(evidence.words[passage]) for passage in best]
    signals = {
        "own": max(surprise, default=0.0) / asked,
        "near": max(map(evidence.total_surprise, around.values()), default=0.0) / asked,
        "surprise": max(surprise, default=0.0),
    }
    own, _ = candidates.cosines
    if own:
        calibrated = candidates.scores["meaning"], candidates.scores["surroundings"]
        greatest = max(max(scores.values(), default=0.0) for scores in calibrated)
        signals["similarity"] = max(0.0, greatest - _BY_CHANCE)
    return signals
