"""Candidates: quoted fragments from outside, each with its origin and the entries of the vault that
it touches, in the inbox as external (S1.20).

What waits there, or was learned once, is not brought again; what the operator rejected does not
come back in other words. What counts most for relevance is the share of a passage's rarest words
that some entry of the vault has too; then names that the vault knows, and its tags. The weights
were fitted to a vault of a thousand notes: one half was presented to the other, among READMEs of
other software and transcripts of talk. From 0.6 on it brings 71 of 100 notes (most of the others
have no text), 10 of 100 READMEs and 2 of 100 talks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log

from engrain.engine.core.outcomes import RESTORED, UNCHANGED
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.recall.meaning import CHATTER, without
from engrain.engine.verbs.revise import edit_entry
from engrain.engine.verbs.save import save
from engrain.language.lexicons import read_words
from engrain.language.text.fences import shorten
from engrain.language.text.folding import is_near_copy, words_of
from engrain.language.text.instants import format_day
from engrain.learn.forward.feeds import without_query
from engrain.learn.forward.items import ItemPassage, as_data, quote
from engrain.model.errors import ConflictError, EngrainError, UsageError
from engrain.model.note.documents import text_of
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import ACTIVE, EXTERNAL, INBOX
from engrain.seam.rows import CURRENT, Filter, Row
from engrain.seam.sources import FEED, Approved
from engrain.seam.view import IndexView

_ENTITY = "entity"
_WORD = re.compile(r"[^\W_](?:[\w'’+#-]*[^\W_]|[+#]*)")
_LEAST_NAME = 3
_LONGEST_NAME = 4
_READ = 800
"""Characters of a passage that are compared."""
_LEAST_READ = 3
_MOST_PASSAGES = 50
_MOST_TOUCHED = 3
_TOUCHED_SHARE = 0.7
_MOST_TAGS = 2
# Of a logistic model: at which share of its words a passage is as likely to matter as not, how
# steep that is, and what a name in its title, one in its text, and each tag add.
_SHARE, _STEEP, _NAMED_IN_TITLE, _NAMED, _TAGGED = 0.3, 20.0, 2.0, 1.5, 0.25
STOP = read_words("words", "stop words")["topics"] | CHATTER
"""Words of English that say nothing about a text's subject."""


@dataclass(slots=True, eq=False)
class Nearness:
    """How near a passage comes to the vault, from 0 to 1; the names and tags of the vault that it
    contains, the rows of the entries that it touches, and the words that were decisive."""

    score: float = 0.0
    names: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    touched: list[Row] = field(default_factory=list)
    words: frozenset[str] = frozenset()

    @property
    def project(self) -> str | None:
        """The project of all that it touches, None where there are several or none."""
        found = {row.project for row in self.touched}
        return found.pop() if len(found) == 1 else None


class Topics:
    """What a vault is about: its names, its tags and the words of its entries."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._names: dict[str, str] = {}
        self._tags: dict[str, str] = {}
        for row in sorted(store.index.find(CURRENT), key=lambda row: row.id):
            for name in (row.project, row.title if row.kind == _ENTITY else None):
                if name and len(name) >= _LEAST_NAME:
                    self._names.setdefault(_key(_WORD.findall(name)), name)
            for tag in row.tags:
                if len(tag) >= _LEAST_NAME:
                    self._tags.setdefault(tag.casefold(), tag)

    def look(self, passage: ItemPassage) -> Nearness:
        """Return how near a passage comes to the vault. Raises IndexUnavailableError."""
        near = Nearness()
        said = f"{passage.item.title} {passage.heading} {passage.text}"[:_READ]
        words = _WORD.findall(said)
        near.names = self._find_names(words)
        in_title = near.names and self._find_names(_WORD.findall(passage.item.title))
        near.tags = sorted({self._tags[word] for word in map(str.casefold, words) if
                            word in self._tags})  # fmt: skip
        with self._store.index.view() as view:
            # A name counts by itself: hardly anything else that the vault has of it is said here.
            share = self._compare(view, without(said, near.names), near)
        evidence = _STEEP * (share - _SHARE) + _TAGGED * min(len(near.tags), _MOST_TAGS)
        evidence += _NAMED_IN_TITLE if in_title else _NAMED if near.names else 0.0
        near.score = 1 / (1 + exp(-evidence)) if share else 0.0
        telling = {word for name in near.names for word in _key([name]).split()}
        near.words |= telling | {tag.casefold() for tag in near.tags}
        return near

    def _compare(self, view: IndexView, said: str, near: Nearness) -> float:
        """Return how much of what is said by its rarest words the nearest entry says too, from 0 to
        1. Words that no entry has count as said by none."""
        matches = view.match(said, CURRENT, _MOST_PASSAGES)
        rarities = [
            log(1 + matches.passages / (1 + frequency)) ** 2 for frequency in matches.frequencies
        ]
        if len(rarities) < _LEAST_READ:
            return 0.0
        shares: dict[int, float] = {}
        entries: dict[int, int] = {}
        for rarity, postings in zip(rarities, matches.postings, strict=True):
            for place in {(place[0], place[1]) for place in postings}:
                shares[place[0]] = shares.get(place[0], 0.0) + rarity
                entries[place[0]] = place[1]
        if not shares:
            return 0.0
        ranked = sorted(shares, key=lambda passage: (-shares[passage], passage))
        best = shares[ranked[0]]
        touched = [
            entries[passage] for passage in ranked if shares[passage] >= _TOUCHED_SHARE * best
        ]
        touched = list(dict.fromkeys(touched))[:_MOST_TOUCHED]
        rows = view.rows(touched)
        near.touched = [rows[number] for number in touched if number in rows]
        near.words = frozenset(
            word
            for word, postings in zip(matches.words, matches.postings, strict=True)
            if any(place[0] == ranked[0] for place in postings)
        )
        return best / sum(rarities)

    def _find_names(self, words: Sequence[str]) -> list[str]:
        """Return the names among some words; a single word counts only if written as a name."""
        found: dict[str, None] = {}
        for length in range(1, _LONGEST_NAME + 1):
            for start in range(len(words) - length + 1):
                run = words[start : start + length]
                name = self._names.get(_key(run))
                if name is not None and (length > 1 or run[0][0].isupper() or run[0] == name):
                    found[name] = None
        return list(found)


def _key(words: Sequence[str]) -> str:
    return " ".join(words).casefold()


LEARNED = "learned"
"""The tag of all that was brought from outside."""
KIND = "domain-reference"
CREATED, CHANGED, REFUSED, KNOWN = "created", "changed", "refused", "known"

_MOST_TITLE, _CUT_TITLE = 120, 80
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

    def __init__(
        self, source: Approved, passage: ItemPassage, near: Nearness, clean: Callable[[str], str]
    ) -> None:
        """`clean` takes secrets out of a text."""
        item = passage.item
        self.source = source
        self.ref = clean(item.ref)
        self.at = item.at
        self.quoted = quote(clean(passage.text), near.words)
        section = passage.heading.rpartition(" > ")[2]
        titles = [item.title] if section in ("", item.title) else [item.title, section]
        self.title = shorten(as_data(clean(": ".join(titles))), _MOST_TITLE)
        self.title = self.title or shorten(self.quoted, _CUT_TITLE)
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
        """Return the body of its note."""
        day = f", {format_day(self.at)}" if self.at is not None else ""
        # An address must end in markdown where it ends.
        signs = (f"%{ord(char):02X}" if char in "<>()[]\\ `|" else char for char in self.ref)
        shown = f"<{''.join(signs)}>" if "://" in self.ref else as_data(self.ref)
        return (
            f"{_QUOTED}{self.quoted}\n\nFrom outside, unverified: {shown} (source"
            f" {as_data(self.source.name)}{day}).\n\nWhy it may matter: {self.reason}.\n"
        )


class KnownCandidates:
    """The candidates that were brought from outside before, by where they are from. `refused` are
    the ids of waiting candidates that the operator rejected."""

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
            self._by_ref.setdefault(ref, []).append((row, entry))
            lines = (line for line in entry.text.split("\n") if line.startswith(_QUOTED))
            quoted = " ".join(line.removeprefix(_QUOTED) for line in lines)
            self._words.append(words_of(quoted))

    def judge(self, candidate: Candidate) -> bool:
        """Return whether to keep a candidate: it is new, or a newer wording of one that waits,
        which its `outcome` then says. A kept candidate counts as known from then on."""
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
            for row, entry in self._by_ref.get(candidate.ref, [])
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
        """Return whether an entry of the vault has nearly all of its words already."""
        only = Filter(statuses=(ACTIVE,))
        for row in self._store.index.search(quoted[:_QUERY], only, _SEARCHED):
            try:
                others = words_of(self._store.read_entry(row.locator).text)
            except EngrainError:
                continue
            number = any(map(str.isdigit, "".join(words - others)))
            if len(words & others) >= _WITHIN * len(words) and not number:
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
    """Yield the candidates that wait in the inbox, oldest first."""
    only = Filter(tags=(LEARNED,), statuses=(INBOX,), zones=(INBOX,))
    yield from sorted(store.index.find(only), key=lambda row: row.id)


def _explain(near: Nearness) -> str:
    """Return in words what it touches of the vault; titles are the vault's own."""
    parts = []
    if near.names:
        parts.append("it names " + ", ".join(map(as_data, near.names[:_MOST_NAMED])))
    if near.tags:
        parts.append("it is about " + ", ".join(map(as_data, near.tags[:_MOST_NAMED])))
    if near.touched:
        titles = (f"“{shorten(as_data(row.title), _CUT_TITLE)}” ({row.id})" for row in near.touched)
        parts.append("the vault has " + ", ".join(titles))
    return "; ".join(parts)


def _is_its_own(candidate: Candidate) -> bool:
    """Return whether nothing else is at the place that it is from: an entry of a feed has a place
    of its own, and the sections of a document share theirs."""
    source, ref = candidate.source, candidate.ref
    return source.kind == FEED and ref != without_query(source.place)
