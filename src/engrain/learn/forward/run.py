"""A run of forward learning: what is new in the approved places, the most relevant of it kept.

What was read is known by its passages, on this device: a run over what was read brings nothing. Of
the new ones those that are not brought are noted first, then each that is, behind its entry; so a
run that was killed finds the same ones again as the best, and brings no more than one run would.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.learn.forward.candidates import (
    CHANGED,
    CREATED,
    Candidate,
    KnownCandidates,
    Nearness,
    Topics,
    keep,
)
from engrain.learn.forward.items import Item, ItemPassage, read_passages
from engrain.learn.forward.visits import Visit
from engrain.learn.sources.cursors import KnownTurns, digest_parts
from engrain.model.errors import EngrainError, NotFoundError
from engrain.model.settings import read_count, read_number
from engrain.seam.sources import Approved


@dataclass(slots=True, eq=False)
class CandidateBounds:
    """The least relevance of what is brought, and the most candidates of a source and of a run."""

    relevance: float = 0.6
    source: int = 5
    run: int = 20


def read_bounds(settings: Mapping[str, str | None], limit: int | None = None) -> CandidateBounds:
    """Return the bounds that are set; `limit` is the most of one run. Raises ConfigError."""
    relevance = read_number(settings, "learn.relevance", 1.0)
    source = read_count(settings, "learn.limit", digits=5)
    return (
        CandidateBounds(relevance, source, 4 * source)
        if limit is None
        else CandidateBounds(relevance, limit, limit)
    )


def check_learning(settings: Mapping[str, str | None]) -> None:
    """Check the settings of forward learning. Raises ConfigError."""
    read_bounds(settings)


CONSUMER = "learn"

_MOST_LOOKED = 600
"""Passages of a source that one run compares with the vault, each of which takes as long as a
recall by words; the rest is for the next."""
_PER_ITEM = 8
"""Of an item the first so many that are new."""


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
    problems: Sequence[str] = ()

    @contextmanager
    def noting_errors(self) -> Iterator[None]:
        """Note what goes wrong in a block as the source's error; it stops no other source."""
        try:
            yield
        except EngrainError as error:
            self.error = error.message
        except OSError as error:
            self.error = error.strerror or str(error)


@dataclass(slots=True, eq=False)
class ForwardRun:
    """What a run came to: each source that was looked at, and the candidates that were brought.
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
    refused: Collection[str] = (),
    dry_run: bool = False,
    out_of_time: Callable[[], bool] = lambda: False,
    tell: Callable[[int], object] = lambda _: None,
) -> ForwardRun:
    """Look at every approved place, or at the one of a name, and bring what matters, `limit` at
    most. `refused` are the ids of waiting candidates that the operator rejected. `tell` is called
    with the number of places looked at. Raises NotFoundError, ConfigError,
    IndexUnavailableError."""
    bounds = read_bounds(store.settings, limit)
    done = ForwardRun()
    places = choose_places(store, name)
    if not places:
        return done
    run = _ForwardSteps(store, bounds, KnownCandidates(store, refused), dry_run, out_of_time)
    for number, approved in enumerate(places, 1):
        if out_of_time() or len(done.candidates) >= bounds.run > 0:
            done.unfinished = True
            break
        visited = Visited(approved)
        done.sources.append(visited)
        with visited.noting_errors():
            done.candidates += run.visit(visited, bounds.run - len(done.candidates))
        done.unfinished = done.unfinished or run.late
        tell(number)
    return done


def approve_source(
    store: Store,
    place: str,
    *,
    name: str = "",
    kind: str = "",
    match: Sequence[str] = (),
    hosts: Sequence[str] = (),
    private: bool = False,
) -> Approved:
    """Approve a feed or a page by its URL, a folder by its path; `kind` is `feed`, `url` or
    `folder`, else the place shows it."""
    approved = Approved(name, kind, place, match=match, hosts=hosts, private=private)
    return store.device.outside.add(approved)


def list_approved(store: Store) -> Sequence[Approved]:
    """List the approved places. Raises ConfigError."""
    return store.device.outside.list()


def disapprove_source(store: Store, name: str) -> Approved:
    """Look at a place no more; what was brought from it stays. Raises NotFoundError."""
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
    bounds: CandidateBounds
    known: KnownCandidates
    dry_run: bool
    out_of_time: Callable[[], bool]
    late: bool = field(default=False, init=False)
    _looked: int = field(default=0, init=False)
    _topics: Topics = field(init=False)
    _clean: Callable[[str], str] = field(init=False)

    def __post_init__(self) -> None:
        self._topics = Topics(self.store)
        self._clean = Redaction(self.store).clean

    def visit(self, visited: Visited, most: int) -> list[Candidate]:
        """Look at one place and return the candidates that were brought from it, `most` at most."""
        source = visited.source
        local, place = self.store.device.local, cursor_place(source.name)
        read = KnownTurns(local.turns_read(CONSUMER, place))
        now = self.store.clock.now()
        visit = Visit(self.store.device.outside, source, local.cursors(CONSUMER, place), now)
        found: list[_New] = []
        self._looked = 0
        try:
            with closing(visit.items()) as items:
                for item in items:
                    if self._looked >= _MOST_LOOKED or self.out_of_time():
                        self.late = True  # what was read by then is seen to, the next run goes on
                        break
                    new = self._look(visited, item, read)
                    if new is not None:
                        found.append(new)
        finally:
            visited.problems = visit.problems
        chosen = self._choose(source, found, min(most, self.bounds.source))
        taken = {id(new) for new, _ in chosen}
        self._note(source, [one for new in found if id(new) not in taken for one in new.digests])
        for new, candidate in chosen:
            if not self.dry_run:
                keep(self.store, candidate)
            self._note(source, new.digests)
        brought = [one for _, one in chosen if one.outcome in (CREATED, CHANGED)]
        if not self.dry_run:
            for file, cursor in visit.cursors.items():
                local.write_cursor(CONSUMER, place, file, cursor)
        visited.kept = len(brought)
        visited.skipped = visited.new + visited.changed - visited.kept
        return brought

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
            near = self._topics.look(passage)
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
            if len(chosen) >= most or new.near.score < self.bounds.relevance:
                break
            candidate = Candidate(source, new.passage, new.near, self._clean)
            if self.known.judge(candidate):
                chosen.append((new, candidate))
        return chosen

    def _note(self, source: Approved, digests: list[int]) -> None:
        if digests and not self.dry_run:
            added = KnownTurns().add(digests)
            self.store.device.local.add_turns_read(CONSUMER, cursor_place(source.name), added)


def cursor_place(name: str) -> str:
    """Return where an approved place has its cursors: a source of facts may share its name."""
    return f"{CONSUMER}:{name}"
