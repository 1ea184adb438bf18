"""How long hooks took, as each notes it when it has answered."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from engrain.adapters.hooks.main import BUDGETS, TIMES


@dataclass(slots=True, eq=False)
class Times:
    """How long the hooks of one event took since a moment: how many there were, the milliseconds of
    the median and the 95th percentile, those that it may take, and how many a server answered."""

    event: str
    count: int
    median: int
    p95: int
    budget: int
    warm: int


def read_times(state_dir: str, since: float) -> Sequence[Times]:
    """The times of each event since a moment (epoch seconds), in the order of a session."""
    took: dict[str, list[int]] = {event: [] for event in BUDGETS}
    warm = dict.fromkeys(BUDGETS, 0)
    for path in (os.path.join(state_dir, f"{TIMES}.1"), os.path.join(state_dir, TIMES)):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                lines = file.readlines()
        except OSError:
            continue
        for line in lines:
            try:
                at, event, _, ms, answered = line.split()
                if int(at) < since or event not in took:
                    continue
                took[event].append(int(ms))
                warm[event] += int(answered)
            except ValueError:
                continue
    return [
        Times(
            event,
            len(found),
            sorted(found)[len(found) // 2],
            sorted(found)[min(len(found) - 1, int(0.95 * len(found)))],
            round(BUDGETS[event] * 1000),
            warm[event],
        )
        for event, found in took.items()
        if found
    ]
