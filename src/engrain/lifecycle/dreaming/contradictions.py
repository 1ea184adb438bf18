"""Finds notes that contradict each other (S2.9, S1.17).

Two kinds are certain without a model: two values of one relation of a thing ("the port of Harbour
is 8080"), and a sentence and its denial. It is no contradiction if a note reports the change, or if
one note replaced the other. Contradictions between free sentences are for a model or a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from engrain.engine.core.active_notes import Memo
from engrain.engine.core.store import Store
from engrain.engine.graph import Groups
from engrain.language.lexicons import read_words
from engrain.language.statements.facts import Claim, excludes, read_thing_claims
from engrain.language.text.fences import shorten
from engrain.language.text.sentences import DENIAL, ITEM, PROSE, Sentence, read_sentences
from engrain.language.text.words import content_words, contents_of
from engrain.lifecycle.dreaming.finding import CONTRADICTION, LEFT_ALONE, DreamFinding

ACTION = "contradict"

_STATING = frozenset((PROSE, ITEM))
_SENTENCES = 60
_NEAR = 40
"""Each of many statements about one relation is compared with this many that follow it."""
_MANY = 400
"""A relation that more notes state is a log, not a fact."""
_RIVALS = 2
"""A relation that a note contradicts in more than this many others has no single value: it is a
series, or about different things."""
_QUOTE = 160
_VALUE, _DENIED = 0.9, 0.85
"""Certainty by two values of one relation, and by a sentence and its denial."""
_LEAST, _LEAST_RULE = 3, 2
"""Words that a sentence about somebody or something has at least, and those of a rule."""
_WORDS = read_words("claims", "words")
_SAYING_NOTHING = contents_of(_WORDS["denying"] | _WORDS["fillers"])


@dataclass(slots=True, eq=False)
class _DatedNote:
    """The fields of a note that order it, and those that show a link to another."""

    id: str
    created: float
    names: frozenset[str]
    targets: frozenset[str]
    subject: frozenset[str]

    @classmethod
    def of(cls, memo: Memo) -> _DatedNote:
        names = frozenset((memo.id, memo.slug, memo.title))
        targets = frozenset(target for target, _ in memo.links)
        title = content_words(memo.title)
        return cls(memo.id, memo.created or 0.0, names, targets, title)

    def is_linked(self, other: _DatedNote) -> bool:
        """Return whether two notes are linked, or have one title: they are of one matter."""
        linked = self.targets & other.names or other.targets & self.names
        return bool(linked) or self.subject == other.subject


Side: TypeAlias = "tuple[_DatedNote, str]"
"""A note, and the sentence of it that contradicts another's."""


def find_contradictions(
    _store: Store, memos: Iterable[Memo], _now: float
) -> Iterator[DreamFinding]:
    """Yield a finding for each two contradicting notes, the later note first."""
    lines: Groups[str] = Groups()  # notes that replaced one another
    values: dict[tuple[str, str], list[_Value]] = {}
    denials: dict[str, list[Side]] = {}
    for memo in memos:
        if memo.kind not in LEFT_ALONE:
            if memo.supersedes:
                lines.join(memo.id, memo.supersedes)
            _read_note(memo, values, denials)
    found: dict[tuple[str, str], DreamFinding] = {}
    for score, reason, one, other in (*_find_values(values), *_find_denied(denials, memos)):
        later, earlier = sorted((one, other), key=lambda side: (-side[0].created, side[0].id))
        pair = later[0].id, earlier[0].id
        if pair in found or lines.has(*pair) or later[0].is_linked(earlier[0]):
            continue
        evidence = [(note.id, shorten(text, _QUOTE)) for note, text in (later, earlier)]
        found[pair] = DreamFinding(CONTRADICTION, pair, ACTION, score, reason, evidence)
    yield from (found[pair] for pair in sorted(found))


def _read_note(
    memo: Memo, values: dict[tuple[str, str], list[_Value]], denials: dict[str, list[Side]]
) -> None:
    """Add the values that a note states by project and relation, and its denials by their
    words."""
    note = _DatedNote.of(memo)
    for sentence in _read_stating(memo):
        for thing, claim in read_thing_claims(sentence.text):
            value = _Value(note, sentence.text, _name_of(thing), claim)
            values.setdefault((memo.project or "", claim.predicate), []).append(value)
        if DENIAL in sentence.marks and (key := _key_of(sentence, memo.project or "")):
            denials.setdefault(key, []).append((note, sentence.text))


def _read_stating(memo: Memo) -> list[Sentence]:
    """Return the sentences of a note that state something: no code, table row or heading."""
    return [each for each in read_sentences(memo.text, _SENTENCES) if each.kind in _STATING]


def _name_of(thing: str) -> frozenset[str]:
    """Return the words of a thing's name, none for a pronoun."""
    return frozenset() if thing.lower() in _WORDS["pronouns"] else content_words(thing)


@dataclass(slots=True, eq=False)
class _Value:
    """A sentence of a note with the claim that it makes about a thing, called `name`."""

    note: _DatedNote
    text: str
    name: frozenset[str]
    claim: Claim

    def is_against(self, other: _Value) -> bool:
        """Return whether another note gives the same thing another value."""
        if self.note is other.note or not self._is_of_same(other):
            return False
        return excludes(self.claim, other.claim) or excludes(other.claim, self.claim)

    def _is_of_same(self, other: _Value) -> bool:
        if self.name and other.name:
            return self.name == other.name
        if not self.name and not other.name:
            return self.note.subject == other.note.subject
        named, titled = (self, other) if self.name else (other, self)
        return named.name <= titled.note.subject

    @property
    def side(self) -> Side:
        """Return the note and the sentence."""
        return self.note, self.text


def _find_values(
    values: dict[tuple[str, str], list[_Value]],
) -> Iterator[tuple[float, str, Side, Side]]:
    """Yield pairs that give one thing two values, with their certainty and the reason."""
    pairs: list[tuple[str, _Value, _Value]] = []
    rivals: Counter[tuple[str, str]] = Counter()
    for (_, predicate), group in sorted(values.items(), key=lambda item: item[0]):
        for one, other in _pairs_of(group):
            if one.is_against(other):
                pairs.append((predicate, one, other))
                rivals.update((predicate, side.note.id) for side in (one, other))
    for predicate, one, other in pairs:
        if all(rivals[predicate, side.note.id] <= _RIVALS for side in (one, other)):
            reason = f"they differ in: {predicate.replace('_', ' ')}"
            yield _VALUE, reason, one.side, other.side


def _pairs_of(group: Sequence[_Value]) -> Iterator[tuple[_Value, _Value]]:
    for at, one in enumerate(group if len(group) < _MANY else ()):
        for other in group[at + 1 : at + 1 + _NEAR]:
            yield one, other


def _key_of(sentence: Sentence, project: str) -> str:
    """Return the words by which a sentence and its denial are the same, "" for too few: a rule is
    one of its project, any other sentence names whom or what it is about."""
    low = sentence.text.lower()
    if "?" in low or any(f" {word} " in f" {low} " for word in _WORDS["own"]):
        return ""
    words = sorted(set(sentence.words) - _SAYING_NOTHING)
    if len(words) >= _LEAST and (sentence.names or sentence.first in words):
        return " ".join(words)
    rule = low.startswith(("always ", "never ", "don't ", "do not "))
    return f"{project}: {' '.join(words)}" if rule and len(words) >= _LEAST_RULE else ""


def _find_denied(
    denials: dict[str, list[Side]], memos: Iterable[Memo]
) -> Iterator[tuple[float, str, Side, Side]]:
    """Yield pairs of which one sentence denies the other."""
    said: dict[str, list[Side]] = {}
    for memo in memos if denials else ():
        if memo.kind in LEFT_ALONE:
            continue
        for sentence in _read_stating(memo):
            key = "" if DENIAL in sentence.marks else _key_of(sentence, memo.project or "")
            if key in denials:
                said.setdefault(key, []).append((_DatedNote.of(memo), sentence.text))
    few = (key for key in said if max(len(said[key]), len(denials[key])) <= _RIVALS)
    for key in sorted(few):
        for denial, side in product(denials[key], said[key]):
            if side[0].id != denial[0].id:
                yield _DENIED, "one denies what the other says", denial, side
