"""`import --format loki`: the files of a `.loki/memory` folder."""

from __future__ import annotations

import os

from engrain.adapters.cli.options import open_from, resolve_from
from engrain.adapters.present.records import describe_imported
from engrain.adapters.present.text import import_lines
from engrain.model.errors import UsageError
from engrain.model.loki.layout import CONTINUITY, FOLDERS, in_reading_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from engrain.adapters.cli.console import Console

    Problems = list[tuple[str, str]]

_WITHIN = ("", "memory", os.path.join(".loki", "memory"))
_MOST_BYTES = 64 * 1024 * 1024
"""Larger files are told and left alone: they are read whole."""


def import_loki(args: argparse.Namespace, console: Console, path: str) -> int:
    """Take in a `.loki/memory` folder, or one that it lies in; the exit code."""
    if getattr(args, "kind", None) or getattr(args, "tag", None):
        raise UsageError(
            "import of the loki layout takes no --kind or --tag",
            remedy="its own files say what each memory is",
        )
    folder = _find_folder(path)
    refuse_vault(args, folder)
    problems: Problems = []
    files = _list_files(folder, problems)
    args.trust = args.trust or "external"
    with open_from(args) as memory, console.progress("importing") as progress:

        def read() -> Iterator[tuple[str, bytes]]:
            for number, name in enumerate(in_reading_order(files), 1):
                raw = _read(files[name], name, problems)
                if raw is not None:
                    yield name, raw
                if progress:
                    progress(number, len(files))

        imported = memory.import_loki(
            read(), name=args.name or _name(folder), project=getattr(args, "project", None)
        )
    imported.problems += problems
    return console.answer(
        "import", describe_imported(imported), import_lines(imported, console.style)
    )


def refuse_vault(args: argparse.Namespace, path: str) -> None:
    """Raise UsageError where the vault lies in a folder of the layout, or the other way round."""
    ours, theirs = (os.path.realpath(place) for place in (resolve_from(args).location, path))
    if f"{theirs}/".startswith(f"{ours}/") or f"{ours}/".startswith(f"{theirs}/"):
        raise UsageError(
            "the vault lies in it, or it in the vault",
            path=path,
            remedy="name a folder outside of the vault",
        )


def _find_folder(path: str) -> str:
    """The folder of the layout that a path means. Raises UsageError."""
    for below in _WITHIN:
        folder = os.path.join(path, below) if below else path
        if any(os.path.isdir(os.path.join(folder, name)) for name in FOLDERS):
            return folder
    what = "no such folder" if not os.path.isdir(path) else "no memory of the loki layout"
    raise UsageError(
        f"{what}: {path}",
        path=path,
        remedy="name a .loki/memory folder, or the one it lies in",
    )


def _name(folder: str) -> str:
    """What a tree is known by: the folder that `.loki/memory` lies in."""
    parts = os.path.realpath(folder).replace("\\", "/").strip("/").split("/")
    own = [part for part in parts if part not in ("memory", ".loki", "")]
    return own[-1] if own else "loki"


def _list_files(folder: str, problems: Problems) -> dict[str, str]:
    """Every file below the folder by its name in the layout; no link is followed."""
    found: dict[str, str] = {}
    for here, folders, names in os.walk(folder):
        folders.sort()
        below = os.path.relpath(here, folder).replace(os.sep, "/")
        for name in sorted(names):
            place = os.path.join(here, name)
            shown = name if below == "." else f"{below}/{name}"
            if os.path.islink(place) or not os.path.isfile(place):
                problems.append((shown, "no regular file"))
            else:
                found[shown] = place
    beside = os.path.join(folder, os.pardir, CONTINUITY)
    if CONTINUITY not in found and _is_loki(folder) and os.path.lexists(beside):
        if os.path.islink(beside) or not os.path.isfile(beside):
            problems.append((f"../{CONTINUITY}", "no regular file"))
            return found
        found[CONTINUITY] = beside  # where the hosts of that layout keep it
    return found


def _is_loki(folder: str) -> bool:
    parts = os.path.realpath(folder).replace("\\", "/").split("/")
    return parts[-2:] == [".loki", "memory"]


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
