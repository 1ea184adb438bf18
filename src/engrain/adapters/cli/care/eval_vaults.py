"""What every evaluation needs of the command line: vaults to ask, and files of saved runs."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random

from engrain.adapters.cli.care.eval_figures import describe_run
from engrain.adapters.cli.options import Arguments, open_scratch
from engrain.adapters.present.records import Data
from engrain.api.memory import Memory
from engrain.evaluation.measurement import choose_profile, measure_set, measure_vault
from engrain.evaluation.question_set import Question, QuestionSet
from engrain.evaluation.summary import Report, Run, read_run
from engrain.model.errors import EngrainError, MalformedError, NotFoundError, UsageError
from engrain.resolution.settings import Setting, default_state_dir, load_settings
from engrain.seam.clock import Entropy
from engrain.seam.derived import Progress
from engrain.wiring import make_plain_search


def find_place(folder: str, name: str) -> str:
    """Return where a run of this name is kept; what looks like a path is one. Raises UsageError."""
    if name.endswith(".json") or os.path.basename(name) != name:
        return os.path.expanduser(name)
    if not name.replace("-", "").replace("_", "").replace(".", "").isalnum() or name[0] == ".":
        raise UsageError(f"{name!r} is no name for a run", remedy="use letters, digits and dashes")
    return os.path.join(folder, f"{name}.json")


def read_saved(folder: str, name: str) -> Run:
    """Read a run by name or path. Raises NotFoundError, MalformedError."""
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
    """List name, time, question set and path of every run in `folder`, by name."""
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
    """Read a file that was named on the command line. Raises NotFoundError, UsageError."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except FileNotFoundError:
        raise NotFoundError(f"{path} is not there", path=path, remedy="name a file") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder", path=path, remedy="name a file") from None


def prepare_place(path: str) -> None:
    """Make sure that `path` can be written, before hours are spent. Raises UsageError."""
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder", path=path, remedy="name a file")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise UsageError(f"{path} can't be written", path=path, remedy="name another file")


def keep_run(path: str, data: Data, rows: Mapping[str, object]) -> None:
    """Save a run under the name of its file."""
    name = os.path.basename(path).removesuffix(".json")
    write_json(path, describe_run(name, data, rows))


def write_json(path: str, value: object) -> None:
    """Write a value as a JSON file, in place of what was there."""
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(value, file, ensure_ascii=True, indent=1)
        file.write("\n")


class _SeededEntropy(Entropy):
    """The same bytes in every evaluation, so that entries have the same ids, and a vault is
    calibrated on the same questions."""

    def __init__(self) -> None:
        self._chance = Random(0)

    def draw(self, size: int) -> bytes:
        return self._chance.randbytes(size)


@contextmanager
def open_temporary(notes: str) -> Iterator[Memory]:
    """Open a memory over a copy of a folder of notes, or over an empty vault for "", configured as
    the user's; it is deleted after the block."""
    with tempfile.TemporaryDirectory(prefix="engrain-eval-", ignore_cleanup_errors=True) as folder:
        if notes:
            _copy_notes(notes, os.path.join(folder, "vault"))
        with open_scratch(folder, _SeededEntropy()) as memory:
            yield memory


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Add the path of the file to errors about its content."""
    try:
        yield
    except MalformedError as error:
        error.path = error.path or path
        raise


def _load(args: Arguments) -> dict[str, Setting]:
    flags = {name: getattr(args, name) for name in ("state_dir", "profile")}
    return load_settings(flags, os.environ, os.getcwd())


def find_folder(args: Arguments) -> str:
    """Return the folder of saved runs; no vault need be configured."""
    state = _load(args)["state_dir"].value or default_state_dir(os.environ)
    return os.path.join(os.path.abspath(os.path.expanduser(state)), "evaluations")


class Evaluation:
    """What the arguments of an evaluation choose: the `profile` that is measured, and in `kept` the
    file of the new run, None for none. Raises UsageError."""

    def __init__(self, args: Arguments) -> None:
        self.profile = choose_profile(_load(args)["profile"].value)
        self.kept = find_place(find_folder(args), args.save) if args.save else None
        if self.kept:
            prepare_place(self.kept)
        self._args = args
        # The plain full-text search that recall is measured against, unless it is not wanted.
        self._make_search = None if args.baselines is False else make_plain_search

    def measure_set(
        self, known: QuestionSet, name: str, units: Sequence[str], progress: Progress | None
    ) -> Report:
        """Ask the questions of a known set; its vaults are calibrated first, unless not wanted."""
        measured = measure_set(
            known,
            self.profile,
            open_temporary,
            units=units,
            settle=(lambda _: None) if self._args.calibrate is False else _calibrate,
            make_search=self._make_search,
            progress=progress,
        )
        return Report(name, measured, known.skipped)

    def measure_vault(
        self, memory: Memory, questions: Sequence[Question], name: str, progress: Progress | None
    ) -> Report:
        """Ask the user's own vault."""
        measured = measure_vault(
            memory,
            questions,
            self.profile,
            all_projects=self._args.all_projects,
            make_search=self._make_search,
            progress=progress,
        )
        return Report(name, measured)


def _calibrate(memory: Memory) -> None:
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
