"""`recall` and `list`: finding entries, and never showing stale text (S1.1, S1.19, S3.2).

What the index finds is read again from the store before it is returned. A result whose bytes are
not those indexed is taken in anew and the search repeated, so text, title and status are the
file's own at that moment. Without an index that can answer, recall reads every entry instead and
says so.
"""

from __future__ import annotations

from engrain.engine.outcomes import Listing, Recall, Recalled
from engrain.engine.scope import Scope, in_every_project, make_filter, passes
from engrain.model.entry import Entry, read_entry, text_under
from engrain.model.errors import EngrainError, IndexUnavailableError, UsageError
from engrain.model.note import split_note
from engrain.seam.search import Filter, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.store import Store
    from engrain.seam.locator import Locator

DEFAULT_LIMIT = 10
_ATTEMPTS = 4


def recall_entries(
    store: Store, query: str, scope: Scope, limit: int, *, scan: bool = True
) -> Recall:
    """The entries that match a person's words, best first; see `Memory.recall`."""
    if limit < 1:
        raise UsageError(f"a limit of {limit} finds nothing", remedy="give --limit 1 or more")
    only = make_filter(scope, store.project)
    degraded = store.upkeep.ensure(scan=scan)
    if degraded is None:
        try:
            results = _search(store, query, only, limit)
            elsewhere = 0
            if not results and only.projects is not None:
                elsewhere = len(store.index.search(query, in_every_project(only), limit))
            return Recall(results, None, elsewhere)
        except IndexUnavailableError as error:
            degraded = error.message
    return Recall(_read_through(store, query, only, limit), degraded)


def list_entries(store: Store, scope: Scope, limit: int | None) -> Listing:
    """Entries by filter alone, newest first."""
    if limit is not None and limit < 0:
        raise UsageError(f"a limit of {limit} makes no sense")
    only = make_filter(scope, store.project)
    store.require_index(scan=True)
    return Listing(store.index.find(only, limit), store.index.count(only))


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
                if score and passes(entry := read_entry(seen.locator, stored.raw), only):
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
