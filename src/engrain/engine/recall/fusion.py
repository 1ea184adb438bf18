"""Fusion: one score for each passage from what the channels say, as pure functions.

A channel's scores are by passage; a passage that it did not bring has none. docs/decisions has the
table by which the default was chosen.
"""

from __future__ import annotations

from engrain.engine.recall.profiles import CALIBRATED, LINEAR, RRF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

Scores: TypeAlias = "Mapping[str, Mapping[int, float]]"

_RRF_K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""
_SEMANTIC_SHARE = 0.85
_KEYWORD_SHARE = 0.05
"""The seed's merge (S1.18): 0.85 of the similarity and 0.05 of the keywords that match."""


def _add_calibrated(scores: Scores, weights: Mapping[str, float]) -> dict[int, float]:
    """The sum of weighted scores: all are calibrated to unique words, see `profiles.WEIGHTS`."""
    fused: dict[int, float] = {}
    for channel, found in scores.items():
        weight = weights.get(channel, 0.0)
        if weight:
            for passage, score in found.items():
                fused[passage] = fused.get(passage, 0.0) + weight * score
    return fused


def _add_reciprocal_ranks(scores: Scores, weights: Mapping[str, float]) -> dict[int, float]:
    """The sum of 1 / (60 + rank) over the channels that find a passage, weighted or not at all."""
    fused: dict[int, float] = {}
    for channel, found in scores.items():
        if weights.get(channel):
            for passage, rank in rank_passages(found).items():
                fused[passage] = fused.get(passage, 0.0) + 1 / (_RRF_K + rank)
    return fused


def _add_linearly(scores: Scores, _: Mapping[str, float]) -> dict[int, float]:
    """The seed's: the similarity and the share of the query's words, without calibration."""
    meaning, text = scores.get("meaning", {}), scores.get("text", {})
    most = max(text.values(), default=0.0) or 1.0
    near = max(meaning.values(), default=0.0) or 1.0
    return {
        passage: _SEMANTIC_SHARE * meaning.get(passage, 0.0) / near
        + _KEYWORD_SHARE * text.get(passage, 0.0) / most
        for passage in {*meaning, *text}
    }


def rank_passages(scores: Mapping[int, float]) -> dict[int, int]:
    """Passages by their rank in one channel, from 1; those without a score above 0 have none."""
    ordered = sorted((p for p, score in scores.items() if score > 0), key=lambda p: (-scores[p], p))
    return {passage: rank for rank, passage in enumerate(ordered, 1)}


FUSIONS: dict[str, Callable[[Scores, Mapping[str, float]], dict[int, float]]] = {
    CALIBRATED: _add_calibrated,
    RRF: _add_reciprocal_ranks,
    LINEAR: _add_linearly,
}
