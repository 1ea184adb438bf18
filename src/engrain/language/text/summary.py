"""A summary made of a text's own sentences, the same for the same text (S1.9).

The first sentence stays, and of the others those that carry the most: words that nothing kept so
far has, numbers, dates, names and code before plain ones; what is denied or decided; what stands
first under a heading. Fenced blocks and tables stay whole or go, list items stand alone, and a text
without sentence marks is taken line by line. Reading takes time almost linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import log, sqrt

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
_LONG = 40  # words that a piece without an end has at most

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
_PLAIN, _SPECIFIC, _NAMED, _OPENING = 1.0, 2.0, 1.5, 1.0
_MARKS = ((2.0, _DENIAL), (2.5, _DECISION))
_OVERHEAD = 4  # words, so that a piece is not kept for being short


@dataclass(slots=True, eq=False)
class _Piece:
    """Characters `start` to `end`, of the block numbered `block`: a sentence, an item, or a `solid`
    piece that is never cut. `opening` is the first of its section; `gap` stands before it, `lead`
    before its block. `terms` is what it says, `worth` what it is worth."""

    start: int
    end: int
    block: int
    opening: bool
    solid: bool
    lead: str
    gap: str
    words: int = 1
    worth: float = 0.0
    terms: dict[str, float] = field(default_factory=dict)


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
    for before, piece in pairwise(kept):
        parts.append(piece.gap if piece.block == before.block else piece.lead)
        parts.append(text[piece.start : piece.end])
    return "".join(parts)


def _split(text: str) -> Iterator[_Piece]:
    """The pieces of a text, in order. Headings are no pieces: what is under them says more."""
    sections, spans = read_blocks(text)
    before = block = 0
    for section in sections:
        edges = list(spans.edges(section.body - 1, section.end))
        opening = True
        for start, end, solid in _blocks(text, section.body, section.end, edges):
            block += 1
            lead = text[before:start]
            lead = lead[len(lead.rstrip()) :] or "\n"
            for at, stop in [(start, end)] if solid else _sentences(text, start, end):
                yield _Piece(at, stop, block, opening, solid, lead, text[before:at])
                opening = False
                before = stop


def _blocks(
    text: str, start: int, end: int, edges: Sequence[int]
) -> Iterator[tuple[int, int, bool]]:
    """(start, end, whether it is never cut) of the paragraphs, items, fenced blocks and tables."""
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
    """The sentences of a paragraph; a line is one where it is long and nothing ends it."""
    for found in _SENTENCE_END.finditer(text, start, end):
        stop = found.end()
        if found[0] == "\n" and count_words(text[start:stop]) < _LONG // 2:
            continue  # a line that is only broken
        solid, stop = _trim(text, start, stop)
        if solid < stop:
            yield solid, stop
        start = found.end()
    solid, stop = _trim(text, start, end)
    if solid < stop:
        yield solid, stop


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    left = start + len(part) - len(part.lstrip())
    return left, max(left, start + len(part.rstrip()))


def _weigh(title: str, text: str, pieces: Sequence[_Piece]) -> None:
    """Give each piece what it says, by term, and how much that is worth."""
    named = set(_plain_terms(title))
    often: Counter[str] = Counter()
    for piece in pieces:
        content = text[piece.start : piece.end]
        piece.words = max(1, count_words(content))
        terms = dict.fromkeys(_plain_terms(content), _PLAIN)
        often.update(terms.keys())
        for pattern in (_CODE, _NAME, _NUMBER):
            terms.update((found[0].casefold(), _SPECIFIC) for found in pattern.finditer(content))
        piece.terms = terms
        piece.worth = _OPENING if piece.opening else 0.0
        piece.worth += sum(value for value, mark in _MARKS if mark.search(content))
    for piece in pieces:
        for term in piece.terms:
            piece.terms[term] *= 1 + log(max(1, often[term])) / 2
            if term in named:
                piece.terms[term] *= _NAMED


def _plain_terms(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        word = found[0].casefold()
        if len(word) >= _TELLING and not re.fullmatch(_COMMON, word):
            yield word
    for found in re.finditer(_DENSE_RUN, text):
        run = found[0]
        yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))


def _choose(pieces: Sequence[_Piece], most: int) -> list[_Piece]:
    """The pieces that say the most within `most` words, in order; the first before the others.

    What one piece has said adds nothing in the next, so a value only falls, and the greatest that
    still holds when it is looked at again is the greatest of all.
    """
    covered: set[str] = set()
    left = most
    kept = []
    if pieces and pieces[0].words <= most and not pieces[0].solid:
        kept.append(pieces[0])
        left -= pieces[0].words
        covered.update(pieces[0].terms)
    queue = [
        (-_value(piece, covered), place)
        for place, piece in enumerate(pieces)
        if piece.words <= left and piece not in kept
    ]
    heapify(queue)
    while queue:
        _, place = heappop(queue)
        piece = pieces[place]
        if piece.words > left:
            continue
        now = -_value(piece, covered)
        if queue and now > queue[0][0]:
            heappush(queue, (now, place))
        elif now < 0:
            kept.append(piece)
            left -= piece.words
            covered.update(piece.terms)
    return sorted(kept, key=lambda piece: piece.start)


def _value(piece: _Piece, covered: set[str]) -> float:
    new = sum(value for term, value in piece.terms.items() if term not in covered)
    return (new + piece.worth if new else 0.0) / sqrt(piece.words + _OVERHEAD)
