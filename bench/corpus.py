"""Notes to measure on: turns of real conversations where they are at hand, else the sample's words.

Every note is distinct, so that nothing is measured on copies.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ENGRAIN_DATA", ROOT.parent / "shared" / "data"))
SAMPLE = ROOT / "src" / "engrain" / "sample"


def sentences() -> tuple[str, list[str]]:
    """Where the text is from, and its sentences."""
    locomo = DATA / "locomo" / "locomo_dev.json"
    if locomo.exists():
        turns = []
        for item in json.loads(locomo.read_text()):
            for key, session in item["conversation"].items():
                if re.fullmatch(r"session_\d+", key):
                    turns += [f"{turn['speaker']}: {turn['text']}" for turn in session]
        return "LoCoMo turns", turns
    found = [path.read_text().split("---\n", 2)[2] for path in sorted(SAMPLE.rglob("*.md"))]
    return "the sample's sentences", [line for text in found for line in text.split(". ") if line]


def write_folder(folder: Path, count: int, seed: int = 1) -> str:
    """`count` markdown notes in folders of a thousand; where their text is from."""
    origin, pool = sentences()
    for number, text in enumerate(make_notes(pool, count, seed)):
        below = folder / f"part-{number // 1000:03}"
        below.mkdir(parents=True, exist_ok=True)
        (below / f"note-{number:06}.md").write_text(text)
    return origin


def make_notes(pool: list[str], count: int, seed: int) -> Iterator[str]:
    """Notes of three sentences, with frontmatter, each with a word of its own."""
    chance = random.Random(seed)
    for number in range(count):
        picked = chance.sample(pool, 3)
        title = " ".join(picked[0].split()[:8]).replace(":", "")
        front = f"created: 2026-0{number % 9 + 1}-11T08:00:00Z\ntags: [t{number % 50}]\n"
        yield f"---\n{front}---\n# {title}\n" + "\n".join(picked) + f"\nmarker{number}\n"


def make_questions(count: int, seed: int = 2) -> list[str]:
    """Questions in the pool's own words: six of a sentence's."""
    _, pool = sentences()
    chance = random.Random(seed)
    long = [text for text in pool if len(text.split()) > 8]
    return [" ".join(chance.choice(long).split()[1:7]) for _ in range(count)]
