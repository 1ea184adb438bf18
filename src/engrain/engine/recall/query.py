"""Reads a query: the ids, links, tags, names and periods in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from unicodedata import normalize

from engrain.language.text.instants import to_local
from engrain.language.text.periods import find_periods

if TYPE_CHECKING:
    from engrain.language.text.periods import Period


HEAD = 2048
"""The number of characters of a query that are read: a prompt may be megabytes long."""
_NAME_WORDS = 64
"""The words in which names are looked for, half at the beginning and half at the end."""
_LONGEST_NAME = 4

_WORD = re.compile(r"[^\W_](?:[\w.'’/-]*\w)?")
_OWNERS = ("'s", "’s", "'", "’")
_TAG = re.compile(r"(?<!\S)#(\w[\w/-]{0,63})")
_ID = re.compile(r"(?<![0-9a-z])[0-9a-hjkmnp-tv-z]{26}(?![0-9a-z])")
_LINK = re.compile(r"\[\[\s*([^\[\]|#\s][^\[\]|#\n]{0,299})")


_CHATTER = """
a again ahead alright also and any but continue cool correct do does done exactly fine go going
good great hello help hey hi i in is it just keep let like looks makes maybe me more my nice no
not now of ok okay on perfect please proceed ready right sense so sorry start stop sure thank
thanks that the then there these this to try us wait want way we well what works yeah yep yes you
your
"""
CHATTER = frozenset(_CHATTER.split())
"""Words that speak to an agent without asking for anything."""


_LONGEST_TITLE = 8
"""The most words of a query that as a whole may be an entry's name."""


class Query:
    """A query: the `head` that is read, the `ids`, `[[links]]` and `#tags` in it, the runs of words
    that may be `names`, and its `periods` of time relative to `now`. `chatter` is true for a query
    that asks for nothing, such as "thanks, go on"."""

    __slots__ = ("chatter", "head", "ids", "links", "names", "now", "periods", "tags")

    def __init__(self, text: str, now: float) -> None:
        self.head = _compose(text[:HEAD])
        written = _WORD.findall(self.head)
        self.ids = _ID.findall(self.head)
        self.links = _find_links(self.head)
        self.tags = _TAG.findall(self.head) if "#" in self.head else []
        words = list(map(_without_owner, written))
        self.names = _make_names(words)
        self.chatter = bool(words) and all(word.casefold() in CHATTER for word in words)
        self.now = now
        self.periods: list[Period] = find_periods(self.head, to_local(now))


def _find_links(head: str) -> list[str]:
    """Return the targets of links; a query that is only a path, slug, title or alias is one too."""
    if "[[" in head:
        return _LINK.findall(head)
    words = head.split(maxsplit=_LONGEST_TITLE)
    whole = " ".join(words)
    return [whole] if len(words) <= _LONGEST_TITLE and not whole.isalnum() and whole else []


def _without_owner(word: str) -> str:
    return next((word[: -len(end)] for end in _OWNERS if word.endswith(end)), word)


def without(text: str, names: Sequence[str]) -> str:
    """Return a text without some names and their possessive marks."""
    if not names:
        return text

    for name in names:
        text = re.sub(rf"\b{re.escape(name)}\b(?:['’]s|s['’])?", "", text, flags=re.IGNORECASE)
    return text


def _compose(text: str) -> str:
    """Return a text in NFC (letter and marks in one character), the form in which names are
    compared."""
    if text.isascii():
        return text
    return normalize("NFC", text)


def _make_names(words: Sequence[str]) -> list[str]:
    if len(words) > _NAME_WORDS:
        words = [*words[: _NAME_WORDS // 2], *words[-_NAME_WORDS // 2 :]]
    runs = (
        " ".join(words[start : start + length])
        for length in range(1, _LONGEST_NAME + 1)
        for start in range(len(words) - length + 1)
    )
    return list(dict.fromkeys(runs))
