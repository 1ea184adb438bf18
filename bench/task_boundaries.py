"""Which prompts begin a task, and how the tasks ended?

python -m bench.task_boundaries            the share of prompts and of outcomes that are right
python -m bench.task_boundaries --json     with those that are not

`data/task_boundaries/README.md` says what the labels mean. They name lines of the transcripts of
the folder of data (ENGRAIN_DATA), whose text is not part of this project.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from bench.corpus import DATA
from bench.labelled import LABELLED, read_lines, share
from bench.screen_events import read_screen_events
from engrain.learn.transcripts.hosts import (
    TranscriptEvent,
    TranscriptSession,
    open_transcript,
    read_events,
)
from engrain.learn.transcripts.segments import BEGINS, BELONGS, NO_PROMPT, TaskFinder

LABELS = LABELLED / "task_boundaries" / "labels.jsonl"


def read_session(path: Path) -> Iterator[tuple[int, TranscriptSession | TranscriptEvent]]:
    """Yield what happened in a transcript, with the number of its line."""
    raw = path.read_bytes()
    if path.suffix == ".md":
        yield from read_screen_events(raw.decode(), path.stem)
        return
    host, lines = open_transcript(raw.splitlines(keepends=True))
    for event in read_events(host, lines, Counter()):
        yield (event.line if isinstance(event, TranscriptEvent) else 0), event


def measure(data: Path = DATA) -> dict[str, object]:
    """Compare the tasks that are found with the labels."""
    files = {
        sha256(path.read_bytes()).hexdigest()[:16]: path
        for path in sorted((data / "transcripts").rglob("*"))
        if path.suffix in (".md", ".jsonl")
    }
    rights, outcomes = [], []
    wrong: list[str] = []
    counts: Counter[str] = Counter()
    labels: dict[str, dict[int, dict[str, str]]] = {}
    for label in read_lines(LABELS):
        labels.setdefault(label["file"], {})[label["line"]] = label
    for digest, said in labels.items():
        if digest not in files:
            raise ValueError(f"no transcript {digest}")
        found = find_tasks(files[digest])
        told = find_tasks(files[digest], {line: one["label"] for line, one in said.items()})
        for line, label in said.items():
            got, outcome = found.get(line, (NO_PROMPT, ""))[0], told.get(line, ("", ""))[1]
            place = f"{files[digest].name}:{line} {label['label']}"
            rights.append(got == label["label"])
            counts["both"] += got == label["label"] == BEGINS
            counts["found"] += got == BEGINS
            counts["labelled"] += label["label"] == BEGINS
            wrong += [f"{place}, found {got}"] * (not rights[-1])
            if outcome and "outcome" in label:
                outcomes.append(outcome == label["outcome"])
                wrong += [f"{place} {label['outcome']}, found {outcome}"] * (not outcomes[-1])
    return {
        "prompts": len(rights),
        "boundaries right": share(rights),
        "beginnings: precision": round(counts["both"] / max(1, counts["found"]), 3),
        "beginnings: recall": round(counts["both"] / max(1, counts["labelled"]), 3),
        "tasks that ran a tool": len(outcomes),
        "outcomes right, by the labelled boundaries": share(outcomes),
        "wrong": wrong,
    }


def find_tasks(path: Path, told: Mapping[int, str] | None = None) -> dict[int, tuple[str, str]]:
    """Return by line what each prompt is, and of a task that ran a tool the outcome; `told` are the
    lines of prompts whose sort is not to be judged."""
    found: dict[int, tuple[str, str]] = {}

    def events() -> Iterator[TranscriptSession | TranscriptEvent]:
        for place, event in read_session(path):
            if isinstance(event, TranscriptEvent):
                event.line = place
            yield event

    judge = None if told is None else (lambda request, _: told.get(request.line, NO_PROMPT))
    for task in TaskFinder("bench", path.stem, judge).run(events()):
        found |= dict.fromkeys(task.lines, (BELONGS, ""))
        found[task.lines[0]] = BEGINS, task.outcome() if task.calls else ""
    return found


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="bench.task_boundaries", description=__doc__)
    parser.add_argument("--json", action="store_true", help="with what is wrong")
    args = parser.parse_args(arguments)
    if not (DATA / "transcripts" / "console").exists():
        sys.exit(f"the transcripts are not in {DATA} (ENGRAIN_DATA)")
    figures = measure()
    wrong = figures.pop("wrong")
    print("\n".join(f"{key}: {value}" for key, value in figures.items()))
    if args.json:
        print(json.dumps(wrong, indent=2))


if __name__ == "__main__":
    main()
