"""Folders of other memories' layouts: how each is found by a path and read for `engrain import`."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from engrain.adapters.cli.deciding import run_import
from engrain.adapters.cli.options import Arguments, resolve_from
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import LEFT_OUT, Imported
from engrain.engine.verbs.intake import Terms
from engrain.model.errors import UsageError
from engrain.model.interchange import living, loki, three_layer
from engrain.resolution.files import read_date
from engrain.seam.derived import Progress

_Problems: TypeAlias = "list[tuple[str, str]]"
_MOST_BYTES = 64 * 1024 * 1024
"""Larger files are reported and left alone, as files are read whole."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """A layout. Its folder lies in one of the folders `within` a path, and contains a folder named
    in `marks`. `list_files` returns its files by their names in the layout, `order` the names in
    the order in which they are read. The whole is known by the name of its folder, or of the next
    above it that is not in `own`."""

    name: str
    _: KW_ONLY
    title: str
    within: tuple[str, ...]
    marks: tuple[str, ...]
    remedy: str
    own: tuple[str, ...]
    list_files: Callable[[str, _Problems], Mapping[str, str]]
    order: Callable[[Iterable[str]], list[str]]

    def find(self, path: str) -> str:
        """Return the folder of the layout that a path means. Raises UsageError."""
        for below in self.within:
            folder = os.path.join(path, below) if below else path
            if any(os.path.isdir(os.path.join(folder, name)) for name in self.marks):
                return folder
        folder = os.path.join(path, three_layer.FOLDER)
        names = glob.glob("*", root_dir=folder)
        if self.name == "three-layer" and any(map(three_layer.day_in, names)):
            return folder
        message = f"no memory of {self.title}" if os.path.isdir(path) else "no such folder"
        raise UsageError(f"{message}: {path}", path=path, remedy=self.remedy)


def import_tree(args: Arguments, name: str, path: str) -> int:
    """Take in the folder of a layout, or one that it lies in; the exit code."""
    layout = LAYOUTS[name]
    if args.kind or args.tag:
        raise UsageError(
            f"import of the {layout.name} layout takes no --kind or --tag",
            remedy="these are in its files",
        )
    folder = layout.find(path)
    refuse_vault(args, folder)
    problems: _Problems = []
    files = layout.list_files(folder, problems)
    above = os.path.realpath(folder).replace("\\", "/").split("/")
    known = [part for part in above if part and part not in layout.own]

    def take(memory: Memory, progress: Progress | None, terms: Terms) -> Imported:
        unread: _Problems = []

        def read() -> Iterator[tuple[str, bytes]]:
            names = layout.order(files)
            for number, name in enumerate(names, 1):
                raw = _read(files[name], name, unread)
                if raw is not None:
                    yield name, raw
                if progress:
                    progress(number, len(names))

        terms.date_of = lambda name: read_date(files[name])
        imported = memory.exchange.import_layout(
            layout.name,
            read(),
            name=args.name or (known[-1] if known else layout.name),
            project=args.project,
            allow_erased=args.allow_erased,
            terms=terms,
        )
        for path, why in (*problems, *unread):
            imported.count(LEFT_OUT)
            imported.tell(path, why)
        return imported

    return run_import(args, take)


def refuse_vault(args: Arguments, path: str) -> None:
    """Raise UsageError where the vault lies in a folder of the layout, or the other way round."""
    ours, theirs = (os.path.realpath(place) for place in (resolve_from(args).location, path))
    if f"{theirs}/".startswith(f"{ours}/") or f"{ours}/".startswith(f"{theirs}/"):
        raise UsageError(
            "the folder contains the vault, or is inside it",
            path=path,
            remedy="name a folder outside of the vault",
        )


def _list_below(folder: str, problems: _Problems, prefix: str = "") -> dict[str, str]:
    """Return every file below the folder by its name in the layout; no link is followed."""
    found: dict[str, str] = {}
    for here, folders, names in os.walk(folder):
        folders.sort()
        below = os.path.relpath(here, folder).replace(os.sep, "/")
        for name in sorted(names):
            shown = prefix + (name if below == "." else f"{below}/{name}")
            _add_file(found, shown, os.path.join(here, name), problems)
    return found


def _add_file(found: dict[str, str], shown: str, place: str, problems: _Problems) -> None:
    if os.path.islink(place) or not os.path.isfile(place):
        problems.append((shown, "no regular file"))
    else:
        found[shown] = place


def _list_loki(folder: str, problems: _Problems) -> dict[str, str]:
    found = _list_below(folder, problems)
    beside = os.path.join(folder, os.pardir, loki.CONTINUITY)
    parts = os.path.realpath(folder).replace("\\", "/").split("/")
    is_hosted = parts[-2:] == [".loki", "memory"]  # hosts of that layout keep the file beside it
    if loki.CONTINUITY not in found and is_hosted and os.path.lexists(beside):
        refused: _Problems = []
        _add_file(found, loki.CONTINUITY, beside, refused)
        problems += [(f"../{name}", why) for name, why in refused]
    return found


def _list_three_layer(folder: str, problems: _Problems) -> dict[str, str]:
    refused: _Problems = []
    found = _list_below(folder, refused, f"{three_layer.FOLDER}/")
    beside = os.path.join(folder, os.pardir, three_layer.MEMORY)
    is_named = os.path.basename(os.path.realpath(folder)) == three_layer.FOLDER
    if is_named and os.path.lexists(beside):
        _add_file(found, three_layer.MEMORY, beside, refused)
    problems += [one for one in refused if three_layer.part_at(one[0])]
    return found


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
    layout.name: layout
    for layout in (
        _Layout(
            "loki",
            title="the loki layout",
            within=("", "memory", os.path.join(".loki", "memory")),
            marks=tuple(loki.FOLDERS),
            remedy="name a .loki/memory folder, or the one it lies in",
            own=("memory", ".loki"),
            list_files=_list_loki,
            order=loki.in_reading_order,
        ),
        _Layout(
            "three-layer",
            title="three layers",
            within=(three_layer.FOLDER, ""),
            marks=("entities",),
            remedy="name the workspace that has MEMORY.md and memory/, or its folder memory",
            own=(three_layer.FOLDER,),
            list_files=_list_three_layer,
            order=three_layer.in_reading_order,
        ),
        _Layout(
            "living",
            title="the living layout",
            within=("", "memory"),
            marks=tuple(living.FOLDERS),
            remedy=f"name the folder that has {', '.join(living.FOLDERS)}",
            own=("memory",),
            list_files=_list_below,
            order=living.in_reading_order,
        ),
    )
}
