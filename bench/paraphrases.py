"""Recall by meaning: prompts that share no telling word with the memory they are about.

python tasks.py bench --paraphrases                     words alone, static vectors, the local model
python tasks.py bench --paraphrases --embedders static  one of them
python tasks.py bench --paraphrases --notes FOLDER      among the notes of a folder too

Each prompt of `paraphrases.jsonl` goes to `engrain hook prompt`, a process a prompt and a session
each, in a vault of the sample and of the memories that are meant; with the local model a server is
up, as hooks use its warm one. A hook that runs out of time is run again, and counted under
`repeated`. Found: the memory is in what the hook prints. `chosen` may be looked
at while something is chosen, `check` only shows what came of it. Beside them: the share of foreign
prompts of the development set (`foreign`, and `nameless` without their names) that get nothing, and
of the sample's own questions that do (`own`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

from bench.corpus import DATA, SAMPLE
from bench.desk import SERVER_ALONE, Desk
from bench.measure import describe_machine
from bench.sets.foreign import thin
from bench.sets.questions import read_foreign
from engrain.adapters.cli.care.demo import PROJECT, SampleClock, save_sample

PAIRS = Path(__file__).with_name("paraphrases.jsonl")
EMBEDDERS = ("none", "static", "local")
SPLITS = ("chosen", "check")
_ATTEMPTS = 30


def main(arguments: list[str]) -> None:
    """Measure every embedder and print the shares as JSON."""
    parser = argparse.ArgumentParser(
        prog="bench --paraphrases",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--embedders", default=",".join(EMBEDDERS))
    parser.add_argument("--notes", type=Path, help="a folder of notes to put beside the memories")
    parser.add_argument("--foreign", type=int, default=100, help="foreign prompts, at most")
    args = parser.parse_args(arguments)
    found = {}
    for embedder in args.embedders.split(","):
        print(f"asking with {embedder} …", file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="engrain-paraphrases-") as folder:
            found[embedder] = measure(embedder, Path(folder), args.notes, args.foreign)
    print(json.dumps({"machine": describe_machine(), "paraphrases": found}, indent=2))


def measure(embedder: str, folder: Path, notes: Path | None, foreign: int) -> dict[str, object]:
    """The shares with one embedder."""
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    desk = Desk(folder)
    make_vault(desk, pairs, notes)
    desk.configure(embedder=embedder)
    if embedder != "none":
        desk.embed()
    desk.calibrate()
    figures: dict[str, object] = {}
    served = embedder == "local"
    asker = _Asker(desk, SERVER_ALONE if served else {})
    with desk.serving() if served else nullcontext():
        missed = []
        for split in SPLITS:
            asked = [pair for pair in pairs if pair["split"] == split]
            lost = [
                pair["prompt"] for pair in asked if pair["title"] not in asker.ask(pair["prompt"])
            ]
            figures[split] = round(1 - len(lost) / len(asked), 3)
            missed += lost
        for kind, prompts in _list_others(foreign).items():
            silent = [not asker.ask(prompt) for prompt in prompts]
            figures[f"{kind}_silent"] = round(sum(silent) / len(silent), 3)
    return {**figures, "repeated": asker.repeated, "missed": missed}


def make_vault(desk: Desk, pairs: list[dict[str, str]], notes: Path | None) -> None:
    """The sample, the memories that are meant, and some notes beside them."""
    desk.take(notes) if notes else desk.make_places()
    clock = SampleClock()
    with desk.open(PROJECT, clock) as memory:
        for _ in save_sample(memory, clock):
            pass
    with desk.open(PROJECT) as memory:
        for pair in pairs:
            memory.save(pair["text"], title=pair["title"], kind=pair["kind"])


class _Asker:
    """Runs prompt hooks, each until it is not out of time."""

    def __init__(self, desk: Desk, more: Mapping[str, str]) -> None:
        self._desk = desk
        self._more = more
        self.repeated = 0

    def ask(self, prompt: str) -> str:
        """What the hook puts into the context."""
        for attempt in range(_ATTEMPTS):
            since = time.time()
            _, printed = self._desk.tell("prompt", f"{prompt}-{attempt}", prompt, self._more)
            if not self._desk.count_losses(since, "prompt"):
                break
            self.repeated += 1
        told = json.loads(printed) if printed else {}
        return str(told.get("hookSpecificOutput", {}).get("additionalContext", ""))


def _list_others(most: int) -> dict[str, list[str]]:
    questions = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line) for line in questions]
    others = {"own": [one["question"] for one in asked if one.get("expected")]}
    prompts = DATA / "prompts" / "foreign_dev.jsonl"
    if prompts.exists():
        foreign = thin(read_foreign(prompts.read_bytes()), most)
        others["foreign"] = [prompt.text for prompt in foreign]
        others["nameless"] = [prompt.nameless for prompt in foreign if prompt.nameless]
    return others


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main(sys.argv[1:])
