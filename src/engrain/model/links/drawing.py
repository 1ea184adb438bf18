"""Links that are drawn: typed links once more, as the wikilinks that Obsidian's graph shows.

A note names the ends of `links` and `supersedes` by their ids, which Obsidian can't follow. So it
has the names of their files too, in one property behind which a mark stands:

    related: ["[[flaky-dunning-test]]"] # drawn by engrain

It is derived. A property of that name without the mark is a person's.
"""

from __future__ import annotations

from collections.abc import Sequence

from engrain.model.links.link import UNLINKABLE, parse_links
from engrain.model.note.documents import list_of
from engrain.model.note.field import Value
from engrain.model.note.note import DRAWN, RELATED, Note
from engrain.model.note.tiers import PERSONAL


def ends_of(note: Note) -> list[str]:
    """What a note's `links` and `supersedes` name, in order, but for what is a wikilink itself and
    for the operator's own notes."""
    given: list[Value] = [
        item.get("to") if isinstance(item, dict) else item
        for item in list_of(note.fields.get("links"))
    ]
    older = note.fields.get("supersedes")
    given += older if isinstance(older, list) else [older]
    ends = [str(one) for one in given if isinstance(one, str | int)]
    plain = [one for one in ends if one and "[[" not in one and not one.startswith(PERSONAL)]
    return list(dict.fromkeys(plain))


def drawn_names(note: Note) -> list[str]:
    """The names that a note's property says, as they are written."""
    given = note.fields.get(RELATED)
    written = [given] if isinstance(given, str) else list_of(given)
    return [link.target for one in written if isinstance(one, str) for link in parse_links(one)]


def draw(note: Note, names: Sequence[str]) -> Note:
    """`note` with the property that draws these names, and without it where none can be drawn.
    Raises MalformedError for frontmatter that can't be changed safely."""
    value: list[Value] = [f"[[{name}]]" for name in names if not UNLINKABLE.search(name)]
    if note.fields.get(RELATED) == (value or None) and bool(value) == note.draws:
        return note
    if not value:
        return note.patch({}, [RELATED])
    drawn = note.patch({RELATED: value})
    return drawn if drawn.draws else drawn.remark(RELATED, DRAWN)
