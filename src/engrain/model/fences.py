"""Fences: how recalled text is set off from what surrounds it in an agent's context (DESIGN 2.8).

The mark in a fence is drawn at random for each block, so nothing that is stored can close it.
"""

from __future__ import annotations

TAG = "engrain-memory"
MARK_BYTES = 8


def open_fence(mark: str) -> str:
    """The line before a block; `mark` is `MARK_BYTES` random bytes in hex."""
    return f"<{TAG} {mark}>"


def close_fence(mark: str) -> str:
    """The line behind it."""
    return f"</{TAG} {mark}>"


def without_fences(text: str) -> str:
    """`text` less every whole block that was recalled, so that it is never learned again (S1.20).

    A block that is not closed by its own mark is text like any other.
    """
    if TAG not in text:
        return text
    import re

    block = rf"<{TAG} (?P<mark>[0-9a-f]{{{2 * MARK_BYTES}}})>.*?</{TAG} (?P=mark)>\n?"
    return re.sub(block, "", text, flags=re.DOTALL)
