"""Decides which ranked entries go into the answer (S1.1, S1.6), without reading anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engrain.language.text.folding import is_near_copy, words_of

if TYPE_CHECKING:
    from engrain.engine.recall.priors import Phase


OVERHEAD = 24
"""The tokens of an entry's title, kind, date and source, which are shown beside its text."""
LARGEST_SHARE = 0.4
"""The share of the budget above which an entry is shown in part, if a part of it fits."""
_TELLING = 100
"""The characters from which on texts are compared without their titles."""
_MOST_CHARACTERS = 16
"""The most characters that an estimated token stands for in readable text."""

COPY = "copy"
LOADED = "loaded"
KIND = "kind"
BUDGET = "budget"
LIMIT = "limit"
WEAK = "weak"


class Packer:
    """Admits entries one by one, the best first, until limit or budget is used up."""

    def __init__(self, limit: int, budget: int | None, phase: Phase | None) -> None:
        self._limit = limit
        self._budget = self._left = budget
        self._phase = phase
        self._kinds: dict[str, int] = {}
        self._taken: list[frozenset[str]] = []
        self._loaded: list[frozenset[str]] = []
        self._compared: tuple[str, frozenset[str]] = ("", frozenset())
        self.tokens = 0
        self.count = 0

    def next_part(self, limit: int, more: int | None, phase: Phase | None) -> Packer:
        """Return the packer for the next part of the answer. It has `more` tokens in addition to
        those left here (None: no bound), and refuses copies of what was taken here."""
        budget = None if self._left is None or more is None else self._left + more
        part = Packer(limit, budget, phase)
        part._taken = self._taken
        part._loaded = self._loaded
        return part

    @property
    def full(self) -> bool:
        return self.count >= self._limit

    @property
    def longest(self) -> int | None:
        """The characters above which no text can fit; None for no bound."""
        return None if self._left is None else _MOST_CHARACTERS * (max(self._left, 0) + 1)

    def know_loaded(self, text: str) -> None:
        """Remember a text that the reader already has in the context, to refuse copies of it."""
        self._loaded.append(words_of(text))

    def refuse_kind(self, kind: str) -> str | None:
        """Return the reason to refuse any further entry of a kind; None if one may be taken."""
        if self.full:
            return LIMIT
        if self._phase and self._kinds.get(kind, 0) >= self._phase.most(kind):
            return KIND
        return None

    def refuse(self, kind: str, text: str) -> str | None:
        """Return the reason to refuse an entry whatever its length; None if it may be taken."""
        return self.refuse_kind(kind) or self.refuse_copy(text)

    def refuse_copy(self, text: str) -> str | None:
        """Return the reason to refuse a text that is a near-copy of another; None if it is not."""
        words = words_of(text)
        self._compared = text, words
        if any(is_near_copy(words, other) for other in self._loaded):
            return LOADED
        if any(is_near_copy(words, other) for other in self._taken):
            return COPY
        return None

    def affords(self, tokens: int) -> bool:
        """Whether a text of this size fits and is within `LARGEST_SHARE` of the budget."""
        share = None if self._budget is None else LARGEST_SHARE * self._budget
        return self.fits(tokens) and (share is None or tokens <= share)

    def fits(self, tokens: int) -> bool:
        """Whether a text of this size is within what is left of the budget."""
        return self._left is None or tokens + OVERHEAD <= self._left

    def take(self, kind: str, text: str, tokens: int) -> None:
        """Admit an entry, and subtract its tokens from the budget."""
        self._kinds[kind] = self._kinds.get(kind, 0) + 1
        compared, words = self._compared
        self._taken.append(words if text is compared else words_of(text))
        self.count += 1
        self.tokens += tokens + OVERHEAD
        if self._left is not None:
            self._left -= tokens + OVERHEAD


def compared_text(title: str, text: str) -> str:
    """Return the text by which an entry is compared: a short one includes the title, in which alone
    it may differ from another."""
    return text if len(text) >= _TELLING else f"{title}\n{text}"
