"""How many of the exact ten nearest are found among a million vectors, and what that costs.

python -m bench.near [--passages 1000000] [--folder PLACE]

The passages are all text in the folder of data that the benches share (LoCoMo, BEAM's development
set, the Dendron and tldr vaults, transcripts): 240,000 sentences, and since that is not a million,
windows of two, three, one, four, … of them that overlap, each text once. Their vectors are sums of
the token vectors that ship with Engrain, as its embedder makes them. Questions are those of LoCoMo,
embedded the same way; passages ask too. Needs numpy, for the exact answer.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from bench import corpus
from engrain.index.vectors.queries import KEY_BYTES
from engrain.index.vectors.vectors import VectorIndex
from engrain.inference.pieces import MODEL, SIZE, PiecesLink
from engrain.model.note.vectors import pack_unit, unpack

DATA = corpus.DATA
_WINDOWS = (2, 3, 1, 4, 5, 6, 7, 8)
_BREAK = re.compile(r"(?<=[.!?])\s+|\n+")
_LEAST, _MOST = 8, 1_000
"""Characters of a sentence, and of a passage."""
_QUESTIONS, _PASSAGES = 200, 100
_AT_ONCE = 8_192
_CLOSE = 1e-6


def read_passages(data: Path, count: int) -> Iterator[str]:
    """So many different passages of the texts below a folder."""
    documents = [
        [part for each in _BREAK.split(text) if len(part := each.strip()) > _LEAST]
        for text in dict.fromkeys(_read_texts(data))
    ]
    seen: set[bytes] = set()
    for size in _WINDOWS:
        for parts in documents:
            for at in range(len(parts) - size + 1):
                text = " ".join(parts[at : at + size])
                key = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
                if len(text) <= _MOST and key not in seen:
                    seen.add(key)
                    yield text
                    if len(seen) == count:
                        return


def _read_texts(data: Path) -> Iterator[str]:
    for path in sorted(path for path in data.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = text.splitlines() if path.suffix == ".jsonl" else [text]
        for line in lines:
            try:
                yield from _strings(json.loads(line) if path.suffix.startswith(".json") else line)
            except ValueError:
                continue


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def measure(data: Path, folder: Path, count: int) -> dict[str, object]:
    """Fill an index and ask it; the share of the exact ten that it finds, and milliseconds."""
    import numpy as np

    embedder, index = PiecesLink().open(), VectorIndex(str(folder))
    every = np.zeros((count, SIZE), np.float32)
    held: list[tuple[bytes, bytes]] = []
    total = 0
    for text in read_passages(data, count):
        [vector] = embedder.embed([text])
        every[total] = unpack(vector)
        held.append((total.to_bytes(KEY_BYTES, "big"), vector))
        total += 1
        if len(held) == _AT_ONCE:
            index.add(MODEL, SIZE, held)
            held = []
    index.add(MODEL, SIZE, held)
    every = every[:total]
    asked = {
        "questions": embedder.embed(corpus.real_questions(_QUESTIONS)),
        "passages": [pack_unit(list(map(float, each))) for each in every[:: total // _PASSAGES]],
    }
    index.nearest(MODEL, asked["questions"][0], 10)  # which reads the planes of signs
    found: dict[str, object] = {"vectors": total}
    for name, vectors in asked.items():
        shares, took = [], []
        for vector in vectors:
            began = time.process_time()
            nearest = index.nearest(MODEL, vector, 10)
            took.append(1000 * (time.process_time() - began))
            cosines = every @ np.array(unpack(vector), np.float32)
            tenth = np.partition(cosines, -10)[-10] - _CLOSE
            shares.append(sum(cosine >= tenth for _, cosine in nearest) / 10)
        found[name] = {
            "of_exact_ten": round(statistics.mean(shares), 4),
            "p50_ms": round(statistics.median(took), 1),
            "p95_ms": round(sorted(took)[int(0.95 * len(took))], 1),
        }
    index.close()
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.near", description=__doc__)
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of texts")
    parser.add_argument("--folder", type=Path, help="make the index there")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="engrain-bench-") as temp:
        found = measure(args.data, args.folder or Path(temp), args.passages)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
