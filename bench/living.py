"""Two simulated years under each policy, for some seeds: figures as JSON and a plot.

python tasks.py bench --living --quick              three months of one world
python tasks.py bench --living --unseen --seeds 10 --out docs/figures
python tasks.py bench --living --policy decay --set decay.min_days=60
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench import living_habits as habits
from bench.living_plot import draw, require_matplotlib
from bench.living_run import POLICIES, Result, Week, run
from bench.measure import describe_machine

NAME = "living"
QUICK_DAYS = 91
UNSEEN = habits.SEED + 1000
"""The first of the worlds that are for publishing: no policy was tuned to them, and none may be."""

_STOCKS = ("saved", "live", "archived", "loaded", "loaded_tokens")
"""What a week ends with; everything else it counts."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="bench --living",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seeds", type=int, default=1, help="worlds, from the published seed on")
    parser.add_argument("--unseen", action="store_true", help=f"from seed {UNSEEN} on instead")
    parser.add_argument("--days", type=int, default=habits.DAYS)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_DAYS} days")
    parser.add_argument("--policy", choices=POLICIES, action="append", help="all, if none is named")
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="a setting, such as decay.min_days=60",
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, help="a folder for the figures and the plot")
    parser.add_argument("--no-plot", action="store_true", help="figures alone, without matplotlib")
    args = parser.parse_args(arguments)
    days = QUICK_DAYS if args.quick else args.days
    settings = dict(one.split("=", 1) for one in args.settings)
    first = UNSEEN if args.unseen else habits.SEED
    seeds = range(first, first + args.seeds)
    if args.out and not args.no_plot:
        require_matplotlib()  # rather than after an hour
    results = _run_all(seeds, args.policy or list(POLICIES), days, settings, args.processes)
    figures: dict[str, Any] = {
        "machine": describe_machine(),
        "days": days,
        "seeds": list(seeds),
        "settings": settings,
        "policies": {
            policy: _summarise([result for result in results if result.policy == policy])
            for policy in args.policy or POLICIES
        },
    }
    if args.out:
        _write(figures, args.out, plot=not args.no_plot)
    means = {policy: found["mean"] for policy, found in figures["policies"].items()}
    print(json.dumps({**figures, "policies": means}, indent=1))


def _write(figures: dict[str, Any], folder: Path, *, plot: bool) -> None:
    """All figures, by seed and by week, and their plot."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{NAME}.json").write_text(json.dumps(figures, indent=1) + "\n")
    if plot:
        draw(figures, folder / f"{NAME}.png")


def _run_all(
    seeds: Iterable[int],
    policies: Sequence[str],
    days: int,
    settings: dict[str, str],
    processes: int,
) -> list[Result]:
    """Every world under every policy, each in a process of its own, in a settled order."""
    # A process for each: what the `ram:` backend holds is gone with it.
    pool = ProcessPoolExecutor(processes, get_context("spawn"), max_tasks_per_child=1)
    with pool:
        jobs = [
            pool.submit(run, seed, policy, days, settings) for seed in seeds for policy in policies
        ]
        for done in as_completed(jobs):
            result = done.result()
            print(f"{result.seed} {result.policy}: {result.seconds:.0f} s", file=sys.stderr)
    return [job.result() for job in jobs]


def _summarise(results: Sequence[Result]) -> dict[str, Any]:
    """The mean over the seeds, the figures of each seed, and the mean of each week."""
    each = {result.seed: _figures_of(result) for result in results}
    names = next(iter(each.values()))
    return {
        "mean": {
            name: round(sum(figures[name] for figures in each.values()) / len(each), 4)
            for name in names
        },
        "by_seed": each,
        "weeks": {
            name: [
                round(sum(getattr(result.weeks[n], name) for result in results) / len(results), 2)
                for n in range(len(results[0].weeks))
            ]
            for name in Week._fields
        },
    }


def _figures_of(result: Result) -> dict[str, float]:
    """The figures of one world: shares of what was asked, stocks at the end."""
    last = result.weeks[-1]
    sums = {
        name: sum(getattr(week, name) for week in result.weeks)
        for name in Week._fields
        if name not in _STOCKS
    }
    asked, hits = result.asked_by_sleep, result.hits_by_sleep
    return {
        **{name: float(getattr(last, name)) for name in _STOCKS},
        "live_share": round(last.live / last.saved, 4),
        "peak_live": float(max(week.live for week in result.weeks)),
        "peak_loaded_tokens": float(max(week.loaded_tokens for week in result.weeks)),
        "asked": float(sums["asked"]),
        "hit_rate": _share(sums["hits"], sums["asked"]),
        "asked_sleepers": float(sums["slept"]),
        "hit_rate_sleepers": _share(sums["slept_hits"], sums["slept"]),
        "hit_rate_topic_slept": _share(hits.get("topic", 0), asked.get("topic", 0)),
        "hit_rate_project_slept": _share(hits.get("project", 0), asked.get("project", 0)),
        "wrongly_archived": float(result.wrongly_archived),
        "missed_by_archive": _share(sums["archive_misses"], sums["asked"]),
        "hit_rate_second": _share(sums["hits"] + sums["looked"], sums["asked"]),
        "silent_where_nothing_answers": _share(sums["silent"], sums["unanswerable"]),
        "seconds": round(result.seconds, 1),
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


if __name__ == "__main__":
    main()
