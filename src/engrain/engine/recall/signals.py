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
_BEST = 10


def read_signals(candidates: Candidates, query: Query) -> dict[str, float]:
    """Each signal by its name in `rejection.SIGNALS`; those of vectors only if there are any."""
    evidence = candidates.evidence
    worth = min(evidence.total, ENOUGH_WORDS) or 1.0
    asked = {word.casefold(): count for word, count in candidates.words}
    unknown = [word for word in query.capitalised if asked.get(word) == 0]
    signals = {
        "coverage": min(1.0, max(evidence.text.values(), default=0.0) / worth),
        "own": min(1.0, max(evidence.own.values(), default=0.0) / worth),
        "thread": min(1.0, max(evidence.whole.values(), default=0.0) / worth),
        "speaker": float(bool(candidates.speakers)),
        "unknown": float(min(len(unknown), _MOST_NAMES)),
    }
    own, around = candidates.cosines
    if own:
        text = candidates.scores["text"]
        best = sorted(text, key=lambda passage: -text[passage])[:_BEST]
        signals["similarity"] = max(own.values())
        signals["surroundings"] = max(around.values())
        signals["agreement"] = max((around.get(passage, 0.0) for passage in best), default=0.0)
    return signals
