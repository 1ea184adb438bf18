"""Candidates: the passages that any channel brings, and what each channel says of them."""

from __future__ import annotations

from engrain.engine.recall.rejection import THRESHOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.recall.evidence import Evidence
    from engrain.seam.rows import Row
    from engrain.seam.view import Found


class Candidates:
    """What was gathered: `found` passages and `rows` of their entries by number, and the `scores`
    of each channel by passage. `words` has what was asked for, with the passages that have it;
    `evidence` is what they are worth; `speakers` are those whom the query names; `links` has the
    entries to which those with the best words link; `cosines` are those of passages by themselves
    and with their neighbours, `crowd` is what many are as near as; `threshold` is the vault's own,
    and `bar` how near foreign prompts come to it, None where nobody measured that."""

    __slots__ = (
        "bar", "cosines", "crowd", "evidence", "found", "links", "rows", "scores", "speakers",
        "threshold", "words",
    )  # fmt: skip

    def __init__(
        self, words: Sequence[tuple[str, int]], evidence: Evidence, speakers: Sequence[str]
    ) -> None:
        self.words = words
        self.evidence = evidence
        self.speakers = speakers
        self.found: dict[int, Found] = {}
        self.links: dict[int, set[int]] = {}
        self.rows: dict[int, Row] = {}
        self.scores: dict[str, dict[int, float]] = {}
        self.cosines: tuple[dict[int, float], dict[int, float]] = ({}, {})
        self.crowd = 0.0
        self.threshold = THRESHOLD
        self.bar: tuple[float, float] | None = None
