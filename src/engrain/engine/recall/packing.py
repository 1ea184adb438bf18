"""Packing: what of the ranked entries goes into the answer (S1.1, S1.6), as pure functions."""

from __future__ import annotations

from engrain.language.text.folding import is_near_copy, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.recall.priors import Phase

OVERHEAD = 24
"""Tokens of what is said about an entry beside its text: title, kind, date, source."""
LARGEST_SHARE = 0.4
"""Of a longer entry than this share of the budget the best passage comes, if it has several."""
_TELLING = 100
"""Characters from which on a text is the same under whatever title."""
_MOST_CHARACTERS = 16
"""Characters that an estimated token stands for at most, in text that anybody reads."""

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
        """The packer of the next part of one answer: with `more` tokens beside what is left here
        (None: no bound), and no copy of what was taken here."""
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
        """Characters from which on a text does not fit, whatever it says; None for no bound."""
        return None if self._left is None else _MOST_CHARACTERS * (max(self._left, 0) + 1)

    def know_loaded(self, text: str) -> None:
        """Take note of what the reader has in the context already."""
        self._loaded.append(words_of(text))

    def refuse_kind(self, kind: str) -> str | None:
        """Why no entry of a kind may be taken, whatever it says; None if one may."""
        if self.full:
            return LIMIT
        if self._phase and self._kinds.get(kind, 0) >= self._phase.most(kind):
            return KIND
        return None

    def refuse(self, kind: str, text: str) -> str | None:
        """Why an entry may not be taken, however short it is; None if it may."""
        return self.refuse_kind(kind) or self.refuse_copy(text)

    def refuse_copy(self, text: str) -> str | None:
        """Return the reason to refuse a text that is a near copy of another; None if it is none."""
        words = words_of(text)
        self._compared = text, words
        if any(is_near_copy(words, other) for other in self._loaded):
            return LOADED
        if any(is_near_copy(words, other) for other in self._taken):
            return COPY
        return None

    def affords(self, tokens: int) -> bool:
        """Whether a text of so many tokens fits and leaves room for others, as far as it must."""
        share = None if self._budget is None else LARGEST_SHARE * self._budget
        return self.fits(tokens) and (share is None or tokens <= share)

    def fits(self, tokens: int) -> bool:
        """Whether a text of so many tokens is within the budget."""
        return self._left is None or tokens + OVERHEAD <= self._left

    def take(self, kind: str, text: str, tokens: int) -> None:
        """Admit an entry with a text of so many tokens."""
        self._kinds[kind] = self._kinds.get(kind, 0) + 1
        compared, words = self._compared
        self._taken.append(words if text is compared else words_of(text))
        self.count += 1
        self.tokens += tokens + OVERHEAD
        if self._left is not None:
            self._left -= tokens + OVERHEAD


def compared_text(title: str, text: str) -> str:
    """Return the text by which entries are compared: short ones may differ in the title alone."""
    return text if len(text) >= _TELLING else f"{title}\n{text}"
