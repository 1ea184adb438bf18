"""The finders of a dream that need no model: notes that say what another says already (S1.17), and
links to make (S1.11). Each finds only what a person would accept.

Duplicates are of one kind and project, found by sketches and verified by what differs: the note
with more trust is kept; of equals the longer, the more often recalled, or the older one. A link is
proposed where a note has another's whole title, spelt as it is. The judge finds contradictions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from sys import intern

from engrain.engine.core.active_notes import ActiveNotes, Memo
from engrain.engine.core.store import Store
from engrain.engine.links.suggestions import suggest_links
from engrain.language.near_copies import (
    SAME_WORDS,
    ComparedNote,
    Sketches,
    compare_notes,
    read_features,
)
from engrain.language.text.folding import fold
from engrain.language.text.sentences import read_sentences
from engrain.lifecycle.dreaming.run import DUPLICATE, LEFT_ALONE, LINK, DreamFinding
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
