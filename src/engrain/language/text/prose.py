"""Sentences of prose and of speech; those of a note's markdown are read by `sentences`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’)*_])\s+|(?<=[。！？])|\n+")
_QUOTED = re.compile(r"[\"“][^\"“”]{0,300}[\"”]")
_STATEMENT_END = re.compile(r"(?<=[.!?;])\s+|\n+")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text. One ends at a mark and a blank, at a full-width mark, or with its
    line."""
    return _split(_SENTENCE_END, text)


def split_statements(text: str) -> list[str]:
    """The statements of a text: its sentences, and their parts between semicolons."""
    return _split(_STATEMENT_END, text)


def _split(end: re.Pattern[str], text: str) -> list[str]:
    return [part for each in end.split(text) if (part := each.strip())]


@dataclass(slots=True, eq=False)
class Said:
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
) -> Iterator[Said]:
    """The sentences of a line. Each ends where `end` matches, except at the dot of an abbreviation
    (`short`) within the line and inside a code span; the characters of `edge` are stripped."""
    line = " ".join(line.split())
    spans = line.count("`") % 2 == 0
    start = 0
    for found in end.finditer(line):
        said, mark = line[start : found.start()], found[1] or ""
        cut = mark == "." and found.end() < len(line) and short.search(said)
        if not cut and not (spans and said.count("`") % 2):
            yield Said(said.strip(edge), mark)
            start = found.end()
    yield Said(line[start:].strip(edge), "")
