"""Questions whose answer is one known note, made from a folder of notes by fixed rules.

Each kind asks as a person might who remembers the note and not its words: by a sentence of it with
the two rarest words forgotten, by a heading and half of how it begins, by its title, by the
description its author gave it (frontmatter, which is not searched), or by how another note speaks
of it where it links to it.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

from engrain.model.note.entry import read_entry

EACH = 70
"""Questions of each kind, where there are as many."""
_SEED = 7
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]")
_MARKUP = re.compile(
    r"https?://\S+|!?\[([^\]]*)\]\([^)]*\)|```.*?(?:```|\Z)|<[^>]+>|{{.*?}}", re.DOTALL
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+(?:\s*[-*>\d.]+\s+)?")
_HEADING = re.compile(r"^#{1,4}\s+(.+?)\s*$", re.MULTILINE)


class Known:
    """A note as it is asked for: `sentences` are of its body, plain; `links` has the names of the
    notes it links to, with the line that does."""

    def __init__(self, path: Path) -> None:
        entry = read_entry(str(path), path.read_bytes())
        self.id = entry.id
        self.name = path.stem
        self.title = entry.title
        self.description = plain_line(str(entry.fields.get("desc") or ""))
        self.headings = [plain_line(found) for found in _HEADING.findall(entry.text)]
        self.links = [
            (target.partition("#")[0].rpartition("/")[2], line)
            for line in entry.text.splitlines()
            for target in _LINK.findall(line)
        ]
        parts = _SENTENCE.split(_MARKUP.sub(r" \1 ", _HEADING.sub("\n", entry.text)))
        self.sentences = [plain for part in parts if (plain := plain_line(part))]


def read_notes(folder: Path) -> list[Known]:
    """Every note of a vault, by name."""
    return [Known(path) for path in sorted(folder.rglob("*.md"))]


def make_questions(notes: list[Known]) -> list[dict[str, object]]:
    """The questions, as lines of a question set: {question, expected: [id], category}."""
    chance = random.Random(_SEED)
    counts = Counter(word for note in notes for word in _words_of(note))
    titles = Counter(note.title.casefold() for note in notes)
    found: dict[str, list[tuple[str, str]]] = {}

    def put(kind: str, note: Known, question: str) -> None:
        if len(_WORD.findall(question)) >= 2:
            found.setdefault(kind, []).append((question, note.id))

    named = {note.name: note for note in notes}
    for note in notes:
        long = [text for text in note.sentences if 9 <= len(_WORD.findall(text)) <= 40]
        if long:
            put("sentence", note, forget_rarest(chance.choice(long), counts))
        if note.headings and long:
            words = _WORD.findall(long[0])
            kept = chance.sample(words, max(2, len(words) // 2))
            put("heading", note, " ".join([chance.choice(note.headings), *kept]))
        if titles[note.title.casefold()] == 1 and len(_WORD.findall(note.title)) >= 2:
            put("title", note, note.title)
        if len(_WORD.findall(note.description)) >= 5:
            put("description", note, note.description)
        for target, line in note.links:
            known = named.get(target)
            if known is not None and known is not note:
                spoken = plain_line(_LINK.sub(" ", line))
                if len(_WORD.findall(spoken)) >= 6:
                    put("mention", known, spoken)
    return [
        {"question": question, "expected": [id_], "category": kind}
        for kind, all_ in sorted(found.items())
        for question, id_ in chance.sample(all_, min(EACH, len(all_)))
    ]


def plain_line(text: str) -> str:
    """A line without markup."""
    return " ".join(_MARKUP.sub(r" \1 ", text).split()).strip(" -*>#")


def _words_of(note: Known) -> set[str]:
    return {word.casefold() for text in note.sentences for word in _WORD.findall(text)}


def forget_rarest(sentence: str, counts: Counter[str]) -> str:
    """A sentence without the two words of it that fewest notes have."""
    words = _WORD.findall(sentence)
    rare = sorted({word.casefold() for word in words}, key=lambda word: (counts[word], word))[:2]
    return " ".join(word for word in words if word.casefold() not in rare)
