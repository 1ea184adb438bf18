"""Hooks as a host runs them: a whole process an event, in turn with `python -c pass`.

Vaults of all sizes stand side by side and are asked in turn too, so that what one is to another
does not depend on when it was asked; only their servers run one after the other.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bench import corpus
from bench.desk import EVENTS, SERVER_ALONE, Desk, time_process
from bench.measure import percentile, spread

QUESTIONS = 200
RUNS = 60
"""Processes of each event, and of each large prompt."""
_PROMPTS_AFTER = 10
"""Prompts in a session whose start was missed, before it counts as never completed."""
_WARMING = 5.0  # seconds of the compilers before anything is timed
LARGE = {"1_mb": 1_000_000, "10_mb": 10_000_000}


class Case(NamedTuple):
    """What is timed: an event of ours, its session of each run, and the prompt of each run."""

    event: str
    session: Callable[[int], str]
    prompt: Callable[[int], str]


def run(sizes: list[int], folder: Path, static_folder: str | None) -> list[dict[str, object]]:
    """The figures of every size: of words alone and, given token vectors, with those."""
    below = folder / "hooks"
    shutil.rmtree(below, ignore_errors=True)
    os.environ["ENGRAIN_EMBEDDER"] = "none"
    desks = [Desk(below / str(size), size) for size in sizes]
    for desk in desks:
        print(f"making a vault of {desk.size} entries …", file=sys.stderr)
        desk.fill()
        desk.configure(embedder="none")
    print("hooks with words alone …", file=sys.stderr)
    figures = {**_measure(desks, _events()), **_measure(desks, _large())}
    figures |= _measure_prompts(desks, "words")
    print("hooks beside a compiler …", file=sys.stderr)
    figures |= _measure_busy(desks, below)
    if static_folder:
        for desk in desks:
            print(f"vectors of {desk.size} entries …", file=sys.stderr)
            desk.configure(embedder="static")
            desk.embed()
        print("hooks with vectors …", file=sys.stderr)
        figures |= _measure_prompts(desks, "static")
    shutil.rmtree(below)
    text = corpus.sentences()[0]
    return [
        {"entries": size, "text": text, **{name: found[place] for name, found in figures.items()}}
        for place, size in enumerate(sizes)
    ]


def _events() -> dict[str, Case]:
    """A session's events, one after another, in a session a run."""
    return {
        event.replace("-", "_"): Case(event, "session-{}".format, lambda _: "")
        for event in EVENTS
        if event != "prompt"
    }


def _large() -> dict[str, Case]:
    """Questions before a paste of so many bytes."""
    questions = corpus.real_questions(RUNS)
    lines = "\n".join(corpus.sentences()[1])

    def paste(size: int, number: int) -> str:
        text = f"{questions[number]}\n" + lines * (size // len(lines) + 1)
        return text[:size]

    return {
        f"prompt_{name}": Case("prompt", f"{name}-{{}}".format, partial(paste, size))
        for name, size in LARGE.items()
    }


def _measure_prompts(desks: Sequence[Desk], name: str) -> dict[str, list[dict[str, object]]]:
    """Questions, each in a fresh session: answered cold, then by a server of each desk in turn,
    whose jobs run meanwhile."""
    prompt = corpus.real_questions(QUESTIONS).__getitem__
    cold = {name: Case("prompt", f"{name}-{{}}".format, prompt)}
    served = f"{name}_served"
    figures = _measure(desks, cold, QUESTIONS)
    found: list[dict[str, Any]] = []
    for desk in desks:
        with desk.serving():
            cases = {served: Case("prompt", f"{name}-served-{{}}".format, prompt)}
            found += _measure([desk], cases, QUESTIONS, SERVER_ALONE)[served]
    for one in found:
        one["growth"] = round(one["p50_ms"] / found[0]["p50_ms"], 2)
    return {**figures, served: found}


def _measure_busy(desks: Sequence[Desk], folder: Path) -> dict[str, list[dict[str, object]]]:
    """Prompts and starts while a compiler uses every core; then starts beside four compilers a
    core, and what became of those that were missed."""
    prompt = corpus.real_questions(RUNS).__getitem__
    cases = {
        "busy_prompt": Case("prompt", "busy-prompt-{}".format, prompt),
        "busy_start": Case("session-start", "busy-start-{}".format, lambda _: ""),
    }
    cores = os.cpu_count() or 1
    with _compiling(cores, folder):
        figures = _measure(desks, cases)
    with _compiling(4 * cores, folder):
        missed = [_miss_starts(desk, prompt) for desk in desks]
    return {**figures, "missed": missed}


def _miss_starts(desk: Desk, prompt: Callable[[int], str]) -> dict[str, object]:
    """Sessions whose start did not bring all that it must; of those, how many got it with a prompt
    whose hook completed, or that no hook completed in."""
    missed = made_up = incomplete = 0
    for number in range(RUNS):
        session = f"missed-{number}"
        told = desk.tell("session-start", session)[1]
        if desk.has_started(told):
            continue
        missed += 1
        for turn in range(_PROMPTS_AFTER):
            since = time.time()
            told += desk.tell("prompt", session, prompt(turn))[1]
            if not desk.count_losses(since, "prompt"):
                made_up += desk.has_started(told)
                break
        else:
            incomplete += 1
    return {"starts": RUNS, "missed": missed, "made_up": made_up, "incomplete": incomplete}


@contextmanager
def _compiling(processes: int, folder: Path) -> Iterator[None]:
    """So many compilers of the standard library at work for the length of the block."""
    library = os.path.dirname(os.__file__)
    code = (
        f"import compileall\nwhile True: compileall.compile_dir({library!r}, quiet=2, force=True)"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPYCACHEPREFIX": str(folder / f"compiled-{number}")},
            stderr=subprocess.DEVNULL,
        )
        for number in range(processes)
    ]
    time.sleep(_WARMING)
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def _measure(
    desks: Sequence[Desk],
    cases: Mapping[str, Case],
    runs: int = RUNS,
    more: Mapping[str, str] | None = None,
) -> dict[str, list[dict[str, object]]]:
    """Each case at each size, in the order of the desks, all in turn with a bare interpreter."""
    since = time.time()
    bare: list[float] = []
    took: dict[tuple[str, int], list[float]] = {}
    answered = dict.fromkeys(((name, desk.size) for name in cases for desk in desks), 0)
    for number in range(runs):
        bare.append(
            time_process([sys.executable, "-c", "pass"], b"{}", desks[0].environment, None)[0]
        )
        for name, case in cases.items():
            for desk in desks:
                seconds, printed = desk.tell(
                    case.event, case.session(number), case.prompt(number), more
                )
                took.setdefault((name, desk.size), []).append(seconds)
                answered[name, desk.size] += bool(printed)
    return {
        name: [
            {
                **_compare(took[name, desk.size], bare),
                "answered": f"{answered[name, desk.size]} of {runs}",
                "lost": desk.count_losses(since, case.event),
                "growth": _grow(took[name, desk.size], took[name, desks[0].size]),
            }
            for desk in desks
        ]
        for name, case in cases.items()
    }


def _compare(took: Sequence[float], bare: Sequence[float]) -> dict[str, object]:
    tails = percentile(took, 0.95) / percentile(bare, 0.95)
    return {
        **spread(took),
        "floor": spread(bare),
        "ratio": round(statistics.median(took) / statistics.median(bare), 2),
        "ratio_p95": round(tails, 2),
    }


def _grow(took: Sequence[float], smallest: Sequence[float]) -> float:
    return round(statistics.median(took) / statistics.median(smallest), 2)
