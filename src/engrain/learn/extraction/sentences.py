"""A turn's text as sentences that somebody says: code, logs, quotations and markup are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.lexicons import read_regexes

_MOST = 20_000
"""Characters of a turn that are read: what is longer was pasted, not said."""
_LONGEST = 400
"""Characters of a sentence that is read."""

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_PATTERNS = read_regexes("extraction", "sentences")
_PICTURES = _PATTERNS["pictures"]
_MARKER = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_PASSED = _PATTERNS["passed"]
_BREAK = re.compile(r"([.!?…]+)[\"'”’)\]]*(?=\s+[\"'“‘(\[]?[A-Z0-9]|\s*$)")
_SHORT = _PATTERNS["short"]
_TICKED = re.compile(r"`([^`\s]{1,40})`")
_QUOTED = re.compile(r"[\"“][^\"“”]{0,300}[\"”]")


@dataclass(slots=True, eq=False)
class Sentence:
    """One sentence: its `text` without the mark at its end, which is `mark`, "" for none."""

    text: str
    mark: str


def split_sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text in their order, each on one line."""
    text = _FENCE.sub("\n", text[:_MOST].replace("\r\n", "\n")).replace("’", "'")
    for line in text.split("\n"):
        if _PASSED.search(line):
            continue
        line = _TICKED.sub(r"\1", _MARKER.sub("", line)).replace("**", "").replace("__", "")
        for part in _PICTURES.split(line):
            yield from _split(" ".join(part.split()))


def is_speech(text: str) -> bool:
    """Whether most of a sentence is another's words: quoted, not said."""
    return sum(map(len, _QUOTED.findall(text))) * 2 > len(text)


def _split(line: str) -> Iterator[Sentence]:
    start = 0
    for found in _BREAK.finditer(line):
        if (
            found[1] == "."
            and _SHORT.search(line[start : found.start()])
            and found.end() < len(line)
        ):
            continue
        if said := line[start : found.start()].strip(" ,"):
            yield from _bounded(said, found[1])
        start = found.end()
    if said := line[start:].strip(" ,"):
        yield from _bounded(said, "")


def _bounded(text: str, mark: str) -> Iterator[Sentence]:
    if len(text) <= _LONGEST and "`" not in text:
        yield Sentence(text, mark)
