"""Notes to measure on: turns of real conversations where they are at hand, else the sample's words.

Every note is distinct, so that nothing is measured on copies.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ENGRAIN_DATA", ROOT.parent / "shared" / "data"))
SAMPLE = ROOT / "src" / "engrain" / "sample"
_EPOCH = 1_700_000_000
"""When the first entry of a mixed vault was created."""


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
    found = [
        text.replace("[[", "").replace("]]", "") for text in found
    ]  # a note sets its own links
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


def write_mixed(folder: Path, count: int, seed: int = 5) -> Iterator[tuple[str, bytes]]:
    """`count` entries, of each thousand half notes and half turns of sessions, as files below
    `folder`; each one's path there and bytes, as it is written.

    Every word of the text is about as frequent in a large vault as in a small one, where in real
    ones new words come up: so this is the harder case for full text.
    """
    _, pool = sentences()
    chance = random.Random(seed)
    for number in range(count):
        below = f"part-{number // 1000:04}"
        if number % 1000 == 0:
            (folder / below).mkdir(parents=True, exist_ok=True)
        path = f"{below}/entry-{number:07}.md"
        text = _make_mixed(pool, chance, number).encode()
        (folder / path).write_bytes(text)
        yield path, text


def mixed_texts(count: int, seed: int = 9) -> list[str]:
    """Texts as the entries of a mixed vault have them."""
    _, pool = sentences()
    chance = random.Random(seed)
    return ["\n".join(chance.sample(pool, 3)) for _ in range(count)]


def _make_mixed(pool: list[str], chance: random.Random, number: int) -> str:
    """A note of three sentences with tags of its own words, or two in a session of twenty-five."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_EPOCH + number * 60))
    front = f"---\ncreated: {moment}\n"
    if number % 1000 < 500:
        picked = chance.sample(pool, 3)
        words = re.findall(r"[a-z]{5,}", picked[0].lower())
        tags = ", ".join(dict.fromkeys(sorted(words, key=len)[-2:]))
        title = " ".join(picked[0].split()[:8]).replace(":", "")
        body = "\n".join(picked)
        return f"{front}kind: insight\ntags: [{tags}]\n---\n# {title}\n{body}\nno {number}\n"
    first, second = chance.sample(pool, 2)
    source = f"{{kind: session, ref: s{number // 25}, trust: agent}}"
    text = f"{first} {second.partition(': ')[2]}"
    return f"{front}kind: memory\nsource: {source}\n---\n{text} no {number}\n"


def real_questions(count: int, seed: int = 6) -> list[str]:
    """Questions that people asked of the conversations, and beginnings of notes."""
    locomo = DATA / "locomo" / "locomo_dev.json"
    asked = []
    if locomo.exists():
        items = json.loads(locomo.read_text())
        asked = [qa["question"] for item in items for qa in item["qa"]]
    chance = random.Random(seed)
    _, pool = sentences()
    headings = [" ".join(text.split()[:8]) for text in pool if len(text.split()) > 8]
    wanted = chance.sample(asked, min(len(asked), count * 3 // 4))
    return wanted + chance.sample(headings, count - len(wanted))


def make_questions(count: int, seed: int = 2) -> list[str]:
    """Questions in the pool's own words: six of a sentence's."""
    _, pool = sentences()
    chance = random.Random(seed)
    long = [text for text in pool if len(text.split()) > 8]
    return [" ".join(chance.choice(long).split()[1:7]) for _ in range(count)]
