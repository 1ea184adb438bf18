"""Timing: medians and percentiles, whole processes, peak memory, and the machine it was on."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of them lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Median, 95th and 99th percentile in milliseconds."""
    return {
        "p50_ms": round(statistics.median(seconds) * 1000, 3),
        "p95_ms": round(percentile(seconds, 0.95) * 1000, 3),
        "p99_ms": round(percentile(seconds, 0.99) * 1000, 3),
    }


def timed(action: Callable[[], object]) -> float:
    """Seconds an action takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def write_durably(folder: Path, number: int, raw: bytes) -> None:
    """Write temp, fsync, rename, fsync folder: what any durable write costs."""
    temp = folder / "temp"
    file = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    os.write(file, raw)
    os.fsync(file)
    os.close(file)
    temp.rename(folder / f"{number}.md")
    directory = os.open(folder, os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)


def time_processes(
    commands: dict[str, list[str]], runs: int, environment: dict[str, str]
) -> dict[str, list[float]]:
    """Seconds of whole processes, in turn, so that a drifting machine drifts for all."""
    took: dict[str, list[float]] = {name: [] for name in commands}
    for run in range(runs + 2):
        for name, command in commands.items():
            seconds = timed(
                partial(
                    subprocess.run, command, env=environment, check=True, stdout=subprocess.DEVNULL
                )
            )
            if run >= 2:
                took[name].append(seconds)
    return took


# Linux counts what this process had when it forked into the child's ru_maxrss.
_PEAK = """
if os.path.exists("/proc/self/status"):
    with open("/proc/self/status") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
"""


def in_child(code: str, *arguments: str) -> dict[str, float]:
    """Run code in a fresh process that prints one JSON object; its peak memory is added, in MiB."""
    program = (
        "import json, os, resource, sys, time\n"
        f"{code}\n"
        f"{_PEAK}\n"
        "print(json.dumps({**result, 'peak_mib': round(peak / 1024, 1)}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], check=True, capture_output=True, text=True
    )
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def describe_machine() -> dict[str, str]:
    """What it ran on."""
    model = ""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as file:
            names = [line.partition(":")[2].strip() for line in file if "model name" in line]
        model = names[0] if names else ""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": f"{os.cpu_count()} cores {model}".strip(),
        "python": platform.python_version(),
        "load": f"{os.getloadavg()[0]:.1f}",
    }
