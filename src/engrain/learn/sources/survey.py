"""How far each source was read, without reading one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from engrain.engine.core.store import Store
from engrain.learn.sources.cursors import EXTRACT, Cursor
from engrain.learn.sources.formats import find_format
from engrain.learn.sources.reading import Problem, list_places
from engrain.model.errors import ForbiddenPathError, NotFoundError
from engrain.model.note.documents import object_of
from engrain.seam.sources import Shelf, Source, SourceFile


@dataclass(slots=True, eq=False)
class Standing:
    """How far a source was read: the number of files and of new or changed ones, when one was last
    read, the formats, the files whose encoding was guessed, and problems."""

    source: Source
    files: int = 0
    new: int = 0
    read_at: float | None = None
    formats: Counter[str] = field(default_factory=Counter)
    guessed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def survey_sources(store: Store, consumer: str = EXTRACT) -> list[Standing]:
    """List every source, and how far a consumer read it; the vault's own daily notes, where it has
    any, are one. Raises ConfigError, IndexUnavailableError."""
    return [_survey(store, consumer, *found) for found in list_places(store)]


def add_source(
    store: Store,
    path: str,
    *,
    name: str = "",
    format: str = "",  # noqa: A002 - what it is
    trust: str = "external",
    project: str = "",
    match: Sequence[str] = (),
) -> Source:
    """Learn from a file, or from a folder and all below it. `format` is that of its files where
    they do not tell, `trust` the origin of what is said there, `match` patterns of file names.
    Raises UsageError, ForbiddenPathError, ConfigError, StorageError."""
    if format:
        find_format(format)
    source = Source(name, path, format=format, trust=trust, project=project, match=match)
    return store.sources.add(source)


def add_host_source(store: Store, host: str, *, name: str = "", project: str = "") -> Source:
    """Learn from the sessions of an agents' host on this device. Raises NotFoundError where it has
    none, and what `add_source` does."""
    found = next((one for one in store.sources.detect() if one.host == host), None)
    if found is None:
        raise NotFoundError(
            f"no sessions of {host!r} on this device",
            remedy="`engrain sources add` without a path shows what there is",
        )
    source = Source(
        name or found.name,
        found.path,
        format=found.format,
        trust=found.trust,
        project=project,
        host=host,
        match=found.match,
    )
    return store.sources.add(source)


def detect_sources(store: Store) -> Sequence[Source]:
    """List the folders on this device where agents' hosts keep their sessions."""
    return store.sources.detect()


def remove_source(store: Store, name: str) -> Source:
    """Learn from a source no more; what was learned stays. Raises NotFoundError."""
    removed = store.sources.remove(name)
    store.local.drop_cursors(name)
    return removed


def _survey(store: Store, consumer: str, source: Source, shelf: Shelf) -> Standing:
    found = Standing(source)
    cursors = store.local.cursors(consumer, source.name)
    try:
        for file in shelf.files(source):
            if not isinstance(file, SourceFile):
                message = file.strerror or str(file)
                found.problems.append(Problem(source.name, file.filename or "", message))
                continue
            cursor = Cursor(object_of(cursors.get(file.name)))
            found.files += 1
            if isinstance(cursor.at, int | float):
                found.read_at = max(found.read_at or cursor.at, cursor.at)
            if not cursor.is_of(file):
                found.new += 1
            elif cursor.problem:
                found.problems.append(Problem(source.name, file.name, cursor.problem))
            else:
                found.formats[cursor.format] += 1
                if cursor.guessed:
                    found.guessed.append(file.name)
    except ForbiddenPathError as error:
        found.problems.append(Problem(source.name, "", error.message))
    return found
