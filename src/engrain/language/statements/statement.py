"""A statement and its claims, whatever kind of text they are read from: what `judge` compares.

Three readers make statements: `reading` those of facts about a subject, `notes.reading` those of
the sentences of notes, `instructions.reading` those of an operator's instructions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from engrain.language.statements.clauses import Clause

HOLDS, ENDED, LOOSE = "holds", "ended", "loose"
"""Modes of a claim: it is asserted; denied or over; past, planned or only thought of."""
SAME, OTHER, COMPATIBLE, UNCLEAR = "same", "other", "compatible", "unclear"
"""How two values compare: they are one, exclude each other, can both be so, or that is unclear."""


@dataclass(slots=True, eq=False)
class Claim(ABC):
    """One thing that a statement says: the value of an `aspect` of its subject.

    `mode` is one of the three above; `scope` are words that narrow the claim to a part, a kind or
    a version of its subject.
    """

    aspect: str
    mode: str = HOLDS
    _: KW_ONLY
    scope: frozenset[str] = frozenset()

    @abstractmethod
    def match(self, older: Claim, earlier: Statement) -> str | None:
        """How the value of an `older` claim, of an `earlier` statement, compares with this one's:
        one of the above; None if the two are not about the same."""

    @property
    def is_express(self) -> bool:
        """Whether the statement says so expressly, so that a repetition must say it too."""
        return True

    @property
    def words(self) -> frozenset[str]:
        """The words of its value, where the statement has others besides."""
        return frozenset()

    def explain(self, _older: Claim) -> str:
        """How it contradicts an older claim, in words."""
        return f"they differ in: {self.aspect}"


@dataclass(slots=True, eq=False)
class Statement:
    """A statement as it is compared: its `text` and `claims`. Of a fact also its `clauses` and
    their `words`; other statements say nothing beside their claims."""

    text: str
    claims: Sequence[Claim]
    clauses: Sequence[Clause] = ()
    words: frozenset[str] = frozenset()
