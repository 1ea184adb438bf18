"""Mentions: places where a text has the whole title of a note and no link to it (S1.11).

Titles are found by whole words in any case; the longest title at a place counts. Nothing is found
where a link does not belong. A search takes time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

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
    """Characters `start` to `end` of a text, which are the title of the note `owner`; `exact` says
    that capitals are as in the title."""

    owner: int
    start: int
    end: int
    exact: bool


@dataclass(slots=True)
class _Title:
    """A title: its words and the text before each, in the form that is compared, and its owners."""

    written: str
    parts: tuple[tuple[str, str], ...]
    tail: str
    owners: set[int] = field(default_factory=set)


class Titles:
    """A set of titles that are searched for at once; an owner is any number the caller gives."""

    def __init__(self) -> None:
        self._titles: dict[tuple[tuple[str, str], ...], _Title] = {}
        self._begun: dict[tuple[tuple[str, str], ...], list[_Title]] = {}

    def add(self, title: str, owner: int) -> None:
        """Add the title of an owner, unless it looks like common words or a date."""
        title = " ".join(title.split())
        spans, parts = _split(title, title)
        if not _is_telling(title, [word for _, word in parts]):
            return
        known = self._titles.get(parts)
        if known is None:
            written = title[spans[0][0] :]
            known = self._titles[parts] = _Title(written, parts, title[spans[-1][1] :])
            begun = self._begun.setdefault(parts[:2], [])
            begun.append(known)
            begun.sort(key=lambda one: -len(one.parts))
        known.owners.add(owner)

    def find(self, text: str) -> Iterator[Mention]:
        """Yield the mentions of titles that have one owner, in the order of the text."""
        spans, parts = _split(text, linkable(text) if self._titles else "")
        behind = 0
        for at in range(len(parts)):
            if at < behind:
                continue
            head = ("", parts[at][1])
            for title in (
                *self._begun.get((head, *parts[at + 1 : at + 2]), ()),
                *self._begun.get((head,), ()),
            ):
                length = len(title.parts)
                if title.parts[1:] != parts[at + 1 : at + length]:
                    continue
                start, end = spans[at][0], spans[at + length - 1][1]
                if title.tail and text.startswith(title.tail, end):
                    end += len(title.tail)
                elif "(" in title.written[: -len(title.tail) or None] and ")" in title.tail:
                    continue
                behind = at + length
                if len(title.owners) == 1 and _stands_alone(text, start, end):
                    written = text[start:end]
                    yield Mention(min(title.owners), start, end, title.written.startswith(written))
                break


def _split(text: str, fit: str) -> tuple[list[tuple[int, int]], tuple[tuple[str, str], ...]]:
    """Return the places of the words that are in `fit`, the linkable part of a text, and each word
    with the text before it, in the form that is compared; nothing stands before the first."""
    spans = [found.span() for found in _WORD.finditer(fit)]
    parts = []
    before = 0
    for start, end in spans:
        gap = text[before:start] if before else ""
        gap = "\n" if "\n" in gap else " ".join(gap.split()) or gap[:1]
        parts.append((gap, fold(text[start:end])))
        before = end
    return spans, tuple(parts)


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
