"""A vault of linked notes of any size, to walk in: ten links a note on average.

Notes lie in groups of two hundred. Of a note's nine links six lead into its group, two anywhere,
and one to a note that many know, the first far more than the last (Zipf). One note in a thousand
lists the thousand it stands among. Without links the same notes are the floor.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator

from bench import corpus
from engrain.engine.core.reading import read_references
from engrain.model.note.entry import Entry, read_entry
from engrain.seam.batches import BATCH, Batch, Document
from engrain.seam.locator import Locator

GROUP = 200
INSIDE, ANYWHERE = 6, 2
KNOWN = 500
"""Notes that many know, spread over the vault."""
LISTED = 1000
"""Notes of which one lists all the others."""
_EPOCH = 1_700_000_000
_SEED = 23


def make_notes(count: int, *, links: bool) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each note; the same text with and without links."""
    _, pool = corpus.sentences()
    words, ways = random.Random(_SEED), random.Random(_SEED + 1)
    known = [number * (count // KNOWN or 1) for number in range(min(KNOWN, count))]
    weights = [1 / rank for rank in range(1, len(known) + 1)]
    for number in range(count):
        said = words.sample(pool, 3)
        ends = _ends(number, count, ways, known, weights)
        yield path_of(number), compose(number, said, ends if links else []).encode()


def compose(number: int, said: list[str], ends: list[int]) -> str:
    """One note as it is written."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_EPOCH + number * 60))
    title = re.sub(r"[:\[\]|#^]", "", " ".join(said[0].split()[:6]))
    named = ", ".join(f"[[{_name(end)}]]" for end in ends)
    body = "\n".join(said) + (f"\n\nSee {named}.\n" if ends else "\n")
    front = f"---\nid: {_name(number)}\nkind: insight\ncreated: {moment}\n---\n"
    return f"{front}# {title} {number}\n{body}"


def _ends(
    number: int, count: int, ways: random.Random, known: list[int], weights: list[float]
) -> list[int]:
    start = number // GROUP * GROUP
    ends = [min(count - 1, start + ways.randrange(GROUP)) for _ in range(INSIDE)]
    ends += [ways.randrange(count) for _ in range(ANYWHERE)]
    ends += ways.choices(known, weights)
    if number % LISTED == LISTED - 1:
        ends += range(number - LISTED + 1, number)
    return [end for end in dict.fromkeys(ends) if end != number]


def _name(number: int) -> str:
    return f"entry-{number:07}"


def path_of(number: int) -> str:
    """Where a note lies."""
    return f"Memory/active/part-{number // 1000:04}/{_name(number)}.md"


def read(path: str, raw: bytes) -> Document:
    """A note as the index takes it."""
    locator = Locator(path)
    entry: Entry = read_entry(locator, raw)
    return Document(locator, entry, read_references(entry), "", True)


def batches(count: int, *, links: bool) -> Iterator[Batch]:
    """The notes as batches of documents."""
    documents: list[Document] = []
    for path, raw in make_notes(count, links=links):
        documents.append(read(path, raw))
        if len(documents) == BATCH:
            yield Batch(documents=documents)
            documents = []
    yield Batch(documents=documents)
