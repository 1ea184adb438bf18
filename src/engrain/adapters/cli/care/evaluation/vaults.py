"""What every evaluation needs of the command line: vaults to ask, and where runs are kept."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from engrain.adapters.cli.options import Arguments
from engrain.api.memory import Memory
from engrain.evaluation.measurement import MakeSearch
from engrain.evaluation.summary import Run, read_run
from engrain.model.errors import EngrainError, MalformedError, NotFoundError, UsageError
from engrain.resolution.settings import default_state_dir, load_settings
from engrain.seam.clock import Entropy
from engrain.wiring import make_plain_search, open_memory

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


class _SeededEntropy(Entropy):
    """The same bytes in every evaluation, so that the ids of its entries are the same, and with
    them the questions that a vault is calibrated on."""

    def __init__(self) -> None:
        self._chance = Random(0)

    def draw(self, size: int) -> bytes:
        return self._chance.randbytes(size)


@contextmanager
def open_temporary(notes: str) -> Iterator[Memory]:
    """A memory over a copy of a folder of notes, or over an empty vault for "", configured as the
    user's, that is gone after the block."""
    with tempfile.TemporaryDirectory(prefix="engrain-eval-", ignore_cleanup_errors=True) as folder:
        vault, state = os.path.join(folder, "vault"), os.path.join(folder, "state")
        if notes:
            _copy_notes(notes, vault)
        with open_memory(
            vault,
            state_dir=state,
            backend="device-local",
            create=True,
            keys_dir=f"{state}/keys",
            entropy=_SeededEntropy(),
            also=(),
        ) as memory:
            yield memory


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Name the file that is wrong: whoever reads the bytes does not know it."""
    try:
        yield
    except MalformedError as error:
        error.path = error.path or path
        raise


def choose_search(args: Arguments) -> MakeSearch | None:
    """The plain full-text search that recall is measured against, unless it is not wanted."""
    return None if args.baselines is False else make_plain_search


def choose_calibration(args: Arguments) -> Callable[[Memory], None]:
    """What is done to a filled vault before it is asked: what the job of that name does overnight,
    unless that is not wanted."""
    return (lambda _: None) if args.calibrate is False else _calibrate


def settle(args: Arguments) -> tuple[str, str | None]:
    """The folder of saved runs and the profile in use; no vault need be configured."""
    flags = {name: getattr(args, name, None) for name in ("state_dir", "profile")}
    settings = load_settings(flags, os.environ, os.getcwd())
    state = settings["state_dir"].value or default_state_dir(os.environ)
    folder = find_folder(os.path.abspath(os.path.expanduser(state)))
    return folder, settings["profile"].value


def _calibrate(memory: Memory) -> None:
    """Run the job. Raises EngrainError where it fails."""
    for run in memory.jobs.run(["calibrate"]):
        if run.error:
            raise EngrainError(f"the vault can't be calibrated: {run.error}")


def _copy_notes(notes: str, vault: str) -> None:
    """Copy what is in a folder of notes; its modes may forbid writing and are not copied."""
    for folder, _, files in os.walk(notes):
        there = os.path.join(vault, os.path.relpath(folder, notes))
        os.makedirs(there, exist_ok=True)
        for name in files:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                shutil.copyfile(path, os.path.join(there, name))
