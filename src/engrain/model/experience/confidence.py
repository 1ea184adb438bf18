"""How sure a pattern is, from the episodes for it and against it (S2.4).

    confidence = (for + 2) / (for + against + 3), at most 0.99

the mean of a Beta distribution that begins at two for and one against: that some episodes are alike
and went alike says something before they are counted. Two clear successes reach 0.8, which is the
least that is kept; one does not (0.75); one failure wants six successes to be outweighed. It grows
with every episode for, falls with every one against, and depends on nothing else.
"""

from __future__ import annotations

from engrain.model.experience.episode import FAILURE, PARTIAL, SUCCESS

_PRIOR_FOR, _PRIOR_AGAINST = 2.0, 1.0
_MOST = 0.99
HALF = 0.5
"""What an error that nobody resolved counts for, against a resolved one's 1."""

_OUTCOMES = {SUCCESS: (1.0, 0.0), PARTIAL: (0.5, 0.5), FAILURE: (0.0, 1.0)}


def weigh_outcome(outcome: str) -> tuple[float, float]:
    """What an episode of this outcome counts for a pattern and against it; one that was interrupted
    or whose outcome is unknown says nothing."""
    return _OUTCOMES.get(outcome, (0.0, 0.0))


def confidence_of(support: float, counter: float) -> float:
    """The confidence from what counts for and what counts against, both from 0 up."""
    found = (support + _PRIOR_FOR) / (support + counter + _PRIOR_FOR + _PRIOR_AGAINST)
    return min(_MOST, round(found, 4))


def word_confidence(confidence: float | None) -> str:
    """A confidence in words for a reason, None being one that nobody has said."""
    return "unknown" if confidence is None else f"{confidence:g}"
