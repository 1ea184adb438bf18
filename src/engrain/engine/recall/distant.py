"""Leaves out passages that only vectors found and that are too far to be shown.

A short text that a thousand entries share has one vector, so each of these entries is found by it.
What a passage can score at most is known from that vector alone. Only what may reach the best
entries is read and compared together with its neighbours.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from engrain.engine.recall.meaning import VECTOR_CHANNELS, Meaning
from engrain.seam.view import Found, IndexView, Keyed, Place


class Distant:
    """Passages that only vectors found, until they are compared: `most` has the greatest sum of
    weighted scores that each can have."""

    __slots__ = ("_meaning", "_spoken", "most")

    def __init__(
        self,
        places: Collection[Keyed],
        meaning: Meaning,
        speakers: Collection[str],
        weights: Mapping[str, float],
    ) -> None:
        self._meaning = meaning
        self._spoken = {place[0] for place in places if place[8] in speakers}
        bounds = meaning.bound({place[7] for place in places})
        sums = dict.fromkeys(bounds, 0.0)
        for at, name in enumerate(VECTOR_CHANNELS):
            cosines = {key: pair[at] for key, pair in bounds.items()}
            for key, score in meaning.calibrate(cosines).items():
                sums[key] += weights.get(name, 0.0) * score
        said = weights.get("speaker", 0.0)
        self.most = {
            place[0]: sums.get(place[7], 0.0) + said * (place[0] in self._spoken)
            for place in places
        }

    def find(self, places: Mapping[int, Place], least: float) -> set[int]:
        """Return the entries of those passages that may score `least`."""
        return {places[passage][1] for passage, most in self.most.items() if most >= least}

    def compare(
        self, view: IndexView, passages: Sequence[int], scores: dict[str, dict[int, float]]
    ) -> dict[int, Found]:
        """Read some of the passages, and add their scores; they are no longer distant."""
        if not passages:
            return {}
        found = view.details(passages)
        compared = self._meaning.compare(found.values())
        for name, cosines in zip(VECTOR_CHANNELS, compared, strict=True):
            scores[name].update(self._meaning.calibrate(cosines))
        spoken = self._spoken.intersection(found)
        scores["speaker"].update(dict.fromkeys(spoken, 1.0))
        for passage in found:
            del self.most[passage]
        return found
