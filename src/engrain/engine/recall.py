"""`recall`, `list` and `show`: finding entries, and never showing stale text (S1.1, S1.19, S3.2).

What the index finds is read again from the store before it is returned. A result whose bytes are
not those indexed is taken in anew and the search repeated, so text, title and status are the
file's own at that moment. Without an index that can answer, recall reads every entry instead and
says so.
"""

from __future__ import annotations

from engrain.engine.outcomes import Listing, Recall, Recalled, Shown
from engrain.model.entry import Entry, read_entry, text_under
from engrain.model.errors import EngrainError, IndexUnavailableError, UsageError
from engrain.model.links import candidates, link_key, parse_links
from engrain.model.note import split_note
from engrain.model.tiers import ACTIVE, ARCHIVE, INBOX, LIVE
from engrain.seam.search import Filter, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.store import Store
    from engrain.seam.locator import Locator

DEFAULT_LIMIT = 10
_ATTEMPTS = 4


class Scope:
    """Which entries a caller wants to see. Empty means the default: active ones in live places,
    of the current project and of none (S1.9)."""

    __slots__ = (
        "all_projects", "include_archive", "include_inbox", "kinds", "project", "since",
        "statuses", "tags", "tiers", "until",
    )  # fmt: skip

    def __init__(
        self,
        *,
        kinds: Sequence[str] = (),
        tags: Sequence[str] = (),
        statuses: Sequence[str] = (),
        tiers: Sequence[str] = (),
        project: str | None = None,
        all_projects: bool = False,
        include_archive: bool = False,
        include_inbox: bool = False,
        since: float | None = None,
        until: float | None = None,
    ) -> None:
        self.kinds = kinds
        self.tags = tags
        self.statuses = statuses
        self.tiers = tiers
        self.project = project
        self.all_projects = all_projects
        self.include_archive = include_archive
        self.include_inbox = include_inbox
        self.since = since
        self.until = until


def recall_entries(
    store: Store, query: str, scope: Scope, limit: int, *, scan: bool = True
) -> Recall:
    """The entries that match a person's words, best first; see `Memory.recall`."""
    if limit < 1:
        raise UsageError(f"a limit of {limit} finds nothing", remedy="give --limit 1 or more")
    only = make_filter(store, scope)
    degraded = store.upkeep.ensure(scan=scan)
    if degraded is None:
        try:
            results = _search(store, query, only, limit)
            elsewhere = 0
            if not results and only.projects is not None:
                elsewhere = len(store.index.search(query, _everywhere(only), limit))
            return Recall(results, None, elsewhere)
        except IndexUnavailableError as error:
            degraded = error.message
    return Recall(_read_through(store, query, only, limit), degraded)


def list_entries(store: Store, scope: Scope, limit: int | None) -> Listing:
    """Entries by filter alone, newest first."""
    if limit is not None and limit < 0:
        raise UsageError(f"a limit of {limit} makes no sense")
    only = make_filter(store, scope)
    require_index(store)
    return Listing(store.index.find(only, limit), store.index.count(only))


def show_entry(store: Store, reference: str) -> Shown:
    """One entry whole, read from the store."""
    require_index(store, scan=False)
    row = store.find_one(reference)
    entry = store.read_entry(row.locator)
    links = [
        (link.target, link.relation or "", _resolve(store, candidates(link)))
        for link in parse_links(entry.note.body)
    ]
    links += [(target, relation, _resolve(store, [target])) for target, relation in entry.links]
    return Shown(entry, row.locator, links, store.index.links_to(row))


def require_index(store: Store, *, scan: bool = True) -> None:
    """Make the index answer. Raises IndexUnavailableError for verbs that can't do without."""
    if reason := store.upkeep.ensure(scan=scan):
        raise IndexUnavailableError(reason, remedy="run `engrain reindex`")


def make_filter(store: Store, scope: Scope) -> Filter:
    """A scope as the index understands it, in the current project."""
    statuses, zones = [ACTIVE], [LIVE]
    if scope.include_archive:
        statuses += ["superseded", "archived"]
        zones.append(ARCHIVE)
    if scope.include_inbox:
        statuses.append("inbox")
        zones.append(INBOX)
    project = scope.project or store.project
    return Filter(
        kinds=scope.kinds,
        tags=scope.tags,
        projects=None if scope.all_projects else [*([project] if project else ()), ""],
        statuses=scope.statuses or statuses,
        tiers=scope.tiers,
        zones=() if scope.statuses else zones,
        since=scope.since,
        until=scope.until,
    )


def _search(store: Store, query: str, only: Filter, limit: int) -> list[Recalled]:
    results: list[Recalled] = []
    for _ in range(_ATTEMPTS):
        results, stale = [], []
        for row in store.index.search(query, only, limit):
            try:
                stored = store.backend.read(row.locator)
                if stored.hash == row.hash:
                    # The index has the fields of these very bytes, so they need no parsing.
                    text = text_under(row.title, split_note(stored.raw).body)
                    results.append(Recalled(row, text))
                    continue
            except EngrainError:
                pass  # Gone or broken since: the index learns it below.
            stale.append(row.locator)
        if not stale:
            break
        store.upkeep.refresh(stale)
    return results


def _everywhere(only: Filter) -> Filter:
    return Filter(
        kinds=only.kinds,
        tags=only.tags,
        statuses=only.statuses,
        tiers=only.tiers,
        zones=only.zones,
        since=only.since,
        until=only.until,
    )


def _read_through(store: Store, query: str, only: Filter, limit: int) -> list[Recalled]:
    """Read every entry and count the query's words: slow, and always possible."""
    words = {word for word in query[:4096].casefold().split() if len(word) > 1}
    found: list[Recalled] = []
    for seen in store.backend.scan():
        if seen.problem is None:
            try:
                stored = store.backend.read(seen.locator)
                name = seen.locator.name.removesuffix(".md")
                text = f"{name}\n{stored.raw.decode()}".casefold()
                score = sum(min(text.count(word), 3) for word in words)
                if score and _passes(entry := read_entry(seen.locator, stored.raw), only):
                    found.append(Recalled(_make_row(entry, seen.locator, score), entry.text))
            except (EngrainError, UnicodeDecodeError):
                continue
    # Of conflict copies the one with the plainest name is shown, as the index would.
    found.sort(key=lambda recalled: (len(recalled.row.locator), recalled.row.locator))
    entries = list({recalled.row.id: recalled for recalled in reversed(found)}.values())
    entries.sort(key=lambda recalled: (-recalled.row.score, recalled.row.id))
    return entries[:limit]


def _make_row(entry: Entry, locator: Locator, score: float) -> Row:
    return Row(
        locator=locator,
        id=entry.id,
        hash=entry.hash,
        kind=entry.kind,
        slug=entry.slug,
        title=entry.title,
        status=entry.status,
        project=entry.project,
        tier=entry.tier,
        zone=entry.zone,
        tags=entry.tags,
        source=entry.trust,
        created=entry.created,
        updated=entry.updated,
        primary=True,
        score=score,
    )


def _passes(entry: Entry, only: Filter) -> bool:
    created = entry.created
    return (
        (not only.kinds or entry.kind in only.kinds)
        and (not only.tags or not set(only.tags).isdisjoint(entry.tags))
        and (only.projects is None or (entry.project or "") in only.projects)
        and (not only.statuses or entry.status in only.statuses)
        and (not only.tiers or entry.tier in only.tiers)
        and (not only.zones or entry.zone in only.zones)
        and (only.since is None or (created is not None and created >= only.since))
        and (only.until is None or (created is not None and created <= only.until))
    )


def _resolve(store: Store, names: Sequence[str]) -> Row | None:
    """The entry a link leads to: of those that go by the name, one that was not superseded."""
    rows = store.index.resolve([key for name in names for key in (name, link_key(name))])
    return min(rows, key=lambda row: (row.status != ACTIVE, row.zone != LIVE), default=None)
