"""Recall of what was said in coding sessions, beside SQLite's full text over the same turns.

python -m bench.code_sessions TRANSCRIPTS [--split dev|held]

The labels are `code_sessions.jsonl`; whoever tunes takes the split `dev`, and checks on `held`.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from engrain import open_memory
from engrain.evaluation.asking import choose_profile, fill, ranking_profile
from engrain.evaluation.code_sessions import SPLITS, read_code_sessions
from engrain.evaluation.haystack import Haystack
from engrain.evaluation.metrics import CUTOFF, METRICS, mean, score
from engrain.learn.sources.formats import open_source
from engrain.model.turns import Turn

LABELS = Path(__file__).with_suffix(".jsonl")
_NO_SOURCE = "LICENSE"


def read_transcripts(root: Path) -> dict[str, list[Turn]]:
    """The turns of every transcript below a folder, by its name there."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.name != _NO_SOURCE:
            name = path.relative_to(root).as_posix()
            _, conversations = open_source([path.read_bytes()], name)
            found[name] = [turn for one in conversations for turn in one.turns]
    return found


def search_full_text(haystack: Haystack) -> Callable[[str], list[str]]:
    """SQLite's FTS5 over the passages: Porter's stems, any word of the question, BM25."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize='porter unicode61')")
    rows = [(number, passage.text) for number, passage in enumerate(haystack.passages)]
    connection.executemany("INSERT INTO t(rowid, body) VALUES(?, ?)", rows)
    query = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid LIMIT ?"

    def search(question: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        found = connection.execute(query, (words, CUTOFF))
        return [haystack.passages[number].id for (number,) in found]

    return search


def measure(haystack: Haystack, answer: Callable[[str], Sequence[str]]) -> dict[str, float]:
    """The mean of every metric over the questions."""
    scores = [score(answer(one.text), one.gold) for one in haystack.questions]
    return {name: round(mean([one[name] for one in scores]), 3) for name in METRICS}


def run(root: Path, splits: Sequence[str]) -> dict[str, dict[str, dict[str, float]]]:
    """The metrics by split, and by who answered."""
    sources = read_transcripts(root)
    asked = {
        split: read_code_sessions(LABELS.read_bytes(), sources, split).haystacks["turn"][0]
        for split in splits
    }
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with open_memory(
            place / "vault", state_dir=place / "state", backend="device-local", create=True
        ) as memory:
            respondent = fill(memory, asked[splits[0]].passages)
            profile = ranking_profile(choose_profile(None))

            def recall(question: str) -> Sequence[str]:
                return respondent.answer(question, profile).ids

            return {
                split: {
                    "full text": measure(haystack, search_full_text(haystack)),
                    "recall": measure(haystack, recall),
                }
                for split, haystack in asked.items()
            }


def main() -> None:
    """Print the scores as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--split", choices=SPLITS)
    args = parser.parse_args()
    print(json.dumps(run(args.transcripts, [args.split] if args.split else SPLITS), indent=2))


if __name__ == "__main__":
    main()
