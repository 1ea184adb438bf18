"""`import --format loki`: the files of a `.loki/memory` folder."""

from __future__ import annotations

import os

from engrain.adapters.cli.care.imports.folders import (
    Layout,
    Problems,
    add_file,
    find_among,
    last_name,
    list_below,
    refuse_path,
)
from engrain.model.interchange.loki.layout import CONTINUITY, FOLDERS, in_reading_order

_WITHIN = ("", "memory", os.path.join(".loki", "memory"))


def _find_folder(path: str) -> str:
    """The folder of the layout that a path means. Raises UsageError."""
    folder = find_among(path, _WITHIN, FOLDERS)
    if folder is None:
        remedy = "name a .loki/memory folder, or the one it lies in"
        raise refuse_path(path, "the loki layout", remedy)
    return folder


def _list_files(folder: str, problems: Problems) -> dict[str, str]:
    found = list_below(folder, problems)
    beside = os.path.join(folder, os.pardir, CONTINUITY)
    if CONTINUITY not in found and _is_loki(folder) and os.path.lexists(beside):
        # Where the hosts of that layout keep it.
        told: Problems = []
        add_file(found, CONTINUITY, beside, told)
        problems += [(f"../{name}", why) for name, why in told]
    return found


def _is_loki(folder: str) -> bool:
    parts = os.path.realpath(folder).replace("\\", "/").split("/")
    return parts[-2:] == [".loki", "memory"]


LOKI = Layout(
    "loki",
    find=_find_folder,
    list_files=_list_files,
    order=in_reading_order,
    # What a tree is known by: the folder that `.loki/memory` lies in.
    name_tree=lambda folder: last_name(folder, ("memory", ".loki"), "loki"),
    take=lambda memory, files, options: memory.import_loki(files, **options),
)
