"""The claim of a note's sentence, and when two of them are about the same thing (S2.9, S4.9)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from engrain.language.lexicons import read_rows, read_words
from engrain.language.statements.judge import COMPATIBLE, ENDED, OTHER, SAME, Claim, Statement
from engrain.language.text.folding import fold
from engrain.language.text.sentences import PLACES, WORD, read_sentences
from engrain.language.text.words import content_of, contents_of


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """One row: its `name`, the `ordered` types of its values, its `cues` and `fillers`, folded."""

    name: str
    ordered: tuple[str, ...]
    cues: frozenset[str] = frozenset()
    fillers: frozenset[str] = frozenset()


def fold_term(word: str) -> tuple[str, ...]:
    """Return a word as cues are compared, none for one that says nothing."""
    return ("own",) if word in ("owns", "owned") else tuple(content_of(word).split())


def _fold(words: str) -> frozenset[str]:
    return frozenset(part for word in words.split() for part in fold_term(word) or (word,))


@lru_cache(maxsize=1)
def attributes() -> tuple[Attribute, ...]:
    """Return all attributes, in the order of the table."""
    found = []
    for name, row in read_rows("notes", "attributes").items():
        types, cues, fillers = row.split("|")
        found.append(Attribute(name, tuple(types.split()), _fold(cues), _fold(fillers)))
    return tuple(found)


@lru_cache(maxsize=1)
def cued() -> dict[str, tuple[int, ...]]:
    """Return the numbers of the attributes that have a cue, by cue."""
    found: dict[str, tuple[int, ...]] = {}
    for number, attribute in enumerate(attributes()):
        for cue in attribute.cues:
            found[cue] = (*found.get(cue, ()), number)
    return found


def find_attributes(words: Iterable[str], types: Container[str]) -> Iterator[Attribute]:
    """Yield the attributes that a sentence has a cue for, and those that a value shows."""
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
    types = read_rows("notes", "plain")["types"].split()
    return tuple(Attribute(type_, (type_,)) for type_ in types)


@lru_cache(maxsize=1)
def is_worded() -> frozenset[str]:
    """Return every word of the table, as it is written there, and words that open a sentence."""
    rows = read_rows("notes", "attributes").items()
    words = {word for name, row in rows for word in (name, *row.split()) if word.isalpha()}
    return frozenset((*words, *_OPENINGS["opening"]))


_OPENINGS = read_words("notes", "openings")


_WORDS = read_words("notes", "subjects")
FILLERS = contents_of(_WORDS["fillers"])
ENOUGH = 2
"""Words that name a thing by themselves, where one may be another's."""
_WORDING = contents_of(_WORDS["wording"])


class NoteSubject:
    """The subject of a note, as far as its title says it: its words, and which of several, and in
    which `order`; `project` are the words of its project's name, which may be left out
    everywhere."""

    def __init__(self, title: str, project: str | None) -> None:
        sentence = next(read_sentences(title, 1), None)
        self.project = frozenset(words_of((project or "").replace("-", " ")))
        self.marks = sentence.marks if sentence else frozenset()
        self.words = frozenset(sentence.words if sentence else ()) - self.project - self.marks
        self.order = tuple(
            word for word in (sentence.words if sentence else ()) if word in self.words
        )
        self.scope = frozenset(
            low for found in WORD.finditer(title) if (low := fold(found[0]).rstrip(".")) in PLACES
        )

    def is_named(self, name: frozenset[str]) -> bool:
        """Return whether a name is that of the note's subject: all content words of the title, or
        several of them in a row."""
        return name >= self.words - _WORDING or (
            len(name) >= ENOUGH and _stands_in(name, self.order)
        )

    def less(self, words: frozenset[str]) -> frozenset[str]:
        """Return its words without some, all of them if no other is left."""
        return self.words - words or self.words


def words_of(text: str) -> frozenset[str]:
    """Return the folded content words of a text."""
    return frozenset(part for found in WORD.finditer(text) for part in fold_written(found[0]))


@lru_cache(maxsize=65536)
def fold_written(word: str) -> tuple[str, ...]:
    """Return a word as it is written, as cues are compared; none for one that says nothing."""
    low = fold(word.replace("\u2019", "'").rstrip(".:/-'").removesuffix("'s"))
    return fold_term(low) if low else ()


def _stands_in(name: frozenset[str], title: tuple[str, ...]) -> bool:
    """Return whether a title has a name in it, all of its words in a row."""
    size = len(name)
    return any(name == set(title[at : at + size]) for at in range(len(title) - size + 1))


@dataclass(slots=True, eq=False, kw_only=True)
class NoteClaim(Claim):
    """An attribute of a thing, which is its `aspect`, and its `values`; ENDED if they are denied.

    The thing is named by the words of `about`. If the sentence leaves it out, the claim is `open`:
    `about` are all words of the note's title, in this `order`, and `marks` those that distinguish
    the title from others. Without `values` a denial says that the thing has none.
    """

    about: frozenset[str]
    values: frozenset[str]
    open: bool = False
    marks: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()

    def match(self, older: Claim, _earlier: Statement) -> str | None:
        if (self.aspect, self.scope) != (older.aspect, older.scope):
            return None
        if not isinstance(older, NoteClaim) or not _same_thing(self, older):
            return None
        if self.mode != older.mode:
            denial, assertion = (self, older) if self.mode == ENDED else (older, self)
            covered = not denial.values or denial.values >= assertion.values
            return SAME if assertion.values and covered else COMPATIBLE
        if self.values == older.values:
            return SAME
        # Without values a denial is of all of them.
        shared = not self.values or not older.values or self.values & older.values
        return COMPATIBLE if shared else OTHER


def _same_thing(one: NoteClaim, other: NoteClaim) -> bool:
    first, second = one.about, other.about
    if one.open and other.open:
        if one.marks - other.marks and other.marks - one.marks:
            return False
        return first - _WORDING == second - _WORDING and len(first & second) >= ENOUGH
    if one.open or other.open:
        whole, named = (one, second) if one.open else (other, first)
        if named >= whole.about - _WORDING:
            return named <= whole.about
        return len(named) >= ENOUGH and _stands_in(named, whole.order)
    return first == second
