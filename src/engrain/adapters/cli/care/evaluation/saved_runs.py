"""Where measured runs are kept: JSON files in the state folder of this device, or anywhere."""

from __future__ import annotations

import json
import os

from engrain.evaluation.summary import Run, read_run
from engrain.model.errors import MalformedError, NotFoundError, UsageError

_FOLDER = "evaluations"


def find_folder(state_dir: str) -> str:
    """The folder of the runs that have a name."""
    return os.path.join(state_dir, _FOLDER)


def find_place(folder: str, name: str) -> str:
    """Where a run of this name is kept; what looks like a path is one. Raises UsageError."""
    if name.endswith(".json") or os.path.basename(name) != name:
        return os.path.expanduser(name)
    if not name.replace("-", "").replace("_", "").replace(".", "").isalnum() or name[0] == ".":
        raise UsageError(f"{name!r} is no name for a run", remedy="use letters, digits and dashes")
    return os.path.join(folder, f"{name}.json")


def read_saved(folder: str, name: str) -> Run:
    """A run by name or path. Raises NotFoundError, MalformedError."""
    path = find_place(folder, name)
    try:
        raw = read_bytes(path)
    except NotFoundError:
        raise NotFoundError(
            f"no saved run {name!r}", path=path, remedy="`engrain eval runs` lists them"
        ) from None
    try:
        return read_run(raw, name)
    except MalformedError as error:
        error.path = path
        raise


def list_saved(folder: str) -> list[dict[str, object]]:
    """Name, time, question set and path of every run in `folder`, by name; what is no run is
    left out."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    runs: list[dict[str, object]] = []
    for name in names:
        path = os.path.join(folder, name)
        try:
            saved = json.loads(read_bytes(path))
            described = {"set": saved["data"]["set"], "saved": saved["saved"], "path": path}
        except (ValueError, LookupError, TypeError, UsageError):
            continue
        runs.append({"name": name.removesuffix(".json"), **described})
    return runs


def read_bytes(path: str) -> bytes:
    """A file that was named on the command line. Raises NotFoundError, UsageError."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except FileNotFoundError:
        raise NotFoundError(f"{path} is not there", path=path, remedy="name a file") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder", path=path, remedy="name a file") from None


def prepare_place(path: str) -> None:
    """See to it that `path` can be written, before hours are spent on what goes there.

    Raises UsageError.
    """
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder", path=path, remedy="name a file")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise UsageError(f"{path} can't be written", path=path, remedy="name another file")


def write_json(path: str, value: object) -> None:
    """Write a value as a JSON file, in place of what was there."""
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(value, file, ensure_ascii=True, indent=1)
        file.write("\n")
