"""Sentences of plain prose. A note's markdown is read by `engrain.language.text.sentences`."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’)*_])\s+|(?<=[。！？])|\n+")
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
