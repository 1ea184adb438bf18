"""How far each source was read, told without reading one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from engrain.engine.core.store import Store
from engrain.learn.sources.cursors import EXTRACT, Cursor
from engrain.learn.sources.reading import list_shelves
from engrain.learn.sources.tally import Problem
from engrain.model.errors import ForbiddenPathError
from engrain.model.note.documents import object_of
from engrain.seam.sources import Shelf, Source, SourceFile


@dataclass(slots=True, eq=False)
class Standing:
    """How a source stands: of its `files` those that are `new` (or have changed) since they were
    read, when one was last read, the `formats` of those that were, those whose encoding was
    `guessed`, and problems."""

    source: Source
    files: int = 0
    new: int = 0
    read_at: float | None = None
    formats: Counter[str] = field(default_factory=Counter)
    guessed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def survey_sources(store: Store, consumer: str = EXTRACT) -> list[Standing]:
    """Every source and how far a consumer read it. Raises ConfigError, IndexUnavailableError."""
    return [_survey(store, consumer, *found) for found in list_shelves(store)]


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
