"""Mentions: places where a text uses a name of a note without a link to it (S1.11).

Names are found by whole words, whatever their case and whether spaces, hyphens or underscores
separate them; the longest name at a place counts. Nothing is found where a link does not belong.
The search takes time linear in the text, however many names there are.

Glossary
--------
owner       a note with a name, by any number that the caller gives it.
capital     written like a name: several words with a capital, or exactly as the note is called,
            with a capital within a sentence or in a form that no common word has (`pgBouncer`,
            `S3`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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
_WITHIN = re.compile(r"(?<=[^\W\d_] )[^\W\d_]{4,}")


def count_capitals(body: str) -> tuple[int, int]:
    """Return how many of the longer words within sentences begin with a capital, and how many there
    are."""
    words = _WITHIN.findall(linkable(body))
    return sum(1 for word in words if word != word.lower()), len(words)


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
_JOINTS = frozenset(("", "-", "_", "–", "‑"))
"""Characters that may stand between the words of a name instead of a space."""
_CALENDAR = vocabulary(
    """january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep oct nov dec
    mon tue wed thu fri sat sun week day month year today"""
)
_NAMELESS = vocabulary(
    "untitled readme index root home note notes todo todos inbox misc draft template"
)

_OPENING, _CLOSING = "\"'“‘«*_(", "\"'”’»*_)"
_STARTS = re.compile(r"(?:\A|[\n.!?:;|]|[-*+>]|[0-9]\.)[\s\"'“‘«*_(\[>]{0,48}\Z")
_LOOK_BACK = 48
_CUE = re.compile(
    r"\b(?:see(?: also| the)?|(?:described|documented|covered|explained|written up|recorded|noted)"
    r" (?:in|under|by)(?: the)?|(?:note|page|entry|write-?up|doc|runbook) (?:on|about|called|for)"
    r"(?: the)?|according to(?: the)?|as per(?: the)?|refer to(?: the)?|details in(?: the)?)\s*\Z",
    re.IGNORECASE,
)
_VERSION = re.compile(r"[ \t]{0,2}\(?(?:v(?:ersion)?[ .]?)?[0-9]", re.IGNORECASE)


class Name:
    """A name as it is `written`, and its owners.

    `content` counts its words that are no stop words; `coded` says that it has a form that no
    common word has, `single` that it is one word, `titled` that several begin with a capital.
    """

    __slots__ = ("coded", "content", "owners", "single", "titled", "written")

    def __init__(self, written: str, words: Sequence[str]) -> None:
        self.written = written
        self.owners: tuple[int, ...] = ()
        self.single = len(words) == 1
        self.content = sum(1 for word in words if _tells(word))
        self.coded = self.single and _is_coded(written)
        self.titled = sum(1 for word in _WORD.findall(written) if word != word.lower()) > 1


class Mention:
    """Characters `start` to `end` of a text, which mention `name`.

    `capital` says that it is written like a name, `exact` that only its first letter may differ
    from the name, `quoted` that it has quotes or emphasis around it, `cued` that words before it
    introduce a note ("see", "described in").
    """

    __slots__ = ("capital", "cued", "end", "exact", "name", "quoted", "start")

    def __init__(self, name: Name, body: str, start: int, end: int) -> None:
        written = body[start:end]
        self.name = name
        self.start = start
        self.end = end
        self.exact = written[1:] == name.written[1:]
        self.quoted = start > 0 and body[start - 1] in _OPENING and body[end : end + 1] in _CLOSING
        before = body[max(0, start - _LOOK_BACK) : start]
        self.cued = bool(_CUE.search(before))
        capitals = sum(1 for word in _WORD.findall(written) if word != word.lower())
        as_named = capitals == 1 and (name.single or written == name.written)
        begins = as_named and bool(_STARTS.search(before))
        self.capital = capitals > 1 or (as_named and (not begins or name.coded))

    @property
    def strength(self) -> int:
        """How likely the mention is, judged by this text alone: the greater, the likelier."""
        return 4 * self.capital + 2 * (self.quoted or self.cued) + self.exact


@dataclass(slots=True, eq=False)
class Names:
    """A set of names that are searched for at once."""

    _names: dict[str, Name] = field(default_factory=dict, init=False)
    _firsts: set[str] = field(default_factory=set, init=False)
    _lengths: dict[str, tuple[int, ...]] = field(default_factory=dict, init=False)

    def add(self, written: str, owner: int) -> None:
        """Add a name of an owner, unless it looks too common."""
        written = " ".join(written.split())
        spans = [found.span() for found in _WORD.finditer(written)]
        words = [_key(written[start:end]) for start, end in spans]
        if not _is_telling(words, written):
            return
        keys = list(_prefixes(written, spans, words))
        name = self._names.get(keys[-1])
        if name is None:
            self._firsts.add(words[0])
            start, end = spans[0][0], _close(written, spans[0][0], spans[-1][1])
            name = self._names[keys[-1]] = Name(written[start:end], words)
        if owner not in name.owners:
            name.owners = (*name.owners, owner)
        if len(words) > 1:
            known = self._lengths.get(keys[1], ())
            if len(words) not in known:
                self._lengths[keys[1]] = tuple(sorted((*known, len(words)), reverse=True))

    def find(self, body: str) -> Iterator[Mention]:
        """Yield the mentions in a text, in order."""
        if not self._names:
            return
        fit = linkable(body)
        spans = [found.span() for found in _WORD.finditer(fit)]
        words = [_key(fit[start:end]) for start, end in spans]
        behind = 0
        for at, word in enumerate(words):
            if at < behind or word not in self._firsts:
                continue
            found = self._longest(body, spans, words, at)
            if found is not None:
                name, length = found
                behind = at + length
                start, end = spans[at][0], spans[behind - 1][1]
                if _stands_alone(body, spans, at, length):
                    yield Mention(name, body, start, _close(body, start, end))

    def _longest(
        self, body: str, spans: Sequence[tuple[int, int]], words: Sequence[str], at: int
    ) -> tuple[Name, int] | None:
        """Return the longest name that begins at a word, and its number of words."""
        if at + 1 < len(words):
            joint = _joint(body[spans[at][1] : spans[at + 1][0]])
            lengths = self._lengths.get(f"{words[at]}{joint}{words[at + 1]}")
            if lengths:
                most = min(lengths[0], len(words) - at)
                parts = slice(at, at + most)
                keys = list(_prefixes(body, spans[parts], words[parts]))
                for length in lengths:
                    if length <= most and (name := self._names.get(keys[length - 1])):
                        return name, length
        name = self._names.get(words[at])
        return None if name is None else (name, 1)


def best_mentions(mentions: Iterable[Mention]) -> list[Mention]:
    """Return the strongest mention of each name, the first among equals."""
    best: dict[Name, Mention] = {}
    for mention in mentions:
        known = best.get(mention.name)
        if known is None or mention.strength > known.strength:
            best[mention.name] = mention
    return list(best.values())


def _key(word: str) -> str:
    return word.lower() if word.isascii() else fold(word)


def _joint(gap: str) -> str:
    """Return the text between two words in the form that is compared."""
    if "\n" in gap:
        return "\n"
    stripped = gap.strip()
    return " " if stripped in _JOINTS else " ".join(gap.split())


def _prefixes(text: str, spans: Sequence[tuple[int, int]], words: Sequence[str]) -> Iterator[str]:
    """Yield the keys of the first word, the first two, the first three, …"""
    key = ""
    for at, word in enumerate(words):
        key += (_joint(text[spans[at - 1][1] : spans[at][0]]) if at else "") + word
        yield key


def _close(text: str, start: int, end: int) -> int:
    """Return the end of words, behind a bracket that closes one among them."""
    opened = text.count("(", start, end) > text.count(")", start, end)
    return end + 1 if opened and text[end : end + 1] == ")" else end


def _is_telling(words: Sequence[str], written: str) -> bool:
    """Whether a name looks different from a common word and a date."""
    if not 0 < len(words) <= _MOST_WORDS:
        return False
    if all(word.isdecimal() or word in _CALENDAR or word in _NAMELESS for word in words):
        return False
    if len(words) == 1:
        plain = words[0]
        if _is_coded(written):
            return len(plain) >= _LEAST_LETTERS
        return len(plain) > _LEAST_LETTERS and written[:1] != plain[:1] and plain not in STOP
    return any(_tells(word) for word in words) and sum(map(len, words)) >= _LEAST_LETTERS


def _tells(word: str) -> bool:
    return word not in STOP and (len(word) > 1 or word.isdecimal() or not word.isascii())


def _is_coded(written: str) -> bool:
    """Whether a word has a capital behind its first letter, or a digit among letters."""
    word = "".join(_WORD.findall(written))
    inner = any(char != char.lower() for char in word[1:])
    return inner or (any(map(str.isdigit, word)) and any(map(str.isalpha, word)))


def _stands_alone(body: str, spans: Sequence[tuple[int, int]], at: int, length: int) -> bool:
    """Whether words are no part of something longer: a compound, a file's name, a version, or a
    longer name."""
    start, end = spans[at][0], spans[at + length - 1][1]
    before, behind = body[start - 1 : start], body[end : end + 2]
    if before and before in "-_./\\@#$&+=":
        return False
    if behind[:1] and (behind[0] in "-_/\\@=+#" or (behind[0] in ".:&" and behind[1:2].isalnum())):
        return False
    if _VERSION.match(body, end):
        return False
    return not _is_part(body, spans, at, length)


def _is_part(body: str, spans: Sequence[tuple[int, int]], at: int, length: int) -> bool:
    """Whether a capitalised word stands right beside words that are all capitalised."""
    if not all(body[start] != body[start].lower() for start, _ in spans[at : at + length]):
        return False
    last = at + length
    touches = last < len(spans) and body[spans[last - 1][1] : spans[last][0]] == " "
    if touches and _is_capitalised(body[slice(*spans[last])]):
        return True
    if not at or body[spans[at - 1][1] : spans[at][0]] != " ":
        return False
    start, end = spans[at - 1]
    begins = _STARTS.search(body[max(0, start - _LOOK_BACK) : start])
    return _is_capitalised(body[start:end]) and not begins


def _is_capitalised(word: str) -> bool:
    return word[0] != word[0].lower() and word != "I"
