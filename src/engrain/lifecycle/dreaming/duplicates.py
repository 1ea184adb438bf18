"""Finds duplicates, and notes that mention another by its name without a link to it (S1.11, S1.17).

Duplicates are found by sketches and verified by comparing their texts. The note with more trust is
kept; of equals the longer, the more often recalled, or the older one. Missing links are proposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from sys import intern

from engrain.engine.core.active_notes import ActiveNotes, Memo
from engrain.engine.core.store import Store
from engrain.engine.links.mention_links import link_mention, name_now
from engrain.engine.links.suggestions import MENTION, SURE, Suggestion, suggest_links
from engrain.engine.lint.links import respell_links
from engrain.language.near_copies import SAME_WORDS, Reading, compare_notes
from engrain.language.text.folding import fold
from engrain.language.text.sentences import read_sentences
from engrain.language.text.sketches import Sketches, read_features
from engrain.lifecycle.dreaming.finding import DUPLICATE, LEFT_ALONE, Finding
from engrain.lifecycle.dreaming.finding import LINK as KIND
from engrain.lifecycle.reviewing import staging
from engrain.lifecycle.reviewing.actions import Rewrite, join_ids, revise
from engrain.model.errors import ConflictError
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import ORIGINS
from engrain.seam.locator import Locator

ACTION = "merge"

_READINGS = 2_000
"""Notes whose readings are kept at a time."""
_SENTENCES = 60
_LEAST_EXACT = 40
"""Characters from which two equal texts are copies, and not only short."""


def find_duplicates(_store: Store, memos: ActiveNotes, _now: float) -> Iterator[Finding]:
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
    """Yield pairs of notes of one project that may say the same. Notes with the same text go into
    `copies`, each with the first of them."""
    firsts: dict[bytes, str] = {}
    ids: list[str] = []
    projects: list[str | None] = []
    sketches = Sketches()
    for memo in memos:
        if memo.kind in LEFT_ALONE:
            continue
        key = _digest(memo)
        if key and (first := firsts.setdefault(key, memo.id)) != memo.id:
            copies.append((first, memo.id))
            continue
        ids.append(memo.id)
        projects.append(memo.project and intern(memo.project))
        sentences = [each.words for each in read_sentences(memo.text, _SENTENCES)]
        sentences += [each.words for each in read_sentences(memo.title, 1)]
        sketches.add(read_features(sentences))
    del firsts
    for one, other in sketches.find_pairs():
        if projects[one] == projects[other]:
            yield ids[one], ids[other]


def _digest(memo: Memo) -> bytes:
    """Hash project, title and text without case and blanks; b"" for a text that is too short or a
    template."""
    text = " ".join(fold(memo.text).split())
    if len(text) < _LEAST_EXACT or "{{" in text:
        return b""
    whole = f"{memo.project or ''}\n{' '.join(fold(memo.title).split())}\n{text}"
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _same(copies: Iterable[tuple[str, str]], memos: ActiveNotes) -> Iterator[Finding]:
    groups: dict[str, list[str]] = {}
    for first, other in copies:
        groups.setdefault(first, [first]).append(other)
    for ids in groups.values():
        group = [memo for id_ in ids if (memo := memos.find(id_))]
        best = min(group, key=_rank)
        for memo in group:
            if memo is not best:
                yield Finding(DUPLICATE, (memo.id, best.id), ACTION, 1.0, "the same text")


def _alike(pairs: Iterable[tuple[str, str]], memos: ActiveNotes) -> Iterator[Finding]:
    @lru_cache(_READINGS)
    def read(id_: str) -> tuple[Memo, Reading]:
        memo = memos.find(id_)
        assert memo is not None
        return memo, Reading(memo.title, memo.text)

    for pair in pairs:
        (one, reading), (other, other_reading) = map(read, pair)
        if other.id == one.supersedes or one.id == other.supersedes:
            continue  # the finder of chains reports one that replaced another
        likeness = compare_notes(reading, other_reading)
        if likeness is None or likeness.score < SAME_WORDS:
            continue
        more = {one.id: likeness.more, other.id: likeness.other_more}
        stays, gone = sorted((one, other), key=lambda memo: _rank(memo, more[memo.id]))
        reason = f"says what {stays.title!r} says"
        yield Finding(DUPLICATE, (gone.id, stays.id), ACTION, round(likeness.score, 3), reason)


def _rank(memo: Memo, more: float = 0) -> tuple[int, float, int, float, str]:
    """Return a sort key by which the note to keep comes first; `more` is what it says beyond the
    other one."""
    trust = ORIGINS.index(memo.trust) if memo.trust in ORIGINS else len(ORIGINS)
    created = float("inf") if memo.created is None else memo.created
    return trust, -more, -memo.recall_count, created, memo.id


LINK = "link"
"""The action: of two entries the first gets a link to the second."""
LEAST = 0.4
"""The score from which a link is worth a look."""
_RELATED = "related_to"


def plan_link(store: Store, entries: Sequence[Entry]) -> list[Rewrite]:
    """Plan a link from the first of two entries to the second: in the text that mentions it, else
    as `related_to` in both. Raises ConflictError where they are not two notes, or are linked
    already."""
    if len(entries) != 2 or not all(entry.path.endswith(".md") for entry in entries):
        raise ConflictError("a link is made between two notes")
    source, target = entries
    if _are_linked(store, source, target):
        raise ConflictError(f"{source.id} and {target.id} are linked", path=source.path)
    note = link_mention(store, source, target)
    if note is not None:
        return [Rewrite(source, note, Locator(source.path))]
    return [_relate(store, source, target), _relate(store, target, source)]


def plan_relinking(store: Store, entries: Sequence[Entry]) -> list[Rewrite]:
    """Links in the first of two entries that misspell a name of the second lead to it. Raises
    ConflictError where there are none."""
    if len(entries) != 2:
        raise ConflictError("a link leads from one entry to another")
    source, target = entries
    with store.index.view() as view:
        label_first = view.label_first
    name = name_now(store, target.path)
    note = respell_links(source, target, name, label_first=label_first)
    if note is None:
        raise ConflictError(f"no link in {source.id} misspells {target.id}", path=source.path)
    return [Rewrite(source, note, Locator(source.path))]


def suggest_and_propose(
    store: Store, reference: str | None = None, *, limit: int | None = None, propose: bool = False
) -> tuple[list[Suggestion], list[Suggestion]]:
    """List the links that could be made, the surest first, from or to one entry if it is named;
    and, with `propose`, those of them that were newly proposed to the operator. Raises
    NotFoundError, IndexUnavailableError."""
    store.require_index(scan=True)
    about = None if reference is None else store.find_one(reference).id
    found = list(islice(suggest_links(store, ActiveNotes(store), least=LEAST, about=about), limit))
    proposed = [
        one
        for one in found
        if propose
        and staging.propose(store, LINK, join_ids([one.source, one.target]), reason_of(one))
    ]
    return found, proposed


def reason_of(suggestion: Suggestion) -> str:
    """Return the reason why a link is suggested, in a line."""
    if suggestion.kind == MENTION:
        return f"the text says “{suggestion.words}”, which is a name of {suggestion.target}"
    return f"each is the nearest of the other: both have {suggestion.words}"


def _relate(store: Store, entry: Entry, other: Entry) -> Rewrite:
    links = list_of(entry.fields.get("links"))
    return revise(store, entry, {"links": [*links, {"to": other.id, "relation": _RELATED}]})


def _are_linked(store: Store, one: Entry, two: Entry) -> bool:
    with store.index.view() as view:
        numbers = [view.number(entry.path) for entry in (one, two)]
        known = [number for number in numbers if number is not None]
        return any(
            edge.target in known and edge.source != edge.target for edge in view.edges_from(known)
        )


def find_missing_links(store: Store, memos: Iterable[Memo], _: float) -> Iterator[Finding]:
    """Yield the unambiguous mentions, the surest first."""
    for one in suggest_links(store, memos, least=SURE):
        pair, evidence = (one.source, one.target), [(one.source, one.quote)]
        yield Finding(KIND, pair, LINK, one.score, reason_of(one), evidence)
