"""Other tools' memories and layouts for `engrain import`: how each is found by a path and read."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from engrain.adapters.cli.base import Answer, BaseCommand
from engrain.adapters.cli.deciding import Importing, run_import
from engrain.adapters.present.text import clean_line, counted
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import LEFT_OUT, Imported
from engrain.engine.verbs.intake import Terms
from engrain.interchange import living, loki, three_layer
from engrain.interchange.importing import NO_PART
from engrain.interchange.living import LIVING_LAYOUT
from engrain.interchange.loki import LOKI
from engrain.interchange.table import Layout
from engrain.interchange.three_layer import THREE_LAYER
from engrain.interchange.ways.table import WAYS, recognise
from engrain.learn.transcripts.hosts import open_transcript
from engrain.model.errors import MalformedError, UsageError
from engrain.resolution.files import read_date
from engrain.resolution.selector import find_folder_project
from engrain.resolution.source_tree import open_tree
from engrain.seam.derived import Progress
from engrain.seam.source_tree import SourceTree

_Problems: TypeAlias = "list[tuple[str, str]]"
_MOST_BYTES = 64 * 1024 * 1024
"""Larger files are reported and left alone, as files are read whole."""


@dataclass(frozen=True, slots=True)
class _LayoutFolder:
    """Where the folder of a layout lies: in one of the folders `within` a path. It contains a
    folder named in `marks`, or a file that matches `files`. The whole is known by the name of its
    folder, or of the next above it that is not in `own`. `prefix` comes before the names of its
    files, and `beside` is the name of a file that may lie beside it, if the folder ends so."""

    layout: Layout
    _: KW_ONLY
    title: str
    within: tuple[str, ...]
    marks: tuple[str, ...]
    remedy: str
    own: tuple[str, ...]
    files: str = ""
    prefix: str = ""
    beside: tuple[str, str] = ("", "")

    def find(self, path: str) -> str:
        """Return the folder of the layout that a path means. Raises UsageError."""
        for below in self.within:
            folder = os.path.join(path, below) if below else path
            if any(os.path.isdir(os.path.join(folder, name)) for name in self.marks):
                return folder
            if self.files and glob.glob(self.files, root_dir=folder):
                return folder
        message = f"no memory of {self.title}" if os.path.isdir(path) else "no such folder"
        raise UsageError(f"{message}: {path}", path=path, remedy=self.remedy)

    def list_files(self, folder: str, problems: _Problems) -> dict[str, str]:
        """Return every file of the layout by its name there; no link is followed."""
        found: dict[str, str] = {}
        for here, folders, names in os.walk(folder):
            folders.sort()
            below = os.path.relpath(here, folder).replace(os.sep, "/")
            for name in sorted(names):
                shown = self.prefix + (name if below == "." else f"{below}/{name}")
                _add_file(found, shown, shown, os.path.join(here, name), problems)
        name, ending = self.beside
        place = os.path.join(folder, os.pardir, name)
        real = os.path.realpath(folder).replace("\\", "/")
        if name and name not in found and real.endswith(ending) and os.path.lexists(place):
            shown = name if self.prefix else f"../{name}"
            _add_file(found, name, shown, place, problems)
        return found


def _add_file(
    found: dict[str, str], name: str, shown: str, place: str, problems: _Problems
) -> None:
    if os.path.islink(place) or not os.path.isfile(place):
        problems.append((shown, "no regular file"))
    else:
        found[name] = place


def import_tree(args: Importing, layout: str, path: str, name: str | None) -> int:
    """Take in the folder of a layout, or one that it lies in; the exit code."""
    place = LAYOUTS[layout]
    folder = place.find(path)
    refuse_vault(args, folder)
    problems: _Problems = []
    files = place.list_files(folder, problems)
    above = os.path.realpath(folder).replace("\\", "/").split("/")
    known = [part for part in above if part and part not in place.own]

    def take(memory: Memory, progress: Progress | None, terms: Terms) -> Imported:
        unread: _Problems = []

        def read() -> Iterator[tuple[str, bytes]]:
            names = place.layout.in_reading_order(files)
            for number, file in enumerate(names, 1):
                raw = _read(files[file], file, unread)
                if raw is not None:
                    yield file, raw
                if progress:
                    progress(number, len(names))

        terms.date_of = lambda file: read_date(files[file])
        imported = memory.exchange.import_layout(
            layout,
            read(),
            name=name or (known[-1] if known else layout),
            project=args.project,
            terms=terms,
        )
        passed = filter(place.layout.passes_over, files)
        imported.passed_over += [(path, NO_PART, 1) for path in passed]
        for path, why in (*problems, *unread):
            imported.count(LEFT_OUT)
            imported.report(path, why)
        return imported

    return run_import(args, take)


def refuse_vault(args: BaseCommand, path: str) -> None:
    """Raise UsageError where the vault lies in a folder of the layout, or the other way round."""
    ours, theirs = (os.path.realpath(place) for place in (args.resolve().location, path))
    if f"{theirs}/".startswith(f"{ours}/") or f"{ours}/".startswith(f"{theirs}/"):
        raise UsageError(
            "the folder contains the vault, or is inside it",
            path=path,
            remedy="name a folder outside of the vault",
        )


def _read(place: str, name: str, problems: _Problems) -> bytes | None:
    try:
        if os.path.getsize(place) > _MOST_BYTES:
            problems.append((name, f"over {_MOST_BYTES // 2**20} MiB"))
            return None
        with open(place, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError as error:
        problems.append((name, error.strerror or "can't be read"))
        return None


LAYOUTS = {
    place.layout.name: place
    for place in (
        _LayoutFolder(
            LOKI,
            title="the loki layout",
            within=("", "memory", os.path.join(".loki", "memory")),
            marks=tuple(loki.FOLDERS),
            remedy="name a .loki/memory folder, or the one it lies in",
            own=("memory", ".loki"),
            beside=("CONTINUITY.md", "/.loki/memory"),
        ),
        _LayoutFolder(
            THREE_LAYER,
            title="three layers",
            within=(three_layer.FOLDER, ""),
            marks=("entities",),
            remedy="name the workspace that has MEMORY.md and memory/, or its folder memory",
            own=(three_layer.FOLDER,),
            files="[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].md",
            prefix=f"{three_layer.FOLDER}/",
            beside=(three_layer.MEMORY, f"/{three_layer.FOLDER}"),
        ),
        _LayoutFolder(
            LIVING_LAYOUT,
            title="the living layout",
            within=("", "memory"),
            marks=tuple(living.FOLDERS),
            remedy=f"name the folder that has {', '.join(living.FOLDERS)}",
            own=("memory",),
        ),
    )
}


AUTO = "auto"


def import_way(args: Importing, name: str, path: str) -> int:
    """Import another tool's memory; return the exit code."""
    tree = open_tree(path)
    project = args.project or (find_folder_project(os.environ, path) if name == "rules" else None)

    def take(memory: Memory, progress: Progress | None, terms: Terms) -> Imported:
        return memory.exchange.import_items(
            name, tree, project=project, terms=terms, progress=progress
        )

    return run_import(args, take)


def recognise_way(path: str) -> str:
    """Return the format of a file, or of a folder without notes; `obsidian` for any other."""
    if os.path.lexists(path):
        tree = open_tree(path)
        if not os.path.isdir(path) or not tree.ending(".md"):
            return next(iter(recognise(tree)), "obsidian")
    return "obsidian"


def show_ways(path: str) -> Answer:
    """Report by which formats a path can be imported, and import nothing."""
    tree = open_tree(path)
    found = recognise(tree)
    ways = [(name, WAYS[name].title, count, path) for name, count in found.items()]
    ways += _find_more(tree, path)
    data = {"path": tree.folder, "ways": [{"format": way[0], "files": way[2]} for way in ways]}
    if notes := sum(file.endswith(".md") for file in tree.files):
        ways.append(("obsidian", "a folder of notes", notes, path))
    lines = [
        f"{name}: {title}, {counted(count, 'file')}\n"
        f"  engrain import {name} {clean_line(place)} --dry-run"
        for name, title, count, place in ways
    ]
    return data, lines or ["nothing here is of a format that import knows"]


def _find_more(tree: SourceTree, path: str) -> Iterator[tuple[str, str, int, str]]:
    """Yield the ways in that read more than one tree, or other files: the name, the title, the
    number of files and the place of each."""
    for index in tree.named("MEMORY.md"):
        folder = index.rpartition("/")[0]
        count = sum(one.rpartition("/")[0] == folder for one in tree.ending(".md")) - 1
        yield "claude-memory", "Claude Code's own memory", count, os.path.join(path, folder)
    if count := sum(_is_transcript(tree, one) for one in tree.ending(".jsonl")):
        yield "transcripts", "sessions of an agent's host", count, path
    for name, place in LAYOUTS.items():
        with suppress(UsageError):
            files = place.list_files(place.find(path), [])
            yield name, f"a memory of {place.title}", len(files), path


def _is_transcript(tree: SourceTree, name: str) -> bool:
    try:
        open_transcript(tree.read_beginning(name).encode().splitlines(keepends=True))
    except MalformedError:
        return False
    return True
