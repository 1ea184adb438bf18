"""Make the token vectors that Engrain ships: `src/engrain/inference/pieces.bin`.

    pip install 'engrain[local]' scipy
    apt-get download wordnet-base && dpkg -x wordnet-base_*.deb wordnet
    apt-cache dumpavail > packages.txt
    python -m bench.make_pieces wordnet/usr/share/wordnet packages.txt

The token vectors are trained so that their sum over a text points where MiniLM's sentence vector of
that text does, in the first `SIZE` principal components of these: by the cosine, and by how MiniLM
orders the other texts of a batch (distillation; Hinton et al. 2015; tokenlearn, Minish Lab 2024).
They start as MiniLM's vectors of single tokens, centred, of length 1, each weighted by how rare it
is, a / (a + p) with a = 0.001 (Arora et al. 2017). The vocabulary is in order of frequency, so
Zipf's law gives p. The texts are 41,000 of WordNet's glosses and examples and of the short
descriptions of Debian's packages. An hour on two busy cores; `pieces.py` describes the layout.
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from engrain.inference import local, onnx, pieces
from engrain.inference.model_files import read_vocabulary

_KEPT = re.compile(r"(##)?[a-z0-9]+")
_LIBRARY = re.compile(r"lib|golang|node-|r-|fonts|texlive|haskell|ruby-|rust")
_COUNTS = (18_000, 18_000, 9_000)
_TEXTS = 40_960
_EPOCHS, _BATCH, _RATE, _TEMPERATURE = 12, 1024, 0.001, 0.05
_RARITY, _CHARACTER_WEIGHT = 1e-3, 0.1
_FIRST_WORD = "the"
"""Before it the vocabulary has marks and single characters, in no order of frequency."""

Array = Any


def main(arguments: list[str]) -> int:
    """Write the table, and print its checksum."""
    words = packaged_words()
    model = onnx.open_packaged(None)
    texts = list_texts(Path(arguments[0]), Path(arguments[1]))[:_TEXTS]
    taught = np.array([np.frombuffer(vector, "<f4") for vector in model.embed(texts)])
    single = np.array(model.pool([[101, token, 102] for token in range(len(words))]))
    write_table(words, train(words, texts, taught, single))
    return 0


def packaged_words() -> list[str]:
    """MiniLM's vocabulary in its order."""
    return Path(local.VOCABULARY).read_text(encoding="utf-8").split("\n")[:-1]


def list_texts(wordnet: Path, packages: Path) -> list[str]:
    """Glosses behind their words, examples, descriptions, in an order that is always the same."""
    known = set(packaged_words())
    glosses, examples = [], []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (wordnet / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):
                continue
            head, _, gloss = line.partition(" | ")
            told = head.split()
            synonyms = [
                told[4 + 2 * at].replace("_", " ").partition("(")[0]
                for at in range(int(told[3], 16))
            ]
            meaning = re.split(r';\s*(?=")', gloss.strip())[0]
            if synonyms[0].islower() and synonyms[0] in known:
                glosses.append(f"{', '.join(synonyms[:3])}: {meaning}")
            quoted = re.findall(r'"([^"]+)"', gloss)
            examples += [said for said in quoted if 3 < len(said.split()) < 16]
    found: dict[str, None] = {}
    for package in packages.read_text(encoding="utf-8", errors="replace").split("\n\n"):
        name = re.search(r"^Package: (.*)", package, re.MULTILINE)
        told_of = re.search(r"^Description(?:-en)?: (.*)", package, re.MULTILINE)
        if name and told_of and not _LIBRARY.match(name[1]):
            found[told_of[1]] = None
    chance = random.Random(1)
    texts = []
    for pool, count in zip((glosses, examples, list(found)), _COUNTS, strict=True):
        texts += chance.sample(pool, min(count, len(pool)))
    chance.shuffle(texts)
    return texts


def train(words: list[str], texts: list[str], taught: Array, single: Array) -> Array:
    """One row a word: the vectors whose sums point where `taught` does."""
    from scipy import sparse  # type: ignore[import-untyped,import-not-found,unused-ignore]

    mean = taught.mean(0)
    axes = np.linalg.svd((taught - mean)[:8000], full_matrices=False)[2][: pieces.SIZE].T
    goals = unit((taught - mean) @ axes)
    first = words.index(_FIRST_WORD)
    rows = (unit(single - single[first:].mean(0)) @ axes) * weigh(words)[:, None]
    encoder = read_vocabulary(local.VOCABULARY)
    ids = [[t for t in encoder.encode(text, 512) if t != encoder.unknown] for text in texts]
    at = [number for number, tokens in enumerate(ids) for _ in tokens]
    counts = sparse.csr_matrix(
        (np.ones(len(at)), (at, [t for tokens in ids for t in tokens])), (len(texts), len(words))
    )
    momentum, squares = np.zeros_like(rows), np.zeros_like(rows)
    chance = np.random.default_rng(0)
    for epoch in range(_EPOCHS):
        order = chance.permutation(len(texts))
        for start in range(0, len(order) - _BATCH, _BATCH):
            batch = order[start : start + _BATCH]
            seen, goal = counts[batch], goals[batch]
            sums = seen @ rows
            length = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-6
            made = sums / length
            slope = (softmax(made @ goal.T) - softmax(goal @ goal.T)) @ goal - goal
            slope = (slope - (slope * made).sum(1, keepdims=True) * made) / length / _BATCH
            met = np.unique(seen.indices)
            change = np.asarray(seen.T @ slope)[met]
            momentum[met] = 0.9 * momentum[met] + 0.1 * change
            squares[met] = 0.99 * squares[met] + 0.01 * change**2
            rate = _RATE * (1 - epoch / _EPOCHS)
            rows[met] -= rate * momentum[met] / (np.sqrt(squares[met]) + 1e-8)
    return rows


def weigh(words: list[str]) -> Array:
    """How much each piece counts at first: the rarer the more, up to 1."""
    first = words.index(_FIRST_WORD)
    ranks = np.arange(1, len(words) - first + 1)
    weights = _RARITY / (_RARITY + 1 / (ranks * (1 / ranks).sum()))
    return np.concatenate([np.full(first, _CHARACTER_WEIGHT), weights])


def unit(rows: Array) -> Array:
    """Rows scaled to length 1."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def softmax(cosines: Array) -> Array:
    """Shares of each row."""
    scaled = cosines / _TEMPERATURE
    shares = np.exp(scaled - scaled.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def write_table(words: list[str], rows: Array) -> None:
    """Write the pieces of Latin letters and digits with their rows in steps of one size."""
    kept = [number for number, word in enumerate(words) if _KEPT.fullmatch(word)]
    step = np.quantile(np.abs(rows[kept]).max(1), 0.999) / 127
    steps = np.clip(np.rint(rows[kept] / step), -127, 127).astype(int) + pieces.MIDDLE
    buckets: list[dict[int, int]] = [{} for _ in range(pieces.BUCKETS)]
    left_out = 0
    for row, number in enumerate(kept):  # the most frequent come first
        bucket, mark = pieces.place(words[number])
        full = len(buckets[bucket]) == pieces.SLOTS or mark in buckets[bucket]
        left_out += full
        if not full:
            buckets[bucket][mark] = row
    slots = b"".join(
        b"".join(
            mark.to_bytes(2, "little") + row.to_bytes(2, "little") for mark, row in slot.items()
        ).ljust(pieces.BUCKET_BYTES, b"\0")
        for slot in buckets
    )
    raw = slots + steps.astype(np.uint8).tobytes()
    Path(pieces.TABLE).write_bytes(raw)
    print(f"{len(kept)} pieces, {left_out} left out, {len(raw)} bytes")
    print(f"sha256 {hashlib.sha256(raw).hexdigest()}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
