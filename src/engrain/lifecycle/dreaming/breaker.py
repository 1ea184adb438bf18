"""The circuit breaker: what a dream finds at an odd rate it does not do by itself (S1.17).

A finder that finds far more than it used to, or much of the whole vault, or what is turned down
often, is more likely wrong than the vault is. Then the operator's word is asked for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

FEW = 20
"""So many findings are never odd by their number."""
TIMES = 3
"""How many times the median of the dreams before is odd,"""
SHARE = 0.05
"""and which share of the vault's entries."""
REFUSED = 0.2
"""The share of what was decided lately that may have been turned down or taken back,"""
_LEAST_DECIDED = 5
"""where so many were decided."""
_LEAST_PAST = 3
"""Dreams that tell how much is usual."""


def why_not(
    found: int, entries: int, past: Sequence[int], *, decided: int = 0, refused: int = 0
) -> str:
    """Why nothing of a kind is done without the operator, "" where it may be: `found` now, among so
    many `entries`, after so many in the dreams before, `refused` of those `decided` lately."""
    if found > FEW:
        if len(past) >= _LEAST_PAST and found > TIMES * median(past):
            return f"{found} found, and {median(past):g} is usual"
        if found > SHARE * entries:
            return f"{found} found among {entries} entries"
    if decided >= _LEAST_DECIDED and refused > REFUSED * decided:
        return f"{refused} of the last {decided} were turned down or taken back"
    return ""
