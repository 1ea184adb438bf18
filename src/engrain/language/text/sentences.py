"""A note's text as the sentences it is compared by: their words, and those of them that tell it
apart from others (S1.17).

A sentence is an item of a list, a row, a heading, a line of code or a sentence of prose, on however
many lines. Words are folded to their stems, and such as say nothing are left out. Reading takes
time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from engrain.language.lexicons import read_words
from engrain.language.text.folding import distinguishes, fold
from engrain.language.text.instants import MONTHS, WEEKDAYS
from engrain.language.text.words import NUMBERS, content_of

PROSE, ITEM, ROW, HEADING, CODE = "prose", "item", "row", "heading", "code"


@dataclass(slots=True, eq=False)
class Block:
    """`text` is without its markers; `kind` is one of the above. Of code each line is a block."""

    kind: str
    text: str


_COMMENT = re.compile(r"<!--(?:[^<-]++|-(?!->)|<(?!!--))*+-->")
_FILLED = re.compile(r"\{\{[^{}\n]*\}\}")
_MARKER = re.compile(
    r"(?P<indent>[ \t]*)(?P<quote>(?:>[ \t]?)*)[ \t]*(?:(?P<hashes>#{1,6})[ \t]|"
    r"(?P<item>(?:[-*+]|\d{1,3}[.)])[ \t])|(?P<row>\|))?"
)
_TASK = re.compile(r"\[[ xX]\]\s")
_FENCES = ("```", "~~~")
_KINDS = {"item": ITEM, "row": ROW}
_RULE = re.compile(r"\A([=\-~^*#_])\1{2,}+$")
_WRAPPED = 60
"""Characters of a line from which on it was wrapped where no sentence ends with it."""


def read_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a text, in order."""
    kind = PROSE
    held: list[str] = []
    for line, is_code in _split_code(text):
        marker = next(_MARKER.finditer(line))
        content = line[marker.end() :].strip()
        marked = marker.lastgroup in ("hashes", "item", "row")
        if held and (is_code or marked or not _goes_on(held[-1], content)):
            yield Block(kind, " ".join(held))
            held = []
        if is_code:
            yield Block(CODE, line)
        elif marker["hashes"]:
            yield Block(HEADING, content.rstrip("#").rstrip())
        elif content and not _RULE.fullmatch(content):
            kind = kind if held else _KINDS.get(marker.lastgroup or "", PROSE)
            held.append(_TASK.sub("", content, count=1) if marker["item"] else content)


def _split_code(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a text without its comments, each with whether it is code of a fenced
    block; an empty line stands for a fence, and behind the last one."""
    # Behind the last end of a comment none is looked for: each would be, to the end of the text.
    closed = text.rfind("-->") + len("-->") if "<!--" in text and "-->" in text else 0
    text = _FILLED.sub(" ", _COMMENT.sub(" ", text[:closed]) + text[closed:])
    fence = ""
    for line in (*text.split("\n"), ""):
        bare = line.strip("> \t\r")
        if fence and bare.startswith(fence):
            fence = ""
        elif fence and bare:
            yield line.strip(), True
        elif not fence and bare[:3] in _FENCES:
            fence = bare[:3]
            yield "", False
        elif not fence:
            yield line, False


def _goes_on(before: str, content: str) -> bool:
    """Whether a line goes on with the one before it, which was wrapped."""
    if not content or _RULE.fullmatch(content) or before.endswith((".", "!", "?", ":", ";", "  ")):
        return False
    return content[0].islower() or len(before) >= _WRAPPED


_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’)*_])\s+|(?<=[。！？])|\n+")
_QUOTED = re.compile(r"[\"“][^\"“”]{0,300}[\"”]")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text; they end at a mark and a blank, or with the line."""
    return [part for each in _SENTENCE_END.split(text) if (part := each.strip())]


@dataclass(slots=True, eq=False)
class SaidSentence:
    """A sentence that somebody says: its `text` without the mark that ends it, and that `mark`."""

    text: str
    mark: str

    @property
    def asks(self) -> bool:
        """Whether it is a question."""
        return "?" in self.mark


def is_quoted(text: str) -> bool:
    """Whether more than half of a text stands in quotation marks: the words of another."""
    return sum(map(len, _QUOTED.findall(text))) * 2 > len(text)


def split_speech(
    line: str, end: re.Pattern[str], short: re.Pattern[str], edge: str
) -> Iterator[SaidSentence]:
    """Yield the sentences of a line. Each ends where `end` matches, except at the dot of an
    abbreviation (`short`) within the line and inside a code span; the characters of `edge` are
    stripped."""
    line = " ".join(line.split())
    spans = line.count("`") % 2 == 0
    start = 0
    for found in end.finditer(line):
        part, mark = line[start : found.start()], found[1] or ""
        cut = mark == "." and found.end() < len(line) and short.search(part)
        if not cut and not (spans and part.count("`") % 2):
            yield SaidSentence(part.strip(edge), mark)
            start = found.end()
    yield SaidSentence(line[start:].strip(edge), "")


MOST = 200
"""Sentences of a note that are read."""
_LONGEST = 600
"""Characters of a sentence that are read: prose has no longer ones, what has is data."""

_BREAK = re.compile(r"(?<=[.!?])[\"'”’)*_]*\s+(?=[\"'“‘(*_\[`]*[A-Z0-9\[`])")
_LINK = re.compile(r"!?\[\[(?:[\w-]{1,60}::\s*+)?([^\[\]|\n]+)(?:\|([^\[\]\n]+))?\]\]")
WORD = re.compile(r"[^\W_](?:[\w+#]|[-./:@’'](?=\w))*|%|[$€£](?=\d)")

_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
"""An option of a command."""

_WORDS = read_words("words", "sentences")
_TURNING = _WORDS["turning"]
PLACES = _WORDS["places"]
_SCOPES = _WORDS["scopes"]
_MONTHS = MONTHS.keys() - {"may"}
_APART = frozenset(
    (*_TURNING, *PLACES, *_SCOPES, *_MONTHS, *WEEKDAYS, *(day + "s" for day in WEEKDAYS))
)
DENIAL = "\u00ac"


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
        shown = _LINK.sub(_shown, text) if "[[" in text else text
        for at, (folded, mark, named, turn) in enumerate(map(_read, WORD.findall(shown))):
            if mark:
                marks.add(mark)
            elif named and at:
                names.add(folded)
            elif named:
                self.first = folded
            if folded:
                words.append(folded)
            if turn:
                loose.add(turn)
        if "-" in text:
            marks.update(_OPTION.findall(text))
        self.words = tuple(words)
        self.marks = frozenset(marks)
        self.loose = frozenset(loose)
        self.names = frozenset(names)


def read_sentences(text: str, most: int = MOST) -> Iterator[Sentence]:
    """Yield the sentences of a text that say something, in order, `most` at most."""
    count = 0
    for block in read_blocks(text):
        for part in _BREAK.split(block.text):
            sentence = Sentence(part[:_LONGEST].strip(" \t|"), block.kind)
            if sentence.words:
                yield sentence
                count += 1
                if count == most:
                    return


def _shown(link: re.Match[str]) -> str:
    return link[2] or link[1].rpartition("/")[2].replace("-", " ")


@lru_cache(maxsize=65536)
def _read(written: str) -> tuple[str, str, bool, str]:
    """Return what `_judge` says of a word, and the word if it may turn a sentence around."""
    folded, mark, named = _judge(written)
    low = written.lower()
    return folded, mark, named, (folded or low) if low in _WORDS["loose"] else ""


def _judge(written: str) -> tuple[str, str, bool]:
    """Return a word folded, the mark it is ("" for none), and whether it is a name."""
    word = written.replace("\u2019", "'").rstrip(".:/-'")
    low = fold(word)
    if not low:
        return "", "", False
    if low in _WORDS["denying"] or low.endswith("n't"):
        return content_of(low), DENIAL, False
    low = str(NUMBERS[low]) if low in NUMBERS and low != "one" else low
    if any(map(str.isdigit, low)):
        return low, low, False
    folded = content_of(low)
    if distinguishes(low):
        return folded, low, False
    if low in _APART or low in "%$€£":
        folded = folded or low
        return folded, folded, False
    if any(sign in low for sign in "_/@#+:."):
        return low, low, False
    return folded, "", bool(folded) and any(map(str.isupper, word))
