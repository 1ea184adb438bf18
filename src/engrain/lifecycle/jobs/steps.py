"""The loop that several jobs share: one step after the other, as long as there is time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engrain.lifecycle.jobs.job import Report, Run
from engrain.model.errors import ConflictError, NotFoundError


@dataclass(slots=True, eq=False)
class Step:
    """One step of a job: the word that it is counted under, what it is done to and why (by id), and
    the function that does it, which returns None where there was nothing to do."""

    word: str
    about: str
    do: Callable[[], object]


def do_steps(run: Run, steps: Iterable[Step | None], words: Sequence[str]) -> Report:
    """Do the steps, or with a dry run only report them, and count them under these words. A step
    whose entry has changed or gone meanwhile is left for the next run. None stands for an entry
    that nothing is done to, after which the time is looked at too."""
    counts = dict.fromkeys(words, 0)
    lines: list[str] = []
    for step in steps:
        if run.out_of_time():
            return Report(counts, lines, unfinished=True)
        if step is None:
            continue
        try:
            done = run.dry_run or step.do() is not None
        except (ConflictError, NotFoundError):
            continue
        if done:
            counts[step.word] += 1
            lines.append(f"{step.word} {step.about}")
    return Report(counts, lines)
