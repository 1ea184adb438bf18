"""One thing that an approved place has: an entry of a feed, a page, a document, a commit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.text.chunks import split_chunks
from engrain.language.text.fences import without_fences
from engrain.language.text.lines import shorten

_LONGEST = 400_000
_LONGEST_TITLE = 200
_MOST_PASSAGES = 200
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


class Item:
    """`key` is what it is known by in its place, `ref` where somebody finds it again; `text` is
    markdown or plain; `at` is when it says that it was made, in epoch seconds, None for unknown."""

    __slots__ = ("at", "key", "ref", "text", "title")

    def __init__(self, key: str, title: str, text: str, ref: str, at: float | None = None) -> None:
        self.text = clean(text[:_LONGEST])
        self.title = " ".join(clean(title[: 4 * _LONGEST_TITLE]).split())[:_LONGEST_TITLE]
        self.ref = " ".join(clean(ref).split())
        self.key = key or self.ref or self.title
        self.at = at


@dataclass(slots=True, eq=False)
class Passage:
    """A part of an item that can be read by itself, under its headings in it. Its `item` is without
    its text, so that what is kept of many is small."""

    item: Item
    heading: str
    text: str


def read_passages(item: Item) -> Iterator[Passage]:
    """The passages of an item, in order; of one without text its title is one."""
    bare = Item(item.key, item.title, "", item.ref, item.at)
    chunks = split_chunks(item.text)[:_MOST_PASSAGES]
    for chunk in chunks:
        yield Passage(bare, chunk.heading, item.text[chunk.start : chunk.end])
    if not chunks and item.title:
        yield Passage(bare, "", item.title)


def clean(text: str) -> str:
    """A text from outside without characters that hide or turn it around, and without what was
    recalled from a memory."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return without_fences(_UNSEEN.sub("", text))


_PICTURE = re.compile(r"!\[([^\]\n]{0,300})\](?:\([^()\n]{0,2000}\)|\[[^\]\n]{0,300}\])")
_LINK = re.compile(r"\[([^\]\[\n]{1,300})\]\([^()\n]{0,2000}\)")
_DEFINITION = re.compile(r"^\s{0,3}\[[^\]\n]{1,300}\]:\s.*$", re.MULTILINE)
_TAG = re.compile(r"(?<!\S)#(?=[^\W\d_])")
_MARKUP = re.compile(r"<(?=[^\s<])")
_FIELD = re.compile(r"::+")
_COMMENT = re.compile(r"%%+|\$\$+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+", re.MULTILINE)
_SENTENCE = re.compile(
    r"(?<=[.!?…])[\"'”’)]*\s+|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,3}[.)])\s)"
)
_WORD = re.compile(r"[^\W_]+")
MOST_QUOTED = 480
"""Characters of a quotation: a few sentences."""


def as_data(text: str) -> str:
    """A text from outside on one line, without anything in it that a reader of notes acts upon."""
    text = _PICTURE.sub(r"\1", _DEFINITION.sub("", text))
    text = _HEADING.sub("", _LINK.sub(r"\1", text))
    text = text.replace("[[", "[ [").replace("]]", "] ]").replace("`", "'")
    text = _FIELD.sub(":", _COMMENT.sub("", text))
    return _MARKUP.sub("&lt;", _TAG.sub("# ", " ".join(text.split())))


def split_sentences(text: str) -> list[str]:
    """The sentences of a passage, each as data; headings are none, unless they are all there is."""
    parts = [part for part in _SENTENCE.split(text) if part and part.strip()]
    parts = [part for part in parts if not _HEADING.match(part)] or parts
    return [said for part in parts if (said := as_data(part))]


def quote(text: str, telling: frozenset[str]) -> str:
    """The few sentences of a passage that have most of the `telling` words, in their order and one
    after another; one that is too long is cut at a word."""
    sentences = split_sentences(text)
    best, best_share = (0, 0), -1.0
    for first in range(len(sentences)):
        size, last = 0, first
        while last < len(sentences) and (
            last == first or size + len(sentences[last]) < MOST_QUOTED
        ):
            size += len(sentences[last]) + 1
            last += 1
        words = set(words_of(" ".join(sentences[first:last])))
        share = len(words & telling)
        if share > best_share:
            best, best_share = (first, last), share
        if last == len(sentences):
            break
    return shorten(" ".join(sentences[best[0] : best[1]]), MOST_QUOTED)


def words_of(text: str) -> list[str]:
    """The words of a text, as they are compared."""
    return _WORD.findall(text.casefold())
