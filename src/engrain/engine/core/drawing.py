"""Draws the typed links of notes as wikilinks, which Obsidian's graph shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engrain.engine.core.contradictions import find_target
from engrain.engine.core.store import Store
from engrain.index.links import list_meant
from engrain.model.links.relinking import draw, drawn_names, ends_of
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import RELATED, Note
from engrain.model.note.tiers import SUPERSEDED, link_key, split_ending
from engrain.seam.rows import Row

_MOST_STEPS = 16


def draw_links(
    store: Store, note: Note, before: Entry | None = None, names: Mapping[str, str] | None = None
) -> Note:
    """Return `note` with its typed links written as wikilinks to the current names of their
    targets; `names` has, by id, the new names of targets that are being moved. A property `related`
    that a person wrote stays, unless it has exactly the links of the note `before` the change.

    The index must be ready. Raises MalformedError for frontmatter that can't be changed safely.
    """
    ends = ends_of(note)
    former = ends_of(before.note) if before else ends
    if isinstance(note, JsonNote) or not (ends or former or note.draws):
        return note
    if RELATED in note.fields and not note.draws:
        mine = _names_of(store, former, {}, str(note.fields.get("id")))
        if {*map(link_key, drawn_names(note))} != {*map(link_key, mine)} or not mine:
            return note
    return draw(note, _names_of(store, ends, names or {}, str(note.fields.get("id"))))


def _names_of(store: Store, ends: Iterable[str], known: Mapping[str, str], of: str) -> list[str]:
    """Return the names of the notes that are targets of the entry `of`, without records."""
    found: dict[str, None] = {}
    for end in ends:
        row = None if end in known else find_target(store, end)
        if name := known.get(end):
            found[name] = None
        elif row is not None and row.locator.endswith(".md"):
            found[_name_latest(store, row, of)] = None
    return list(found)


def _name_latest(store: Store, row: Row, of: str) -> str:
    """Return the file name of an entry, or of the last entry that replaced it (at most 16 steps on,
    and not `of`), since a link by name follows replacements too. The name is a path if another file
    shares it."""
    with store.index.view() as view:
        for _ in range(_MOST_STEPS if row.status == SUPERSEDED else 0):
            edges = view.edges_to([view.number(row.locator) or 0])
            newer = {edge.source for edge in edges if edge.relation == "supersedes"}
            found = view.rows([*newer])
            if len(found) != 1 or any(one.id == of for one in found.values()):
                break
            [row] = found.values()
        stem, key = split_ending(row.locator)[0], link_key(row.locator)
        rivals = view.rows(view.ask(list_meant, stem)).values()
    alone = all(link_key(one.locator) != key for one in rivals if one.locator != row.locator)
    return stem if alone else row.locator.removesuffix(".md")
