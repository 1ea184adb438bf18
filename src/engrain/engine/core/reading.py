"""From places in the store to what the index takes in."""

from __future__ import annotations

from engrain.engine.core.references import read_references
from engrain.model.errors import ForbiddenPathError, MalformedError, NotFoundError, StorageError
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.kinds import kind_of
from engrain.model.note.tiers import is_generated
from engrain.seam.search import Batch, Document, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engrain.seam.locator import Locator
    from engrain.seam.search import SearchIndex
    from engrain.seam.storage import Seen, StorageBackend, Stored

_SCAN_PROBLEMS = {
    "symlink": "a symbolic link is not followed",
    "not-a-file": "not a regular file",
    "name": "the name is no text, or holds a control character or backslash",
    "too-deep": "folders are nested too deep",
    "unreadable": "the folder can't be read",
}


def read_seen(backend: StorageBackend, seen: Iterable[Seen], index: SearchIndex | None) -> Batch:
    """Read what a scan met; with `index`, what its bytes show to be unchanged is only marked so."""
    places, problems = [], []
    for item in seen:
        if item.problem is None:
            places.append(item.locator)
        else:
            message = _SCAN_PROBLEMS[item.problem]
            problems.append(Problem(item.locator, item.problem, message, stamp=item.stamp))
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
    """Read places into documents, problems and what is gone.

    `parsed` has entries by path and hash that need no parsing. With `index`, bytes that it knows
    already are only marked as looked at.
    """
    batch = Batch()
    documents, problems, gone, settled = [], [], [], []
    for locator in locators:
        if is_generated(locator):  # a change may write one, which is no entry
            gone.append(locator)
            continue
        try:
            stored = backend.read(locator)
            if index and index.hash_at(locator) == stored.hash:
                # Without a stamp it is looked at again: one so young may yet change within it.
                settled.append((locator, stored.stamp if stored.settled else ""))
                continue
            known = parsed.get((locator, stored.hash)) if parsed else None
            entry = known or _parse(locator, stored)
        except NotFoundError:
            gone.append(locator)
        except (ForbiddenPathError, StorageError) as error:
            problems.append(Problem(locator, error.code, error.message))
        except _UnreadableError as error:
            problems.append(error.problem)
        except MalformedError as error:
            problems.append(Problem(locator, error.reason, error.message))
        else:
            links = read_references(entry)
            documents.append(Document(locator, entry, links, stored.stamp, stored.settled))
            problems += _warnings(locator, entry)
    batch.documents, batch.problems = documents, problems
    batch.gone, batch.settled = gone, settled
    return batch


def leave_to_scan(batch: Batch, index: SearchIndex) -> None:
    """Have the next scan look again at what no recorded change left where it stands: a scan puts
    such bytes into the history, which a reader does not."""
    left = [
        document
        for document in batch.documents
        if not index.knows_bytes(document.locator, document.entry.hash)
    ]
    for document in left:
        document.settled = False
    batch.groups = {**batch.groups, **{document.locator.folder: None for document in left}}


class _UnreadableError(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem


def _parse(locator: Locator, stored: Stored) -> Entry:
    try:
        return read_entry(locator, stored.raw)
    except MalformedError as error:
        raise _UnreadableError(
            Problem(
                locator,
                error.reason,
                error.message,
                line=error.line,
                stamp=stored.stamp,
                settled=stored.settled,
            )
        ) from None


def _warnings(locator: Locator, entry: Entry) -> list[Problem]:
    found = [("field", warning) for warning in entry.warnings]
    if not kind_of(entry.kind).known:
        found.append(("unknown-kind", f"kind {entry.kind!r} is not in the kinds table"))
    return [Problem(locator, reason, message, fatal=False) for reason, message in found]
