"""A run of forward learning: what is new and relevant in the approved places is brought, in their
order.

What was read is known by digests of its passages, on this device: a run over what was read brings
nothing. An item is noted as read behind its entry; so a run that was killed in between finds it
again, and knows the candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log

from engrain.engine.core.outcomes import RESTORED, UNCHANGED
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.verbs.save import save
from engrain.language.text.fences import shorten
from engrain.language.text.folding import is_near_copy, words_of
from engrain.language.text.instants import format_day
from engrain.learn.forward.items import (
    Item,
    ItemPassage,
    as_data,
    decode,
    is_feed,
    quote,
    read_feed,
    read_html,
    read_passages,
    without_query,
)
from engrain.learn.sources.reading import KnownTurns, digest_parts
from engrain.model.errors import ConflictError, EngrainError, FetchError, NotFoundError, UsageError
from engrain.model.note.documents import object_of, text_of
from engrain.model.note.properties import split_heading
from engrain.model.note.tiers import EXTERNAL, INBOX
from engrain.model.settings import read_count
from engrain.seam.rows import CURRENT, Filter, Row
from engrain.seam.sources import FEED, PAGE, Approved, Fetched

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


CONSUMER = "learn"

_LEAST_NEAR = 0.32
"""The least share of a passage's rare words that an entry of the vault must have."""
_MOST_ITEMS = 500
_MOST_LOOKED = 600
"""Passages of a place that one run compares with the vault, each of which takes as long as a recall
by words; the rest is left for the next run."""
_PER_ITEM = 8
"""The most new passages of an item that are compared."""
_RUN_PLACES = 4
"""So many times the most of a place are the most of a run."""
_WHOLE = ""
"""The name of a place's cursor."""
_HTML_TYPES = ("text/html", "application/xhtml+xml")


def check_learning(settings: Mapping[str, str | None]) -> None:
    """Check the settings of forward learning. Raises ConfigError."""
    read_count(settings, "learn.limit", digits=5)


@dataclass(slots=True, eq=False)
class Visited:
    """What a run found at one source: how many items were new or changed, how many of those were
    kept or skipped, and what went wrong."""

    source: Approved
    new: int = 0
    changed: int = 0
    kept: int = 0
    skipped: int = 0
    error: str = ""


@dataclass(slots=True, eq=False)
class ForwardRun:
    """The result of a run: each source that was read, and the candidates that were brought.
    `unfinished` says that the time ran out or the limit of a run was reached."""

    sources: list[Visited] = field(default_factory=list, init=False)
    candidates: list[Candidate] = field(default_factory=list, init=False)
    unfinished: bool = field(default=False, init=False)

    @property
    def failed(self) -> bool:
        """Whether any source could not be read."""
        return any(visited.error for visited in self.sources)


def learn(
    store: Store,
    name: str | None = None,
    *,
    limit: int | None = None,
    dry_run: bool = False,
    out_of_time: Callable[[], bool] = lambda: False,
    tell: Callable[[int], object] = lambda _: None,
) -> ForwardRun:
    """Read every approved place, or the one of a name, and bring what matters, `limit` at most.
    `tell` is called with the number of places read. Raises NotFoundError, ConfigError,
    IndexUnavailableError."""
    each = read_count(store.settings, "learn.limit", digits=5) if limit is None else limit
    most = each * _RUN_PLACES if limit is None else limit
    done = ForwardRun()
    places = choose_places(store, name)
    if not places:
        return done
    run = _ForwardSteps(store, KnownCandidates(store), dry_run, out_of_time)
    for number, approved in enumerate(places, 1):
        if out_of_time() or len(done.candidates) >= most > 0:
            done.unfinished = True
            break
        visited = Visited(approved)
        done.sources.append(visited)
        try:
            done.candidates += run.visit(visited, min(each, most - len(done.candidates)))
        except EngrainError as error:  # it stops no other place
            visited.error = error.message
        done.unfinished = done.unfinished or run.late
        tell(number)
    return done


def approve_source(
    store: Store, place: str, *, name: str = "", kind: str = "", private: bool = False
) -> Approved:
    """Approve a feed or a page by its URL; `kind` is `feed` or `url`, else the place is requested
    once to find it."""
    outside = store.device.outside
    approved = Approved(name, kind, place, private=private)
    if not kind:
        try:
            found = outside.fetch(approved)
        except FetchError as error:
            error.remedy = error.remedy or f"--kind {FEED} or {PAGE} approves it all the same"
            raise
        approved = replace(approved, kind=FEED if found and is_feed(found) else PAGE)
    return outside.add(approved)


def disapprove_source(store: Store, name: str) -> Approved:
    """Stop reading a place; what was brought from it stays. Raises NotFoundError."""
    removed = store.device.outside.remove(name)
    store.device.local.drop_cursors(cursor_place(name))
    return removed


def choose_places(store: Store, name: str | None) -> list[Approved]:
    """Return every approved place, or the one of a name. Raises NotFoundError, ConfigError."""
    found = [one for one in store.device.outside.list() if name in (None, one.name)]
    if name is not None and not found:
        raise NotFoundError(
            f"no approved source {name!r}", remedy="`engrain learn sources list` lists them"
        )
    return found


@dataclass(slots=True, eq=False)
class _ForwardSteps:
    store: Store
    known: KnownCandidates
    dry_run: bool
    out_of_time: Callable[[], bool]
    late: bool = field(default=False, init=False)
    _clean: Callable[[str], str] = field(init=False)

    def __post_init__(self) -> None:
        self._clean = Redaction(self.store).clean

    def visit(self, visited: Visited, most: int) -> list[Candidate]:
        """Read one place and return the candidates that were brought from it, `most` at most.
        Raises FetchError, MalformedError."""
        self.late = False
        source = visited.source
        local, place = self.store.device.local, cursor_place(source.name)
        before = object_of(local.cursors(CONSUMER, place).get(_WHOLE))
        fetched = self.store.device.outside.fetch(
            source, text_of(before.get("etag")), text_of(before.get("modified"))
        )
        if fetched is None:
            return []
        read = KnownTurns(local.turns_read(CONSUMER, place))
        brought: list[Candidate] = []
        looked = 0
        for item in _read_items(fetched, source):
            if looked >= _MOST_LOOKED or len(brought) >= most or self.out_of_time():
                self.late = True  # the next run goes on
                break
            if item.at is not None:
                item.at = min(item.at, self.store.clock.now())  # clocks differ
            passages, digests = _find_new(item, read)
            if not passages:
                continue
            of_item = digest_parts("item", item.key)
            visited.changed += of_item in read
            visited.new += of_item not in read
            looked += len(passages)
            if candidate := self._bring(source, passages):
                brought.append(candidate)
            if not self.dry_run:
                local.add_turns_read(CONSUMER, place, read.add({of_item, *digests}))
        if not self.dry_run and not self.late:
            cursor = {"etag": fetched.etag, "modified": fetched.modified}
            local.write_cursor(CONSUMER, place, _WHOLE, cursor)
        visited.kept = len(brought)
        visited.skipped = visited.new + visited.changed - visited.kept
        return brought

    def _bring(self, source: Approved, passages: Sequence[ItemPassage]) -> Candidate | None:
        """Put the nearest of an item's passages into the inbox if it is relevant and unknown."""
        measured = [(measure_nearness(self.store, passage), passage) for passage in passages]
        near, passage = max(measured, key=lambda found: found[0].score)
        if near.score < _LEAST_NEAR:
            return None
        candidate = Candidate(source, passage, near, self._clean)
        if not self.known.add(candidate):
            return None
        if not self.dry_run:
            keep(self.store, candidate)
        return candidate if candidate.outcome == CREATED else None


def _find_new(item: Item, read: KnownTurns) -> tuple[list[ItemPassage], list[int]]:
    """Return the first passages of an item that were not read, and the digests of all of these."""
    found = {
        digest_parts(item.key, item.title, passage.heading, passage.text): passage
        for passage in read_passages(item)
    }
    digests = [digest for digest in found if digest not in read]
    return [found[digest] for digest in digests[:_PER_ITEM]], digests


def _read_items(fetched: Fetched, source: Approved) -> list[Item]:
    """Return the items of a feed, or the page as one. Raises MalformedError."""
    if source.kind == FEED:
        return read_feed(fetched, _MOST_ITEMS)
    return [_read_page(fetched, source.place)]


def _read_page(fetched: Fetched, url: str) -> Item:
    """Return a page as an item; its title is its own, else its first heading."""
    text = decode(fetched.body, fetched.charset)
    title, text = read_html(text) if fetched.type in _HTML_TYPES else ("", text)
    heading, rest = split_heading(text)
    if heading:
        title, text = title or heading, rest
    return Item(url, title or url.rstrip("/").rpartition("/")[2], text, url)


def cursor_place(name: str) -> str:
    """Return where an approved place has its cursors: a source of facts may share its name."""
    return f"{CONSUMER}:{name}"
