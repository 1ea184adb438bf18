"""A note's text as the sentences it is compared by: their words, and those of them that tell it
apart from others (S1.17).

A sentence is an item of a list, a row, a heading, a line of code or a sentence of prose, on however
many lines. Words are folded to their stems, and such as say nothing are left out. Reading takes
time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from engrain.language.lexicons import read_words
from engrain.language.text.days import MONTHS, WEEKDAYS
from engrain.language.text.folding import fold, tells_apart
from engrain.language.text.numbers import NUMBERS
from engrain.language.text.statement_blocks import PROSE, read_blocks
from engrain.language.text.words import content_of

MOST = 200
"""Sentences of a note that are read."""
_LONGEST = 600
"""Characters of a sentence that are read: prose has no longer ones, what has is data."""

_BREAK = re.compile(r"(?<=[.!?])[\"'”’)*_]*\s+(?=[\"'“‘(*_\[`]*[A-Z0-9\[`])")
_LINK = re.compile(r"!?\[\[(?:[\w-]+::\s*)?([^\[\]|\n]+)(?:\|([^\[\]\n]+))?\]\]")
WORD = re.compile(r"[^\W_](?:[\w+#]|[-./:@’'](?=\w))*|%|[$€£](?=\d)")

_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
"""An option of a command."""

_WORDS = read_words("words", "sentences")
DENYING = _WORDS["denying"]
_TURNING = _WORDS["turning"]
PLACES = _WORDS["places"]
_SCOPES = _WORDS["scopes"]
_LOOSE = _WORDS["loose"]
_MONTHS = MONTHS.keys() - {"may"}
_APART = frozenset(
    (*_TURNING, *PLACES, *_SCOPES, *_MONTHS, *WEEKDAYS, *(day + "s" for day in WEEKDAYS))
)
_DENIAL = "\u00ac"


class Sentence:
    """`text` as it stands; the `kind` of block it is in; `words` its folded words in order; `marks`
    those of them that turn it around, say which of several is meant, or have digits; `loose` such
    as may; `names` what is written like a name, and `first` the word it begins with, which may be
    one."""

    __slots__ = ("first", "kind", "loose", "marks", "names", "text", "words")

    def __init__(self, text: str, kind: str = PROSE) -> None:
        self.text = text
        self.kind = kind
        words: list[str] = []
        marks: set[str] = set()
        names: set[str] = set()
        loose: set[str] = set()
        self.first = ""
        for at, found in enumerate(WORD.finditer(_LINK.sub(_shown, text))):
            said, mark, named = _read(found.group())
            if mark:
                marks.add(mark)
            elif named and at:
                names.add(said)
            elif named:
                self.first = said
            if said:
                words.append(said)
            if found.group().lower() in _LOOSE:
                loose.add(said or found.group().lower())
        marks.update(_OPTION.findall(text))
        self.words = tuple(words)
        self.marks = frozenset(marks)
        self.loose = frozenset(loose)
        self.names = frozenset(names)


def read_sentences(text: str, most: int = MOST) -> Iterator[Sentence]:
    """The sentences of a text that say something, in order, `most` at most."""
    count = 0
    for block in read_blocks(text):
        for said in _BREAK.split(block.text):
            sentence = Sentence(said[:_LONGEST].strip(" \t|"), block.kind)
            if sentence.words:
                yield sentence
                count += 1
                if count == most:
                    return


def _shown(link: re.Match[str]) -> str:
    return link[2] or link[1].rpartition("/")[2].replace("-", " ")


@lru_cache(maxsize=65536)
def _read(written: str) -> tuple[str, str, bool]:
    """A word folded ("" if it says nothing), the mark it is ("" for none), and whether it is a
    name."""
    word = written.replace("\u2019", "'").rstrip(".:/-'")
    low = fold(word)
    if not low:
        return "", "", False
    if low in DENYING or low.endswith("n't"):
        return content_of(low), _DENIAL, False
    low = str(NUMBERS[low]) if low in NUMBERS and low != "one" else low
    if any(map(str.isdigit, low)):
        return low, low, False
    said = content_of(low)
    if tells_apart(low):
        return said, low, False
    if low in _APART or low in "%$€£":
        said = said or low
        return said, said, False
    if any(sign in low for sign in "_/@#+:."):
        return low, low, False
    return said, "", bool(said) and any(map(str.isupper, word))
