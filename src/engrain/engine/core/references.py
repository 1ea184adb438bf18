"""What an entry points at, as the index takes it: links, chains, where it came from, and the edges
of facts (S1.11, S2.9, S4.8)."""

from __future__ import annotations

from engrain.model.links.link import field_links, parse_links
from engrain.seam.graph import CHAIN, FACT, FIELD, SOURCE, TEXT, Reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engrain.model.links.link import Link
    from engrain.model.note.entry import Entry

_ENTITY = "entity"


def read_references(entry: Entry) -> list[Reference]:
    """Everything an entry points at: what its text says, in order, then its frontmatter."""
    found = [refer(link) for link in parse_links(entry.note.body)]
    found += [refer(link, FIELD) for link in field_links(entry.fields)]
    found += [Reference(target, relation, FIELD) for target, relation in entry.links]
    for relation in ("supersedes", "superseded_by"):
        found += [Reference(to, relation, CHAIN) for to in _read_chain(entry, relation)]
    found += [Reference(source, "derived_from", SOURCE) for source in entry.derived_from]
    if entry.kind == _ENTITY:
        found += _read_facts(entry)
    return found


def _read_chain(entry: Entry, key: str) -> Iterator[str]:
    """The names in a field that says who replaced whom: one or several, bare or as wikilinks."""
    value = entry.fields.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = entry.note.written(key)
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str) and item.strip():
            links = parse_links(item)
            yield from [link.target for link in links] or [item]


def refer(link: Link, origin: str = TEXT) -> Reference:
    """A link as a reference."""
    return Reference(
        link.target,
        link.relation or "",
        origin,
        label=link.label or "",
        heading=link.heading or "",
    )


def _read_facts(entry: Entry) -> Iterator[Reference]:
    """The edges of an entity's facts, those that no longer hold too, with the time they held."""
    from engrain.model.facts.entity import is_entity_place, read_entity
    from engrain.model.facts.fact import find_ends
    from engrain.model.note.json_note import JsonNote

    note = entry.note
    if not isinstance(note, JsonNote) or not is_entity_place(entry.path):
        return
    entity = read_entity(note.document, note.own)
    ends = find_ends(entity.facts)
    for fact in entity.facts:
        if fact.edge is None:
            continue
        over = ends[fact.id]
        yield Reference(
            fact.edge.object, fact.edge.predicate, FACT, valid_from=fact.since, valid_to=over
        )
