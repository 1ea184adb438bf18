"""skill import, skill export."""

from __future__ import annotations

import os
from contextlib import contextmanager

from engrain.adapters.present.skills import describe_taken, taken_lines
from engrain.adapters.present.text import clean_line
from engrain.model.errors import EngrainError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeAlias

    from engrain.adapters.cli.console import Console
    from engrain.adapters.present.records import Data
    from engrain.face.memory import Memory

    Answer: TypeAlias = "tuple[Data, Iterable[str]]"
    """What is answered to a program, and the lines for a person."""


def import_skills(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    """`skill import`: one folder that can't be read stops none of the others."""
    from engrain.adapters.cli.skill_folders import find_skill_folders, read_folder
    from engrain.model.skill_folder import read_skill_folder

    taken = []
    problems = _Problems()
    for folder in [folder for word in args.words for folder in find_skill_folders(word)]:
        with problems.of(folder):
            name = os.path.basename(os.path.abspath(folder))
            read = read_skill_folder(name, *read_folder(folder))
            taken.append((read, memory.import_skill(read, project=getattr(args, "project", None))))
    problems.refuse_all(bool(taken))
    data: Data = {
        "skills": [describe_taken(read, outcome) for read, outcome in taken],
        "problems": problems.described,
    }
    return data, [*taken_lines(taken, console.style), *problems.lines]


def export_skills(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    """`skill export`: one that is in the way stops none of the others."""
    from engrain.adapters.cli.skill_folders import write_folder
    from engrain.engine.scope import Scope

    *references, folder = args.words
    problems = _Problems()
    if args.all:
        for skill in memory.skills(scope=Scope(all_projects=args.all_projects)):
            if skill.origin == "external":
                problems.tell(skill.row.id, "it came from outside: `engrain review vouch` it first")
            else:
                references.append(skill.row.id)
    given: list[Data] = []
    lines: list[str] = []
    for reference in references:
        with problems.of(reference):
            out = memory.export_skill(reference)
            place = write_folder(folder, out.name, out.files, force=args.force)
            files = [path for path, _ in out.files]
            given.append({"name": out.name, "path": place, "files": files,
                          "left_out": list(out.left_out)})  # fmt: skip
            lines.append(f"{console.style('title', out.name)}  {clean_line(place)}")
            lines += [f"  left out: {clean_line(what)}" for what in out.left_out]
    problems.refuse_all(bool(given) or args.all)
    data: Data = {"skills": given, "problems": problems.described}
    return data, [*(lines or ["No skill was written."]), *problems.lines]


class _Problems:
    """What went wrong with some of several things, which stops none of the others."""

    def __init__(self) -> None:
        self._told: list[tuple[str, str]] = []
        self._first: EngrainError | None = None

    @contextmanager
    def of(self, about: str) -> Iterator[None]:
        """Tell of an error about one of them, in place of raising it."""
        try:
            yield
        except EngrainError as error:
            self._first = self._first or error
            self.tell(about, error.message)

    def tell(self, about: str, message: str) -> None:
        self._told.append((about, message))

    def refuse_all(self, any_done: bool) -> None:
        """Raise the first error where nothing else was done."""
        if self._first and not any_done:
            raise self._first

    @property
    def described(self) -> list[Mapping[str, str]]:
        return [{"about": about, "message": message} for about, message in self._told]

    @property
    def lines(self) -> list[str]:
        return [f"left out: {clean_line(about)}: {clean_line(why)}" for about, why in self._told]
