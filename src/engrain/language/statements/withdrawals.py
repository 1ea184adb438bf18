"""A statement that ends an earlier one: "stop using tabs", "you may push to main again", "we moved
to bun", "forget what I said about tabs".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from engrain.language.lexicons import expand, read_fragments, read_lines, read_words
from engrain.language.statements.instructions import Instruction, content_words, kinds_of
from engrain.language.text.words import fold_word

_CLAUSE = re.compile(
    r"[,;:]\s{1,9}|\s(?:and|but|so|since|because)\s{1,9}(?=(?:we|I|you|it|the)\b)|\s[-–—]{1,3}\s"
)
_SINCE = re.compile(r"\b(?:from (?:now|today|here) on|going forward|in future)\b", re.IGNORECASE)
_TAIL = re.compile(
    r"(?:,? (?:from now on|going forward|now|please|then|too|at all|for good"
    r"|for everything)){1,4}$",
    re.IGNORECASE,
)
_SHARE = 3
"""The words of a withdrawal must be at least one in so many of the statement's."""
_MOST_BESIDE = 2
"""So many words at most a statement has beside a tool, for the move to another to end it."""


Words: TypeAlias = "frozenset[str]"


@dataclass(slots=True, eq=False)
class Withdrawal:
    """What a text ends: the words of what was asked for or used (`old`), of what is asked for no
    more (`waived`), of what was forbidden (`lifted`), of what was said either way (`dropped`), and
    of what it names instead (`new`)."""

    old: list[Words] = field(default_factory=list)
    waived: list[Words] = field(default_factory=list)
    lifted: list[Words] = field(default_factory=list)
    dropped: list[Words] = field(default_factory=list)
    new: list[Words] = field(default_factory=list)

    def add(self, clause: Mapping[str, str | None]) -> None:
        """Add the words of a clause by the groups of its pattern."""
        about = clause.get("about") or ""
        for name, said in clause.items():
            words = _words(f"{about} {said}" if name == "old" else said or "")
            if words and said is not None:
                self.sides().get(name, []).append(words)

    def sides(self) -> dict[str, list[Words]]:
        """Return the words by the name of the group of a pattern that finds them."""
        return {
            "old": self.old,
            "ended": self.old,
            "waived": self.waived,
            "lifted": self.lifted,
            "dropped": self.dropped,
            "new": self.new,
        }

    @property
    def only_ends(self) -> bool:
        """Return whether the text is of no use once the earlier statement is over."""
        return not (self.old or self.lifted or self.new)

    def ends(self, statement: Instruction) -> bool:
        """Return whether an earlier statement may be meant."""
        asked = frozenset[str]() if statement.denied else statement.content - statement.rejected
        forbidden = statement.content if statement.denied else statement.rejected
        if (
            _covers([*self.old, *self.waived], asked)
            or _covers(self.lifted, forbidden)
            or any(words <= statement.content for words in self.dropped)
        ):
            return True
        named = not (self.old or self.waived or self.lifted or self.dropped)
        return named and any(_is_rival(new, asked) for new in self.new)


def _covers(phrases: Iterable[Words], content: Words) -> bool:
    most = len(content - _holding())
    return any(words <= content and len(words) * _SHARE >= most for words in phrases)


def _is_rival(new: Words, asked: Words) -> bool:
    """Return whether a statement asks for another tool of the same kind as the `new` one."""
    if len(new) != 1 or len(asked) > 1 + _MOST_BESIDE or new <= asked:
        return False
    kinds = kinds_of(next(iter(new)))
    return any(kinds & kinds_of(word) for word in asked)


def takes_back(text: str) -> bool:
    """Return whether a text only takes back what was said right before it."""
    return bool(_patterns("taking back")[0].fullmatch(text))


def read_withdrawal(text: str, *, firm: bool = False) -> Withdrawal | None:
    """Return what a text ends, None for nothing. That one thing is put in place of another ends a
    statement if the text says since when, or if it is `firm`: a rule by itself."""
    found = Withdrawal()
    patterns = _patterns("withdrawals")
    if firm or _SINCE.search(text):
        patterns = (*patterns, *_patterns("replacements"))
    whole = _TAIL.sub("", text.replace("’", "'"))
    for clause in dict.fromkeys((whole, *_CLAUSE.split(whole))):
        matches = (pattern.fullmatch(clause) for pattern in patterns)
        if match := next(filter(None, matches), None):
            found.add(match.groupdict())
    return found if any(found.sides().values()) else None


def _words(text: str) -> Words:
    return content_words(text) - _holding()


@lru_cache(maxsize=1)
def _holding() -> Words:
    return frozenset(map(fold_word, read_words("instructions", "slots")["holding"]))


@lru_cache(maxsize=3)
def _patterns(section: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a section, whose case does not matter."""
    fragments = read_fragments("instructions")
    return tuple(
        re.compile(expand("".join(lines), fragments), re.IGNORECASE)
        for lines in read_lines("instructions", section).values()
    )
