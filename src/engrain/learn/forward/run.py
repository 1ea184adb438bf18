"""A run of forward learning: what is new in the approved feeds comes into the inbox, in the order
of the feeds.

Items that were read are known by digests, on this device. An item is noted as read behind its
entry; so a run that was killed in between finds it again, and knows the candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from engrain.engine.core.outcomes import RESTORED, UNCHANGED
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.verbs.save import SaveRequest, save
from engrain.language.text.fences import shorten
from engrain.language.text.instants import format_day
from engrain.learn.forward.items import Item, as_data, quote, read_feed, without_query
from engrain.learn.sources.reading import KnownTurns, digest_parts
from engrain.model.errors import ConflictError, EngrainError, NotFoundError, UsageError
from engrain.model.note.documents import object_of, text_of
from engrain.model.note.tiers import EXTERNAL, INBOX
from engrain.seam.rows import Filter, Row
from engrain.seam.sources import Approved

LEARNED = "learned"
"""The tag of everything that was brought from outside."""
KIND = "domain-reference"
CREATED, REFUSED, KNOWN = "created", "refused", "known"
CONSUMER = "learn"

_MOST_TITLE, _CUT_TITLE = 120, 80
_QUOTED = "> "
_MOST_ITEMS = 500
MOST_BROUGHT = 5
"""Items of one place that a run brings at most."""
_WHOLE = ""
"""The name of a feed's cursor."""


class Candidate:
    """One new item: its title, the quoted words, and where it is from (`ref`). `id` is that of the
    entry it became, "" for none; `outcome` is one of the words above."""

    def __init__(self, source: Approved, item: Item, clean: Callable[[str], str]) -> None:
        """`clean` takes secrets out of a text."""
        self.source = source
        self.ref = clean(item.ref)
        self.at = item.at
        self.quoted = quote(clean(item.text or item.title))
        self.title = shorten(as_data(clean(item.title)), _MOST_TITLE)
        self.title = self.title or shorten(self.quoted, _CUT_TITLE)
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
            f" {as_data(self.source.name)}{day}).\n"
        )


class KnownCandidates:
    """The candidates that were brought from outside before, by where they are from."""

    def __init__(self, store: Store) -> None:
        self._titles: dict[str, set[str]] = {}
        for row in store.index.find(Filter(tags=(LEARNED,))):
            try:
                entry = store.read_entry(row.locator)
            except EngrainError:
                continue  # `doctor` reports entries that can't be read
            self._titles.setdefault(text_of(entry.source.get("ref")), set()).add(entry.title)

    def add(self, candidate: Candidate) -> bool:
        """Return whether a candidate is new, and count it as known from then on. Items without a
        link of their own are known by their titles."""
        ref = candidate.ref
        titles = self._titles.setdefault(ref, set())
        own = ref != without_query(candidate.source.place)
        if not candidate.quoted or (titles and own) or candidate.title in titles:
            return False
        titles.add(candidate.title)
        return True


def save_candidate(store: Store, candidate: Candidate) -> None:
    """Put a new candidate into the inbox. One that can't be kept is `refused`, and stops no
    other."""
    acting = store.acting_as(Actor(store.actor.agent or JOBS, EXTERNAL))
    acting.project = None  # it does not belong where this happens to run
    try:
        done = save(
            acting,
            SaveRequest(
                candidate.text,
                title=candidate.title,
                kind=KIND,
                tags=(LEARNED,),
                status=INBOX,
                source="feed",
                ref=candidate.ref,
                op="learn",
            ),
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


@dataclass(slots=True, eq=False)
class Visited:
    """What a run found at one source: how many items were new, how many of those were kept,
    and what went wrong."""

    source: Approved
    new: int = 0
    kept: int = 0
    error: str = ""


@dataclass(slots=True, eq=False)
class ForwardRun:
    """The result of a run: each source that was read, and the candidates that were brought.
    `unfinished` says that the time ran out."""

    sources: list[Visited] = field(default_factory=list, init=False)
    candidates: list[Candidate] = field(default_factory=list, init=False)
    unfinished: bool = field(default=False, init=False)


def learn(
    store: Store,
    name: str | None = None,
    *,
    limit: int | None = None,
    dry_run: bool = False,
    out_of_time: Callable[[], bool] = lambda: False,
    tell: Callable[[int], object] = lambda _: None,
) -> ForwardRun:
    """Read every approved place, or the one of a name, and bring what is new, `limit` items of each
    at most. `tell` is called with the number of places read. Raises NotFoundError, ConfigError,
    IndexUnavailableError."""
    done = ForwardRun()
    places = choose_places(store, name)
    if not places:
        return done
    run = _ForwardSteps(store, KnownCandidates(store), dry_run, out_of_time)
    for number, approved in enumerate(places, 1):
        if out_of_time():
            done.unfinished = True
            break
        visited = Visited(approved)
        done.sources.append(visited)
        try:
            done.candidates += run.visit(visited, MOST_BROUGHT if limit is None else limit)
        except EngrainError as error:  # it stops no other place
            visited.error = error.message
        done.unfinished = done.unfinished or run.late
        tell(number)
    return done


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
            f"no approved source {name!r}", remedy="`engrain learn list` lists them"
        )
    return found


@dataclass(slots=True, eq=False)
class _ForwardSteps:
    store: Store
    known: KnownCandidates
    dry_run: bool
    out_of_time: Callable[[], bool]
    late: bool = field(default=False, init=False)

    def visit(self, visited: Visited, most: int) -> list[Candidate]:
        """Read one place and return the candidates that were brought from it, `most` at most; what
        is new beyond these counts as read. Raises FetchError, MalformedError."""
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
        for item in read_feed(fetched, _MOST_ITEMS):
            if self.out_of_time():
                self.late = True  # the next run goes on
                break
            if item.at is not None:
                item.at = min(item.at, self.store.clock.now())  # clocks differ
            digest = digest_parts("item", item.key)
            if digest in read:
                continue
            visited.new += 1
            if len(brought) < most and (candidate := self._bring(source, item)):
                brought.append(candidate)
            if not self.dry_run:
                local.add_turns_read(CONSUMER, place, read.add({digest}))
        if not self.dry_run and not self.late:
            cursor = {"etag": fetched.etag, "modified": fetched.modified}
            local.write_cursor(CONSUMER, place, _WHOLE, cursor)
        visited.kept = len(brought)
        return brought

    def _bring(self, source: Approved, item: Item) -> Candidate | None:
        """Put an item that the vault does not know into the inbox."""
        candidate = Candidate(source, item, Redaction(self.store).clean)
        if not self.known.add(candidate):
            return None
        if not self.dry_run:
            save_candidate(self.store, candidate)
        return candidate if candidate.outcome == CREATED else None


def cursor_place(name: str) -> str:
    """Return where an approved place has its cursors: a source of facts may share its name."""
    return f"{CONSUMER}:{name}"
