"""`skill export`: write skills into folders, as agents' hosts load them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from engrain.adapters.cli.files import write_anew
from engrain.adapters.cli.options import Arguments, resolve_from
from engrain.adapters.present.records import Data
from engrain.adapters.present.text import clean_line, style
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.model.errors import ConflictError, EngrainError, StorageError, UsageError
from engrain.model.experience.folders import MAIN


def export_skills(args: Arguments, memory: Memory) -> tuple[Data, list[str]]:
    """Write skills as folders; one that is in the way stops none of the others."""
    *references, folder = args.words
    vault = os.path.realpath(resolve_from(args).location)
    if f"{os.path.realpath(folder)}/".startswith(f"{vault}/"):
        raise UsageError("the folder lies in the vault", path=folder, remedy="name one outside")
    problems = _Problems()
    if args.all:
        for skill in memory.skills.list(scope=Scope(all_projects=args.all_projects)):
            if skill.origin == "external":
                why = "its origin is external: `engrain review vouch` it first"
                problems.tell(skill.row.id, why)
            else:
                references.append(skill.row.id)
    given: list[Data] = []
    lines: list[str] = []
    for reference in references:
        with problems.of(reference):
            name, raw = memory.skills.export(reference)
            place = write_folder(folder, name, raw, force=args.force)
            given.append({"name": name, "path": place})
            lines.append(f"{style('title', name)}  {clean_line(place)}")
    problems.refuse_all(bool(given) or args.all)
    data: Data = {"skills": given, "problems": problems.described}
    return data, [*(lines or ["No skill was written."]), *problems.lines]


class _Problems:
    """The errors of several tasks, where one that fails stops none of the others."""

    def __init__(self) -> None:
        self.described: list[Mapping[str, str]] = []
        self.lines: list[str] = []
        self._first: EngrainError | None = None

    @contextmanager
    def of(self, about: str) -> Iterator[None]:
        """Collect an error instead of raising it."""
        try:
            yield
        except EngrainError as error:
            self._first = self._first or error
            self.tell(about, error.message)

    def tell(self, about: str, message: str) -> None:
        self.described.append({"about": about, "message": message})
        self.lines.append(f"left out: {clean_line(about)}: {clean_line(message)}")

    def refuse_all(self, any_done: bool) -> None:
        """Raise the first error where nothing else was done."""
        if self._first and not any_done:
            raise self._first


def write_folder(folder: str, name: str, raw: bytes, *, force: bool = False) -> str:
    """Write `SKILL.md` into the skill's own folder below `folder`; return that. An existing one is
    refused without `force`, and keeps its other files with it. Raises ConflictError,
    StorageError."""
    place = os.path.join(folder, name)
    if os.path.lexists(place) and not force:
        raise ConflictError(
            f"{place} is there already", path=place, remedy="--force writes over its file"
        )
    if os.path.islink(place):
        raise ConflictError(f"{place} is a link", path=place, remedy="remove it first")
    try:
        os.makedirs(place, exist_ok=True)
        write_anew(os.path.join(place, MAIN), [raw], force=True, mode=0o666)
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=place) from None
    return place
