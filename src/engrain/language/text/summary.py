"""A summary made of a text's own sentences, the same for the same text (S1.9).

The first sentence stays, and of the others those that carry the most: words that nothing kept so
far has, numbers, dates, names and code before plain ones; what is denied or decided; what stands
first under a heading. Fenced blocks and tables stay whole or go, list items stand alone, and a text
without sentence marks is taken line by line. Reading takes time almost linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from engrain.language.text.blocks import read_blocks

LEAST_WORDS = 60
"""A text of no more words stays whole."""
SHARE = 0.25
"""The part of a longer text's words that its summary may have."""

# Scripts that put no blanks between words: two characters count as a word.
_DENSE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[^\W{_DENSE}]+(?:['’.:/-][^\W{_DENSE}]+)*")
_ANY_WORD = rf"{_WORD.pattern}|[{_DENSE}]{{1,2}}"
_DENSE_RUN = rf"[{_DENSE}]+"

_BLANK = re.compile(r"\n[ \t\r]*\n")
_ITEM = re.compile(r"(?m)^[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]*_`]*(?=\s)|[。！？｡؟।]+[”’」』）]*|\n")
_LONG_LINE = 100
"""Characters from which a line without an end is a piece; a shorter one is only broken."""

_NUMBER = re.compile(r"\b\w*?[0-9][\w.,:%/-]*")
_CODE = re.compile(r"`[^`\n]+`|\[\[[^\[\]\n]+\]\]|https?://\S+")
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w-]+|\b\w*[a-z][A-Z]\w*|\b[A-Z]{2,}\b|\b\w+_\w+\b")
_DENIAL = re.compile(
    r"(?i)\b(?:not?|never|none|neither|nor|without|cannot|nicht|keine?|nie|ne|pas|jamais|nunca|sin)\b"
    r"|n['’]t\b|[不没無非]|ない|않|못"
)
_DECISION = re.compile(
    r"(?i)\b(?:decid\w+|chos\w+|choose|must|always|because|therefore|instead|root cause|fix\w*"
    r"|prefer\w*|avoid\w*|requir\w+|only|agreed|learn\w*|lesson\w*|todo|entschied\w*|weil|muss"
    r"|immer|décid\w+|parce|toujours|decid\w+|porque|siempre)\b|决定|決定|必须|必須|因为|ため|결정"
)
_CUT = "…"
_COMMON = (
    r"about|after|also|been|before|being|both|could|does|each|else|from|have|having|here|into|just"
    r"|like|made|many|more|most|much|only|other|over|same|should|some|such|than|that|their|them"
    r"|then|there|these|they|this|those|through|under|until|very|well|were|what|when|where|which"
    r"|while|will|with|would|your"
)
_TELLING = 4  # letters from which a word means something
_SPECIFIC, _NAMED, _OPENING = 2.0, 0.5, 1.0
_MARKS = ((2.0, _DENIAL), (2.5, _DECISION))
_OVERHEAD = 4  # words, so that a piece is not kept for being short


@dataclass(slots=True, eq=False)
class _Piece:
    """Characters `start` to `end`: a sentence, an item, or a `solid` piece that is never cut.
    `opening` is the first of its section, `gap` what stands before it, `terms` what it says."""

    start: int
    end: int
    opening: bool
    solid: bool
    gap: str
    words: int = 1
    value: float = 0.0
    terms: frozenset[str] = frozenset()


def count_words(text: str) -> int:
    """Words of a text; of scripts without blanks, two characters count as one."""
    dense = sum(len(run[0]) for run in re.finditer(_DENSE_RUN, text))
    return sum(1 for _ in _WORD.finditer(text)) + (dense + 1) // 2


def most_words(text: str) -> int:
    """Words that a summary of `text` may have."""
    return max(LEAST_WORDS, int(SHARE * count_words(text)))


def summarize(title: str, text: str, most: int) -> str:
    """What carries the most of `text`, an entry's body under `title`, in at most `most` words.

    A text of no more words is returned as it is, without the blanks around it. Never longer than
    the text.
    """
    text = text.strip()
    if count_words(text) <= most:
        return text
    pieces = list(_split(text))
    _weigh(title, text, pieces)
    kept = _choose(pieces, most)
    if not kept:
        for number, found in enumerate(re.finditer(_ANY_WORD, text)):
            if number == most:
                return text[: found.start()].rstrip() + _CUT
        return text
    parts = [text[kept[0].start : kept[0].end]]
    for piece in kept[1:]:
        parts += (piece.gap, text[piece.start : piece.end])
    return "".join(parts)


def _split(text: str) -> Iterator[_Piece]:
    """Yield the pieces of a text, in order. Headings are no pieces: what is under them says
    more."""
    sections, spans = read_blocks(text)
    before = 0
    for section in sections:
        edges = list(spans.edges(section.body - 1, section.end))
        opening = True
        for start, end, solid in _blocks(text, section.body, section.end, edges):
            for at, stop in [(start, end)] if solid else _sentences(text, start, end):
                gap = text[before:at]
                yield _Piece(at, stop, opening, solid, gap[len(gap.rstrip()) :] or "\n")
                opening = False
                before = stop


def _blocks(
    text: str, start: int, end: int, edges: Sequence[int]
) -> Iterator[tuple[int, int, bool]]:
    """Yield start, end and whether it is never cut of paragraphs, items, fenced blocks, tables."""
    at = start
    for first, last in zip(edges[::2], edges[1::2], strict=False):
        yield from _paragraphs(text, at, first)
        yield (*_trim(text, first, last), True)
        at = last
    yield from _paragraphs(text, at, end)


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    cuts = [found.end() for found in _BLANK.finditer(text, start, end)]
    cuts += [found.start() for found in _ITEM.finditer(text, start, end)]
    for first, last in pairwise([start, *sorted(cuts), end]):
        solid, stop = _trim(text, first, last)
        if solid < stop:
            yield solid, stop, False


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a paragraph; a line is one where it is long and nothing ends it."""
    ends = [
        found.end()
        for found in _SENTENCE_END.finditer(text, start, end)
        if found[0] != "\n" or found.end() - text.rfind("\n", start, found.start()) > _LONG_LINE
    ]
    for first, last in pairwise([start, *ends, end]):
        solid, stop = _trim(text, first, last)
        if solid < stop:
            yield solid, stop


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    left = start + len(part) - len(part.lstrip())
    return left, max(left, start + len(part.rstrip()))


def _weigh(title: str, text: str, pieces: Sequence[_Piece]) -> None:
    """Set the terms of each piece, and its value for its length."""
    named = frozenset(_plain_terms(title))
    for piece in pieces:
        content = text[piece.start : piece.end]
        piece.words = max(1, count_words(content))
        plain = frozenset(_plain_terms(content))
        telling = frozenset(
            found[0].casefold()
            for form in (_CODE, _NAME, _NUMBER)
            for found in form.finditer(content)
        )
        piece.terms = plain | telling
        worth = len(plain) + _SPECIFIC * len(telling) + _NAMED * len(plain & named)
        worth += sum(value for value, mark in _MARKS if mark.search(content))
        piece.value = (worth + _OPENING * piece.opening) / sqrt(piece.words + _OVERHEAD)


def _plain_terms(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        word = found[0].casefold()
        if len(word) >= _TELLING and not re.fullmatch(_COMMON, word):
            yield word
    for found in re.finditer(_DENSE_RUN, text):
        run = found[0]
        yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))


def _choose(pieces: Sequence[_Piece], most: int) -> list[_Piece]:
    """Return the most valuable pieces within `most` words, in order; the first before the others,
    and none that says nothing new."""
    ranked = sorted(pieces, key=lambda piece: -piece.value)
    kept: dict[int, _Piece] = {}
    covered: set[str] = set()
    if pieces and not pieces[0].solid and pieces[0].words <= most:
        ranked.insert(0, pieces[0])
    for piece in ranked:
        opens = piece is ranked[0] is pieces[0]
        if piece.words <= most and piece.start not in kept and (opens or piece.terms - covered):
            kept[piece.start] = piece
            most -= piece.words
            covered |= piece.terms
    return [kept[start] for start in sorted(kept)]
