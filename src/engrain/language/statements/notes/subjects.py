"""The subject of a note, as its title names it (S2.9, S4.9)."""

from __future__ import annotations

from functools import lru_cache

from engrain.language.lexicons import read_words
from engrain.language.statements.notes.attributes import fold_term
from engrain.language.text.folding import fold
from engrain.language.text.sentences import PLACES, WORD, read_sentences
from engrain.language.text.words import content_of

_WORDS = read_words("notes", "subjects")
FILLERS = frozenset(content_of(word) or word for word in _WORDS["fillers"])
ENOUGH = 2
"""Words that name a thing by themselves, where one may be another's."""
WORDING = frozenset(content_of(word) or word for word in _WORDS["wording"])


class Subject:
    """What a note is about, as far as its title says it: its words, and which of several, and in
    which `order`; `project` are the words of its project's name, which may be left out
    everywhere."""

    __slots__ = ("marks", "order", "project", "scope", "words")

    def __init__(self, title: str, project: str | None) -> None:
        sentence = next(read_sentences(title, 1), None)
        self.project = frozenset(words_of((project or "").replace("-", " ")))
        self.marks = sentence.marks if sentence else frozenset()
        self.words = frozenset(sentence.words if sentence else ()) - self.project - self.marks
        self.order = tuple(
            word for word in (sentence.words if sentence else ()) if word in self.words
        )
        self.scope = _scope(title)

    def is_named(self, name: frozenset[str]) -> bool:
        """Whether a name is that of the note's subject: all content words of the title, or several
        of them in a row."""
        return name >= self.words - WORDING or (len(name) >= ENOUGH and stands_in(name, self.order))

    def less(self, words: frozenset[str]) -> frozenset[str]:
        """Its words without some, all where no other is left."""
        return self.words - words or self.words


def words_of(text: str) -> frozenset[str]:
    """The folded content words of a text."""
    return frozenset(part for found in WORD.finditer(text) for part in fold_written(found[0]))


@lru_cache(maxsize=65536)
def fold_written(word: str) -> tuple[str, ...]:
    """A word as it is written, as cues are compared; none for one that says nothing."""
    low = fold(word.replace("\u2019", "'").rstrip(".:/-'").removesuffix("'s"))
    return fold_term(low) if low else ()


def stands_in(name: frozenset[str], title: tuple[str, ...]) -> bool:
    """Whether a title has a name in it, all of its words in a row."""
    size = len(name)
    return any(name == set(title[at : at + size]) for at in range(len(title) - size + 1))


def _scope(text: str) -> frozenset[str]:
    return frozenset(
        low for found in WORD.finditer(text) if (low := fold(found[0]).rstrip(".")) in PLACES
    )
