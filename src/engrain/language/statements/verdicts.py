"""What a later statement is to an earlier one."""

from __future__ import annotations

from dataclasses import dataclass

AGREE, REPEAT, CONTRADICT, UNRELATED = "agree", "repeat", "contradict", "unrelated"


@dataclass(frozen=True, slots=True, eq=False)
class StatementVerdict:
    """What a later statement is to an earlier one, and the `reason` in words.

    REPEAT: it says nothing else. CONTRADICT: both can't hold; `ends` is set if the later one says
    itself that the earlier one is over, so that no date is needed, and `doubtful` if they may both
    hold after all. AGREE: they are about the same, and both can hold. UNRELATED: they are not.
    """

    relation: str
    reason: str = ""
    ends: bool = False
    doubtful: bool = False


UNRELATED_VERDICT, AGREEMENT, REPETITION = map(StatementVerdict, (UNRELATED, AGREE, REPEAT))
