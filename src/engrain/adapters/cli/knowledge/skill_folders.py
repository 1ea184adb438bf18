"""skill import, skill export: folders of skills on disk, read without following links or running
anything, written whole."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from engrain.adapters.cli.files import write_anew
from engrain.adapters.cli.options import Arguments, resolve_from
from engrain.adapters.present.records import Data, describe_outcome, describe_pairs
from engrain.adapters.present.text import bold, clean_line, style
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.scope import Scope
from engrain.engine.verbs.intake import Terms
from engrain.model.errors import (
    ConflictError,
    EngrainError,
    MalformedError,
    StorageError,
    UsageError,
)
from engrain.model.experience.folders import MAIN, MOST_FILE, File, read_skill_folder
from engrain.model.note.note import MAX_NOTE_BYTES

Taken: TypeAlias = "tuple[Data, list[str], list[Outcome]]"
"""Data for a program, lines for a person, and what was taken in."""


_MOST_LISTED = 500
_SKIPPED = ("node_modules", "__pycache__")


def import_skills(args: Arguments, memory: Memory) -> Taken:
    """Take in folders of skills; one that can't be read stops none of the others."""
    taken: list[Outcome] = []
    skills: list[Data] = []
    lines: list[str] = []
    problems = _Problems()
    memory = memory.as_one_change()
    for folder in [folder for word in args.words for folder in find_skill_folders(word)]:
        with problems.of(folder):
            name = os.path.basename(os.path.abspath(folder))
            read = read_skill_folder(name, *read_folder(folder))
            outcome = memory.skills.import_folder(
                read,
                project=args.project,
                allow_erased=args.allow_erased,
                terms=Terms(args.asked, restore_deleted=bool(args.restore_deleted)),
            )
            taken.append(outcome)
            left = describe_pairs(read.left_out, "reason")
            skills.append({"name": read.name, **describe_outcome(outcome), "left_out": left})
            title = bold(read.name)
            lines.append(f"{outcome.outcome}  {title}  {outcome.id}")
            for path, reason in read.left_out:
                lines.append(style("dim", f"  left out: {clean_line(path)}: {clean_line(reason)}"))
    problems.refuse_all(bool(taken))
    data = {"skills": skills, "problems": problems.described}
    return data, [*lines, *problems.lines], taken


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
            out = memory.skills.export(reference)
            place = write_folder(folder, out.name, out.files, force=args.force)
            files = [path for path, _ in out.files]
            left = list(out.left_out)
            given.append({"name": out.name, "path": place, "files": files, "left_out": left})
            lines.append(f"{style('title', out.name)}  {clean_line(place)}")
            lines += [f"  left out: {clean_line(what)}" for what in left]
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


def find_skill_folders(path: str) -> list[str]:
    """Return the folders of skills that a path means: itself, or those in it. Raises UsageError."""
    if not os.path.isdir(path):
        what = "is a file" if os.path.exists(path) else "is not there"
        raise UsageError(f"{path} {what}; give a folder with {MAIN}, or of such folders", path=path)
    if os.path.lexists(os.path.join(path, MAIN)):
        return [path]
    below = sorted(entry.path for entry in os.scandir(path) if entry.is_dir())
    found = [folder for folder in below if os.path.lexists(os.path.join(folder, MAIN))]
    if not found:
        raise UsageError(f"no {MAIN} in {path}, nor in a folder there", path=path)
    return found


def read_folder(folder: str) -> tuple[bytes, list[File]]:
    """Read `SKILL.md` and what lies beside it. Raises MalformedError."""
    main, reason = _read(os.path.join(folder, MAIN), MAX_NOTE_BYTES)
    if main is None:
        raise MalformedError(f"{MAIN} {reason}", path=folder, reason="skill")
    beside: list[File] = []
    for path in _walk(folder):
        if path.endswith("/"):
            beside.append((path, None, "is hidden, or of no use"))
        elif path != MAIN:
            beside.append((path, *_read(os.path.join(folder, path), MOST_FILE)))
        if len(beside) >= _MOST_LISTED:
            beside.append(("…", None, f"there are over {_MOST_LISTED} files"))
            break
    return main, beside


def write_folder(
    folder: str, name: str, files: Sequence[tuple[str, bytes]], *, force: bool = False
) -> str:
    """Write a skill's files into its own folder below `folder`; return that. An existing one is
    refused without `force`, and keeps its other files with it. Raises ConflictError,
    StorageError."""
    place = os.path.join(folder, name)
    if os.path.lexists(place) and not force:
        raise ConflictError(
            f"{place} is there already", path=place, remedy="--force writes over its files"
        )
    try:
        for path, raw in files:
            *above, last = path.split("/")
            below = place
            for part in ("", *above):
                below = os.path.join(below, part) if part else below
                if os.path.islink(below):
                    raise ConflictError(f"{below} is a link", path=below, remedy="remove it first")
                os.makedirs(below, exist_ok=True)
            write_anew(os.path.join(below, last), [raw], force=True, mode=0o666)
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=place) from None
    return place


def _walk(folder: str) -> Iterator[str]:
    """Yield the files below a folder; a skipped folder has a slash at its end."""
    for root, folders, files in os.walk(folder, followlinks=False):
        below = os.path.relpath(root, folder).replace(os.sep, "/")
        prefix = "" if below == "." else below + "/"
        left = {name for name in folders if name[0] == "." or name in _SKIPPED}
        left |= {name for name in folders if os.path.islink(os.path.join(root, name))}
        folders[:] = sorted(set(folders) - left)
        yield from (f"{prefix}{name}/" for name in sorted(left))
        yield from (prefix + name for name in sorted(files))


def _read(path: str, most: int) -> tuple[bytes | None, str]:
    """Read a file: its bytes, or None and the reason why not."""
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode):
            return None, "is a link" if stat.S_ISLNK(found.st_mode) else "is no plain file"
        if found.st_size > most:
            return None, f"is over {most} bytes"
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(most + 1), ""
    except OSError as error:
        return None, f"can't be read: {error.strerror}"
