"""Measure one peer: recall, silence, speed, writers, kills, tools."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.measure import describe_machine, write_durably

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 900
WRITERS, SAVES = 4, 100
KILLS, COLD = 10, 5
SLOW_KILLS, SLOW_COLD = 3, 2
"""For a peer that takes a minute to start."""


class Place:
    """A peer's environment, from which its tasks are started."""

    def __init__(self, adapter: ModuleType, name: str, out: Path) -> None:
        self.adapter = adapter
        self.name = name
        self.is_slow = getattr(adapter, "IS_SLOW", False)
        self.home = out / "home" / name
        self.work = out / "work" / name
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        own = out / "environments" / name / "bin/python"
        self.python = str(own if own.exists() else sys.executable)
        self.variables = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("ENGRAIN_", "XDG_", "PYTHON"))
        }
        self.variables |= {"HOME": str(self.home), "PYTHONPATH": str(ROOT)}
        self.variables |= {"HF_HUB_OFFLINE": "1", **getattr(adapter, "ENVIRONMENT", {})}

    def start(self, folder: str, *words: str) -> subprocess.Popen[str]:
        """Start a task in a process group of its own."""
        task = [self.name, str(self.work / folder), str(self.home), *words]
        with (self.work / "errors").open("a") as errors:
            return subprocess.Popen(
                [self.python, "-m", "bench.peers.child", *task],
                env=self.variables, text=True, start_new_session=True, cwd=self.work,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
            )  # fmt: skip

    def run(self, folder: str, *words: str, given: str = "") -> list[Any]:
        """Run a task to its end and return what it printed."""
        process = self.start(folder, *words)
        try:
            printed, _ = process.communicate(given, timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed, _ = process.communicate()
        return [json.loads(line) for line in printed.splitlines() if line[:1] in "{["]


def measure(adapter: ModuleType, name: str, out: Path, data: Path) -> dict[str, object]:
    """Return all figures of a peer; a part that fails is named under `problems`."""
    place = Place(adapter, name, out)
    found: dict[str, object] = {"machine": describe_machine(), "floors": measure_floors(place.work)}
    problems = []
    for part in (count_tools, ask_prompts, search_cold, save_some, save_together, kill_writers):
        loads = os.getloadavg()[0]
        try:
            found |= part(place, data)
        except (ValueError, IndexError, KeyError, subprocess.SubprocessError) as error:
            problems.append(f"{part.__name__}: {type(error).__name__} {error}"[:300])
        found[f"load_{part.__name__}"] = round(max(loads, os.getloadavg()[0]), 1)
    return {**found, "problems": problems, "date": time.strftime("%Y-%m-%d")}


def measure_floors(folder: Path) -> dict[str, float]:
    """Return what any process and any durable write cost at this moment, in ms."""
    starts, writes = [], []
    for number in range(15):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        starts.append(time.perf_counter() - started)
        started = time.perf_counter()
        write_durably(folder, number, b"x" * 600)
        writes.append(time.perf_counter() - started)
        (folder / f"{number}.md").unlink()
    return {"process_ms": in_ms(starts), "durable_write_ms": in_ms(writes)}


def in_ms(seconds: list[float]) -> float:
    """Return the median in milliseconds."""
    return round(statistics.median(seconds) * 1000, 2)


def count_tools(place: Place, data: Path) -> dict[str, object]:
    """Count the tools that a host is given, and the tokens (characters / 4) of their texts."""
    if not hasattr(place.adapter, "serve"):
        return {}
    (told,) = place.run("tools", "tools")
    return {"tools": told["tools"], "tool_tokens": round(told["tool_characters"] / 4)}


def ask_prompts(place: Place, data: Path) -> dict[str, object]:
    """Save the memories and ask the prompts; recall and silence by the rule of the corpus."""
    memories, prompts = data / "memories.json", data / "prompts_dev.json"
    (told,) = place.run("main", "recall", str(memories), str(prompts))
    asked = json.loads(prompts.read_text(encoding="utf-8"))
    found = {int(number): ids for number, ids in told["found"].items()}
    given = {int(number): ids for number, (ids, _) in told["given"].items()}
    count = len(json.loads(memories.read_text(encoding="utf-8")))
    characters = [size for _, size in told["given"].values()]
    return {
        "recall": round(score_recall(asked, found), 3),
        "hit_at_1": round(score_first(asked, found), 3),
        "given_recall": round(score_recall(asked, given), 3),
        "junk_per_prompt": round(count_junk(asked, given), 2),
        "silent": round(score_silence(asked, given), 3),
        "tokens_per_prompt": round(statistics.mean(characters) / 4),
        "warm_search_ms": in_ms(told["searches_s"]),
        "bulk_per_s": round(count / told["bulk_s"], 1),
    }


def score_recall(asked: list[dict[str, Any]], found: dict[int, list[str]]) -> float:
    """Return the mean share of the labelled memories among those found."""
    own = [one for one in asked if one["gold"]]
    return statistics.mean(
        len(set(one["gold"]) & set(found[one["n"]])) / len(one["gold"]) for one in own
    )


def score_first(asked: list[dict[str, Any]], found: dict[int, list[str]]) -> float:
    """Return how often the first one found is labelled as useful."""
    own = [one for one in asked if one["gold"]]
    return statistics.mean(
        bool(found[one["n"]]) and found[one["n"]][0] in {*one["gold"], *one["also"]} for one in own
    )


def score_silence(asked: list[dict[str, Any]], given: dict[int, list[str]]) -> float:
    """Return the share of the prompts without a labelled memory that get nothing."""
    return statistics.mean(not given[one["n"]] for one in asked if not one["gold"])


def count_junk(asked: list[dict[str, Any]], given: dict[int, list[str]]) -> float:
    """Return how many memories that nobody labelled as useful a prompt gets."""
    useful = {one["n"]: {*one["gold"], *one["also"]} for one in asked}
    return statistics.mean(
        sum(id_ not in useful[number] for id_ in ids) for number, ids in given.items()
    )


def search_cold(place: Place, data: Path) -> dict[str, object]:
    """Time whole processes that open the memory and search once."""
    query = "why is the customer charged twice?"
    ask = getattr(place.adapter, "ask", None)
    took, floors = [], []
    for _ in range(SLOW_COLD if place.is_slow else COLD):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        floors.append(time.perf_counter() - started)
        started = time.perf_counter()
        if ask:
            command = [place.python, *ask(place.work / "main", query)]
            subprocess.run(command, env=place.variables, capture_output=True, check=True)
        else:
            place.run("main", "search", query)
        took.append(time.perf_counter() - started)
    return {
        "cold_search_ms": in_ms(took),
        "cold_search_ratio": round(statistics.median(took) / statistics.median(floors), 1),
        "cold_is_command": bool(ask),
    }


def save_some(place: Place, data: Path) -> dict[str, object]:
    """Time single saves on top of the corpus."""
    before = measure_floors(place.work)["durable_write_ms"]
    told = place.run("main", "save", "some", "50")
    floor = (before + measure_floors(place.work)["durable_write_ms"]) / 2
    save = in_ms([one["s"] for one in told if "mark" in one])
    return {
        "save_ms": save,
        "save_ratio": round(save / floor, 1),
        "refused": sum("refused" in one for one in told),
    }


def list_stored(place: Place, folder: str, marks: list[str]) -> int:
    """Return how many marks a new process finds in the memory."""
    told = place.run(folder, "stored", given=json.dumps(marks))
    return len(told[-1])


def save_together(place: Place, data: Path) -> dict[str, object]:
    """Let four processes save at once; count what was acknowledged and what is there."""
    place.run("together", "save", "before", "1")
    running = [place.start("together", "save", f"w{n}", str(SAVES)) for n in range(WRITERS)]
    marks, refused = [], 0
    until = time.monotonic() + LIMIT_S
    for process in running:
        try:
            printed, _ = process.communicate(timeout=max(1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed, _ = process.communicate()
        told = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
        marks += [one["mark"] for one in told if "mark" in one]
        refused += sum("refused" in one for one in told)
    stored = list_stored(place, "together", marks)
    return {
        "writers_acknowledged": len(marks),
        "writers_stored": stored,
        "writers_refused": refused,
    }


def kill_writers(place: Place, data: Path) -> dict[str, object]:
    """Kill a writer with its servers at random moments; count what it acknowledged and what a new
    process finds."""
    chance = random.Random(7)
    marks = []
    kills = SLOW_KILLS if place.is_slow else KILLS
    for trial in range(kills):
        process = place.start("killed", "save", f"k{trial}", "100000")
        assert process.stdout
        process.stdout.readline()
        first = process.stdout.readline()
        time.sleep(chance.uniform(0, 1.5))
        os.killpg(process.pid, signal.SIGKILL)
        printed = first + process.stdout.read()
        process.wait()
        lines = [line for line in printed.splitlines() if line.endswith("}")]
        marks += [one["mark"] for one in map(json.loads, lines) if "mark" in one]
    return {
        "kills": kills,
        "killed_acknowledged": len(marks),
        "killed_stored": list_stored(place, "killed", marks),
    }
