"""Rules about notes: the frontmatter and the folder of those that Engrain wrote or that say they
are entries, and links that lead nowhere, lack their inverse, or are drawn wrongly.

Notes that a person wrote by hand need none of these fields, and may use them for something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from engrain.check.walk import Flaw, Mend, Repairs, WalkedFile, change_at
from engrain.engine.core.drawing import draw_links
from engrain.engine.core.store import Store
from engrain.engine.links.linking import list_circles, list_doubtful, list_one_sided
from engrain.index.links import list_links
from engrain.language.text.instants import format_instant
from engrain.model.errors import MalformedError
from engrain.model.links.link import (
    INVERSE,
    RELATIONS,
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
from engrain.model.note.tiers import KINDS, in_always_load
from engrain.seam.derived import Progress
from engrain.seam.rows import FIELD, Row

_OURS = ("id", "kind", "source", "created", "slug")
"""Fields that show, one of them being enough, that Engrain made a note in `Memory/`."""
_NEEDED = ("id", "kind", "created")
_FRACTIONS, _COUNTS = ("confidence", "weight"), ("recall_count", "sessions_since_recall")


def find_missing(file: WalkedFile) -> Iterator[Flaw]:
    """Find notes of Engrain's that lack id, kind or date."""
    if not (own := _own(file)) or own[0].tier != "T3":
        return
    row, entry = own
    missing = [name for name in _NEEDED if entry.fields.get(name) in (None, "")]
    if not missing:
        return
    known: dict[str, Value] = {"id": entry.id, "kind": entry.kind}
    if "created" in missing:
        index = file.store.index
        changes = index.changes(entry=row.id) or index.changes(locator=row.locator)
        known |= {"created": format_instant(changes[-1].at)} if changes else {}
    given = {name: known[name] for name in missing if name in known}
    mend = _set(row, given) if len(given) == len(missing) else None
    remedy = "Engrain can't work it out: add it by hand"
    yield _flaw(row, entry, f"has no {', '.join(missing)}", "", mend, remedy)


def find_wrong(file: WalkedFile) -> Iterator[Flaw]:
    """Find fields of the wrong type, and dates that can't be read."""
    if not (own := _own(file)):
        return
    row, entry = own
    for warning in entry.warnings:
        name = warning.partition(" ")[0]
        right = _read_number(name, entry.fields.get(name))
        mend = None if right is None else _set(row, {name: right})
        remedy = "correct it in an editor; until then it is ignored"
        yield _flaw(row, entry, warning, name, mend, remedy)
    tags = entry.fields.get("tags")
    if tags is not None and not isinstance(tags, list) and entry.tags:
        yield _flaw(row, entry, "tags is not a list", "tags", _set(row, {"tags": [*entry.tags]}))


def find_unknown_kind(file: WalkedFile) -> Iterator[Flaw]:
    """Find kinds that are not in the table, whose entries are filed and fade by default."""
    if not (own := _own(file)):
        return
    row, entry = own
    written = entry.fields.get("kind")
    if not isinstance(written, str) or written in KINDS:
        return
    meant = _meant_kind(written)
    message = f"{written!r} is no kind" + (f", {meant} is" if meant else "")
    mend = _set(row, {"kind": meant}) if meant else None
    yield _flaw(row, entry, message, "kind", mend, "use one of " + ", ".join(KINDS))


def find_unknown_relation(file: WalkedFile) -> Iterator[Flaw]:
    """Find relations in `links` that are none of the seven."""
    if not (own := _own(file)):
        return
    row, entry = own
    for relation in dict.fromkeys(how for _, how in entry.links if how not in RELATIONS):
        meant = relation.strip().lower().replace("-", "_").replace(" ", "_")
        known = meant in RELATIONS
        message = f"{relation!r} is no relation" + (f", {meant} is" if known else "")
        rename = partial(_rename_relation, relation, meant)
        mend = change_at(row.locator, rename) if known else None
        yield _flaw(row, entry, message, "links", mend, "use one of " + ", ".join(RELATIONS))


def _flaw(
    row: Row, entry: Entry, message: str, field: str, mend: Mend | None, remedy: str | None = None
) -> Flaw:
    note = entry.note
    lines = enumerate((note.head + note.front).splitlines() if field else (), 1)
    line = next((n for n, text in lines if text.partition(":")[0].strip("\"' ") == field), 0)
    return Flaw(row.locator, message, line=line, mend=mend, remedy=None if mend else remedy)


def _own(file: WalkedFile) -> tuple[Row, Entry] | None:
    """Return the entry in a file if Engrain made the note, or its frontmatter says that it is an
    entry. JSON records have no frontmatter."""
    row, entry = file.row, file.entry
    if row is None or entry is None or isinstance(entry.note, JsonNote):
        return None
    named = [name for name in _OURS if name in entry.fields]
    own = bool(named) if row.tier == "T3" else "id" in named and len(named) > 2
    return (row, entry) if own else None


def _set(row: Row, fields: dict[str, Value]) -> Mend:
    return change_at(row.locator, lambda entry: entry.note.patch(fields))


def _rename_relation(old: str, new: str, entry: Entry) -> Note:
    links: list[Value] = [
        {**link, "relation": new}
        if isinstance(link, dict) and link.get("relation") == old
        else link
        for link in list_of(entry.fields.get("links"))
    ]
    return entry.note.patch({"links": links})


def _read_number(name: str, value: Value) -> Value:
    """Return the number that is written as text in a numeric field, None where there is none."""
    if not isinstance(value, str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    if name in _FRACTIONS and 0 <= number <= 1:
        return number
    return int(number) if name in _COUNTS and number >= 0 and number.is_integer() else None


def _meant_kind(written: str) -> str | None:
    """Return the kind that differs only in case, in hyphens or by the plural."""
    name = "-".join(written.lower().replace("_", " ").replace("-", " ").split())
    names = (name, name.removesuffix("s"), name.removesuffix("es"))
    return next((one for one in names if one in KINDS), None)


_MOST_LINKS = 500


def find_misfiled(file: WalkedFile) -> Iterator[Flaw]:
    """Find notes in `Memory/` outside their kind's folder. A note of the agent's is moved if no
    link would break; else the operator moves it."""
    row, entry = file.row, file.entry
    folder = _proper_folder(row, entry) if row and entry else None
    if row is None or folder is None:
        return
    safe = row.source == "agent" and row.attested and not _is_linked_by_path(file.store, row)
    yield Flaw(
        row.locator,
        f"a note of kind {row.kind} belongs in {folder}",
        mend=(lambda repairs: repairs.move(row.locator, folder)) if safe else None,
        remedy=None if safe else "move it, or give it the kind that it is",
    )


def _proper_folder(row: Row, entry: Entry) -> str | None:
    """Return the folder where an entry belongs, None where it is in it."""
    kind = KINDS.get(row.kind)
    if kind is None or not row.locator.endswith(".md") or row.tier != "T3":
        return None
    if "kind" not in entry.fields or in_always_load(row.locator):
        return None  # its kind follows from its place
    filed = f"{row.locator.folder}/".startswith(f"{kind.folder}/")
    return kind.folder if kind.folder.startswith("Memory/") and not filed else None


def _is_linked_by_path(store: Store, row: Row) -> bool:
    """Whether a link names its folder: another program would not find it elsewhere."""
    with store.index.view() as view:
        number = view.number(row.locator)
        if number is None:
            return True
        edges = view.edges_to([number], _MOST_LINKS)
        return len(edges) == _MOST_LINKS or any(
            written.end == number and "/" in written.reference.target
            for source in {edge.source for edge in edges}
            for written in view.ask(list_links, source)
        )


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
