"""Candidates: the passages that any channel brings, and what each channel says of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engrain.engine.recall.evidence import Evidence
    from engrain.seam.rows import Row
    from engrain.seam.view import Found, IndexView, Place


class Candidates:
    """What was gathered: the `places` of passages by number, and the `scores` of each channel by
    passage. Of the entries that were loaded, and no others, `found` has the passages and `rows`
    what is known of them, by number; `whole` says that all were. `words` has what was asked for,
    with the passages that have it; `evidence` is what they are worth; `speakers` are those whom the
    query names; `links` has the entries to which those with the best words link; `cosines` are
    those of passages by themselves and with their neighbours, `crowd` is what many are as near as;
    `threshold` is the vault's own, and `bar` how near foreign prompts come to it, None where nobody
    measured that."""

    __slots__ = (
        "bar", "cosines", "crowd", "evidence", "found", "links", "places", "rows", "scores",
        "speakers", "threshold", "whole", "words",
    )  # fmt: skip

    def __init__(
        self,
        words: Sequence[tuple[str, int]],
        evidence: Evidence,
        speakers: Sequence[str],
        threshold: float,
    ) -> None:
        self.words = words
        self.evidence = evidence
        self.speakers = speakers
        self.places: dict[int, Place] = {}
        self.found: dict[int, Found] = {}
        self.whole = False
        self.links: dict[int, set[int]] = {}
        self.rows: dict[int, Row] = {}
        self.scores: dict[str, dict[int, float]] = {}
        self.cosines: tuple[dict[int, float], dict[int, float]] = ({}, {})
        self.crowd = 0.0
        self.threshold = threshold
        self.bar: tuple[float, float] | None = None

    def load(self, view: IndexView, entries: Iterable[int], *, alone: bool = True) -> list[Row]:
        """Read of some entries what is not known yet; their rows. `alone` as `view.details` has
        it."""
        new = {entry for entry in entries if entry not in self.rows}
        if not new:
            return []
        passages = [passage for passage, place in self.places.items() if place[1] in new]
        self.found.update(view.details(passages, alone=alone))
        rows = view.rows(list(new))
        self.rows.update(rows)
        return list(rows.values())
