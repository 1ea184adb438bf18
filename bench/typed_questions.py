"""Questions as a person types them into a search field, over thirty notes.

python -m bench.typed_questions                 both halves
python -m bench.typed_questions --split dev     the half that may be looked at
python -m bench.typed_questions --json          with the ids of the questions that went wrong

`data/typed_questions/README.md` says what the notes and questions are. The vault is as set up: read
once, no job has run. An explicit search prints the nearest notes where nothing surely fits, so they
count as shown; the figures of what is recalled with certainty stand beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench.labelled import LABELLED, SPLITS, Figures, read_lines, run, share
from bench.sets.asking import open_temporary
from bench.sets.measurement import list_everything

FOLDER = LABELLED / "typed_questions"
SHOWN = 3
"""A note counts as shown where it is among the first so many."""


def measure(
    splits: Sequence[str] = SPLITS, questions: Sequence[dict[str, Any]] | None = None
) -> Figures:
    """Ask the questions of the halves and count where the right notes are."""
    labels = questions or read_lines(FOLDER / "questions.jsonl")
    asked = [each for each in labels if each["split"] in splits]
    shown, served = {}, {}
    with open_temporary(str(FOLDER / "vault")) as memory:
        memory.scan()
        paths = {row.id: str(row.locator) for row in list_everything(memory)}
        for each in asked:
            found = memory.recall(each["question"])
            served[each["id"]] = [paths[one.row.id] for one in found.results]
            shown[each["id"]] = [paths[one.row.id] for one in (*found.results, *found.nearest)]
    right = {each["id"]: set(each["notes"]) for each in asked}
    found_ids = {id_ for id_ in right if right[id_] & set(shown[id_][:SHOWN])}
    return {
        "questions": len(asked),
        "a right note is in the first three shown": share(id_ in found_ids for id_ in right),
        "a right note is the first shown": share(
            bool(right[id_] & set(shown[id_][:1])) for id_ in right
        ),
        "a right note is in the first three recalled": share(
            bool(right[id_] & set(served[id_][:SHOWN])) for id_ in right
        ),
        "a right note is the first recalled": share(
            bool(right[id_] & set(served[id_][:1])) for id_ in right
        ),
        "nothing is shown": share(not shown[id_] for id_ in right),
        "missed": [id_ for id_ in right if id_ not in found_ids],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the figures."""
    run("typed_questions", __doc__, measure, arguments)


if __name__ == "__main__":
    main()
