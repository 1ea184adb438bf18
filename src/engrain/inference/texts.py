"""Texts as a model takes them, and the time there is for it."""

from __future__ import annotations

from engrain.model.errors import EmbeddingError

TEXT_CHARS = 8192
"""So much of a text is read: more than any model here takes in."""


def readable(text: str) -> str:
    """The beginning of `text`, with what is no Unicode (lone surrogates) replaced."""
    head = text[:TEXT_CHARS]
    return head if head.isascii() else head.encode("utf-8", "replace").decode("utf-8")


def remaining(deadline: float | None) -> float | None:
    """Seconds until `deadline`; None when there is none. Raises EmbeddingError once it is past."""
    if deadline is None:
        return None
    from time import monotonic

    left = deadline - monotonic()
    if left <= 0:
        raise EmbeddingError("the time for embedding is over")
    return left
