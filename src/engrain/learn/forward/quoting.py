"""What is quoted from outside, so that it stays a quotation: no link, no tag, no picture that would
be loaded, no code that a viewer runs, no markup that a page is made of."""

from __future__ import annotations

import re

from engrain.language.text.lines import shorten

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
