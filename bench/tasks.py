"""The recall before a task beside that of a prompt, in a vault with experience: of each thousand
entries a hundred are episodes, fifty patterns, ten anti-patterns, ten learnings and ten skills.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bench import corpus
from bench.measure import spread, time_processes, timed
from engrain import open_memory
from engrain.model.experience.patterns import (
    AntiPattern,
    Pattern,
    compose_anti_pattern,
    compose_pattern,
)
from engrain.model.note.note import compose_note

QUESTIONS = 200
COLD_RUNS = 20
_ACTIONS = ("read_file", "edit_file", "run_test", "run_command")
_COLD = """
import sys
from engrain import open_memory
memory = open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local", cold=True)
memory.recall(sys.argv[3], profile=sys.argv[4], scan=False)
"""


def measure(size: int, folder: Path) -> dict[str, object]:
    """Both recalls in turn, warm and as cold processes, by words alone."""
    vault, state = folder / "experienced", folder / "experienced-state"
    os.environ["ENGRAIN_EMBEDDER"] = "none"
    with open_memory(vault, state_dir=state, backend="device-local", create=True) as memory:
        for _ in corpus.write_mixed(vault / "Memory" / "active", size * 82 // 100):
            pass
        write_experience(vault / "Memory", size // 100)
        memory.reindex()
        questions = corpus.real_questions(QUESTIONS)
        took: dict[str, list[float]] = {"prompt": [], "task": []}
        answered = 0
        for question in questions:
            for profile, seconds in took.items():
                ask = partial(memory.recall, question, profile=profile, scan=False)
                seconds.append(timed(ask))
            answered += bool(memory.recall(question, profile="task", scan=False).results)
    return {
        **{name: spread(seconds) for name, seconds in took.items()},
        "ratio": _ratio(took),
        "answered": round(answered / len(questions), 3),
        "cold": _processes(vault, state, questions[0]),
    }


def write_experience(folder: Path, count: int, seed: int = 11) -> None:
    """Ten episodes, five patterns, an anti-pattern, a learning and a skill, `count` times."""
    _, pool = corpus.sentences()
    chance = random.Random(seed)
    for number in range(count):
        for part in range(10):
            _write_episode(folder, f"ep-{number}-{part}", chance.sample(pool, 4), number)
        for part in range(5):
            said = chance.sample(pool, 4)
            pattern = Pattern(
                f"sem-{number}-{part}", said[0], conditions=said[1:3], correct_approach=said[3],
                incorrect_approach=said[1], confidence=0.9,
            )  # fmt: skip
            _write_note(folder / "pattern" / f"{pattern.id}.md", *compose_pattern(pattern))
        said = chance.sample(pool, 3)
        anti = AntiPattern(
            f"anti-{number}", said[0], why=said[1], prevention=said[2], confidence=0.9,
            actions=[_ACTIONS[number % len(_ACTIONS)]],
        )  # fmt: skip
        _write_note(folder / "anti-pattern" / f"{anti.id}.md", *compose_anti_pattern(anti))
        learning = {
            "id": f"learning-{number}", "timestamp": _moment(number), "type": said[0],
            "message": said[1], "resolution": said[2], "lesson": said[2], "anti_pattern": anti.id,
        }  # fmt: skip
        _write(folder / "learnings" / "2026-01-06" / f"{learning['id']}.json", learning)
        steps = "\n".join(f"{step}. {text}" for step, text in enumerate(chance.sample(pool, 5), 1))
        body = f"# {said[0]}\n\n## Steps\n{steps}\n"
        skill = {"id": f"skill-{number}", "kind": "procedural", "status": "active"}
        _write_note(folder / "procedural" / f"skill-{number}.md", skill, body)


def _write_episode(folder: Path, id_: str, said: list[str], number: int) -> None:
    episode = {
        "id": id_, "task_id": f"task-{number}", "timestamp": _moment(number),
        "duration_seconds": 342, "agent": "bench",
        "context": {"phase": "work", "goal": said[0], "constraints": [], "files_involved": []},
        "action_log": [
            {"t": t, "action": _ACTIONS[t % 4], "target": f"src/part{t}.py"} for t in range(40)
        ],
        "outcome": "failure" if number % 5 == 0 else "success",
        "errors_encountered": [{"type": "error", "message": said[1], "resolution": said[2]}],
        "artifacts_produced": [], "git_commit": "",
    }  # fmt: skip
    _write(folder / "episodic" / "2026-01-06" / f"{id_}.json", episode)


def _moment(number: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_767_657_600 + number * 60))


def _write(path: Path, document: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2))


def _write_note(path: Path, fields: Mapping[str, object], body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(compose_note(fields, body).raw)  # type: ignore[arg-type]


def _processes(vault: Path, state: Path, question: str) -> dict[str, object]:
    arguments = [str(vault), str(state), question]
    commands = {
        name: [sys.executable, "-c", _COLD, *arguments, name] for name in ("prompt", "task")
    }
    took = time_processes(commands, COLD_RUNS, dict(os.environ))
    return {**{name: spread(seconds) for name, seconds in took.items()}, "ratio": _ratio(took)}


def _ratio(took: dict[str, list[float]]) -> float:
    return round(statistics.median(took["task"]) / statistics.median(took["prompt"]), 2)
