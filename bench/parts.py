"""What each part of the moment is worth: four labelled sets, with each part left out in turn.

python -m bench.parts                     words alone
python -m bench.parts --embedder static   with the vectors that ship
python -m bench.parts --json

Of each part the mean without it, and the paired difference with its 95 % interval. The sets are the
development halves, by which some parts were chosen: what they show is which parts can go.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from bench import failed_calls, typed_questions, updates
from bench.corpus import DATA
from bench.labelled import SPLITS, read_lines
from bench.sets.asking import calibrate_vault, open_temporary
from bench.sets.measurement import list_everything
from bench.sets.metrics import MetricDifference, Resampling
from engrain.engine.recall import answering, gathering, meaning, ranking, rejection
from engrain.index import english, matching, text
from engrain.language.telling import MOST

Scores = dict[str, list[float]]
"""Measure -> a figure for each of its cases."""

FIRST = 1_767_225_600.0
DAY = 86_400.0
SHOWN = 3


def _nothing(*_: object, **__: object) -> None:
    """Stand for a part that is left out."""


PARTS: Mapping[str, tuple[object, str, object]] = {
    "a title is strong text": (rejection, "LABELLED", 0.5),
    "words of other languages": (matching, "find_function_words", lambda _: frozenset()),
    "short numbers": (english, "_NUMBERS", (1.0,)),
    "a model's nearness": (rejection, "JUDGING", (rejection.USUAL, 1.0)),
    "synonyms": (text, "_read_synonyms", dict),
    "near spellings": (matching, "_RESPELT", 0),
    "telling parts of logs": (meaning, "find_telling", lambda said: said[:MOST]),
    "each entry judged": (ranking, "_mark_unfit", _nothing),
    "codes of errors": (gathering, "credit_codes", _nothing),
    "whole titles": (gathering, "credit_titles", _nothing),
    "times and kinds": (gathering, "credit_time", _nothing),
    "newer first": (answering, "put_newer_first", lambda ranked, *_: (list(ranked), {})),
}
"""The parts by name, each with the object and the attribute that leaves it out."""


@contextmanager
def without(part: str) -> Iterator[None]:
    """Leave out one part, none for ""."""
    if not part:
        yield
        return
    owner, name, value = PARTS[part]
    with patch.object(owner, name, value):
        yield


def measure_moment() -> Scores:
    """Return what the prompts of a developer get of 300 memories."""
    folder = DATA / "moment"
    if not folder.exists():
        return {}
    memories, prompts = (
        json.loads((folder / name).read_text("utf-8"))
        for name in ("memories.json", "prompts_dev.json")
    )
    scores: Scores = {"moment: recall": [], "moment: useful of given": [], "moment: silent": []}
    with open_temporary("") as memory:
        ids = {}
        for number, one in enumerate(memories):
            made = FIRST + number * DAY
            saved = memory.save(one["text"], title=one["title"], kind=one["kind"], created=made)
            ids[saved.id] = one["id"]
        memory.scan()
        _embed(memory)
        calibrate_vault(memory)
        for prompt in prompts:
            found = memory.recall(prompt["q"], limit=5, budget=1500, scan=False).results
            given = [ids[one.row.id] for one in found]
            gold = set(prompt["gold"])
            if gold:
                scores["moment: recall"].append(len(gold & set(given)) / len(gold))
            else:
                scores["moment: silent"].append(float(not given))
            useful = len(gold.union(prompt["also"]).intersection(given))
            scores["moment: useful of given"].append(useful / len(given) if given else 1.0)
    return scores


def _embed(memory: Any) -> None:
    if os.environ["ENGRAIN_EMBEDDER"] != "none":
        memory.embed()


def measure_calls() -> Scores:
    """Return whether failed calls get their fix, and others nothing."""
    calls = [call for call in failed_calls.read_calls() if call.split == SPLITS[0]]
    fixed, silent = [], []
    with open_temporary("") as memory:
        titles = failed_calls.fill(memory)
        for call in calls:
            given = failed_calls.ask_at_tool(memory, call)[: failed_calls.SHOWN]
            if call.fits:
                fixed.append(float(any(titles[id_] in given for id_ in call.fits)))
            else:
                silent.append(float(not given))
    return {"failed calls: fixed": fixed, "failed calls: silent": silent}


def measure_updates() -> Scores:
    """Return whether the newer of two statements comes first, and others stay in their order."""
    pairs = [pair for pair in updates.read_pairs() if pair.split == SPLITS[0]]
    with open_temporary("") as memory:
        asked = updates.ask(memory, pairs)
    return {
        "updates: newer first": [float(one.right) for one in asked if one.pair.update],
        "updates: others in order": [float(one.right) for one in asked if not one.pair.update],
    }


def measure_typed() -> Scores:
    """Return whether a person's questions find the right note among the first three shown."""
    labels = read_lines(typed_questions.FOLDER / "questions.jsonl")
    with open_temporary(str(typed_questions.FOLDER / "vault")) as memory:
        memory.scan()
        _embed(memory)
        places = {row.id: str(row.locator) for row in list_everything(memory)}
        found = []
        for label in labels:
            if label["split"] == SPLITS[0]:
                recall = memory.recall(label["question"])
                shown = [*recall.results, *recall.nearest][:SHOWN]
                first = {places[one.row.id] for one in shown}
                found.append(float(not first.isdisjoint(label["notes"])))
    return {"typed questions: shown": found}


SETS: Sequence[Callable[[], Scores]] = (
    measure_moment,
    measure_calls,
    measure_updates,
    measure_typed,
)


def measure(part: str = "") -> Scores:
    """Ask every set, without one part unless it is ""."""
    with without(part):
        return {name: values for one in SETS for name, values in one().items()}


def compare(whole: Scores, less: Scores) -> dict[str, dict[str, object]]:
    """Return for each measure its mean without the part, and what the part adds."""
    found: dict[str, dict[str, object]] = {}
    for name, values in whole.items():
        difference = MetricDifference(less[name], values, Resampling(len(values)))
        low, high = difference.interval
        found[name] = {
            "without": round(difference.before, 3),
            "adds": round(difference.difference, 3),
            "interval": [round(low, 3), round(high, 3)],
        }
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(
        prog="bench.parts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--embedder", default="none", choices=("none", "static", "local"))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(arguments)
    os.environ["ENGRAIN_EMBEDDER"] = args.embedder
    whole = measure()
    means = {name: round(sum(values) / len(values), 3) for name, values in whole.items()}
    parts = {part: compare(whole, measure(part)) for part in PARTS}
    if args.json:
        print(json.dumps({"whole": means, "parts": parts}, indent=2))
        return
    print("\n".join(f"{name:<28}{value:>7}" for name, value in means.items()))
    for part, found in parts.items():
        print(f"\nwithout: {part}")
        for name, row in found.items():
            if row["adds"]:
                adds = f"the part adds {row['adds']} {row['interval']}"
                print(f"  {name:<26}{row['without']:>7}  {adds}")


if __name__ == "__main__":
    main()
