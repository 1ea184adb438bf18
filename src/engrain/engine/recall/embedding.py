"""Computes the vectors of passages (S1.18, DESIGN section 8).

Vectors are keyed by the text that was embedded, so only new text is embedded. After a change of
model all text is embedded again; the old vectors stay until they are pruned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from engrain.engine.core.vectors import context_key, embedded_keys, own_key
from engrain.model.errors import EngrainError, LockedError
from engrain.model.note.entry import read_entry
from engrain.model.note.passages import embedded_text
from engrain.seam.locator import Locator

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.index.rows import Found
    from engrain.index.view import IndexView
    from engrain.model.note.entry import Entry
    from engrain.seam.derived import Progress
    from engrain.seam.embedder import Embedder


NEWEST = 64
"""The number of passages that are searched together for missing vectors."""
RECALL_S = 1.0
"""The most seconds that a recall without a deadline spends on missing vectors."""
_ON_DEVICE = ("local", "local-multilingual", "static")
_PAGE = 512
_AT_ONCE = 64
_AT_ONCE_CHARS = 16 * 1024
"""The most texts, and characters of them, that a model is given at once: about 4,000 tokens, after
which a process that ends may stop."""
_AROUND = 400
"""The characters of each neighbour that are embedded with a passage."""


@dataclass(slots=True)
class Embedded:
    """The outcome for one link of the chain: the number of vectors added, or in `lost` why the link
    was left out."""

    link: str
    model: str = ""
    added: int = 0
    lost: str = ""


def embed_everything(
    store: Store, progress: Progress | None = None, *, prune: bool = False
) -> list[Embedded]:
    """Give every passage vectors of the first link that can run, and of each later link that is
    cheap enough for a cold process. Damaged vectors are made anew. `prune` drops the vectors of
    all other models. Raises
    LockedError if another process embeds this vault."""
    outcomes: list[Embedded] = []
    leave = store.models.vectors.claim()
    if leave is None:
        raise LockedError(
            "another process is embedding this vault",
            remedy="`engrain jobs embed` tells you later whether anything is left",
        )
    try:
        store.models.vectors.index.verify()
        for embedder, outcome in _open_links(store):
            if embedder is not None:
                outcome.added = _embed_all(store, embedder, progress)
            outcomes.append(outcome)
        models = {outcome.model for outcome in outcomes}
        if prune and any(models):
            for model in store.models.vectors.index.models():
                if model not in models:
                    store.models.vectors.index.drop(model)
    finally:
        leave()
    return outcomes


def embed_new(store: Store, out_of_time: Callable[[], bool], *, whole: bool = False) -> int:
    """Give the newest passages the vectors they lack, `NEWEST` at a time, and return how many were
    lacking. A cheap model continues to older passages until a batch lacks none; another model
    embeds one batch, or goes on too where this process serves; with `whole`, all passages are
    embedded, also by local models that aren't cheap. Never raises for a link that fails or can't
    run: the next recall reports that. Does nothing while another process embeds this vault.

    A model without any vectors is used only if it is on this device, and cheap or `whole` is given;
    so an API is not used before `embed_everything` has used it.
    """
    lacked = 0
    leave = store.models.vectors.claim() if store.models.vectors.wanted else None
    if leave is None:
        return lacked
    try:
        opened = [embedder for embedder, _ in _open_links(store) if embedder]
        for embedder in opened:
            by_itself = embedder.link in _ON_DEVICE and (embedder.cheap or whole)
            if by_itself or embedder.model in store.models.vectors.index.models():
                lacked += _embed_pages(store, embedder, out_of_time, whole)
    except EngrainError:
        return lacked
    finally:
        leave()
    return lacked


def embed_within(store: Store, seconds: float) -> None:
    """Run `embed_new` for at most some seconds, and at least one batch; beside the calls where this
    process serves."""
    if store.models.vectors.served:
        store.models.vectors.work_behind(lambda stopped: embed_new(store, stopped))
        return
    until = monotonic() + seconds
    embed_new(store, lambda: monotonic() > until)


def _embed_pages(
    store: Store, embedder: Embedder, out_of_time: Callable[[], bool], whole: bool
) -> int:
    lacked = 0
    before: int | None = None
    while True:
        with store.index.view() as view:
            numbers = view.newest_passages(before, NEWEST)
            lacking = (
                _embed_page(store, view, embedder, numbers, stop=out_of_time) if numbers else 0
            )
        lacked += lacking
        more = whole or (lacking and (embedder.cheap or store.models.vectors.served))
        if not numbers or not more or out_of_time():
            return lacked
        before = numbers[-1]


def count_lacking(store: Store, embedder: Embedder) -> int:
    """Return how many of the newest passages have no vector of their own text."""
    with store.index.view() as view:
        found = view.details(view.newest_passages(None, _PAGE))
    keys = {own_key(passage.key) for passage in found.values()}
    return len(store.models.vectors.index.missing(embedder.model, keys))


def _open_links(store: Store) -> list[tuple[Embedder | None, Embedded]]:
    found: list[tuple[Embedder | None, Embedded]] = []
    primary = False
    for link in store.models.vectors.links:
        lost = link.missing()
        embedder = None
        if lost is None:
            try:
                embedder = link.open()
            except EngrainError as error:
                lost = error.message
        if embedder is None:
            found.append((None, Embedded(link.name, lost=lost or "")))
        elif not primary or embedder.cheap:
            primary = True
            found.append((embedder, Embedded(link.name, embedder.model)))
    return found


def _embed_all(store: Store, embedder: Embedder, progress: Progress | None) -> int:
    added = made = 0
    before: int | None = None
    wanted: set[bytes] = set()
    left = _count_missing(store, embedder) if progress else 0

    def report(count: int) -> None:
        nonlocal made
        made += count
        if progress:
            progress(made, max(left, made))

    while True:
        with store.index.view() as view:
            numbers = view.newest_passages(before, _PAGE)
            if not numbers:
                break
            added += _embed_page(store, view, embedder, numbers, wanted, made=report)
        before = numbers[-1]
    if store.models.vectors.index.count(embedder.model) > len(wanted):
        store.models.vectors.index.drop_others(embedder.model, wanted)
    return added


def _count_missing(store: Store, embedder: Embedder) -> int:
    keys = embedded_keys(store.index)
    return len(store.models.vectors.index.missing(embedder.model, keys))


def _embed_page(
    store: Store,
    view: IndexView,
    embedder: Embedder,
    numbers: Sequence[int],
    wanted: set[bytes] | None = None,
    *,
    stop: Callable[[], bool] | None = None,
    made: Callable[[int], None] | None = None,
) -> int:
    """Embed missing vectors of some passages, and return how many were lacking. All keys of these
    passages are added to `wanted`. `stop` says after each part whether to leave the others; `made`
    gets the number of vectors in each part."""
    vectors = store.models.vectors.index
    found = view.details(numbers)
    pairs = {
        key: (passage, key != own_key(passage.key))
        for passage in found.values()
        for key in (own_key(passage.key), context_key(passage))
    }
    if wanted is not None:
        wanted.update(pairs)
    missing = vectors.missing(embedder.model, pairs)
    if not missing:
        return 0
    texts = _Texts(store, view)
    lacking = []
    for key in missing:
        passage, with_context = pairs[key]
        text = texts.around(passage) if with_context else texts.own(passage)
        if text is not None:
            lacking.append((key, text))
    for part in _divide(lacking):
        computed = embedder.embed([text for _, text in part])
        keyed = [(key, vector) for (key, _), vector in zip(part, computed, strict=True)]
        vectors.add(embedder.model, embedder.size, keyed)
        if made:
            made(len(keyed))
        if stop and stop():
            break
    return len(lacking)


def _divide(lacking: Sequence[tuple[bytes, str]]) -> Iterator[list[tuple[bytes, str]]]:
    """Yield parts of about the same amount of work."""
    part: list[tuple[bytes, str]] = []
    size = 0
    for pair in lacking:
        if part and (len(part) == _AT_ONCE or size + len(pair[1]) > _AT_ONCE_CHARS):
            yield part
            part, size = [], 0
        part.append(pair)
        size += len(pair[1])
    if part:
        yield part


class _Texts:
    """The texts of passages, each file read once."""

    def __init__(self, store: Store, view: IndexView) -> None:
        self._store = store
        self._view = view
        self._entries: dict[int, Entry | None] = {}

    def own(self, passage: Found) -> str | None:
        """Return the text that is embedded for a passage by itself."""
        if passage.entry not in self._entries:
            self._entries[passage.entry] = self._read(passage.passage)
        entry = self._entries[passage.entry]
        if entry is None:
            return None
        text = entry.text[passage.start : passage.end]
        return embedded_text(entry.title, passage.heading, text)

    def around(self, passage: Found) -> str | None:
        """Return a passage with the end of the previous one and the beginning of the next one."""
        own = self.own(passage)
        if own is None:
            return None
        near = [number for number in (passage.previous, passage.next) if number is not None]
        neighbours = self._view.details(near)
        before = self._neighbour(neighbours, passage.previous)[-_AROUND:]
        behind = self._neighbour(neighbours, passage.next)[:_AROUND]
        return "\n".join(part for part in (before, own, behind) if part)

    def _neighbour(self, neighbours: dict[int, Found], number: int | None) -> str:
        found = neighbours.get(number) if number is not None else None
        return (self.own(found) or "") if found else ""

    def _read(self, passage: int) -> Entry | None:
        """Return the entry that a passage is of; None if its file can't be read."""
        locator = self._view.locators([passage]).get(passage)
        try:
            if locator is not None:
                return read_entry(locator, self._store.backend.read(Locator(locator)).raw)
        except EngrainError:
            pass
        return None
