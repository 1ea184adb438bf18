"""Two patterns made one: what the one that is kept takes over, and what becomes of the other."""

from __future__ import annotations

from engrain.model.documents import object_of
from engrain.model.instants import read_instant
from engrain.model.patterns import Pattern, read_either, sources_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.entry import Entry
    from engrain.model.field import Value
    from engrain.model.note import Note

SUPERSEDES, SUPERSEDED_BY = "supersedes", "superseded_by"


class Merge:
    """Two that say the same: `kept` takes over what `other` has."""

    __slots__ = ("kept", "other")

    def __init__(self, kept: Entry, other: Entry) -> None:
        self.kept = kept
        self.other = other

    @property
    def reason(self) -> str:
        """Why, in words."""
        return f"{self.other.id} says what {self.kept.id} says"


def preview_merge(merge: Merge) -> Note:
    """The note of the one that is kept, as the merge leaves it."""
    return merge.kept.note.patch({"id": merge.kept.id, **_join(merge.kept, merge.other)})


def _join(kept: Entry, other: Entry) -> dict[str, Value]:
    """What of the other's evidence is news to the one that is kept, as its fields."""
    one, two = read_either(kept), read_either(other)
    name = "source_episodes" if isinstance(one, Pattern) else "sources"
    fields: dict[str, Value] = {
        name: [*dict.fromkeys((*sources_of(one), *sources_of(two)))],
        "derived_from": [*dict.fromkeys((*kept.derived_from, *other.derived_from))],
        "usage_count": one.usage_count + two.usage_count,
        "last_used": max(
            (used for used in (one.last_used, two.last_used) if used), key=_at, default=None
        ),
        "links": _join_links(kept, other),
    }
    if not isinstance(one, Pattern) and not isinstance(two, Pattern):
        fields["actions"] = [*sorted({*one.actions, *two.actions})]
    return {key: value for key, value in fields.items() if value not in (None, [])}


def retire(other: Entry, kept: str) -> Note:
    """The note of one that was merged into another."""
    by: Value = {"to": kept, "relation": SUPERSEDED_BY}
    return other.note.patch({"status": "superseded", "links": [*_links(other), by]})


def _join_links(kept: Entry, other: Entry) -> list[Value]:
    """The links of both, but to each other, and that the one replaces the other."""
    both = [*_links(kept), *(link for link in _links(other) if link["relation"] != SUPERSEDED_BY)]
    links = [link for link in both if link["to"] not in (kept.id, other.id)]
    links.append({"to": other.id, "relation": SUPERSEDES})
    return list({(str(link["to"]), str(link["relation"])): link for link in links}.values())


def _links(entry: Entry) -> list[dict[str, Value]]:
    written = entry.fields.get("links")
    if isinstance(written, list) and len(written) == len(entry.links):
        return [
            {**object_of(link), "to": to, "relation": relation}
            for link, (to, relation) in zip(written, entry.links, strict=True)
        ]
    return [{"to": to, "relation": relation} for to, relation in entry.links]


def _at(used: str) -> float:
    at = read_instant(used)
    return float("-inf") if at is None else at
