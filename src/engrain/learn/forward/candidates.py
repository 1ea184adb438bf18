"""Candidates: a fragment from outside each, quoted, with where it is from and what of the vault it
touches, in the inbox as external (S1.20).

What waits there, or was learned once, is not brought again; what the operator sent away does not
come back, however it is reworded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from engrain.engine.core.outcomes import RESTORED, UNCHANGED
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.verbs.revise import edit_entry
from engrain.engine.verbs.save import save
from engrain.language.copies.word_sets import is_near_copy, words_of
from engrain.language.text.instants import format_instant
from engrain.learn.forward.feeds import without_query
from engrain.learn.forward.items import Passage, as_data, quote
from engrain.learn.forward.topics import Nearness
from engrain.model.errors import ConflictError, EngrainError, UsageError
from engrain.model.note.documents import text_of
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import ACTIVE, EXTERNAL, INBOX
from engrain.seam.rows import Filter, Row
from engrain.seam.sources import FEED, REPOSITORY, Approved

LEARNED = "learned"
"""The tag of all that was brought from outside."""
KIND = "domain-reference"
CREATED, CHANGED, REFUSED, KNOWN = "created", "changed", "refused", "known"

_MOST_TITLE = 120
_MOST_NAMED = 5
_WITHIN = 0.9
_SEARCHED = 3
_QUERY = 300
_QUOTED = "> "


class Candidate:
    """One fragment that may matter: its title, the quoted words, where it is from (`ref`), how
    relevant it is from 0 to 1 and why, and the ids of the entries it touches. `id` is that of the
    entry it became, "" for none; `outcome` is one of the words above; `before` is the entry that it
    is a newer wording of."""

    __slots__ = (
        "at", "before", "id", "outcome", "project", "quoted", "reason", "ref", "score", "source",
        "tags", "title", "touched",
    )  # fmt: skip

    def __init__(
        self, source: Approved, passage: Passage, near: Nearness, clean: Callable[[str], str]
    ) -> None:
        """`clean` takes secrets out of a text."""
        item = passage.item
        self.source = source
        self.ref = clean(item.ref)
        self.at = item.at
        self.quoted = quote(clean(passage.text), near.words)
        section = passage.heading.rpartition(" > ")[2]
        titles = [item.title] if section in ("", item.title) else [item.title, section]
        self.title = as_data(clean(": ".join(titles)))[:_MOST_TITLE].strip() or self.quoted[:60]
        self.score = round(near.score, 3)
        self.reason = _explain(near)
        self.touched = [row.id for row in near.touched]
        self.project = near.project
        self.tags = near.tags[:_MOST_NAMED]
        self.id = ""
        self.outcome = CREATED
        self.before: Row | None = None

    @property
    def text(self) -> str:
        """The body of its note."""
        day = f", {format_instant(self.at)[:10]}" if self.at is not None else ""
        shown = f"<{_as_address(self.ref)}>" if "://" in self.ref else as_data(self.ref)
        return (
            f"{_QUOTED}{self.quoted}\n\nFrom outside, unverified: {shown} (source"
            f" {as_data(self.source.name)}{day}).\n\nWhy it may matter: {self.reason}.\n"
        )


class Known:
    """What was brought from outside before, by where it is from. `refused` are the ids of waiting
    candidates that the operator rejected."""

    def __init__(self, store: Store, refused: Collection[str] = ()) -> None:
        self._store = store
        self._refused = refused
        self._by_ref: dict[str, list[tuple[Row, Entry]]] = {}
        self._words: list[frozenset[str]] = []
        for row in store.index.find(Filter(tags=(LEARNED,))):
            try:
                entry = store.read_entry(row.locator)
            except EngrainError:
                continue  # what can't be read is for `doctor` to report
            ref = text_of(entry.source.get("ref"))
            self._by_ref.setdefault(_stem(ref), []).append((row, entry))
            self._words.append(words_of(_quoted_in(entry.text)))

    def judge(self, candidate: Candidate) -> bool:
        """Whether to keep a candidate: it is new, or a newer wording of one that waits, which its
        `outcome` then says. A kept candidate counts as known from then on."""
        candidate.outcome, candidate.before = self._find(candidate)
        if candidate.outcome == KNOWN:
            return False
        self._words.append(words_of(candidate.quoted))
        return True

    def _find(self, candidate: Candidate) -> tuple[str, Row | None]:
        words = words_of(candidate.quoted)
        if not words or any(is_near_copy(words, other) for other in self._words):
            return KNOWN, None
        before = [
            (row, entry)
            for row, entry in self._by_ref.get(_stem(candidate.ref), [])
            if _is_its_own(candidate) or entry.title == candidate.title
        ]
        gone = (row.status not in (ACTIVE, INBOX) or row.id in self._refused for row, _ in before)
        if any(gone):
            return KNOWN, None
        if self._is_in_vault(candidate.quoted, words):
            return KNOWN, None
        waiting = next((row for row, _ in before if row.status == INBOX), None)
        if waiting is None:
            return CREATED, None
        if self._store.index.told_origin(waiting.id, waiting.hash) is None:
            return KNOWN, None  # somebody wrote in it: what they read stays as it is
        return CHANGED, waiting

    def _is_in_vault(self, quoted: str, words: frozenset[str]) -> bool:
        """Whether an entry of the vault has nearly all of its words already."""
        only = Filter(statuses=(ACTIVE,))
        for row in self._store.index.search(quoted[:_QUERY], only, _SEARCHED):
            try:
                others = words_of(self._store.read_entry(row.locator).text)
            except EngrainError:
                continue
            missing = words - others
            if len(words & others) >= _WITHIN * len(words) and not _has_digits(missing):
                return True
        return False


def keep(store: Store, candidate: Candidate) -> None:
    """Put a candidate that was judged into the inbox, or its words into the entry that waits there
    for the same. One that can't be kept is `refused`, and stops no other."""
    acting = store.acting_as(Actor(store.actor.agent or JOBS, EXTERNAL))
    acting.project = None  # it is of what it touches, not of where this happens to run
    try:
        if candidate.before is None:
            done = save(
                acting,
                candidate.text,
                title=candidate.title,
                kind=KIND,
                tags=(LEARNED, *candidate.tags),
                project=candidate.project,
                status=INBOX,
                source=candidate.source.kind,
                ref=candidate.ref,
                op="learn",
            )
            candidate.id = done.id
            if done.outcome in (UNCHANGED, RESTORED):
                candidate.outcome = KNOWN
        else:
            before = candidate.before
            edit_entry(acting, before.id, expect=before.hash, text=candidate.text)
            candidate.id = before.id
    except (ConflictError, UsageError):
        candidate.outcome = REFUSED


def list_waiting(store: Store) -> Iterator[Row]:
    """The candidates that wait in the inbox, oldest first."""
    only = Filter(tags=(LEARNED,), statuses=(INBOX,), zones=(INBOX,))
    yield from sorted(store.index.find(only), key=lambda row: row.id)


def _explain(near: Nearness) -> str:
    """What of the vault it touches, in words; titles are the vault's own."""
    parts = []
    if near.names:
        parts.append("it names " + ", ".join(map(as_data, near.names[:_MOST_NAMED])))
    if near.tags:
        parts.append("it is about " + ", ".join(map(as_data, near.tags[:_MOST_NAMED])))
    if near.touched:
        titles = (f"“{as_data(row.title)[:80]}” ({row.id})" for row in near.touched)
        parts.append("the vault has " + ", ".join(titles))
    return "; ".join(parts) or "you asked for it"


def _as_address(url: str) -> str:
    """A URL that ends where it ends in markdown."""
    return "".join(f"%{ord(char):02X}" if char in "<>()[]\\ `|" else char for char in url)


def _stem(ref: str) -> str:
    """Where something is from, whichever commit of a repository it was read at."""
    place, at, _ = ref.rpartition("@")
    return place if at and "://" not in ref and "." in place.rpartition("/")[2] else ref


def _is_its_own(candidate: Candidate) -> bool:
    """Whether nothing else is at the place that it is from: an entry of a feed, and a commit, have
    one of their own, and the sections of a document share theirs."""
    source, ref = candidate.source, candidate.ref
    if source.kind == REPOSITORY:
        return _stem(ref) == ref
    return source.kind == FEED and ref != without_query(source.place)


def _quoted_in(text: str) -> str:
    return " ".join(line[len(_QUOTED) :] for line in text.split("\n") if line.startswith(_QUOTED))


def _has_digits(words: frozenset[str]) -> bool:
    return any(any(map(str.isdigit, word)) for word in words)
