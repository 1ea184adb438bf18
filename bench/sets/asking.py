"""Ask question sets of temporary vaults."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from random import Random
from typing import TypeAlias, TypeVar

from bench.sets.haystacks import Haystack, Passage, QuestionSet
from bench.sets.measurement import (
    MakeSearch,
    Measured,
    Measurement,
    Respondent,
    list_everything,
    read_texts,
)
from engrain.api.memory import Memory
from engrain.engine.recall.profiles import Profile
from engrain.model.errors import EngrainError
from engrain.seam.clock import Entropy
from engrain.seam.derived import Progress
from engrain.wiring import open_memory

Opened = TypeVar("Opened", bound=Memory)
OpenTemporary: TypeAlias = "Callable[[str], AbstractContextManager[Opened]]"
"""A folder, or "" for an empty vault -> a memory over a copy that is removed after the block."""


def fill(
    memory: Memory, passages: Sequence[Passage], progress: Progress | None = None
) -> Respondent:
    """Save every passage as a session's hook would, and prepare the memory for questions."""
    names = {}
    for number, passage in enumerate(passages, 1):
        saved = memory.save(
            passage.text,
            title=passage.title,
            kind="memory",
            status="active",
            # Equal passages become two entries, as they are two in the question set.
            slug=f"passage-{number}",
            created=passage.created,
            source="session",
            ref=passage.thread,
        )
        names[saved.id] = passage.id
        if progress:
            progress(number, len(passages))
    memory.scan()
    memory.embed(progress)
    return Respondent(memory, names, texts=[(each.id, each.text) for each in passages])


def take_notes(memory: Memory, progress: Progress | None = None) -> Respondent:
    """Prepare a memory over a folder of notes for questions; a note's name is its file's name."""
    memory.scan(progress)
    memory.embed(progress)
    names = {
        row.id: str(row.locator).rpartition("/")[2].removesuffix(".md")
        for row in list_everything(memory)
    }
    return Respondent(memory, names, texts=read_texts(memory, names))


def measure_set(
    asked: QuestionSet,
    profile: Profile,
    open_temporary: OpenTemporary[Opened],
    *,
    units: Sequence[str],
    settle: Callable[[Opened], object] = lambda _: None,
    make_search: MakeSearch | None = None,
    progress: Progress | None = None,
) -> Measured:
    """Ask a question set, with one temporary vault for each haystack and unit.

    Silence is measured on the first of `units`; with `make_search` baselines are asked. `settle`
    prepares a filled vault before silence is measured on it. `progress` counts passages saved,
    passages embedded and questions asked.
    """
    total = sum(
        _count(haystack, unit == units[0]) for unit in units for haystack in asked.haystacks[unit]
    )
    measurement = Measurement(Measured(profile), make_search, total, progress)
    for unit in units:
        for haystack in asked.haystacks[unit]:
            with open_temporary(haystack.folder) as memory:
                if haystack.folder:
                    respondent = take_notes(memory, progress)
                else:
                    respondent = fill(memory, haystack.passages, progress)
                if unit == units[0]:
                    settle(memory)
                measurement.ask(
                    unit,
                    respondent,
                    haystack.questions,
                    haystack.foreign,
                    withhold=unit == units[0],
                )
    return measurement.measured


def _count(haystack: Haystack, withhold: bool) -> int:
    """Return the number of questions that a haystack is asked, without baselines."""
    own = len(haystack.questions)
    return own + (own + len(haystack.foreign) if withhold else 0)


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
        with open_memory(
            os.path.join(folder, "vault"),
            state_dir=os.path.join(folder, "state"),
            backend="device-local",
            create=True,
            keys_dir=os.path.join(folder, "state", "keys"),
            entropy=_SeededEntropy(),
        ) as memory:
            yield memory


def calibrate_vault(memory: Memory) -> None:
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
