"""The references of entries to each other, and the edges that they make."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from engrain.seam.rows import TEXT


@dataclass(slots=True)
class Reference:
    """A reference of an entry. `target` is as written, without heading; `label` is the other side
    of a link, which in Dendron's order is the target, "" for none; `relation` is "" for a plain
    link. Times are in epoch seconds, None if unknown."""

    target: str
    relation: str
    origin: str = TEXT
    _: KW_ONLY
    label: str = ""
    heading: str = ""
    valid_from: float | None = None
    valid_to: float | None = None


@dataclass(slots=True)
class Written:
    """A reference in the entry `source`, at position `place` among that entry's, with its `end`
    (None if broken), and the number of other entries (`rivals`) that it might mean."""

    source: int
    place: int
    reference: Reference
    end: int | None
    rivals: int


@dataclass(slots=True)
class SuccessionClaim:
    """The claim that the entry `newer` replaced the entry `older`, made by the entry `by`, one of
    the two. `counts` has the bits of `seam.rows` under which it counts; 0 if the newer one is less
    trusted or not in force, or if the two are part of a circle."""

    older: int
    newer: int
    by: int
    counts: int
