"""The attributes that notes give values for: the types of their values, their cue words, and words
beside those that carry no meaning (S4.9)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import lru_cache

from engrain.language.lexicons import read_rows, read_words
from engrain.language.text.words import content_of


class Attribute:
    """One row: `name`, the `ordered` types of its values, its `cues`, and `fillers` beside them,
    folded."""

    __slots__ = ("cues", "fillers", "name", "ordered")

    def __init__(self, name: str, types: str, cues: str, fillers: str) -> None:
        self.name = name
        self.ordered = tuple(types.split())
        self.cues = _fold(cues)
        self.fillers = _fold(fillers)


def fold_term(word: str) -> tuple[str, ...]:
    """A word as cues are compared, none for one that says nothing."""
    return ("own",) if word in ("owns", "owned") else tuple(content_of(word).split())


def _fold(words: str) -> frozenset[str]:
    return frozenset(part for word in words.split() for part in fold_term(word) or (word,))


@lru_cache(maxsize=1)
def attributes() -> tuple[Attribute, ...]:
    """All attributes, in the order of the table."""
    rows = read_rows("notes", "attributes").items()
    return tuple(Attribute(name, *row.split("|")) for name, row in rows)


@lru_cache(maxsize=1)
def cued() -> dict[str, tuple[int, ...]]:
    """The numbers of the attributes that have a cue, by cue."""
    found: dict[str, tuple[int, ...]] = {}
    for number, attribute in enumerate(attributes()):
        for cue in attribute.cues:
            found[cue] = (*found.get(cue, ()), number)
    return found


def find_attributes(words: Iterable[str], types: Container[str]) -> Iterator[Attribute]:
    """The attributes for which a sentence has a cue, in order, and those that a value shows by
    itself."""
    rows = attributes()
    types_found: set[str] = set()
    for number in sorted({row for word in words for row in cued().get(word, ())}):
        types_found.update(rows[number].ordered)
        yield rows[number]
    for row in _plain():
        if row.ordered[0] in types and row.ordered[0] not in types_found:
            yield row


@lru_cache(maxsize=1)
def _plain() -> tuple[Attribute, ...]:
    return tuple(
        Attribute(type_, type_, "", "") for type_ in read_rows("notes", "plain")["types"].split()
    )


@lru_cache(maxsize=1)
def is_worded() -> frozenset[str]:
    """Every word of the table, as it is written there, and such as open a sentence."""
    rows = read_rows("notes", "attributes").items()
    words = {word for name, row in rows for word in (name, *row.split()) if word.isalpha()}
    return frozenset((*words, *_WORDS["opening"]))


_WORDS = read_words("notes", "openings")
