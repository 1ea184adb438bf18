"""Instructions as statements that can be compared.

Only their words are compared. Words that merely ask are left out; the others say what to do. An
instruction is reversed by a negation, or by choosing what the other one rejects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engrain.language.lexicons import read_regexes
from engrain.language.statements.instructions.frames import Frame, is_change
from engrain.language.statements.statement import (
    COMPATIBLE,
    ENDED,
    HOLDS,
    OTHER,
    SAME,
    UNCLEAR,
    Claim,
    Statement,
)

_MOST_REST = 2
"""So few words a statement has beside what it chooses, for a choice against that to be its end."""
_PATTERNS = read_regexes("instructions", "comparing patterns")
_REJECTING = re.compile(r" (?:not|instead of|rather than|over|never) ", re.IGNORECASE)
_CHOICE = re.compile(
    rf"(?P<chosen>[^,;]+?),?(?: and)?{_REJECTING.pattern}(?P<rejected>[^,;]+)", re.IGNORECASE
)


@dataclass(slots=True, eq=False, kw_only=True)
class Instruction(Claim):
    """What an instruction asks for, or forbids if it is ENDED: its `frame` with the content words,
    and, if it is a choice, the words of what it has `chosen` and of what it has `rejected`."""

    frame: Frame
    content: frozenset[str]
    chosen: frozenset[str] = frozenset()
    rejected: frozenset[str] = frozenset()

    def match(self, older: Claim, _earlier: Statement) -> str | None:
        if not isinstance(older, Instruction):
            return None
        choice = self._match_choice(older) if self.rejected else None
        if choice or (self.rejected and older.rejected):
            return choice
        forbids = self.mode == ENDED and self.content <= older.chosen
        if forbids or self.frame.key == older.frame.key:
            return SAME
        plain = self._is_plain and older._is_plain
        return OTHER if plain and is_change(self.frame, older.frame) else None

    @property
    def _is_plain(self) -> bool:
        """Whether it asks for something, and neither forbids nor rejects anything."""
        return self.mode == HOLDS and not self.rejected

    def _match_choice(self, older: Instruction) -> str | None:
        """How a choice compares with an older instruction; None if it says nothing about that."""
        if older.rejected:
            if self.rejected == older.rejected and self.chosen == older.chosen:
                return SAME
            swapped = self.rejected & older.chosen and self.chosen & older.rejected
            return OTHER if swapped or self.rejected == older.chosen else None
        if not self.rejected <= older.content or self.chosen & older.content:
            return None
        if older.mode == ENDED:
            return COMPATIBLE  # it rejects the same
        return OTHER if len(older.content - self.rejected) <= _MOST_REST else UNCLEAR


def read_instruction(text: str) -> Statement:
    """An instruction as a statement with one claim, none if it has no content words."""
    claim = _read(text)
    return Statement(text, [claim] if claim.content else [])


def _read(text: str) -> Instruction:
    frame = Frame(text)
    choice = _CHOICE.search(text) if _REJECTING.search(text) else None
    sides = [content_words(choice[side]) for side in ("chosen", "rejected")] if choice else []
    chosen, rejected = sides if all(sides) and sides else (frozenset(), frozenset())
    mode = ENDED if not rejected and _PATTERNS["negation"].search(text) else HOLDS
    content = frame.words - {"use"}
    return Instruction("", mode, frame=frame, content=content, chosen=chosen, rejected=rejected)


def content_words(text: str) -> frozenset[str]:
    """The words that say what a statement is about, without inflection; code as it is."""
    return Frame(text).words - {"use"}


def count_words(text: str) -> int:
    """How many words of a text say what it is about; a digit by itself is none."""
    return sum(1 for word in content_words(text) if len(word) > 1 or word.isalpha())


def statement_key(text: str) -> str:
    """Equal for statements that say the same, whatever asks for it."""
    claim = _read(text)
    return "not " * (claim.mode == ENDED) + claim.frame.key
