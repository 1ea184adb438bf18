"""Reranking: a cross-encoder's second look, where one was given."""

from __future__ import annotations

from engrain.model.errors import EmbeddingError, EngrainError
from engrain.model.parsing import parse_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.recall.ranking import Ranked
    from engrain.engine.store import Store

RERANKED = 20
"""Entries that are looked at again."""


def rerank(store: Store, query: str, ranked: list[Ranked], deadline: float | None) -> str | None:
    """Multiply the scores of the first entries by what the reranker says of their best passages,
    and sort anew; why it could not, if so."""
    if store.reranker is None or not ranked:
        return None
    first = ranked[:RERANKED]
    try:
        texts = [_best_text(store, item) for item in first]
        judged = store.reranker.judge(query, texts, deadline=deadline)
        if len(judged) != len(first) or not all(0 <= score <= 1 for score in judged):
            raise EmbeddingError("a judgement is missing, or not from 0 to 1")
    except EngrainError as error:
        return f"{store.reranker.name}: {error.message}"
    for item, score in zip(first, judged, strict=True):
        item.score *= score
        item.priors[store.reranker.name] = score
    first.sort(key=lambda item: (-item.score, item.row.id))
    # Those it did not see stay behind those it did.
    ranked[:RERANKED] = first
    return None


def _best_text(store: Store, item: Ranked) -> str:
    """An entry's title and best passage; nothing of one that changed, which is noticed later."""
    from engrain.model.entry import text_under

    stored = store.backend.read(item.row.locator)
    if stored.hash != item.row.hash:
        return item.row.title
    text = text_under(item.row.title, parse_note(stored.raw, item.row.locator).body)
    best = item.passages[0]
    return f"{item.row.title}\n{text[best.start : best.end]}"
