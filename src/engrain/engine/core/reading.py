"""Reads files of the store into batches for the index: entries, links and problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from engrain.language.text.link_tokens import find_merge_mark
from engrain.model.errors import (
    EngrainError,
    ForbiddenPathError,
    MalformedError,
    NotFoundError,
    StorageError,
)
from engrain.model.facts.entity import is_entity_place, read_entity
from engrain.model.facts.fact import find_ends
from engrain.model.links.link import field_links, parse_links
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import RELATED
from engrain.model.note.tiers import ENTITY, KINDS, is_generated
from engrain.seam.batches import Batch, Document, Problem
from engrain.seam.references import Reference
from engrain.seam.rows import CHAIN, FACT, FIELD, SOURCE, TEXT

if TYPE_CHECKING:
    from engrain.index.sqlite_index import SearchIndex
    from engrain.model.links.link import Link
    from engrain.seam.locator import Locator
    from engrain.seam.looks import Seen
    from engrain.seam.storage import StorageBackend


_SCAN_PROBLEMS = {
    "symlink": "a symbolic link is not followed",
    "not-a-file": "not a regular file",
    "name": "the name is no text, or holds a control character or backslash",
    "too-deep": "folders are nested too deep",
    "unreadable": "the folder can't be read",
}


def split_seen(seen: Iterable[Seen]) -> tuple[list[Locator], list[Problem]]:
    """Return the readable places that a scan found, and the problems of the unreadable ones."""
    places, problems = [], []
    for item in seen:
        if item.problem is None:
            places.append(item.locator)
        else:
            message = _SCAN_PROBLEMS[item.problem]
            problems.append(Problem(item.locator, item.problem, message, stamp=item.stamp))
    return places, problems


def read_seen(backend: StorageBackend, seen: Iterable[Seen], index: SearchIndex | None) -> Batch:
    """Read the files that a scan found; with `index`, unchanged files are only marked as
    checked."""
    places, problems = split_seen(seen)
    batch = read_places(backend, places, index=index)
    batch.problems = [*batch.problems, *problems]
    return batch


def read_places(
    backend: StorageBackend,
    locators: Iterable[Locator],
    *,
    parsed: Mapping[tuple[str, str], Entry] | None = None,
    index: SearchIndex | None = None,
) -> Batch:
    """Read places into documents, problems and places that are gone. `parsed` has entries that were
    parsed already, by path and hash. With `index`, files whose bytes it knows are only marked as
    checked."""
    documents, problems, unchanged = [], [], []
    places: list[Locator] = []
    gone: list[Locator] = []
    for one in locators:
        (gone if is_generated(one) else places).append(one)  # a generated file is no entry
    for locator, stored in backend.read_all(places):
        if isinstance(stored, NotFoundError):
            gone.append(locator)
            continue
        if isinstance(stored, EngrainError):
            problems.append(_unreadable(locator, stored))
            continue
        if index and index.hash_at(locator) == stored.hash:
            # A file this young may still change under the same stamp; with "" it is checked again.
            unchanged.append((locator, stored.stamp if stored.settled else ""))
            continue
        stamp, settled = stored.stamp, stored.settled
        known = parsed.get((locator, stored.hash)) if parsed else None
        try:
            entry = known or read_entry(locator, stored.raw, stored.hash)
        except MalformedError as error:
            reason, message, line = error.reason, error.message, error.line
            if b"\n<<<<<<< " in stored.raw:
                reason, message = MERGE_MARKS, f"{message}: git left merge marks in it"
            problems.append(
                Problem(locator, reason, message, line=line, stamp=stamp, settled=settled)
            )
            continue
        documents.append(Document(locator, entry, read_references(entry), stamp, settled))
        problems += _warnings(locator, entry)
    return Batch(documents=documents, problems=problems, gone=gone, settled=unchanged)


def _unreadable(locator: Locator, error: EngrainError) -> Problem:
    """Return the problem of a file that can't be read. Raises errors that concern the store."""
    if not isinstance(error, ForbiddenPathError | StorageError | MalformedError):
        raise error
    reason = error.reason if isinstance(error, MalformedError) else error.code
    return Problem(locator, reason, error.message)


def read_again(backend: StorageBackend, index: SearchIndex, locators: Iterable[Locator]) -> None:
    """Read places again into an index that proved wrong about them."""
    with index.exclusive():
        batch = read_places(backend, locators)
        mark_for_scan(batch, index)
        index.apply(batch)


def mark_for_scan(batch: Batch, index: SearchIndex) -> None:
    """Mark files whose bytes no recorded change explains, so that the next scan checks them again
    and puts them into the history."""
    groups = dict(batch.groups)
    unexplained = {*index.unexplained([(one.locator, one.hash) for one in batch.documents])}
    for document in batch.documents:
        if (document.locator, document.hash) in unexplained:
            document.settled = False
            groups[document.locator.folder] = None
    batch.groups = groups


def _warnings(locator: Locator, entry: Entry) -> list[Problem]:
    found = [("field", warning) for warning in entry.warnings]
    if entry.kind not in KINDS:
        found.append(("unknown-kind", f"kind {entry.kind!r} is not in the kinds table"))
    problems = [Problem(locator, reason, message, fatal=False) for reason, message in found]
    if line := find_merge_line(entry):
        problems.append(Problem(locator, MERGE_MARKS, MERGED, line=line, fatal=False))
    return problems


MERGE_MARKS = "merge-marks"
MERGED = "git left merge marks here: both versions are read as one text"


def find_merge_line(entry: Entry) -> int:
    """Return the line of a note's file (from 1) in which git left a merge mark, 0 for none."""
    body = entry.note.body
    if "<<<<<<< " not in body and ">>>>>>> " not in body:
        return 0
    found = find_merge_mark(body)
    if found is None:
        return 0
    note = entry.note
    return (note.head + note.front + note.fence + body[:found]).count("\n") + 1


def read_references(entry: Entry) -> list[Reference]:
    """Return all references of an entry: those in its text, in order, then those in its
    frontmatter."""
    # Imported late: a process that finds the index up to date reads no entry.
    found = [refer(link) for link in parse_links(entry.note.body)]
    front = entry.note.front
    if "[[" in front or "\\" in front or not entry.note.fence:  # YAML can write [ otherwise too
        drawn = RELATED if entry.note.draws else ""  # it only repeats the field `links`
        found += [refer(link, FIELD) for link in field_links(entry.fields, drawn)]
    found += [Reference(target, relation, FIELD) for target, relation in entry.links]
    for relation in ("supersedes", "superseded_by"):
        if relation in entry.fields:
            found += [Reference(to, relation, CHAIN) for to in _read_chain(entry, relation)]
    found += [Reference(source, "derived_from", SOURCE) for source in entry.derived_from]
    if entry.kind == ENTITY:
        found += _read_facts(entry)
    return found


def _read_chain(entry: Entry, key: str) -> Iterator[str]:
    """Yield the names in the field `supersedes` or `superseded_by`, bare or in wikilinks."""
    value = entry.fields.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = entry.note.written(key)
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str) and item.strip():
            links = parse_links(item)
            yield from [link.target for link in links] or [item]


def refer(link: Link, origin: str = TEXT) -> Reference:
    """Return a link of a text as the index stores it."""
    return Reference(
        link.target, link.relation or "", origin, label=link.label or "", heading=link.heading or ""
    )


def _read_facts(entry: Entry) -> Iterator[Reference]:
    """Yield the edges of an entity's facts, also of historical ones, with the time they held."""
    if not is_entity_place(entry.path):
        return
    entity = read_entity(entry.note.document, entry.note.own)
    ends = find_ends(entity.facts)
    for fact in entity.facts:
        if fact.edge is None:
            continue
        over = ends[fact.id]
        yield Reference(
            fact.edge.object, fact.edge.predicate, FACT, valid_from=fact.since, valid_to=over
        )
