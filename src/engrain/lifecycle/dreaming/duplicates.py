"""Notes that say what another says already (S1.17): found by sketches, verified by what differs.

The note with more trust is kept; of equals the longer, the more often recalled, or the older one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from engrain.engine.core.store import Store
from engrain.language.copies.near_copies import ALIKE, Reading, compare_notes
from engrain.language.text.folding import fold
from engrain.language.text.sentences import read_sentences
from engrain.language.text.sketches import Sketches, read_features
from engrain.lifecycle.dreaming.finding import DUPLICATE, LEFT_ALONE, Finding
from engrain.model.note.memo import Memo
from engrain.model.note.tiers import ORIGINS

ACTION = "merge"

_READINGS = 4_000
"""Notes of which what was read is held at a time."""
_SENTENCES = 60
_LEAST_EXACT = 40
"""Characters of a text from which others of the same are copies of it, and not only as short."""


def find_duplicates(_store: Store, memos: Iterable[Memo], _now: float) -> Iterator[Finding]:
    """Find each note that says what another says, as (the note, the kept note)."""
    copies, pairs = _candidates(memos)
    wanted = {id_ for pair in (*copies, *pairs) for id_ in pair}
    known = {memo.id: memo for memo in memos if memo.id in wanted}
    found = [*_same(copies, known), *_alike(pairs, known)]
    found.sort(key=lambda one: (-one.score, one.entries))
    retired: set[str] = set()
    kept: set[str] = set()
    for finding in found:
        gone, stays = finding.entries
        # What goes is no successor; what stays does not go with the next one.
        if gone in retired or gone in kept or stays in retired:
            continue
        retired.add(gone)
        kept.add(stays)
        yield finding


def _candidates(memos: Iterable[Memo]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Ids of notes of one project that have the same text, each with the first of it, and of such
    as may say the same."""
    firsts: dict[bytes, str] = {}
    copies: list[tuple[str, str]] = []
    ids: list[str] = []
    sketches = Sketches()
    for memo in memos:
        if memo.kind in LEFT_ALONE:
            continue
        key = _digest(memo)
        if key and (first := firsts.setdefault(key, memo.id)) != memo.id:
            copies.append((first, memo.id))
            continue
        ids.append(memo.id)
        sentences = [each.words for each in read_sentences(memo.text, _SENTENCES)]
        sentences += [each.words for each in read_sentences(memo.title, 1)]
        sketches.add(read_features(sentences))
    return copies, [(ids[one], ids[other]) for one, other in sketches.find_pairs()]


def _digest(memo: Memo) -> bytes:
    """What two notes of one project, title and text share, whatever the case and the blanks."""
    text = " ".join(fold(memo.text).split())
    if len(text) < _LEAST_EXACT or "{{" in text:
        return b""  # it says too little, or what a template fills in tells it from others
    whole = f"{memo.project or ''}\n{' '.join(fold(memo.title).split())}\n{text}"
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _same(copies: Iterable[tuple[str, str]], known: dict[str, Memo]) -> Iterator[Finding]:
    groups: dict[str, list[Memo]] = {}
    for first, other in copies:
        if first in known and other in known:
            groups.setdefault(first, [known[first]]).append(known[other])
    for group in groups.values():
        best = min(group, key=_rank)
        for memo in group:
            if memo is not best:
                yield Finding(DUPLICATE, (memo.id, best.id), ACTION, 1.0, "the same text")


def _alike(pairs: Iterable[tuple[str, str]], known: dict[str, Memo]) -> Iterator[Finding]:
    readings: dict[str, Reading] = {}
    for pair in pairs:
        if not all(id_ in known for id_ in pair):
            continue
        one, other = (known[id_] for id_ in pair)
        if one.project != other.project or other.id == one.supersedes or one.id == other.supersedes:
            continue  # of one that replaced another the finder of chains tells
        likeness = compare_notes(_read(one, readings), _read(other, readings))
        if likeness is None or likeness.score < ALIKE:
            continue
        more = {one.id: likeness.more, other.id: likeness.other_more}
        stays, gone = sorted(
            (one, other), key=lambda memo: (_trust(memo), -more[memo.id], _rank(memo))
        )
        yield Finding(
            DUPLICATE,
            (gone.id, stays.id),
            ACTION,
            round(likeness.score, 3),
            f"says what {stays.title!r} says",
        )


def _read(memo: Memo, readings: dict[str, Reading]) -> Reading:
    """What is read of a note, held as long as no great many others were looked at since."""
    reading = readings.pop(memo.id, None) or Reading(memo.title, memo.text)
    readings[memo.id] = reading
    if len(readings) > _READINGS:
        readings.pop(next(iter(readings)))
    return reading


def _trust(memo: Memo) -> int:
    return ORIGINS.index(memo.trust) if memo.trust in ORIGINS else len(ORIGINS)


def _rank(memo: Memo) -> tuple[int, int, float, str]:
    """Return a sort key by which the note to keep comes first."""
    created = float("inf") if memo.created is None else memo.created
    return _trust(memo), -memo.recall_count, created, memo.id
