"""`import --format F`: the folder of another memory, found, read and taken in by a layout."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from engrain import Memory
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.deciding import run_import
from engrain.adapters.cli.options import Arguments, resolve_from
from engrain.engine.core.outcomes import LEFT_OUT, Imported
from engrain.engine.verbs.intake import Terms
from engrain.model.errors import UsageError
from engrain.resolution.learn_sources_git import FileDates
from engrain.seam.derived import Progress

Problems: TypeAlias = "list[tuple[str, str]]"
Files: TypeAlias = "Iterator[tuple[str, bytes]]"


_MOST_BYTES = 64 * 1024 * 1024
"""Larger files are reported and left alone, as files are read whole."""


@dataclass(slots=True, eq=False)
class Layout:
    """One row: how the folder of a layout is found by a path, what files it has by their names in
    the layout, in which order they are read, and what the whole is known by."""

    name: str
    _: KW_ONLY
    find: Callable[[str], str]
    list_files: Callable[[str, Problems], Mapping[str, str]]
    order: Callable[[Iterable[str]], list[str]]
    name_tree: Callable[[str], str]


def import_tree(args: Arguments, console: Console, layout: Layout, path: str) -> int:
    """Take in the folder of a layout, or one that it lies in; the exit code."""
    if getattr(args, "kind", None) or getattr(args, "tag", None):
        raise UsageError(
            f"import of the {layout.name} layout takes no --kind or --tag",
            remedy="these are in its files",
        )
    folder = layout.find(path)
    refuse_vault(args, folder)
    problems: Problems = []
    files = layout.list_files(folder, problems)
    dates = FileDates(folder, os.environ)

    def take(memory: Memory, progress: Progress | None, terms: Terms) -> Imported:
        unread: Problems = []

        def read() -> Files:
            names = layout.order(files)
            for number, name in enumerate(names, 1):
                raw = _read(files[name], name, unread)
                if raw is not None:
                    yield name, raw
                if progress:
                    progress(number, len(names))

        terms.date_of = lambda name: dates(files[name])
        imported = memory.exchange.import_layout(
            layout.name,
            read(),
            name=args.name or layout.name_tree(folder),
            project=getattr(args, "project", None),
            allow_erased=args.allow_erased,
            terms=terms,
        )
        for path, why in (*problems, *unread):
            imported.count(LEFT_OUT)
            imported.tell(path, why)
        return imported

    return run_import(args, console, take)


def refuse_vault(args: Arguments, path: str) -> None:
    """Raise UsageError where the vault lies in a folder of the layout, or the other way round."""
    ours, theirs = (os.path.realpath(place) for place in (resolve_from(args).location, path))
    if f"{theirs}/".startswith(f"{ours}/") or f"{ours}/".startswith(f"{theirs}/"):
        raise UsageError(
            "the folder contains the vault, or is inside it",
            path=path,
            remedy="name a folder outside of the vault",
        )


def find_among(path: str, within: Iterable[str], marks: Iterable[str]) -> str | None:
    """The first of some folders below a path that has one of the folders named `marks`."""
    for below in within:
        folder = os.path.join(path, below) if below else path
        if any(os.path.isdir(os.path.join(folder, name)) for name in marks):
            return folder
    return None


def refuse_path(path: str, what: str, remedy: str) -> UsageError:
    """The error for a path that has nothing of a layout."""
    message = "no such folder" if not os.path.isdir(path) else f"no memory of {what}"
    return UsageError(f"{message}: {path}", path=path, remedy=remedy)


def last_name(folder: str, leaving: Iterable[str], default: str) -> str:
    """The name of a folder, or of the next above it whose name is not one of the layout's own."""
    parts = os.path.realpath(folder).replace("\\", "/").strip("/").split("/")
    own = [part for part in parts if part and part not in leaving]
    return own[-1] if own else default


def list_below(folder: str, problems: Problems, prefix: str = "") -> dict[str, str]:
    """Every file below the folder by its name in the layout; no link is followed."""
    found: dict[str, str] = {}
    for here, folders, names in os.walk(folder):
        folders.sort()
        below = os.path.relpath(here, folder).replace(os.sep, "/")
        for name in sorted(names):
            shown = prefix + (name if below == "." else f"{below}/{name}")
            add_file(found, shown, os.path.join(here, name), problems)
    return found


def add_file(found: dict[str, str], shown: str, place: str, problems: Problems) -> None:
    """Add a file by its name in the layout, if it is one and no link to one."""
    if os.path.islink(place) or not os.path.isfile(place):
        problems.append((shown, "no regular file"))
    else:
        found[shown] = place


def _read(place: str, name: str, problems: Problems) -> bytes | None:
    try:
        if os.path.getsize(place) > _MOST_BYTES:
            problems.append((name, f"over {_MOST_BYTES // 2**20} MiB"))
            return None
        with open(place, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError as error:
        problems.append((name, error.strerror or "can't be read"))
        return None
