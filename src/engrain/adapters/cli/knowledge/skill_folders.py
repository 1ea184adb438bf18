"""skill import, skill export: folders of skills on disk, read without following links or running
anything, written whole."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, resolve_from
from engrain.adapters.present.records import Data, describe_outcome, describe_pairs
from engrain.adapters.present.text import clean_line
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
from engrain.model.experience.folders import MAIN, MOST_FILE, File, SkillFolder, read_skill_folder
from engrain.model.note.note import MAX_NOTE_BYTES

Taken: TypeAlias = "tuple[Data, list[str], list[tuple[SkillFolder, Outcome]]]"
"""Data for a program, lines for a person, and what was taken in."""


_MOST_LISTED = 500
_SKIPPED = ("node_modules", "__pycache__")


def import_skills(args: Arguments, memory: Memory, console: Console) -> Taken:
    """`skill import`: one folder that can't be read stops none of the others."""
    taken: list[tuple[SkillFolder, Outcome]] = []
    problems = _Problems()
    memory = memory.as_one_change()
    for folder in [folder for word in args.words for folder in find_skill_folders(word)]:
        with problems.of(folder):
            name = os.path.basename(os.path.abspath(folder))
            read = read_skill_folder(name, *read_folder(folder))
            outcome = memory.skills.import_folder(
                read,
                project=getattr(args, "project", None),
                allow_erased=args.allow_erased,
                terms=Terms(args.asked, restore_deleted=bool(args.restore_deleted)),
            )
            taken.append((read, outcome))
    problems.refuse_all(bool(taken))
    skills = []
    lines = []
    for read, outcome in taken:
        left = describe_pairs(read.left_out, "reason")
        skills.append({"name": read.name, **describe_outcome(outcome), "left_out": left})
        title = console.style("title", clean_line(read.name))
        lines.append(f"{outcome.outcome}  {title}  {outcome.id}")
        lines += [
            console.style("dim", f"  left out: {clean_line(path)}: {clean_line(reason)}")
            for path, reason in read.left_out
        ]
    data = {"skills": skills, "problems": problems.described}
    return data, [*lines, *problems.lines], taken


def export_skills(args: Arguments, memory: Memory, console: Console) -> tuple[Data, list[str]]:
    """`skill export`: one that is in the way stops none of the others."""
    *references, folder = args.words
    vault = os.path.realpath(resolve_from(args).location)
    if f"{os.path.realpath(folder)}/".startswith(f"{vault}/"):
        raise UsageError("the folder lies in the vault", path=folder, remedy="name one outside")
    problems = _Problems()
    if args.all:
        for skill in memory.skills.list(scope=Scope(all_projects=args.all_projects)):
            if skill.origin == "external":
                problems.tell(
                    skill.row.id, "its origin is external: `engrain review vouch` it first"
                )
            else:
                references.append(skill.row.id)
    given: list[Data] = []
    lines: list[str] = []
    for reference in references:
        with problems.of(reference):
            out = memory.skills.export(reference)
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
        """Collect an error instead of raising it."""
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


def find_skill_folders(path: str) -> list[str]:
    """The folders of skills that a path means: itself, or those in it. Raises UsageError."""
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
    """`SKILL.md` and what lies beside it. Raises MalformedError."""
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
    """Write a skill's files below `folder`; its own folder. What is there already stays but with
    `force`, and then what is not among the files stays too. Raises ConflictError, StorageError."""
    place = os.path.join(folder, name)
    if os.path.lexists(place) and not force:
        raise ConflictError(
            f"{place} is there already", path=place, remedy="--force writes over its files"
        )
    try:
        for path, raw in files:
            _write(place, path, raw)
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=place) from None
    return place


def _walk(folder: str) -> Iterator[str]:
    """The files below a folder, and with a slash at its end what is not gone into."""
    for root, folders, files in os.walk(folder, followlinks=False):
        below = os.path.relpath(root, folder).replace(os.sep, "/")
        prefix = "" if below == "." else below + "/"
        left = {name for name in folders if name[0] == "." or name in _SKIPPED}
        left |= {name for name in folders if os.path.islink(os.path.join(root, name))}
        folders[:] = sorted(set(folders) - left)
        yield from (f"{prefix}{name}/" for name in sorted(left))
        yield from (prefix + name for name in sorted(files))


def _read(path: str, most: int) -> tuple[bytes | None, str]:
    """A file's bytes, or None and why not."""
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


def _write(place: str, path: str, raw: bytes) -> None:
    """One file whole, through no link. Raises ConflictError, OSError."""
    parts = path.split("/")
    for count in range(len(parts)):
        above = os.path.join(place, *parts[:count])
        if os.path.islink(above):
            raise ConflictError(f"{above} is a link", path=above, remedy="remove it first")
        os.makedirs(above, exist_ok=True)
    target = os.path.join(place, *parts)
    temp = os.path.join(os.path.dirname(target), f".engrain-{os.getpid()}.tmp")
    try:
        with open(temp, "wb") as file:  # noqa: PTH123
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temp, target)
    finally:
        if os.path.lexists(temp):
            os.unlink(temp)
