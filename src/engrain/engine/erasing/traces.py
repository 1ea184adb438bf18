"""Finds the changes of this device's history that reveal erased entries."""

from __future__ import annotations

from dataclasses import dataclass, field

from engrain.engine.core.lineage import first_number
from engrain.engine.erasing.names import Names, goal_lines
from engrain.model.errors import HistoryError, MalformedError
from engrain.model.history.record import FileChange, Record, decode_record, is_blank
from engrain.model.note.documents import list_of
from engrain.model.note.note import Note
from engrain.model.note.parsing import parse_note
from engrain.model.note.tiers import STAGING, is_generated, zone_of
from engrain.seam.derived import Progress
from engrain.seam.storage import StorageBackend

ERASING = "erasing"
"""The change that puts tombstones in the places of entries."""
ERASE = "erase"
"""The change that names, in `undoes`, every change whose payload is erased for good."""

_PROGRESS = "/progress.md"
_REFERRING = "/_harness/CONTINUITY.md"
"""The working memory of a project, which names entries by their titles and quotes prompts."""


@dataclass(slots=True, eq=False)
class Traces:
    """The changes whose payloads are to go, by name, and the entries that stay but lose earlier
    bytes with them."""

    changes: list[str] = field(default_factory=list, init=False)
    losing: set[str] = field(default_factory=set, init=False)


def find_traces(backend: StorageBackend, names: Names, progress: Progress | None = None) -> Traces:
    """The changes of this device's own chain and branches whose payloads have to go, and the
    entries that lose versions with them. A payload goes where one of its files is of an erased
    entry (by id, name or text), links to one, or is a proposal that mentions one; where its
    reason mentions one; where its change erased one; or where it can't be read and its record
    names one."""
    traces = Traces()
    for chain in backend.erasable():
        _look_through(backend, chain, names, traces, progress)
    traces.losing.difference_update(names.ids)
    return traces


def _look_through(
    backend: StorageBackend, chain: str, names: Names, traces: Traces, progress: Progress | None
) -> None:
    for n, link in enumerate(backend.chain(chain), first_number(backend, chain)):
        if progress:
            progress(n, None)
        if is_blank(link.payload):
            continue
        try:
            record = decode_record(link.line, link.payload)
        except HistoryError:
            if any(id_.encode() in link.line for id_ in names.ids):
                traces.changes.append(f"{chain}-{n}")
            continue
        record.device = chain  # names of changes are by chain
        if _tells(record, names):
            traces.changes.append(record.change)
            traces.losing.update(record.entries)


def _tells(record: Record, names: Names) -> bool:
    if record.op == ERASE:
        return False  # it has tombstones and names of changes, and nothing else
    if record.op == ERASING and not names.ids.keys().isdisjoint(record.entries):
        return True
    if record.reason and names.mentioned_in(record.reason):
        return True
    return any(_file_tells(file, names) for file in record.files or ())


def _file_tells(file: FileChange, names: Names) -> bool:
    if file.entry in names.ids or names.owner(file.path) is not None:
        return True
    if file.after is None:
        return False
    text = file.after.decode(errors="replace")
    if names.is_beside(file.path):
        return True
    if is_generated(file.path):
        return names.mentioned_in(text)
    if file.path.endswith(_REFERRING):
        return names.tells(text)
    if file.path.endswith(_PROGRESS) and any(map(names.tells, goal_lines(text))):
        return True
    try:
        note = parse_note(file.after, file.path)
        return _note_tells(note, file.path, text, names)
    except MalformedError:
        return names.mentioned_in(text)


def _note_tells(note: Note, path: str, text: str, names: Names) -> bool:
    """Whether a note is a proposal about an erased entry, has its text or links to it."""
    if zone_of(path) == STAGING and names.proposed_in(path, text, note.fields):
        return True
    links = note.fields.get("links") if "links" in note.front else None
    if names.says(note.body) or names.unlink(text) != text:
        return True
    targets = [item.get("to") if isinstance(item, dict) else item for item in list_of(links)]
    return any(isinstance(to, str) and names.owner(to) not in (None, to) for to in targets)
