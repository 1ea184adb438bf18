"""Rules about links: those that lead nowhere, those whose inverse is missing, and their drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from engrain.check.flaw import Flaw, Repairs, change_at
from engrain.check.walk import WalkedFile
from engrain.engine.core.drawing import draw_links
from engrain.engine.core.store import Store
from engrain.engine.links.linking import list_circles, list_doubtful, list_one_sided
from engrain.model.errors import MalformedError
from engrain.model.links.link import (
    INVERSE,
    VAULT,
    Link,
    leads_to_file,
    named_side,
    note_name,
    parse_links,
)
from engrain.model.links.relinking import LABEL, TARGET, LinkRewrite, relink_ends, relink_note
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import RELATED, Note
from engrain.seam.derived import Progress
from engrain.seam.rows import FIELD


def find_broken(file: WalkedFile) -> Iterator[Flaw]:
    """Find links to notes that do not exist. A link is fixed where the history shows that its note
    was renamed, or where one note's name differs only in punctuation."""
    if file.entry is None or not file.broken:
        return
    lines = _read_lines(file.entry)
    ends: dict[str, tuple[str, str]] = {}
    mend = change_at(file.place, partial(_lead_back, ends))
    for one in file.broken:
        line = 0 if one.reference.origin == FIELD else lines.get(one.name, 0)
        what = "no file" if leads_to_file(one.name) else "no note"
        message = f"{what} is called {one.name!r}"
        if not one.meant:
            remedy = "create it, or correct the link in an editor"
            yield Flaw(file.place, message, line=line, remedy=remedy)
        elif one.meant[1] != note_name(one.name):  # otherwise the name is right
            ends[one.name] = one.meant
            message += f"; {one.meant[1]} is meant"
            yield Flaw(file.place, message, line=line, mend=mend)


def find_one_sided(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find links whose inverse is missing at the other end."""
    for row, relation, other in list_one_sided(store):
        link: dict[str, Value] = {"to": row.id, "relation": INVERSE[relation]}
        yield Flaw(
            other.locator,
            f"lacks the link {INVERSE[relation]} {row.id}, the inverse of that entry's link",
            mend=change_at(other.locator, partial(_answer, link)),
        )


def find_undrawn(file: WalkedFile) -> Iterator[Flaw]:
    """Find notes whose typed links Obsidian's graph does not show, or not as they are now."""
    if file.entry is None:
        return
    try:
        drawn = draw_links(file.store, file.entry.note, file.entry)
    except MalformedError:
        return  # its frontmatter can't be changed safely
    if drawn is not file.entry.note:
        message = f"{RELATED} does not draw what links and supersedes name"

        def mend(repairs: Repairs) -> None:
            repairs.change(file.place, repairs.draw)

        yield Flaw(file.place, message, mend=mend)


def find_circles(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find entries that supersede one another in a circle."""
    for circle in list_circles(store):
        yield Flaw(
            circle[0].locator,
            "these supersede one another in a circle, so none of it counts: "
            + ", ".join(row.id for row in circle),
            remedy="correct the older one's file; `engrain history` says who wrote it",
        )


def find_doubtful(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find entries whose successor comes from a less trusted origin, so that both are recalled."""
    for older, newer in list_doubtful(store):
        yield Flaw(
            older.locator,
            f"{newer.id} claims to replace {older.id}, but its origin is less trusted, so both are"
            " recalled",
            remedy="`engrain review list` has it once the job `scan` ran",
        )


def _read_lines(entry: Entry) -> dict[str, int]:
    found: dict[str, int] = {}
    if isinstance(entry.note, JsonNote):
        return found
    note = entry.note
    line, at = (note.head + note.front + note.fence).count("\n") + 1, 0
    for link in parse_links(note.body):
        line, at = line + note.body.count("\n", at, link.offset), link.offset
        found.setdefault(named_side(link.target, link.label), line)
    return found


def _answer(link: dict[str, Value], entry: Entry) -> Note:
    return entry.note.patch({"links": [*list_of(entry.fields.get("links")), link]})


def _lead_back(ends: Mapping[str, tuple[str, str]], entry: Entry) -> Note:
    """Make an entry's links to the names in `ends` lead to entries: (id, current name). Raises
    MalformedError."""

    def choose(name: str) -> str | None:
        return ends[name][1] if name in ends else None

    links, count = relink_ends(
        entry.fields.get("links"), lambda to: ends[to][0] if to in ends else None
    )
    patched = entry.note.patch({"links": links}) if count else entry.note
    return relink_note(patched, partial(_decide, choose))[0]


def _decide(choose: Callable[[str], str | None], link: Link) -> LinkRewrite | None:
    """Return another name for a link where `choose` has one; markdown links are left."""
    name = None if link.markdown else choose(named_side(link.target, link.label))
    side = LABEL if VAULT.match(link.label or "") else TARGET
    return None if name is None else LinkRewrite(lambda _: name, side=side)
