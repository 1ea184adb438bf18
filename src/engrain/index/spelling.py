"""Finds the word of a vault that a misspelt or unfinished word of a query means."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

_LEAST = 4
"""The letters that a beginning has at least; a misspelt word has one more."""
_ENDINGS = ("", "s", "es", "ed", "e", "ing")
"""Endings that the index, which keeps stems, may lack."""


def find_spelled(connection: apsw.Connection, word: str) -> str | None:
    """Return the most frequent word of the index that begins with `word`, else the most frequent
    one that differs from it by one letter: one missing, one too many, one other, or two swapped;
    None if there is none. The first two letters have to be right, so that few words are read."""
    word = word.casefold()
    if len(word) < _LEAST or not (word.isascii() and word.isalpha()):
        return None
    words = _read_words(connection, word[:2])
    begun = {term: count for term, count in words.items() if term.startswith(word)}
    if not begun and len(word) > _LEAST:
        stems = {word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending)}
        begun = {
            term: count
            for term, count in words.items()
            if len(term) >= _LEAST and any(is_near(stem, term) for stem in stems)
        }
    return max(begun, key=lambda term: (begun[term], term), default=None)


def is_near(first: str, second: str) -> bool:
    """Return whether two words differ by one letter, or by two neighbours that are swapped."""
    if abs(len(first) - len(second)) > 1 or first == second:
        return False
    same = next(_differences(first, second), min(len(first), len(second)))
    left, right = first[same:], second[same:]
    if len(first) != len(second):
        longer, shorter = sorted((left, right), key=len, reverse=True)
        return longer[1:] == shorter
    return left[1:] == right[1:] or (left[:2] == right[1::-1] and left[2:] == right[2:])


def _differences(first: str, second: str) -> Iterator[int]:
    return (at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other)


def _read_words(connection: apsw.Connection, beginning: str) -> dict[str, int]:
    """Return the words of the index that begin so, with the number of passages of each."""
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, texts, row)"
    )
    behind = beginning[:-1] + chr(ord(beginning[-1]) + 1)
    found = connection.execute(
        "SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ?", (beginning, behind)
    )
    return {str(term): int(str(count)) for term, count in found}
