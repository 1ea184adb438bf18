"""One thing that an approved place has: an entry of a feed, a page, a document, a commit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.text.chunks import split_chunks
from engrain.language.text.fences import without_fences

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
