"""Candidates: quoted fragments from outside, each with its origin and the entries of the vault that
it touches, in the inbox as external (S1.20).

A fragment that waits there, or was learned once, is not brought again; one that the operator
rejected does not come back in other words. Relevant is a fragment whose rarest words some entry of
the vault has too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import log

from engrain.engine.core.outcomes import RESTORED, UNCHANGED
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.verbs.save import save
from engrain.language.text.fences import shorten
from engrain.language.text.folding import is_near_copy, words_of
from engrain.language.text.instants import format_day
from engrain.learn.forward.feeds import without_query
from engrain.learn.forward.items import ItemPassage, as_data, quote
from engrain.model.errors import ConflictError, EngrainError, UsageError
from engrain.model.note.documents import text_of
from engrain.model.note.tiers import EXTERNAL, INBOX
from engrain.seam.rows import CURRENT, Filter, Row
from engrain.seam.sources import FEED, Approved

LEARNED = "learned"
"""The tag of everything that was brought from outside."""
KIND = "domain-reference"
CREATED, REFUSED, KNOWN = "created", "refused", "known"

_READ = 800
"""Characters of a passage that are compared."""
_LEAST_READ = 3
_MOST_PASSAGES = 50
_MOST_TOUCHED = 3
_TOUCHED_SHARE = 0.7
_MOST_TITLE, _CUT_TITLE = 120, 80
_SAME = 0.99
"""The share of a passage's words from which on an entry of the vault says the same."""
_QUOTED = "> "


@dataclass(slots=True, eq=False)
class Nearness:
    """How near a passage comes to the vault: the share of its words, the rare ones counting most,
    that the nearest entry has too, and the rows of the entries that it touches."""

    score: float = 0.0
    touched: list[Row] = field(default_factory=list)


def measure_nearness(store: Store, passage: ItemPassage) -> Nearness:
    """Return how near a passage comes to the vault. Raises IndexUnavailableError."""
    said = f"{passage.item.title} {passage.heading} {passage.text}"[:_READ]
    with store.index.view() as view:
        matches = view.match(said, CURRENT, _MOST_PASSAGES)
        rarities = [
            log(1 + matches.passages / (1 + frequency)) ** 2 for frequency in matches.frequencies
        ]
        shares: dict[int, float] = {}
        entries: dict[int, int] = {}
        for rarity, postings in zip(rarities, matches.postings, strict=True):
            for place in {(place[0], place[1]) for place in postings}:
                shares[place[0]] = shares.get(place[0], 0.0) + rarity
                entries[place[0]] = place[1]
        if not shares or len(rarities) < _LEAST_READ:
            return Nearness()
        ranked = sorted(shares, key=lambda found: (-shares[found], found))
        best = shares[ranked[0]]
        near = [entries[found] for found in ranked if shares[found] >= _TOUCHED_SHARE * best]
        touched = list(dict.fromkeys(near))[:_MOST_TOUCHED]
        rows = view.rows(touched)
    return Nearness(best / sum(rarities), [rows[number] for number in touched if number in rows])


class Candidate:
    """One fragment that may matter: its title, the quoted words, where it is from (`ref`), how
    relevant it is from 0 to 1 and why, and the ids of the entries it touches. `id` is that of the
    entry it became, "" for none; `outcome` is one of the words above."""

    def __init__(
        self, source: Approved, passage: ItemPassage, near: Nearness, clean: Callable[[str], str]
    ) -> None:
        """`clean` takes secrets out of a text."""
        item = passage.item
        self.source = source
        self.ref = clean(item.ref)
        self.at = item.at
        self.quoted = quote(clean(passage.text))
        section = passage.heading.rpartition(" > ")[2]
        titles = [item.title] if section in ("", item.title) else [item.title, section]
        self.title = shorten(as_data(clean(": ".join(titles))), _MOST_TITLE)
        self.title = self.title or shorten(self.quoted, _CUT_TITLE)
        self.score = round(near.score, 3)
        self.touched = [row.id for row in near.touched]
        projects = {row.project for row in near.touched}
        self.project = projects.pop() if len(projects) == 1 else None
        known = (f"“{shorten(as_data(row.title), _CUT_TITLE)}” ({row.id})" for row in near.touched)
        self.reason = "the vault has " + ", ".join(known)
        self.id = ""
        self.outcome = CREATED

    @property
    def text(self) -> str:
        """Return the body of its note."""
        day = f", {format_day(self.at)}" if self.at is not None else ""
        # An address must end in markdown where it ends.
        signs = (f"%{ord(char):02X}" if char in "<>()[]\\ `|" else char for char in self.ref)
        return (
            f"{_QUOTED}{self.quoted}\n\nFrom outside, unverified: <{''.join(signs)}> (source"
            f" {as_data(self.source.name)}{day}).\n\nWhy it may matter: {self.reason}.\n"
        )


class KnownCandidates:
    """The candidates that were brought from outside before, by where they are from."""

    def __init__(self, store: Store) -> None:
        self._titles: dict[str, set[str]] = {}
        self._words: list[frozenset[str]] = []
        for row in store.index.find(Filter(tags=(LEARNED,))):
            try:
                entry = store.read_entry(row.locator)
            except EngrainError:
                continue  # `doctor` reports entries that can't be read
            self._titles.setdefault(text_of(entry.source.get("ref")), set()).add(entry.title)
            lines = (line for line in entry.text.split("\n") if line.startswith(_QUOTED))
            quoted = " ".join(line.removeprefix(_QUOTED) for line in lines)
            self._words.append(words_of(quoted))

    def add(self, candidate: Candidate) -> bool:
        """Return whether a candidate is new, and count it as known from then on. It is known if it
        was brought before, in these words or in others, or stands in the vault already."""
        words = words_of(candidate.quoted)
        titles = self._titles.get(candidate.ref, set())
        if (
            not words
            or candidate.score >= _SAME
            or (titles and (_is_its_own(candidate) or candidate.title in titles))
            or any(is_near_copy(words, other) for other in self._words)
        ):
            return False
        self._words.append(words)
        return True


def keep(store: Store, candidate: Candidate) -> None:
    """Put a new candidate into the inbox. One that can't be kept is `refused`, and stops no
    other."""
    acting = store.acting_as(Actor(store.actor.agent or JOBS, EXTERNAL))
    acting.project = None  # it is of what it touches, not of where this happens to run
    try:
        done = save(
            acting,
            candidate.text,
            title=candidate.title,
            kind=KIND,
            tags=(LEARNED,),
            project=candidate.project,
            status=INBOX,
            source=candidate.source.kind,
            ref=candidate.ref,
            op="learn",
        )
        candidate.id = done.id
        if done.outcome in (UNCHANGED, RESTORED):
            candidate.outcome = KNOWN
    except (ConflictError, UsageError):
        candidate.outcome = REFUSED


def list_waiting(store: Store) -> Iterator[Row]:
    """Yield the candidates that wait in the inbox, oldest first."""
    only = Filter(tags=(LEARNED,), statuses=(INBOX,), zones=(INBOX,))
    yield from sorted(store.index.find(only), key=lambda row: row.id)


def _is_its_own(candidate: Candidate) -> bool:
    """Return whether nothing else is at the place that it is from: an entry of a feed has a place
    of its own, and the sections of a page share theirs."""
    source, ref = candidate.source, candidate.ref
    return source.kind == FEED and ref != without_query(source.place)
