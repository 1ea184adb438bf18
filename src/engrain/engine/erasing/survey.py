"""Reads every note of the vault for an erasure, and follows copies and derivations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from engrain.engine.entities.files import MERGED_INTO
from engrain.engine.erasing.names import digest_of, names_of
from engrain.model.errors import EngrainError
from engrain.model.history.tombstone import is_tombstone
from engrain.model.links.keys import link_key
from engrain.model.note.documents import trimmed
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.tiers import INBOX
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.storage import StorageBackend, Stored

_TRACE, _SESSION = "episode", "session"


class Met:
    """A note of the survey: what is needed to judge it, without its text."""

    __slots__ = (
        "buried", "copied", "digest", "hash", "id", "locator", "names", "sources", "supersedes",
        "title", "zone",
    )  # fmt: skip

    def __init__(self, locator: Locator, entry: Entry) -> None:
        self.locator = locator
        self.id = entry.id
        self.hash = entry.hash
        self.title = entry.title
        self.zone = entry.zone
        self.names = frozenset(names_of(entry))
        self.digest = digest_of(entry)
        # What was merged into an entity is told by it from then on.
        merged = trimmed(entry.fields.get(MERGED_INTO))
        sources = (*entry.derived_from, merged) if merged else entry.derived_from
        self.sources = frozenset(map(link_key, sources))
        self.supersedes = entry.supersedes
        self.buried = is_tombstone(entry)
        self.copied = is_copied(entry)


def is_copied(entry: Entry) -> bool:
    """Whether Engrain took an entry out of a transcript and nobody has looked at it: the trace of a
    request, or a candidate in the inbox."""
    return entry.kind == _TRACE or (entry.status == INBOX and entry.source.get("kind") == _SESSION)


def survey(
    backend: StorageBackend,
    progress: Progress | None = None,
    look: Callable[[Locator, Stored, Entry], None] | None = None,
) -> tuple[list[Met], list[Locator]]:
    """Every note of the store, and the places that can't be read as notes; `look` is called with
    each as it is read."""
    met: list[Met] = []
    unreadable: list[Locator] = []
    for number, seen in enumerate(backend.scan(), 1):
        try:
            stored = backend.read(seen.locator)
            entry = read_entry(seen.locator, stored.raw)
        except EngrainError:
            unreadable.append(seen.locator)
            continue
        met.append(Met(seen.locator, entry))
        if look:
            look(seen.locator, stored, entry)
        if progress:
            progress(number, None)
    return met, unreadable


def follow(met: Iterable[Met], ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The entries that some lead to, each once, with the reason: copies of a text, and all that was
    derived from it. Cycles are handled."""
    notes = [note for note in met if not note.buried]
    by_digest: dict[str, list[Met]] = {}
    by_source: dict[str, list[Met]] = {}
    by_id: dict[str, list[Met]] = {}
    for note in notes:
        by_id.setdefault(note.id, []).append(note)
        if note.digest:
            by_digest.setdefault(note.digest, []).append(note)
        for source in note.sources:
            by_source.setdefault(source, []).append(note)
    todo = list(dict.fromkeys(ids))
    known = set(todo)
    while todo:
        id_ = todo.pop()
        files = by_id.get(id_, [])
        names = {link_key(id_)}.union(*(file.names for file in files))
        found = [(note.id, "derived") for name in names for note in by_source.get(name, ())]
        for file in files:
            found += [(note.id, "copy") for note in by_digest.get(file.digest or "", ())]
        for other, why in found:
            if other not in known:
                known.add(other)
                todo.append(other)
                yield other, why
