"""The folder layouts of other memories, by the names that `--format` has for them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from engrain.adapters.cli.care.imports.folders import (
    Layout,
    Problems,
    add_file,
    find_among,
    last_name,
    list_below,
    refuse_path,
)
from engrain.model.interchange import living, three_layer
from engrain.model.interchange.loki import layout as loki

_FOLDER = three_layer.FOLDER
_WITHIN = ("", "memory", os.path.join(".loki", "memory"))


def _find_loki(path: str) -> str:
    """The folder of the layout that a path means. Raises UsageError."""
    folder = find_among(path, _WITHIN, loki.FOLDERS)
    if folder is None:
        remedy = "name a .loki/memory folder, or the one it lies in"
        raise refuse_path(path, "the loki layout", remedy)
    return folder


def _list_loki(folder: str, problems: Problems) -> dict[str, str]:
    found = list_below(folder, problems)
    beside = os.path.join(folder, os.pardir, loki.CONTINUITY)
    if loki.CONTINUITY not in found and _is_loki(folder) and os.path.lexists(beside):
        # Where the hosts of that layout keep it.
        told: Problems = []
        add_file(found, loki.CONTINUITY, beside, told)
        problems += [(f"../{name}", why) for name, why in told]
    return found


def _is_loki(folder: str) -> bool:
    parts = os.path.realpath(folder).replace("\\", "/").split("/")
    return parts[-2:] == [".loki", "memory"]


LOKI = Layout(
    "loki",
    find=_find_loki,
    list_files=_list_loki,
    order=loki.in_reading_order,
    # What a tree is known by: the folder that `.loki/memory` lies in.
    name_tree=lambda folder: last_name(folder, ("memory", ".loki"), "loki"),
)


def _find_three_layer(path: str) -> str:
    """The folder `memory` of the workspace that a path means. Raises UsageError."""
    found = find_among(path, (_FOLDER, ""), ("entities",))
    if found is None and _has_days(path):
        found = os.path.join(path, _FOLDER)
    if found is None:
        remedy = "name the workspace that has MEMORY.md and memory/, or its folder memory"
        raise refuse_path(path, "three layers", remedy)
    return found


def _has_days(path: str) -> bool:
    try:
        names = os.listdir(os.path.join(path, _FOLDER))
    except OSError:
        return False
    return any(three_layer.day_in(name) for name in names)


def _list_three_layer(folder: str, problems: Problems) -> dict[str, str]:
    """The files of the folder, and the one that lies beside it."""
    told: Problems = []
    found = list_below(folder, told, f"{_FOLDER}/")
    beside = os.path.join(folder, os.pardir, three_layer.MEMORY)
    named = os.path.basename(os.path.realpath(folder)) == _FOLDER
    if named and os.path.lexists(beside):
        add_file(found, three_layer.MEMORY, beside, told)
    problems += [one for one in told if three_layer.part_at(one[0])]
    return found


def _find_living(path: str) -> str:
    """The folder of the layout that a path means. Raises UsageError."""
    folder = find_among(path, ("", "memory"), living.FOLDERS)
    if folder is None:
        remedy = f"name the folder that has {', '.join(living.FOLDERS)}"
        raise refuse_path(path, "the living layout", remedy)
    return folder


THREE_LAYER = Layout(
    "three-layer",
    find=_find_three_layer,
    list_files=_list_three_layer,
    order=three_layer.in_reading_order,
    name_tree=lambda folder: last_name(folder, (_FOLDER,), "three-layer"),
)
LIVING = Layout(
    "living",
    find=_find_living,
    list_files=list_below,
    order=living.in_reading_order,
    name_tree=lambda folder: last_name(folder, ("memory",), "living"),
)

LAYOUTS: Mapping[str, Layout] = {layout.name: layout for layout in (LOKI, THREE_LAYER, LIVING)}
