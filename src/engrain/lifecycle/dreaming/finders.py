"""The finders of a dream: notes that say what another says already, notes that contradict each
other (S1.17, S2.9), links to make (S1.11). Each finds only what a person would accept.

Duplicates are of one kind and project, found by sketches and verified by what differs: the note
with more trust is kept; of equals the longer, the more often recalled, or the older one. A
contradiction is certain without a model where two notes give one thing two values of a relation:
"the port of Harbour is 8080". It is none if a note reports the change, or if one note replaced the
other. A link is proposed where a note has another's whole title, spelt as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from sys import intern

from engrain.engine.core.active_notes import ActiveNotes, Memo
from engrain.engine.core.store import Store
from engrain.engine.graph import Groups
from engrain.engine.links.suggestions import suggest_links
from engrain.language.lexicons import read_words
from engrain.language.near_copies import (
    SAME_WORDS,
    ComparedNote,
    Sketches,
    compare_notes,
    read_features,
)
from engrain.language.statements.facts import Claim, excludes, read_thing_claims
from engrain.language.text.fences import shorten
from engrain.language.text.folding import fold
from engrain.language.text.sentences import ITEM, PROSE, read_sentences
from engrain.language.text.words import content_words
from engrain.lifecycle.dreaming.run import CONTRADICTION, DUPLICATE, LEFT_ALONE, LINK, DreamFinding
from engrain.model.note.tiers import ORIGINS


def find_missing_links(store: Store, memos: Iterable[Memo], _: float) -> Iterator[DreamFinding]:
    """Yield mentions of other notes' titles in the case of these, one for each title."""
    titles = {memo.id: memo.title for memo in memos}
    told: set[str] = set()
    for one in suggest_links(store, memos):
        if one.target not in told and _is_spelt(titles.get(one.target, ""), one.words):
            told.add(one.target)
            reason = f"the text says “{one.words}”, which is the title of {one.target}"
            evidence = [(one.source, one.quote)]
            yield DreamFinding(LINK, (one.source, one.target), _MENTIONED, reason, evidence)


def _is_spelt(title: str, words: str) -> bool:
    """Return whether words in a text are a title: in its own spelling, of three words or more also
    with a small letter at first, as within a sentence."""
    return words == title or (len(title.split()) > 2 and words[1:] == title[1:])


_MENTIONED = 0.95
"""The certainty of a link whose text is the title of a note."""
_PATTERNS = frozenset(("anti-pattern", "pattern"))
_NEVER_MERGED = LEFT_ALONE - _PATTERNS
_READINGS = 2_000
"""Notes whose readings are kept at a time."""
_SENTENCES = 60
_LEAST_EXACT = 40
"""Characters from which two equal texts are copies, and not only short."""


def find_duplicates(_store: Store, memos: ActiveNotes, _now: float) -> Iterator[DreamFinding]:
    """Find each note that says what another says, as (the note, the kept note)."""
    copies: list[tuple[str, str]] = []
    found = [*_alike(_candidates(memos, copies), memos), *_same(copies, memos)]
    found.sort(key=lambda one: (-one.score, one.entries))
    retired: set[str] = set()
    kept: set[str] = set()
    for finding in found:
        gone, stays = finding.entries
        # A retired note is kept in no other finding, and a kept one is not retired.
        if gone not in retired | kept and stays not in retired:
            retired.add(gone)
            kept.add(stays)
            yield finding


def _candidates(memos: ActiveNotes, copies: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield pairs of notes of one kind and project that may say the same. Notes with the same text
    go into `copies`, each with the first of them."""
    firsts: dict[bytes, str] = {}
    ids: list[str] = []
    sorts: list[tuple[str, str]] = []
    sketches = Sketches()
    for memo in memos:
        if memo.kind in _NEVER_MERGED:
            continue
        key = _digest(memo)
        if key and (first := firsts.setdefault(key, memo.id)) != memo.id:
            copies.append((first, memo.id))
            continue
        ids.append(memo.id)
        sorts.append((intern(memo.kind), intern(memo.project or "")))
        sentences = [each.words for each in read_sentences(memo.text, _SENTENCES)]
        sentences += [each.words for each in read_sentences(memo.title, 1)]
        sketches.add(read_features(sentences))
    del firsts
    for one, other in sketches.find_pairs():
        if sorts[one] == sorts[other]:
            yield ids[one], ids[other]


def _digest(memo: Memo) -> bytes:
    """Hash kind, project, title and text without case and blanks; b"" for a text that is too short
    or a template."""
    text = " ".join(fold(memo.text).split())
    if len(text) < _LEAST_EXACT or "{{" in text:
        return b""
    whole = f"{memo.kind}\n{memo.project or ''}\n{' '.join(fold(memo.title).split())}\n{text}"
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _same(copies: Iterable[tuple[str, str]], memos: ActiveNotes) -> Iterator[DreamFinding]:
    groups: dict[str, list[str]] = {}
    for first, other in copies:
        groups.setdefault(first, [first]).append(other)
    for ids in groups.values():
        group = [memo for id_ in ids if (memo := memos.find(id_))]
        best = min(group, key=rank_memo)
        for memo in group:
            if memo is not best:
                yield DreamFinding(DUPLICATE, (memo.id, best.id), 1.0, "the same text")


def _alike(pairs: Iterable[tuple[str, str]], memos: ActiveNotes) -> Iterator[DreamFinding]:
    @lru_cache(_READINGS)
    def read(id_: str) -> tuple[Memo, ComparedNote]:
        memo = memos.find(id_)
        assert memo is not None
        return memo, ComparedNote(memo.title, memo.text)

    for pair in pairs:
        (one, reading), (other, other_reading) = map(read, pair)
        if other.id == one.supersedes or one.id == other.supersedes:
            continue  # the finder of chains reports one that replaced another
        likeness = compare_notes(reading, other_reading)
        if likeness is None or likeness.score < _least_likeness(one, other):
            continue
        if one.kind in _PATTERNS and (likeness.more or likeness.other_more):
            continue  # each may state its own approach to the same problem
        more = {one.id: likeness.more, other.id: likeness.other_more}
        stays, gone = sorted((one, other), key=lambda memo: rank_memo(memo, more[memo.id]))
        reason = f"says what {stays.title!r} says"
        yield DreamFinding(DUPLICATE, (gone.id, stays.id), round(likeness.score, 3), reason)


def _least_likeness(one: Memo, other: Memo) -> float:
    """Return the likeness from which two notes are one: where each title has a word of its own they
    name two things, unless hardly anything else differs."""
    titles = [set(fold(memo.title).split()) for memo in (one, other)]
    same = all(titles) and (titles[0] <= titles[1] or titles[1] <= titles[0])
    return SAME_WORDS if same else _SAME_TEXT


_SAME_TEXT = 0.9


def rank_memo(memo: Memo, more: float = 0) -> tuple[int, float, int, float, str]:
    """Return a sort key by which the note to keep comes first; `more` is what it says beyond the
    other one."""
    trust = ORIGINS.index(memo.trust) if memo.trust in ORIGINS else len(ORIGINS)
    created = float("inf") if memo.created is None else memo.created
    return trust, -more, -memo.recall_count, created, memo.id


_STATING = frozenset((PROSE, ITEM))
_NEAR = 40
"""Each of many statements about one relation is compared with this many that follow it."""
_MANY = 400
"""A relation that more notes state is a log, not a fact."""
_RIVALS = 2
"""A relation that a note contradicts in more than this many others has no single value: it is a
series, or about different things."""
_QUOTE = 160
_VALUE = 0.9
"""The certainty of a contradiction by two values of one relation."""
_PRONOUNS = read_words("claims", "words")["pronouns"]


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


def find_contradictions(
    _store: Store, memos: Iterable[Memo], _now: float
) -> Iterator[DreamFinding]:
    """Yield a finding for each two contradicting notes, the later note first."""
    lines: Groups[str] = Groups()  # notes that replaced one another
    values: dict[tuple[str, str], list[_Value]] = {}
    for memo in memos:
        if memo.kind in LEFT_ALONE:
            continue
        if memo.supersedes:
            lines.join(memo.id, memo.supersedes)
        for value in _read_values(memo):
            values.setdefault((memo.project or "", value.claim.predicate), []).append(value)
    found: dict[tuple[str, str], DreamFinding] = {}
    for predicate, one, other in _find_rivals(values):
        later, earlier = sorted(
            (one, other), key=lambda value: (-value.note.created, value.note.id)
        )
        pair = later.note.id, earlier.note.id
        if pair in found or lines.has(*pair) or later.note.is_linked(earlier.note):
            continue
        reason = f"they differ in: {predicate.replace('_', ' ')}"
        evidence = [(value.note.id, shorten(value.text, _QUOTE)) for value in (later, earlier)]
        found[pair] = DreamFinding(CONTRADICTION, pair, _VALUE, reason, evidence)
    yield from (found[pair] for pair in sorted(found))


def _read_values(memo: Memo) -> Iterator[_Value]:
    """Yield the values that a note states in its sentences; code, table rows and headings state
    nothing."""
    note = _DatedNote.of(memo)
    for sentence in read_sentences(memo.text, _SENTENCES):
        for thing, claim in read_thing_claims(sentence.text) if sentence.kind in _STATING else ():
            yield _Value(note, sentence.text, _name_of(thing), claim)


def _name_of(thing: str) -> frozenset[str]:
    """Return the words of a thing's name, none for a pronoun."""
    return frozenset() if thing.lower() in _PRONOUNS else content_words(thing)


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


def _find_rivals(
    values: dict[tuple[str, str], list[_Value]],
) -> Iterator[tuple[str, _Value, _Value]]:
    """Yield pairs that give one thing two values of a predicate, with that."""
    pairs: list[tuple[str, _Value, _Value]] = []
    rivals: Counter[tuple[str, str]] = Counter()
    for (_, predicate), group in sorted(values.items(), key=lambda item: item[0]):
        for one, other in _pairs_of(group):
            if one.is_against(other):
                pairs.append((predicate, one, other))
                rivals.update((predicate, side.note.id) for side in (one, other))
    for predicate, one, other in pairs:
        if all(rivals[predicate, side.note.id] <= _RIVALS for side in (one, other)):
            yield predicate, one, other


def _pairs_of(group: Sequence[_Value]) -> Iterator[tuple[_Value, _Value]]:
    for at, one in enumerate(group if len(group) < _MANY else ()):
        for other in group[at + 1 : at + 1 + _NEAR]:
            yield one, other
