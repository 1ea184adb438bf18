"""Entries as rows of the index, and filters as SQL conditions on them."""

from __future__ import annotations

import json

from engrain.index.text import storable
from engrain.seam.locator import Locator
from engrain.seam.rows import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from engrain.seam.rows import Filter

    Value: TypeAlias = "str | int | float | None"

ROW = (
    "e.locator, e.id, e.hash, e.kind, e.slug, e.title, e.status, e.project, e.tier, e.zone, "
    "e.tags, e.trust, e.created, e.updated, e.is_primary, e.valid_from, e.valid_to, e.weight, "
    "e.confidence, e.always_load, e.attested"
)
_CHOICES = (
    ("kinds", "kind"),
    ("statuses", "status"),
    ("tiers", "tier"),
    ("zones", "zone"),
)
_BOUNDS = (("since", ">="), ("until", "<="))
# What held at a moment: true by then, and neither over nor superseded yet (DESIGN section 6).
_HELD = (
    "ifnull(e.valid_from, e.created) <= ? AND ifnull(e.valid_to, ifnull("
    "(SELECT min(ifnull(s.valid_from, s.created)) FROM entries s"
    " WHERE s.supersedes = e.id AND s.status <> 'deleted'), 9e99)) > ?"
)


def make_row(values: tuple[Any, ...]) -> Row:
    """The entry of one row of the columns `ROW`; what follows them is not read."""
    locator, id_, hash_, kind, slug, title, state, project, tier, zone = values[:10]
    tags, trust, created, updated, primary = values[10:15]
    valid_from, valid_to, weight, confidence, always_load, attested = values[15:21]
    return Row(
        locator=Locator(locator),
        id=id_,
        hash=hash_,
        kind=kind,
        slug=slug,
        title=title,
        status=state,
        project=project or None,
        tier=tier,
        zone=zone,
        tags=json.loads(tags),
        source=trust,
        attested=bool(attested),
        created=created,
        updated=updated,
        primary=bool(primary),
        valid_from=valid_from,
        valid_to=valid_to,
        weight=weight,
        confidence=confidence,
        always_load=bool(always_load),
    )


def make_conditions(only: Filter) -> tuple[str, list[Value]]:
    clauses = ["e.is_primary = 1"]
    values: list[Value] = []
    for field, column in _CHOICES:
        choice: tuple[str, ...] = getattr(only, field)
        if choice:
            clauses.append(f"e.{column} IN ({_marks(choice)})")
            values += map(storable, choice)
    if only.projects is not None:
        clauses.append(f"e.project IN ({_marks(only.projects)})")
        values += map(storable, only.projects)
    if only.tags:
        clauses.append(f"e.entry IN (SELECT entry FROM tags WHERE tag IN ({_marks(only.tags)}))")
        values += map(storable, only.tags)
    for field, sign in _BOUNDS:
        bound: float | None = getattr(only, field)
        if bound is not None:
            clauses.append(f"e.created {sign} ?")
            values.append(bound)
    if only.always_load:
        clauses.append("e.always_load = 1")
    if only.unattested:
        clauses.append("e.attested = 0")
    if only.held_at is not None:
        clauses.append(_HELD)
        values += [only.held_at, only.held_at]
    return " AND ".join(clauses), values


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))
