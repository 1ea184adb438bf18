"""Mentions: places where a text has the whole title of a note and no link to it (S1.11).

A title is found as it is written, its first letter in either case, between whole words; the longest
title at a place counts. Nothing is found where a link does not belong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.lexicons import vocabulary
from engrain.language.text.folding import fold
from engrain.language.text.link_tokens import prose
from engrain.language.text.words import STOP

_UNFIT = re.compile(
    r"""
      ^[ \t>]*+ (?: \#{1,6}[ \t] [^\n]*+                      # a heading
                  | \| [^\n]*+                                # a row of a table
                  | \[[^\]\n]++\]: [^\n]*+                    # where a link leads
                  | [^\n]++ \n (?= (?: =+ | -{2,} ) [ \t\r]* $ ) )  # a heading with a line under it
    | ^(?: [ ]{4} | \t ) (?! [ \t]*+ (?: [-*+] | [0-9]{1,9}[.)] ) \s ) [^\n]*+  # code by its indent
    | !?\[\[ [^\[\]\r\n]*+ (?: \[[^\[\]\r\n]*+\] [^\[\]\r\n]*+ )*+ \]\]
    | !?\[ (?: [^\[\]\n] | \[[^\[\]\n]*+\] )*+ \]
        (?: \( [^()\n]*+ (?: \([^()\n]*+\) [^()\n]*+ )*+ \) | \[[^\]\n]*+\] )
    | \{\{ [^{}\n]*+ \}\}
    | < [^<>\n]*+ >
    | (?<!\S) [\w-]++ ::
    | (?<![\w&]) [\#@] [\w/-]++
    """,
    re.MULTILINE | re.VERBOSE,
)
_ADDRESS = re.compile(r"(?<!\S)[^\s/@\\]*+[/@\\]\S*+")


def linkable(body: str) -> str:
    """Return `body` with every place blanked where no link belongs; offsets stay the same."""
    fit = _UNFIT.sub(lambda found: " " * len(found[0]), prose(body))
    if "/" in fit or "@" in fit or "\\" in fit:
        fit = _ADDRESS.sub(_blank_address, fit)
    return fit


def _blank_address(found: re.Match[str]) -> str:
    """Blank an address or a path, but not two words with a slash between them."""
    text = found[0]
    words = text.count("/") == 1 and text[0] != "/" and not set("@\\.:~") & set(text.rstrip(".,:;"))
    return text if words else " " * len(text)


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}](?:[^\W_{_CJK}]|[\u0300-\u036f])*+")
_MOST_WORDS = 16
_LEAST_LETTERS = 3
_LOOK_BACK = 48
_CALENDAR = vocabulary(
    """january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep oct nov dec
    mon tue wed thu fri sat sun week day month year today"""
)
_JOINED_BEFORE = re.compile(r"[-_./\\@#$&+=]\Z")
_JOINED_BEHIND = re.compile(
    r"[-_/\\@=+#]|[.:&]\w|[ \t]{0,2}\(?(?:v(?:ersion)?[ .]?)?[0-9]", re.IGNORECASE
)
"""Characters beside a title that make it a part of a compound, a file's name or a version."""
_NAME_BEFORE = re.compile(r"[^\s.!?:;|>*-][ ]([^\W\d_]\w+) \Z")
_NAME_BEHIND = re.compile(r" ([^\W\d_]\w+)")


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters `start` to `end` of a text, which are the title of the note `owner`."""

    owner: int
    start: int
    end: int


class Titles:
    """A set of titles that are searched for at once; an owner is any number the caller gives."""

    def __init__(self) -> None:
        self._owners: dict[str, set[int]] = {}
        self._begun: dict[str, list[str]] = {}

    def add(self, title: str, owner: int) -> None:
        """Add the title of an owner, unless it looks like common words or a date."""
        title = " ".join(title.split())
        words = _WORD.findall(title)
        if not _is_telling(title, [fold(word) for word in words]) or not title.startswith(words[0]):
            return
        title = _lower_first(title)
        if title not in self._owners:
            begun = self._begun.setdefault(_lower_first(words[0]), [])
            begun.append(title)
            begun.sort(key=len, reverse=True)
        self._owners.setdefault(title, set()).add(owner)

    def find(self, text: str) -> Iterator[Mention]:
        """Yield the mentions of titles that have one owner, in the order of the text."""
        fit = linkable(text) if self._owners else ""
        behind = 0
        for word in _WORD.finditer(fit):
            start = word.start()
            if start < behind:
                continue
            for title in self._begun.get(_lower_first(word[0]), ()):
                end = start + len(title)
                if _lower_first(fit[start:end]) == title and _ends_word(fit, end):
                    behind = end
                    if len(self._owners[title]) == 1 and _stands_alone(text, start, end):
                        yield Mention(min(self._owners[title]), start, end)
                    break


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _ends_word(text: str, end: int) -> bool:
    """Whether no word goes on at `end`."""
    beside = _WORD.match(text, end - 1)
    return beside is None or beside.end() <= end


def _is_telling(title: str, words: list[str]) -> bool:
    """Whether a title names something: one word with a capital behind its first letter or a digit
    among letters, or several words with two that are no stop words."""
    if not 0 < len(words) <= _MOST_WORDS or all(
        word.isdecimal() or word in _CALENDAR for word in words
    ):
        return False
    if len(words) == 1:
        written = "".join(_WORD.findall(title))
        inner = any(char != char.lower() for char in written[1:])
        coded = inner or (any(map(str.isdigit, written)) and any(map(str.isalpha, written)))
        return coded and len(written) >= _LEAST_LETTERS
    return sum(word not in STOP and (len(word) > 1 or not word.isascii()) for word in words) > 1


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether words are no part of a compound, a file's name, a version or a longer name."""
    before = text[max(0, start - _LOOK_BACK) : start]
    if _JOINED_BEFORE.search(before) or _JOINED_BEHIND.match(text, end):
        return False
    if text[start] == text[start].lower():
        return True
    beside = (_NAME_BEFORE.search(before), _NAME_BEHIND.match(text, end))
    return not any(found and found[1][0] != found[1][0].lower() for found in beside)
