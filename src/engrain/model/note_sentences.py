"""A note's text as the sentences it is compared by: their words, and those of them that tell it
apart from others (S1.17).

A sentence is a line of a list, a row, a heading or a sentence of prose. Words are folded to their
stems, and such as say nothing are left out. Reading takes time linear in the text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.model.claim_numbers import NUMBERS, WEEKDAYS
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import content_of
from engrain.model.folding import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 200
"""Sentences of a note that are read."""
_LONGEST = 600
"""Characters of a sentence that are read: prose has no longer ones, what has is data."""

_BREAK = re.compile(r"\n+|(?<=[.!?])[\"'”’)*_]*\s+(?=[\"'“‘(*_\[`]*[A-Z0-9\[`])")
_MARKER = re.compile(r"^[\s>]*(?:#{1,6}\s|[-*+]\s(?:\[[ xX]\]\s)?|\d{1,3}[.)]\s|\|)?[\s|]*")
_LINK = re.compile(r"!?\[\[(?:[\w-]+::\s*)?([^\[\]|\n]+)(?:\|([^\[\]\n]+))?\]\]")
WORD = re.compile(r"[^\W_](?:[\w+#]|[-./:@’'](?=\w))*|%|[$€£](?=\d)")

TURNING = vocabulary(
    """always avoid before after block ban cannot close decrease deny disable disabled disallow
    down downgrade except exclude false fewer forbid forbidden hardly instead last less lower max
    maximum min minimum must neither never no none nobody nor not nothing off only optional
    reject refuse remove stop unless unset without keine kein nicht nie ohne"""
)
"""Words of which one more or less turns what is said around."""
SCOPES = vocabulary(
    """staging production prod preprod dev development sandbox canary test qa local primary replica
    standby master leader follower north south east west left right public private internal
    external input output read write client server frontend backend upstream downstream inbound
    outbound source target old new first second third final draft ios android linux windows macos
    mac eu us apac emea uk morning evening afternoon night daily weekly biweekly fortnightly monthly
    quarterly yearly annual hourly nightly up increase allow enable enabled enforce true on start
    open add include approve accept alpha beta stable legacy"""
)
"""Words by which one of several of a kind is meant, or one of two ways."""
_MONTHS = vocabulary(
    """january february march april june july august september october november december jan feb
    mar apr jun jul aug sep sept oct nov dec"""
)
_APART = frozenset((*TURNING, *SCOPES, *_MONTHS, *WEEKDAYS, *(day + "s" for day in WEEKDAYS)))


class Sentence:
    """`text` as it stands; `words` its folded words in order; `marks` those of them that turn it
    around, say which of several is meant, or have digits; `names` what is written like a name."""

    __slots__ = ("marks", "names", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        words: list[str] = []
        marks: set[str] = set()
        names: set[str] = set()
        for found in WORD.finditer(_LINK.sub(_shown, text)):
            said, mark, named = _read(found.group())
            if mark:
                marks.add(mark)
            elif named and words:
                names.add(said)
            if said:
                words.append(said)
        self.words = tuple(words)
        self.marks = frozenset(marks)
        self.names = frozenset(names)


def read_sentences(text: str, most: int = MOST) -> Iterator[Sentence]:
    """The sentences of a text that say something, in order, `most` at most."""
    count = 0
    for line in _BREAK.split(text):
        sentence = Sentence(_MARKER.sub("", line[:_LONGEST]).strip())
        if sentence.words:
            yield sentence
            count += 1
            if count == most:
                return


def _shown(link: re.Match[str]) -> str:
    return link[2] or link[1].rpartition("/")[2].replace("-", " ")


@lru_cache(maxsize=65536)
def _read(written: str) -> tuple[str, str, bool]:
    """A word folded, where it says something; the same where it is a mark; whether it is a name."""
    word = written.replace("\u2019", "'").rstrip(".:/-'")
    low = fold(word)
    if low in NUMBERS:
        return str(NUMBERS[low]), str(NUMBERS[low]), False
    if any(map(str.isdigit, low)):
        return low, low, False
    said = content_of(low) if low else ""
    if low.endswith("n't") or low in _APART or low in "%$€£":
        return said or low, said or low, False
    if any(sign in low for sign in "_/@#+:."):
        return low, low, False
    return said, "", bool(said) and any(map(str.isupper, word))
