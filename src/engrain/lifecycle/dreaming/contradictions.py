"""Finds notes that contradict each other (S2.9, S1.17).

Statements of one project are compared that give a value for the same attribute and share a word of
a thing's name, and sentences with the same words, one of them denied. It is no contradiction if one
of them reports the change, or if one note replaced the other.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import product
from typing import TypeAlias
from zlib import crc32

from engrain.engine.core.active_notes import Memo
from engrain.engine.core.store import Store
from engrain.engine.graph import Groups
from engrain.language.replacements import read_version
from engrain.language.statements.judge import CONTRADICT, ENDED, Statement, compare
from engrain.language.statements.note_claim import NoteClaim, NoteSubject
from engrain.language.statements.note_reading import read_sayings, read_statements
from engrain.language.text.fences import shorten
from engrain.language.text.sentences import ITEM, PROSE, Sentence, read_sentences
from engrain.lifecycle.dreaming.finding import CONTRADICTION, LEFT_ALONE, DreamFinding

Side: TypeAlias = "tuple[_DatedNote, Statement]"
"""A note, and the statement of it that contradicts another's."""

ACTION = "contradict"

_STATING = frozenset((PROSE, ITEM))
_SENTENCES = 60
_NEAR = 40
"""Each of many statements about one attribute is compared with this many that follow it."""
_MANY = 400
"""An attribute that more notes state is a log, not a fact."""
_RIVALS = 2
"""An attribute that a note contradicts in more than this many others has no single value: it is a
series, or about different things."""
_QUOTE = 160
_VALUE, _DENIED = 0.9, 0.85
"""Certainty by two values of one attribute, and by a sentence and its denial."""


def find_contradictions(
    _store: Store, memos: Iterable[Memo], _now: float
) -> Iterator[DreamFinding]:
    """Yield a finding for each two contradicting notes, the later note first."""
    values, sayings = _Values(), _Sayings()
    lines: Groups[str] = Groups()  # notes that replaced one another
    for memo in memos:
        if memo.kind in LEFT_ALONE:
            continue
        note = _DatedNote(memo)
        if memo.supersedes:
            lines.join(memo.id, memo.supersedes)
        subject = NoteSubject(memo.title, memo.project)
        sentences = _read_stating(memo)
        for statement in read_statements(sentences, subject):
            values.add(note, memo.project or "", statement)
        for saying in read_sayings(sentences, memo.project or ""):
            sayings.add(note, saying)
    found: dict[tuple[str, str], DreamFinding] = {}
    for score, reason, one, other in (*values.find(), *sayings.find(memos)):
        later, earlier = sorted((one, other), key=lambda side: (-side[0].created, side[0].id))
        pair = later[0].id, earlier[0].id
        if pair in found or lines.has(*pair) or _are_linked(later[0], earlier[0]):
            continue
        evidence = [(note.id, shorten(said.text, _QUOTE)) for note, said in (later, earlier)]
        found[pair] = DreamFinding(CONTRADICTION, pair, ACTION, score, reason, evidence)
    yield from (found[pair] for pair in sorted(found))


def _read_stating(memo: Memo) -> list[Sentence]:
    """Return the sentences of a note that state something: no code, table row or heading."""
    return [each for each in read_sentences(memo.text, _SENTENCES) if each.kind in _STATING]


class _DatedNote:
    """The fields of a note that order it, and those that show a link to another."""

    __slots__ = ("base", "created", "id", "names", "targets")

    def __init__(self, memo: Memo) -> None:
        self.id = memo.id
        self.created = memo.created or 0.0
        self.names = frozenset((memo.id, memo.slug, memo.title))
        self.targets = frozenset(target for target, _ in memo.links)
        self.base = read_version(memo.title).base


def _are_linked(one: _DatedNote, other: _DatedNote) -> bool:
    """Whether two notes are linked, or versions of one note, which have their own finders."""
    linked = one.targets & other.names or other.targets & one.names
    return bool(linked) or one.base == other.base


class _Values:
    """Statements that give a value, by their subjects."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str, str], list[Side]] = {}

    def add(self, note: _DatedNote, project: str, statement: Statement) -> None:
        # A named thing is found by one of its words, an open claim by each word of the title.
        for claim in statement.claims:
            if isinstance(claim, NoteClaim):
                for word in claim.about if claim.open else sorted(claim.about)[:1]:
                    group = self._groups.setdefault((project, claim.aspect, word), [])
                    if len(group) < _MANY:
                        group.append((note, statement))

    def find(self) -> Iterator[tuple[float, str, Side, Side]]:
        """Yield contradicting pairs, with their certainty and the reason."""
        found: dict[tuple[str, str, str], tuple[str, Side, Side]] = {}
        rivals: Counter[tuple[str, str]] = Counter()
        for (_, aspect, _), group in sorted(self._groups.items(), key=lambda item: item[0]):
            for one, other, reason in _find_pairs(group):
                key = (aspect, one[0].id, other[0].id)
                if key not in found:
                    found[key] = reason, one, other
                    rivals.update((aspect, side[0].id) for side in (one, other))
        for key in sorted(found):
            if all(rivals[key[0], id_] <= _RIVALS for id_ in key[1:]):
                yield _VALUE, *found[key]


def _find_pairs(group: Sequence[Side]) -> Iterator[tuple[Side, Side, str]]:
    for at, one in enumerate(group if len(group) < _MANY else ()):
        for other in group[at + 1 : at + 1 + _NEAR]:
            if one[0] is not other[0]:
                verdict = compare(one[1], other[1])
                if verdict.relation == CONTRADICT:
                    yield one, other, verdict.reason


class _Sayings:
    """Sentences by the hash of their words: all denials, and the ids of notes with the others."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._denied: dict[int, list[Side]] = {}
        self._keys = array("I")
        self._by = array("I")

    def add(self, note: _DatedNote, saying: Statement) -> None:
        key = _key_of(saying)
        if saying.claims[0].mode == ENDED:
            self._denied.setdefault(key, []).append((note, saying))
            return
        if not self._ids or self._ids[-1] != note.id:
            self._ids.append(note.id)
        self._keys.append(key)
        self._by.append(len(self._ids) - 1)

    def find(self, memos: Iterable[Memo]) -> Iterator[tuple[float, str, Side, Side]]:
        """Yield pairs of which one denies the other."""
        said: dict[int, list[str]] = {}
        for key, number in zip(self._keys, self._by, strict=True):
            if key in self._denied:
                said.setdefault(key, []).append(self._ids[number])
        few = {
            key: ids
            for key, ids in said.items()
            if len(ids) <= _RIVALS and len(self._denied[key]) <= _RIVALS
        }
        sides = _read_sides(memos, {id_ for ids in few.values() for id_ in ids}, few)
        for key in sorted(few):
            for denial, side in product(self._denied[key], sides.get(key, ())):
                apart = side[0].id != denial[0].id
                if apart and compare(denial[1], side[1]).relation == CONTRADICT:
                    yield _DENIED, "one denies what the other says", denial, side


def _key_of(saying: Statement) -> int:
    return crc32(saying.claims[0].aspect.encode())


def _read_sides(
    memos: Iterable[Memo], ids: set[str], keys: Container[int]
) -> dict[int, list[Side]]:
    """Read the sentences of some notes with one of these keys."""
    found: dict[int, list[Side]] = {}
    for memo in memos if ids else ():
        if memo.id in ids:
            note = _DatedNote(memo)
            for saying in read_sayings(_read_stating(memo), memo.project or ""):
                if (key := _key_of(saying)) in keys and saying.claims[0].mode != ENDED:
                    found.setdefault(key, []).append((note, saying))
    return found
