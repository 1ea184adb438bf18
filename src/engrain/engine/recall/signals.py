"""The signals of `rejection`, read off what the channels brought."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.recall.candidates import Candidates
    from engrain.engine.recall.query import Query

ENOUGH_WORDS = 8.0
"""Unique words' worth that a long prompt must have in common with a memory: all of it need not be
covered."""
_MOST_NAMES = 2


def read_signals(candidates: Candidates, query: Query) -> dict[str, float]:
    """Each signal by its name in `rejection.SIGNALS`; those of vectors only if there are any."""
    evidence = candidates.evidence
    worth = min(evidence.total, ENOUGH_WORDS) or 1.0
    asked = {word.casefold(): count for word, count in candidates.words}
    names = [word for word in query.capitalised if word in asked]
    known = [word for word in names if asked[word] or word in candidates.speakers]
    signals = {
        "coverage": min(1.0, max(evidence.text.values(), default=0.0) / worth),
        "own": min(1.0, max(evidence.own.values(), default=0.0) / worth),
        "thread": min(1.0, max(evidence.whole.values(), default=0.0) / worth),
        "named": float(min(len(known), _MOST_NAMES)),
        "unknown": float(min(len(names) - len(known), _MOST_NAMES)),
    }
    near = [
        max(candidates.scores[channel].values(), default=0.0)
        for channel in ("meaning", "surroundings")
        if channel in candidates.scores
    ]
    if near:
        signals["nearness"] = max(near)
    return signals
