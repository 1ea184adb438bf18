"""Reranks the first entries with a cross-encoder, if one is configured."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from engrain.engine.core.store import Store
from engrain.engine.recall.ranking import Ranked
from engrain.model.errors import EmbeddingError, EngrainError
from engrain.model.note.entry import parse_note, text_under
from engrain.seam.embedder import Reranker

RERANKED = 50
"""The number of entries that are reranked if there is time."""
AT_ONCE = 20
"""The number of entries that are reranked first under a deadline."""
_MARGIN = 2.0
"""The factor by which the other entries may take longer than the first ones suggest."""


def rerank(store: Store, query: str, ranked: list[Ranked], deadline: float | None) -> str | None:
    """Multiply the scores of the first entries by the reranker's judgements of their best passages,
    and sort them again. Return the reason if the reranker failed, else None. Under a deadline (of
    `time.monotonic`) it starts with a few entries, and continues if that was quick."""
    if store.reranker is None or not ranked:
        return None
    most = RERANKED if deadline is None else AT_ONCE
    judged: list[float] = []
    lost = None
    try:
        while len(judged) < len(ranked[:most]):
            started = monotonic()
            judged += _judge(store, store.reranker, query, ranked[len(judged) : most], deadline)
            more = (monotonic() - started) * (RERANKED - AT_ONCE) / AT_ONCE
            if deadline is not None and monotonic() + _MARGIN * more < deadline:
                most = RERANKED
    except EngrainError as error:
        lost = f"{store.reranker.name}: {error.message}"
    first = ranked[: len(judged)]
    for item, score in zip(first, judged, strict=True):
        item.score *= score
        item.priors[store.reranker.name] = score
    first.sort(key=lambda item: (-item.score, item.row.id))
    # Entries that it did not judge stay behind those that it did.
    ranked[: len(first)] = first
    return lost


def _judge(
    store: Store, reranker: Reranker, query: str, ranked: Sequence[Ranked], deadline: float | None
) -> list[float]:
    texts = [_best_text(store, item) for item in ranked]
    judged = reranker.judge(query, texts, deadline=deadline)
    if len(judged) != len(texts) or not all(0 <= score <= 1 for score in judged):
        raise EmbeddingError("a judgement is missing, or not from 0 to 1")
    return list(judged)


def _best_text(store: Store, item: Ranked) -> str:
    """Return an entry's title and best passage; the title alone if the file has changed, which is
    noticed when the answer is filled."""
    stored = store.backend.read(item.row.locator)
    if stored.hash != item.row.hash:
        return item.row.title
    text = text_under(item.row.title, parse_note(stored.raw, item.row.locator).body)
    best = item.passages[0]
    return f"{item.row.title}\n{text[best.start : best.end]}"
