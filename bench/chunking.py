"""What an overlap of chunks is worth to recall: none, a sentence, a share of a chunk, over a real
vault with questions made from it by fixed rules.

python -m bench.chunking                 without a model
python -m bench.chunking --embedder local

Each chunk but a note's first begins with the end of the one before it. Beside `bench.known_items`
questions are asked where an overlap should help: of the last sentence of one chunk with the first
of the next, each without its rarest words. `told` is the share of questions made of sentences whose
sentence stands in what a prompt is given. Conversations are cut at turns, so that nothing changes
there: of LoCoMo's sessions the chunks that would are counted.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bench.corpus import DATA
from bench.known_items import EACH, forget_rarest, make_questions, plain_line, read_notes
from bench.sets.benchmarks import read_locomo
from bench.sets.measurement import Respondent, ranking_profile
from bench.sets.metrics import Resampling, mean, score
from engrain.engine.core.scope import Scope
from engrain.engine.recall import filling
from engrain.engine.recall.filling import Packer
from engrain.engine.recall.profiles import PROFILES
from engrain.engine.recall.ranking import Ranked
from engrain.language.text.chunks import Chunk, split_chunks
from engrain.model.note import passages
from engrain.model.note.entry import read_entry
from engrain.model.note.note import compose_note
from engrain.wiring import open_memory

NOTES = DATA / "vault-dendron"
LOCOMO = DATA / "locomo" / "locomo_dev.json"
METRICS = ("hit@1", "recall@5", "recall@10", "ndcg@10")
SHARE = 0.15
_SEED = 7
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_SENTENCE_END = re.compile(r"[.!?…。！？]+[\"'”’)\]*_]*\s+|\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)")

Scores = dict[str, dict[str, float]]


class Question(NamedTuple):
    """One question, the entry it is about, and what is to be told of it, () for nothing."""

    text: str
    gold: str
    kind: str
    told: tuple[str, ...] = ()


def sentence_before(text: str, start: int, least: int) -> int:
    """Where the last sentence begins that stands before `start`."""
    ends = [found.end() for found in _SENTENCE_END.finditer(text, least, start)]
    ends = [end for end in ends if text[end:start].strip()]
    return ends[-1] if ends else start


def share_before(text: str, start: int, least: int) -> int:
    """Where a share of a chunk begins that ends at `start`, at a word."""
    at = max(least, start - int(SHARE * passages.MOST))
    blank = re.compile(r"\s").search(text, at, start)
    return blank.end() if blank and at > least else at


SHOWN = "only shown"
OVERLAPS: dict[str, Callable[[str, int, int], int] | None] = {
    "none": None,
    "a sentence": sentence_before,
    f"{SHARE:.0%}": share_before,
    SHOWN: None,
}


def overlapping(reach: Callable[[str, int, int], int]) -> Callable[..., list[Chunk]]:
    """Chunks of which each begins with some of the one before it."""

    def split(text: str, most: int) -> list[Chunk]:
        found = split_chunks(text, most)
        return [
            chunk
            if before is None
            else Chunk(reach(text, chunk.start, before.start), chunk.end, chunk.heading)
            for before, chunk in zip([None, *found], found, strict=False)
        ]

    return split


def widened(item: Ranked, text: str, packer: Packer) -> Iterator[str]:
    """What is shown of an entry that is too long, with the sentence before it and that behind."""
    if not item.passages:
        return
    best = item.passages[0]
    start = sentence_before(text, best.start, 0)
    found = _SENTENCE_END.search(text, min(len(text), best.end + 1))
    part = text[start : found.end() if found else len(text)]
    if 0 < len(part) < len(text.strip()):
        yield part


@contextmanager
def overlapped(name: str) -> Iterator[None]:
    """Entries are read with such an overlap."""
    reach = OVERLAPS[name]
    if name == SHOWN:
        best = filling._best_parts
        filling._best_parts = widened
        try:
            yield
        finally:
            filling._best_parts = best
        return
    if reach is None:
        yield
        return
    passages.split_chunks = overlapping(reach)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        passages.split_chunks = split_chunks  # type: ignore[attr-defined]


def make_all() -> list[Question]:
    """The questions of `known_items`, and those across the seams of chunks."""
    notes = read_notes(NOTES)
    counts = Counter(
        word.casefold() for note in notes for text in note.sentences for word in _WORD.findall(text)
    )
    found = [
        Question(str(one["question"]), str(one["expected"][0]), str(one["category"]))  # type: ignore[index]
        for one in make_questions(notes)
    ]
    chance = random.Random(_SEED)
    seams, whole = [], []
    for path in sorted(NOTES.rglob("*.md")):
        entry = read_entry(str(path), path.read_bytes())
        pieces = [
            [said for part in _SENTENCE_END.split(entry.text[chunk.start : chunk.end])
             if 6 <= len(_WORD.findall(said := plain_line(part))) <= 40]
            for chunk in split_chunks(entry.text, passages.MOST)
        ]  # fmt: skip
        for one, other in pairwise(pieces):
            if one and other:
                halves = [forget_rarest(one[-1], counts), forget_rarest(other[0], counts)]
                seams.append(Question(" ".join(halves), entry.id, "seam", (one[-1], other[0])))
        if len(pieces) > 1 and any(pieces):
            said = chance.choice([said for piece in pieces for said in piece])
            whole.append(Question(forget_rarest(said, counts), entry.id, "in a long note", (said,)))
    found += chance.sample(seams, min(2 * EACH, len(seams)))
    return found + chance.sample(whole, min(2 * EACH, len(whole)))


def measure(name: str, questions: list[Question], folder: Path) -> tuple[Scores, dict[str, float]]:
    """What each question gets with an overlap, and what that costs."""
    place = folder / name.replace(" ", "-")
    with (
        overlapped(name),
        open_memory(
            place, create=True, state_dir=folder / f"{place.name}-state", backend="device-local"
        ) as memory,
    ):
        for path in sorted(NOTES.rglob("*.md")):
            to = place / "Memory" / "active" / path.relative_to(NOTES)
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(path.read_bytes())
        started = time.perf_counter()
        memory.reindex()
        if os.environ["ENGRAIN_EMBEDDER"] != "none":
            memory.embed()
        cost = {"seconds": time.perf_counter() - started}
        everything = Scope(all_projects=True)
        rows = memory.list(scope=everything).rows
        respondent = Respondent(memory, {row.id: row.id for row in rows}, everything)
        profile = ranking_profile(PROFILES["prompt"])
        scores: Scores = {}
        tokens: list[float] = []
        for question in questions:
            ids = respondent.answer(question.text, profile).ids
            scores[question.text] = score(ids, frozenset((question.gold,)))
            if question.told:
                recall = memory.recall(question.text, scope=everything)
                results = recall.results
                tokens.append(recall.tokens / max(1, len(results)))
                texts = [plain_line(one.text) for one in results if one.row.id == question.gold]
                told = all(any(said in text for text in texts) for said in question.told)
                scores[question.text]["told"] = float(told)
        read = [
            passages.read_passages(read_entry(str(path), path.read_bytes()))
            for path in NOTES.rglob("*.md")
        ]
        cost["tokens"] = mean(tokens)
        cost["passages"] = sum(map(len, read))
        cost["characters"] = sum(one.end - one.start for found in read for one in found)
    return scores, cost


def count_turns(name: str) -> tuple[int, int]:
    """Passages of LoCoMo's sessions, and how many of them overlap another."""
    overlaps = total = 0
    known = read_locomo(LOCOMO.read_bytes(), None)
    with overlapped(name):
        for haystack in known.haystacks["session"]:
            for passage in haystack.passages:
                raw = compose_note({"kind": "memory"}, f"# {passage.title}\n{passage.text}\n").raw
                found = passages.read_passages(read_entry("Memory/active/a.md", raw))
                total += len(found)
                pairs = pairwise(found)
                overlaps += sum(one.end > other.start for one, other in pairs)
    return total, overlaps


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--overlaps", default=",".join(OVERLAPS), help="which, the first is `none`")
    args = parser.parse_args()
    os.environ["ENGRAIN_EMBEDDER"] = args.embedder
    questions = make_all()
    kinds = {question.text: question.kind for question in questions}
    groups = {
        kind: [text for text in kinds if kinds[text] == kind] for kind in sorted({*kinds.values()})
    }
    groups["all but seams"] = [text for text in kinds if kinds[text] != "seam"]
    groups["all"] = list(kinds)
    with tempfile.TemporaryDirectory(prefix="engrain-chunking-") as folder:
        measured = {
            name: measure(name, questions, Path(folder)) for name in args.overlaps.split(",")
        }
    counted = "passages | characters | seconds | tokens a result"
    print(f"| overlap | {counted} | LoCoMo's passages | of them overlapping |")
    print("|---|---|---|---|---|---|---|")
    for name, (_, cost) in measured.items():
        total, overlaps = count_turns(name)
        told = " | ".join(
            f"{cost[key]:,.0f}" for key in ("passages", "characters", "seconds", "tokens")
        )
        print(f"| {name} | {told} | {total:,} | {overlaps} |")
    print(f"\n| kind | n | overlap | {' | '.join(METRICS)} | told | more NDCG, 95 % | more told |")
    print("|---|---|---|" + "---|" * (len(METRICS) + 3))
    for kind, texts in groups.items():
        for name, (scores, _) in measured.items():
            print(_row(kind, texts, name, scores, measured["none"][0]), flush=True)


def _row(kind: str, texts: list[str], name: str, scores: Scores, plain_: Scores) -> str:
    cells = [f"{mean([scores[text][metric] for text in texts]):.3f}" for metric in METRICS]
    told = [text for text in texts if "told" in scores[text]]
    cells.append(f"{mean([scores[text]['told'] for text in told]):.3f}" if told else "–")
    for metric, those in (("ndcg@10", texts), ("told", told)):
        if name == "none" or not those:
            cells.append("")
            continue
        gaps = [scores[text][metric] - plain_[text][metric] for text in those]
        low, high = Resampling(len(gaps)).interval(gaps)
        cells.append(f"{mean(gaps):+.3f} [{low:+.3f}, {high:+.3f}]")
    return f"| {kind} | {len(texts)} | {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
