"""What every evaluation needs of the command line: vaults to ask, and where runs are kept."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from engrain.adapters.cli.care.evaluation.saved_runs import find_folder
from engrain.adapters.cli.options import Arguments
from engrain.api.memory import Memory
from engrain.evaluation.measurement import MakeSearch
from engrain.model.errors import EngrainError, MalformedError
from engrain.resolution.settings import default_state_dir, load_settings
from engrain.seam.clock import Entropy
from engrain.wiring import make_plain_search, open_memory


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
