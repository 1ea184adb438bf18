"""Makes an attempt again where another writer was quicker."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from engrain.engine.core.store import UPDATE_ATTEMPTS
from engrain.model.errors import ConflictError

T = TypeVar("T")


def try_again(
    attempt: Callable[[], T],
    attempts: int = UPDATE_ATTEMPTS,
    after: Callable[[int], object] = lambda _: None,
) -> T:
    """What an attempt returns, made again as long as it raises ConflictError; `after` is called
    with the number of each that failed, from 0. Raises the last ConflictError."""
    for number in range(attempts - 1):
        try:
            return attempt()
        except ConflictError:
            after(number)
    return attempt()
