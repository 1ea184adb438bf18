"""`merge`: makes one note of two, at the word of whoever asks (S2.11).

The newer text leads, and the older one adds the paragraphs that the newer lacks. The bytes of a
merge keep the origin of the entry that they were written over. So the less trusted entry stays, and
the other is superseded: no text gains trust by a merge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.store import Store, try_again
from engrain.engine.links.renaming import refuse_fixed
from engrain.engine.verbs.save import check_size, compose_body
from engrain.lifecycle.reviewing.actions import FileRewrite, commit_rewrites
from engrain.lifecycle.reviewing.table import join_fields, plan_redirects, plan_retirements
from engrain.model.errors import ConflictError, UsageError
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ACTIVE, EXTERNAL, LIVE, OPERATOR, ORIGINS
from engrain.seam.locator import Locator
from engrain.seam.rows import Row

_FENCES = ("```", "~~~")
_BULLETS = ("- ", "* ", "+ ")


@dataclass(slots=True, eq=False)
class Merged:
    """Two notes that are one now, or would be: the entry that stays, the superseded entry,
    both kinds if they differ, and the places of the notes whose links follow."""

    kept: Entry
    gone: Entry
    kinds: tuple[str, ...]
    linking: tuple[Locator, ...]


def merge_entries(
    store: Store, one: str, other: str, reason: str = "", *, dry_run: bool = False
) -> Merged:
    """Make one note of two, in one change: the newer text first, then what the older one adds."""

    def attempt() -> Merged:
        merged, rewrites = _plan(store, one, other)
        if not dry_run:
            why = reason or f"merged with {merged.gone.title!r}"
            commit_rewrites(store, "merge", rewrites, why)
        return merged

    return try_again(attempt, after=lambda _: store.upkeep.drain())


def _plan(store: Store, one: str, other: str) -> tuple[Merged, list[FileRewrite]]:
    pairs = [store.read_one(one), store.read_one(other)]
    if pairs[0][0].id == pairs[1][0].id:
        raise UsageError(
            f"{one!r} and {other!r} are the same entry, {pairs[0][0].id}", remedy="name two entries"
        )
    for row, entry in pairs:
        _refuse(row, entry)
    older, newer = sorted(pairs, key=lambda pair: (_written_at(pair[1]), pair[1].id))
    kept, gone = (newer, older)
    if _rank(store, older[0]) > _rank(store, newer[0]):
        kept, gone = older, newer
    _refuse_outside(store, kept[0], gone[0])
    title = newer[1].title
    body = compose_body(title, join_texts(newer[1].text, older[1].text))[1]
    fields = {**join_fields(kept[1], gone[1]), "kind": newer[1].kind}
    names = [name for name in (kept[1].title, gone[1].title) if name != title]
    known = fields.get("aliases")
    aliases = [name for name in known if name != title] if isinstance(known, list) else []
    whole: dict[str, Value] = {"id": kept[1].id, **fields, "updated": store.now}
    if united := [*dict.fromkeys((*aliases, *names))]:
        whole["aliases"] = [*united]
    if "title" in kept[1].fields:
        whole["title"] = title
    note = kept[1].note.with_body(body).patch(whole)
    check_size(note)
    place = Locator(kept[1].path)
    led_on = plan_redirects(store, [gone[1]], Entry(place, note, ""))
    rewrites = [
        FileRewrite(kept[1], note, place),
        *plan_retirements(store, [gone[1]], kept[1].id),
        *led_on,
    ]
    kinds = (newer[1].kind, older[1].kind)
    merged = Merged(
        Entry(place, note, ""),
        gone[1],
        kinds if len({*kinds}) > 1 else (),
        tuple(one.place for one in led_on),
    )
    return merged, rewrites


def _refuse(row: Row, entry: Entry) -> None:
    """Raise UsageError for a record, ConflictError for an entry that is not active."""
    if isinstance(entry.note, JsonNote):
        raise UsageError(
            f"{row.id} is a record of kind {row.kind}, which has no text to merge",
            path=row.locator,
            remedy="`engrain entity merge` merges people, companies and projects",
        )
    refuse_fixed(row, entry)
    if entry.status != ACTIVE or row.zone != LIVE:
        raise ConflictError(
            f"{row.id} is {entry.status if entry.status != ACTIVE else 'in ' + row.zone}:"
            " only active entries are merged",
            path=row.locator,
            remedy=f"see `engrain history {row.id}`",
        )


def _refuse_outside(store: Store, kept: Row, gone: Row) -> None:
    """Raise ConflictError where what comes from outside would supersede what does not."""
    if store.actor.trust == OPERATOR:
        return
    outside = ORIGINS.index(EXTERNAL)
    if _rank(store, kept) == outside and _rank(store, gone) < outside:
        raise ConflictError(
            f"{kept.id} comes from outside: merged with it, {gone.id} would, too",
            path=kept.locator,
            remedy=f"the operator may vouch for it first: `engrain review vouch {kept.id}`",
        )


def _rank(store: Store, row: Row) -> int:
    return ORIGINS.index(effective_trust(store, row))


def _written_at(entry: Entry) -> float:
    return entry.updated or entry.created or 0.0


def join_texts(newer: str, older: str) -> str:
    """Return the newer text and below it the paragraphs and items of lists that only the older one
    has, each under its heading."""
    known = {_key(part) for part in _paragraphs(newer)}
    lines = {_key(line) for line in newer.splitlines()}
    added: list[str] = []
    headings: list[str] = []
    for part in _paragraphs(older):
        if part.startswith("#") and "\n" not in part:
            level = len(part) - len(part.lstrip("#"))
            headings = [one for one in headings if len(one) - len(one.lstrip("#")) < level]
            headings.append(part)
            continue
        if _key(part) in known:
            continue
        if all(line.lstrip().startswith(_BULLETS) for line in part.splitlines()):
            part = "\n".join(line for line in part.splitlines() if _key(line) not in lines)
            if not part:
                continue
        added += [*headings, part]
        headings = []
        known.add(_key(part))
    return "\n\n".join([newer.rstrip(), *added]) if added else newer


def _paragraphs(text: str) -> Iterator[str]:
    """Yield what stands between empty lines; a fenced block is whole."""
    lines: list[str] = []
    fence = ""
    for line in [*text.replace("\r\n", "\n").split("\n"), ""]:
        if not line.strip() and not fence:
            if lines:
                yield "\n".join(lines)
            lines = []
            continue
        mark = line.lstrip()[:3]
        if mark in _FENCES and fence in ("", mark):
            fence = "" if fence else mark
        lines.append(line)
    if any(line.strip() for line in lines):
        yield "\n".join(lines).rstrip()


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()
