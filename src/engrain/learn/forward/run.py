"""A run of forward learning: what is new in the approved places, the most relevant of it kept.

What was read is known by digests of its passages, on this device: a run over what was read brings
nothing. Of the new ones those that are not brought are noted first, then each that is, behind its
entry; so a run that was killed finds the same ones again as the best, and brings no more than one
run would.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.learn.forward.candidates import (
    CREATED,
    Candidate,
    KnownCandidates,
    Nearness,
    keep,
    measure_nearness,
)
from engrain.learn.forward.feeds import is_feed, read_feed
from engrain.learn.forward.items import Item, ItemPassage, decode, read_html, read_passages
from engrain.learn.sources.cursors import KnownTurns, digest_parts
from engrain.model.errors import EngrainError, FetchError, NotFoundError
from engrain.model.note.documents import object_of, text_of
from engrain.model.note.entry import split_heading
from engrain.model.settings import read_count
from engrain.seam.sources import FEED, PAGE, Approved, Fetched

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


def list_approved(store: Store) -> Sequence[Approved]:
    """List the approved places. Raises ConfigError."""
    return store.device.outside.list()


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
class _New:
    """An item with passages that are new: the nearest of these, and the digests of all."""

    passage: ItemPassage
    near: Nearness
    digests: list[int]


@dataclass(slots=True, eq=False)
class _ForwardSteps:
    store: Store
    known: KnownCandidates
    dry_run: bool
    out_of_time: Callable[[], bool]
    late: bool = field(default=False, init=False)
    _looked: int = field(default=0, init=False)
    _clean: Callable[[str], str] = field(init=False)

    def __post_init__(self) -> None:
        self._clean = Redaction(self.store).clean

    def visit(self, visited: Visited, most: int) -> list[Candidate]:
        """Read one place and return the candidates that were brought from it, `most` at most."""
        source = visited.source
        local, place = self.store.device.local, cursor_place(source.name)
        before = object_of(local.cursors(CONSUMER, place).get(_WHOLE))
        fetched = self.store.device.outside.fetch(
            source, text_of(before.get("etag")), text_of(before.get("modified"))
        )
        if fetched is None:
            return []
        found = self._find_new(visited, fetched)
        chosen = self._choose(source, found, most)
        taken = {id(new) for new, _ in chosen}
        self._note(source, [one for new in found if id(new) not in taken for one in new.digests])
        for new, candidate in chosen:
            if not self.dry_run:
                keep(self.store, candidate)
            self._note(source, new.digests)
        if not self.dry_run and not self.late:
            cursor = {"etag": fetched.etag, "modified": fetched.modified}
            local.write_cursor(CONSUMER, place, _WHOLE, cursor)
        brought = [one for _, one in chosen if one.outcome == CREATED]
        visited.kept = len(brought)
        visited.skipped = visited.new + visited.changed - visited.kept
        return brought

    def _find_new(self, visited: Visited, fetched: Fetched) -> list[_New]:
        """Return what is new in a place, until the time is over. Raises MalformedError."""
        place = cursor_place(visited.source.name)
        read = KnownTurns(self.store.device.local.turns_read(CONSUMER, place))
        items = read_feed(fetched, _MOST_ITEMS) if visited.source.kind == FEED else [
            _read_page(fetched, visited.source.place)
        ]  # fmt: skip
        found: list[_New] = []
        self._looked, self.late = 0, False
        now = self.store.clock.now()
        for item in items:
            if self._looked >= _MOST_LOOKED or self.out_of_time():
                self.late = True  # the next run goes on
                break
            if item.at is not None:
                item.at = min(item.at, now)  # clocks differ, and some feeds announce
            new = self._look(visited, item, read)
            if new is not None:
                found.append(new)
        return found

    def _look(self, visited: Visited, item: Item, read: KnownTurns) -> _New | None:
        """Return what is new of an item, None for nothing."""
        of_item = digest_parts("item", item.key)
        digests: list[int] = []
        best: tuple[ItemPassage, Nearness] | None = None
        for passage in read_passages(item):
            digest = digest_parts(item.key, item.title, passage.heading, passage.text)
            if digest in read:
                continue
            digests.append(digest)
            if len(digests) > _PER_ITEM:
                continue
            self._looked += 1
            near = measure_nearness(self.store, passage)
            if best is None or near.score > best[1].score:
                best = passage, near
        if best is None:
            return None
        if of_item in read:
            visited.changed += 1
        else:
            visited.new += 1
            digests.append(of_item)
        return _New(*best, digests)

    def _choose(
        self, source: Approved, found: list[_New], most: int
    ) -> list[tuple[_New, Candidate]]:
        """Return the relevant and unknown ones, the most relevant first, `most` at most."""
        found = sorted(found, key=lambda new: (-new.near.score, new.passage.item.key))
        chosen: list[tuple[_New, Candidate]] = []
        for new in found:
            if len(chosen) >= most or new.near.score < _LEAST_NEAR:
                break
            candidate = Candidate(source, new.passage, new.near, self._clean)
            if self.known.add(candidate):
                chosen.append((new, candidate))
        return chosen

    def _note(self, source: Approved, digests: list[int]) -> None:
        if digests and not self.dry_run:
            added = KnownTurns().add(digests)
            self.store.device.local.add_turns_read(CONSUMER, cursor_place(source.name), added)


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
