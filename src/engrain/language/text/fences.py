"""Fences: how recalled text is set off from what surrounds it in an agent's context (DESIGN 2.8).

The mark in a fence is drawn at random for each block, so nothing that is stored can close it.
"""

from __future__ import annotations

from engrain.language.text.patterns import late

TAG = "engrain-memory"
MARK_BYTES = 8
FENCE = (
    r"(?:<|&(?:amp;)?(?:lt|#60|#x3c);|\\u003c)"
    rf"(/?){TAG} ([0-9a-f]{{{2 * MARK_BYTES}}})"
    r"(?:>|&(?:amp;)?(?:gt|#62|#x3e);|\\u003e)"
)
"""A regular expression of the line before a block and, with a slash, of the one behind it. Hosts
escape angle brackets as HTML or JSON do."""
_LINE = late(FENCE + r"\n?")


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
    from bisect import bisect_right

    fences = list(_LINE.finditer(text))
    closings: dict[str, list[int]] = {}
    for found in fences:
        if found[1]:
            closings.setdefault(found[2], []).append(found.start())
    ends = {found.start(): found.end() for found in fences if found[1]}
    kept: list[str] = []
    end = 0
    for found in fences:
        if found[1] or found.start() < end:
            continue
        places = closings.get(found[2], [])
        first = bisect_right(places, found.start())
        if first < len(places):
            kept.append(text[end : found.start()])
            end = ends[places[first]]
    return "".join([*kept, text[end:]])
