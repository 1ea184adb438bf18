"""Pairs of instructions that an operator gives one after the other, and how often reflection tells
what the newer one means for the older: both stay, it takes its place, or it says the same.

The pairs are in two halves, drawn by a fixed seed: `tune`, by which rules were made, and `held`,
which is only measured. `--wrong` shows those of the first half that were misjudged.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from engrain.language.statements.instructions import compare, read_instruction
from engrain.language.statements.verdicts import CONTRADICT, REPEAT

PAIRS = Path(__file__).with_name("instructions.txt")
BOTH, CHANGE, AGAIN = "both", "change", "same"
TUNE, HELD = "tune", "held"
_SEED = 20_541


class Pair:
    """Two instructions and what the newer one is to the older: both, change or same."""

    def __init__(self, label: str, category: str, older: str, newer: str) -> None:
        self.label = label
        self.category = category
        self.older = older
        self.newer = newer


def load_pairs() -> dict[str, list[Pair]]:
    """The pairs of each half."""
    label = category = ""
    pairs: list[Pair] = []
    for line in PAIRS.read_text().splitlines():
        if line.startswith("## "):
            category = line[3:]
        elif line in (f"# {BOTH}", f"# {CHANGE}", f"# {AGAIN}"):
            label = line[2:]
        elif "=>" in line:
            older, newer = line.split(" => ")
            pairs.append(Pair(label, category, older, newer))
    random.Random(_SEED).shuffle(pairs)
    middle = len(pairs) // 2
    return {TUNE: pairs[:middle], HELD: pairs[middle:]}


def judge(pair: Pair) -> str:
    """What reflection says of a pair, in the words of the labels."""
    verdict = compare(read_instruction(pair.newer), read_instruction(pair.older))
    relation = "" if verdict.doubtful else verdict.relation
    return {CONTRADICT: CHANGE, REPEAT: AGAIN}.get(relation, BOTH)


def score(pairs: Iterable[Pair]) -> dict[str, float]:
    """Shares from 0 to 1: `replaced falsely` and `lost` of the pairs in which both stay, `found`
    of the changes, `lost` (told as known) of all that say something new, `met` of the same."""
    counts = Counter((pair.label, judge(pair)) for pair in pairs)
    of = Counter[str]()
    for (label, _), number in counts.items():
        of[label] += number
    return {
        "replaced falsely": counts[BOTH, CHANGE] / of[BOTH],
        "found": counts[CHANGE, CHANGE] / of[CHANGE],
        "lost": (counts[BOTH, AGAIN] + counts[CHANGE, AGAIN]) / (of[BOTH] + of[CHANGE]),
        "met": counts[AGAIN, AGAIN] / of[AGAIN],
    }


def main(arguments: Sequence[str]) -> None:
    """Print the figures of both halves."""
    for half, pairs in load_pairs().items():
        print(half, Counter(pair.label for pair in pairs), *(
            f"{name} {share:.3f}" for name, share in score(pairs).items()
        ))  # fmt: skip
        for pair in pairs:
            if half == TUNE and "--wrong" in arguments and judge(pair) != pair.label:
                print(f"  {pair.label} told as {judge(pair)}: {pair.older} => {pair.newer}")
