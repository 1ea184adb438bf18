"""Which older facts turn historical, against three hundred pairs of statements judged by hand.

Each pair is of one subject: an older and a newer statement, whether they contradict each other,
go together, say the same or differ because time passed, and whether someone who keeps the notes
with care would hold the older one for no longer so. The rules were not made by these pairs, nor
these by the rules: a pair whose text was read for mending a rule measures nothing any more, so
what was judged wrongly is told by its id unless the texts are asked for.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PAIRS = Path(__file__).with_name("contradictions.jsonl")
LABELS = ("contradictory", "compatible", "duplicate", "temporal")
TYPES = ("person", "company", "project")


class Pair(NamedTuple):
    """Two statements about one subject, with the days they were made on, and what they are to each
    other; `historical` where the older one no longer holds, and `why` that is so."""

    id: str
    subject: str
    type: str
    older: str
    older_day: str
    newer: str
    newer_day: str
    label: str
    historical: bool
    why: str


class Judged(NamedTuple):
    """A pair and what was made of it: the kind of verdict, and whether the older one turned."""

    pair: Pair
    verdict: str
    turned: bool

    @property
    def wrong(self) -> bool:
        """Whether the older one turned and should not have, or the other way round."""
        return self.turned != self.pair.historical


def load_pairs(path: Path = PAIRS) -> list[Pair]:
    """The pairs of a file, one JSON object a line. Raises ValueError for one not of the form."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_read(number, json.loads(line)) for number, line in enumerate(lines, 1)]


def _read(number: int, said: dict[str, Any]) -> Pair:
    older, newer = said.pop("older"), said.pop("newer")
    days = {"older_day": older["date"], "newer_day": newer["date"]}
    pair = Pair(**said, older=older["text"], newer=newer["text"], **days)
    if pair.label not in LABELS or pair.type not in TYPES or type(pair.historical) is not bool:
        raise ValueError(f"line {number}: unknown label or type, or historical is no boolean")
    return pair


def judge_pair(pair: Pair) -> Judged:
    """What the rules make of the newer statement where the older one is known."""
    from engrain.model.facts.fact import Fact
    from engrain.model.facts.judging import SUPERSEDES, judge

    older, newer = (
        Fact(id_, text, entity_type=pair.type, created_at=f"{day}T12:00:00Z", trust="operator")
        for id_, text, day in (
            ("older", pair.older, pair.older_day),
            ("newer", pair.newer, pair.newer_day),
        )
    )
    first = [pair.subject.split()[0]] if pair.type == "person" else []
    verdict = judge(newer, [older], [pair.subject, *first])
    return Judged(pair, verdict.kind, verdict.kind == SUPERSEDES)


def score(judged: Sequence[Judged]) -> dict[str, Any]:
    """Precision and recall of what turned historical, and the verdicts by label."""
    right = sum(one.turned and one.pair.historical for one in judged)
    turned = sum(one.turned for one in judged)
    should = sum(one.pair.historical for one in judged)
    return {
        "pairs": len(judged),
        "should_turn": should,
        "turned": turned,
        "rightly": right,
        "precision": round(right / turned, 3) if turned else None,
        "recall": round(right / should, 3) if should else None,
        "verdicts": {
            label: dict(Counter(one.verdict for one in judged if one.pair.label == label))
            for label in LABELS
        },
        "wrong": {
            label: {
                "hidden": _ids(judged, label, lambda one: one.wrong and one.turned),
                "kept": _ids(judged, label, lambda one: one.wrong and not one.turned),
            }
            for label in LABELS
        },
    }


def _ids(judged: Iterable[Judged], label: str, wanted: Callable[[Judged], bool]) -> list[str]:
    return [one.pair.id for one in judged if one.pair.label == label and wanted(one)]


def render(result: dict[str, Any], *, wrong: bool = False) -> str:
    """The figures as lines for a person."""
    lines = [
        f"{result['pairs']} pairs; the older one should turn in {result['should_turn']}",
        f"turned {result['turned']}, {result['rightly']} of them rightly:"
        f" precision {result['precision']}, recall {result['recall']}",
    ]
    for label, verdicts in result["verdicts"].items():
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(verdicts.items()))
        lines.append(f"{label:14} {counts}")
        if wrong:
            lines += [
                f"  {how}: {' '.join(ids)}" for how, ids in result["wrong"][label].items() if ids
            ]
    return "\n".join(lines)


def _show(judged: Iterable[Judged]) -> str:
    return "\n\n".join(
        f"{one.pair.id} {one.pair.label}: {one.verdict}, should"
        f"{'' if one.pair.historical else ' not'} turn ({one.pair.why})\n"
        f"  {one.pair.older_day} {one.pair.older}\n  {one.pair.newer_day} {one.pair.newer}"
        for one in judged
        if one.wrong
    )


def main(arguments: Sequence[str]) -> None:
    """Judge all pairs and print how well that went."""
    parser = argparse.ArgumentParser(
        prog="bench --contradictions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="as JSON, with the ids of the wrong")
    parser.add_argument("--wrong", action="store_true", help="the ids of the misjudged, by label")
    parser.add_argument("--show", action="store_true", help="the texts of the misjudged as well")
    args = parser.parse_args(arguments)
    judged = [judge_pair(pair) for pair in load_pairs()]
    result = score(judged)
    print(json.dumps(result, indent=2) if args.json else render(result, wrong=args.wrong))
    if args.show:
        print("\n" + _show(judged))
