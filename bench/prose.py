"""Notes of two paragraphs of real prose, about 600 bytes each, and questions in their words.

The prose is that of a vault of documentation and of long conversations with an assistant where
they are at hand, else the sample's. Paragraphs are runs of sentences that follow each other in it.
"""

from __future__ import annotations

import json
import random
import re
from functools import cache
from pathlib import Path

from bench.corpus import DATA, SAMPLE

_SENTENCE = re.compile(r"(?<=[.!?]) +(?=[A-Z])")
_PROSE = re.compile(r"[A-Z][^|{}<>\[\]`#*=]{39,219}[.!?]")
_PARAGRAPH = 290  # bytes, at least, but for the last sentence
_PER_FOLDER = 1000
_KINDS = ("insight", "fix", "decision", "domain-reference", "learning")


@cache
def sentences() -> tuple[str, list[str]]:
    """Where the prose is from, and its sentences in order: plain text, 40 to 220 characters."""
    vault, chats = DATA / "vault-dendron", DATA / "beam_dev" / "beam_100k_1-10.json"
    origin, texts = "the sample", [path.read_text() for path in sorted(SAMPLE.rglob("*.md"))]
    if vault.exists() and chats.exists():
        origin = "dendron notes and BEAM chats"
        texts = [path.read_text() for path in sorted(vault.rglob("*.md"))]
        for chat in json.loads(chats.read_text()):
            texts += [message["text"] for message in chat["messages"]]
    lines = (line.strip() for text in texts for line in text.splitlines())
    parts = (part for line in lines for part in _SENTENCE.split(line))
    return origin, list(dict.fromkeys(part for part in parts if _PROSE.fullmatch(part)))


def write_folder(folder: Path, count: int, seed: int = 1) -> str:
    """`count` markdown notes in folders of a thousand; where their prose is from."""
    origin, pool = sentences()
    chance = random.Random(seed)
    for number in range(count):
        below = folder / f"part-{number // _PER_FOLDER:03}"
        below.mkdir(parents=True, exist_ok=True)
        first, second = _take(pool, chance), _take(pool, chance)
        title = " ".join(second.split()[:8]).replace(":", "").rstrip(".,;!?")
        front = (
            f"kind: {_KINDS[number % 5]}\ncreated: 2026-0{number % 9 + 1}-11T08:00:00Z\n"
            f"tags: [topic-{number % 50}]\n"
        )
        (below / f"note-{number:06}.md").write_text(
            f"---\n{front}---\n# {title}\n\n{first}\n\n{second}\n"
        )
    return origin


def make_questions(count: int, seed: int = 2) -> list[str]:
    """Six words that follow each other in a sentence, three of them replaced by another's."""
    _, pool = sentences()
    chance = random.Random(seed)
    long = [text.split() for text in pool if len(text.split()) > 9]
    asked = []
    for _ in range(count):
        words, others = chance.choice(long), chance.choice(long)
        start = chance.randrange(len(words) - 6)
        asked.append(" ".join(words[start : start + 6] + others[2:4]))
    return asked


def _take(pool: list[str], chance: random.Random) -> str:
    """Sentences that follow each other, up to the size of a paragraph."""
    start, taken = chance.randrange(len(pool)), ""
    while len(taken) < _PARAGRAPH:
        taken = f"{taken} {pool[start % len(pool)]}".lstrip()
        start += 1
    return taken
