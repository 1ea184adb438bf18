"""A later statement about the same subject comes first, one about another subject does not.

python -m bench.updates                 both halves, each in a vault of its own
python -m bench.updates --split dev     the half that may be looked at
python -m bench.updates --json          with the ids of the pairs that went wrong

`data/updates/README.md` says what the pairs are. All statements of a half are saved in the order of
their days, without titles, as a person or an agent saves them; then each question is recalled as a
prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bench.labelled import LABELLED, SPLITS, Figures, read_lines, run, share
from bench.sets.asking import open_temporary
from engrain.api.memory import Memory

FOLDER = LABELLED / "updates"


class Pair(NamedTuple):
    """Two statements with their days, and a question. `update` where the second replaces the first,
    so that the question is answered by it; else the first answers the question."""

    id: str
    split: str
    update: bool
    first: str
    first_day: str
    second: str
    second_day: str
    question: str


class Asked(NamedTuple):
    """A pair, the ranks of both statements in the recall for its question (None for one that was
    not found), and whether the first was retired when the second was saved."""

    pair: Pair
    first: int | None
    second: int | None
    retired: bool

    @property
    def found(self) -> bool:
        """Whether the statement that answers the question was found."""
        return (self.second if self.pair.update else self.first) is not None

    @property
    def both(self) -> bool:
        """Whether both statements were found."""
        return self.first is not None and self.second is not None

    @property
    def right(self) -> bool:
        """Whether the statement that answers was found, and not behind the other one."""
        answer, other = (self.second, self.first) if self.pair.update else (self.first, self.second)
        return answer is not None and (other is None or answer < other)


def read_pairs() -> list[Pair]:
    """Return the updates and the pairs that are none."""
    updates = [
        Pair(
            each["id"], each["split"], True, each["older"], each["older_day"],
            each["newer"], each["newer_day"], each["question"],
        )
        for each in read_lines(FOLDER / "updates.jsonl")
    ]  # fmt: skip
    apart = [
        Pair(
            each["id"], each["split"], False, each["first"], each["first_day"],
            each["second"], each["second_day"], each["question"],
        )
        for each in read_lines(FOLDER / "unrelated.jsonl")
    ]  # fmt: skip
    return updates + apart


def ask(memory: Memory, pairs: Sequence[Pair]) -> list[Asked]:
    """Save all statements by their days and ask the question of every pair."""
    statements = [(pair.first_day, pair.id, "first", pair.first) for pair in pairs]
    statements += [(pair.second_day, pair.id, "second", pair.second) for pair in pairs]
    ids = {}
    for day, pair_id, which, text in sorted(statements):
        ids[pair_id, which] = memory.save(text, created=day).id
    active = {row.id for row in memory.list().rows if row.status != "superseded"}
    asked = []
    for pair in pairs:
        results = memory.recall(pair.question, profile="prompt").results
        ranks = {found.row.id: rank for rank, found in enumerate(results, 1)}
        first, second = ids[pair.id, "first"], ids[pair.id, "second"]
        asked.append(Asked(pair, ranks.get(first), ranks.get(second), first not in active))
    return asked


def measure(splits: Sequence[str] = SPLITS, pairs: Sequence[Pair] | None = None) -> Figures:
    """Ask the pairs of the halves, each half in a vault of its own, and count."""
    asked: list[Asked] = []
    for split in splits:
        with open_temporary("") as memory:
            chosen = [pair for pair in pairs or read_pairs() if pair.split == split]
            asked += ask(memory, chosen)
    updates = [one for one in asked if one.pair.update]
    apart = [one for one in asked if not one.pair.update]
    return {
        "updates": len(updates),
        "the newer one is found": share(one.found for one in updates),
        "both are found": share(one.both for one in updates),
        "the newer one is before the older, of both found": share(
            one.right for one in updates if one.both
        ),
        "the newer one is before the older, of all": share(one.right for one in updates),
        "the older one is retired": share(one.retired for one in updates),
        "pairs of other subjects": len(apart),
        "the one asked about is found": share(one.found for one in apart),
        "the one asked about is before the other, of both found": share(
            one.right for one in apart if one.both
        ),
        "the one asked about is before the other, of all": share(one.right for one in apart),
        "the first one is retired wrongly": share(one.retired for one in apart),
        "stale": [one.pair.id for one in updates if not one.right],
        "displaced": [one.pair.id for one in apart if not one.right],
        "retired wrongly": [one.pair.id for one in apart if one.retired],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the figures."""
    run("updates", __doc__, measure, arguments)


if __name__ == "__main__":
    main()
