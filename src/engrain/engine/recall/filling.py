"""Decides which ranked entries go into the answer, and reads those that fit (S1.1, S1.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from engrain.engine.core.recalled import LEADING, Cut, Recalled
from engrain.engine.recall.rejection import TAIL
from engrain.language.text.fences import without_private
from engrain.language.text.folding import is_near_copy, words_of
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import EngrainError
from engrain.model.note.properties import add_properties, read_properties, text_under

if TYPE_CHECKING:
    from engrain.engine.core.recalled import Reasons
    from engrain.engine.core.store import Store
    from engrain.engine.recall.profiles import Phase, RecallRequest
    from engrain.engine.recall.ranking import Ranked
    from engrain.model.note.note import Note
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Row
    from engrain.seam.storage import Stored


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

    def next_part(self, limit: int, more: int | None) -> Packer:
        """Return the packer for the next part of the answer. It has `more` tokens in addition to
        those left here (None: no bound), no bounds for kinds, and refuses copies of what was taken
        here."""
        budget = None if self._left is None or more is None else self._left + more
        part = Packer(limit, budget, None)
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

    def refuse_copies(self, text: str) -> None:
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

    def admit(self, kind: str, text: str, tokens: int) -> None:
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


Shorten: TypeAlias = "Callable[[Note, Row], str | None]"
"""A function that returns the text to show instead of a note's own; None for the note's own."""

Read: TypeAlias = "Callable[[Locator], Stored]"
"""The function that reads notes from the store, from `StorageBackend.reading`."""

_MOST_OVER = 100
"""The most entries that may prove too long before the search for shorter ones ends."""
_MOST_COMPARED = 8
"""The number of latest entries the reader already has that results are compared with."""
_MOST_SHOWN = 1200
"""The most characters of a section that is shown instead of a whole text."""
_MOST_CUT = 20
"""The most entries that are listed as left out."""


class Filler:
    """Reads ranked entries and admits what a packer has room for.

    `stale` has the places whose files are not as indexed, `again` the ids of leading entries that
    the reader already has; `over_budget` counts entries that were too long. `cut` has the entries
    that were left out and why, if `reasons` is given; else it is None.
    """

    __slots__ = (
        "_loaded", "_reasons", "_shorten", "_store", "again", "cut", "over_budget", "stale",
    )  # fmt: skip

    def __init__(
        self,
        store: Store,
        loaded: Sequence[str],
        *,
        reasons: Callable[[Ranked], Reasons] | None = None,
        shorten: Shorten | None = None,
    ) -> None:
        self._store = store
        self._loaded = frozenset(loaded)
        self._reasons = reasons
        self._shorten = shorten
        self.stale: list[Locator] = []
        self.again: list[str] = []
        self.over_budget = 0
        self.cut: list[Cut] | None = [] if reasons else None

    def fill(
        self, ranked: Sequence[Ranked], packer: Packer, *, reject: bool
    ) -> tuple[Recalled, ...]:
        """Read the entries in order and return those that fit; with `reject`, only those that
        fit, with at least `TAIL` of the best score."""
        results: list[Recalled] = []
        over = 0
        ahead = [item.row.locator for item in ranked if item.row.id not in self._loaded]
        with self._store.backend.reading(ahead) as read:
            for item in ranked:
                far = reject and item.score < TAIL * ranked[0].score
                if (packer.full or far) and self._tells_no_more():
                    break
                if self._is_loaded(item, ranked[0].score):
                    continue
                weak = far or (reject and not item.fit)
                admitted = self._admit(item, packer, read, weak=weak)
                if isinstance(admitted, Recalled):
                    results.append(admitted)
                elif admitted == BUDGET:
                    over += 1
                    if over >= _MOST_OVER:
                        break
        self.over_budget += over
        return tuple(results)

    def _tells_no_more(self) -> bool:
        """Return whether nothing is told about further entries that are left out."""
        return self.cut is None or len(self.cut) >= _MOST_CUT

    def _is_loaded(self, item: Ranked, best: float) -> bool:
        """Whether the reader already has an entry; `again` gets one that scores near the best."""
        if item.row.id not in self._loaded:
            return False
        if item.score >= LEADING * best:
            self.again.append(item.row.id)
        return True

    def _admit(
        self, item: Ranked, packer: Packer, read: Read, *, weak: bool
    ) -> Recalled | str | None:
        """Return an entry as a result, or the reason why it is left out, or None if it is stale or
        has nothing to show."""
        row = item.row
        reason = WEAK if weak else packer.refuse_kind(row.kind)
        # An entry that is left out is read only if somebody asks why.
        said = None if reason and self.cut is None else self.read(row, read)
        text, shortened = said or ("", True)
        if shortened and not text.strip():
            return None  # it is stale, or says nothing of what is asked
        whole = compared_text(row.title, text)
        shown: tuple[str, int] | None = None
        if reason is None:
            shown = _choose_shown(item, text, packer, shortened=shortened)
            # Copies are looked for last, since the comparison costs most.
            reason = packer.refuse_copy(whole) if shown else BUDGET
        if shown is None or reason is not None:
            self._note_cut(item, reason or BUDGET)
            return reason
        packer.admit(row.kind, whole, shown[1])
        return self._make_result(item, *shown, part=shortened or shown[0] != text)

    def _make_result(self, item: Ranked, text: str, tokens: int, *, part: bool) -> Recalled:
        item.row.score = item.score
        return Recalled(
            item.row,
            text,
            part=part,
            tokens=tokens,
            reasons=self._reasons(item) if self._reasons else None,
            heading=item.passages[0].heading if item.passages else "",
        )

    def _note_cut(self, item: Ranked, reason: str) -> None:
        if self.cut is not None and self._reasons and len(self.cut) < _MOST_CUT:
            self.cut.append(Cut(item.row, reason, self._reasons(item)))

    def read(self, row: Row, read: Read) -> tuple[str, bool] | None:
        """Return the text to show of an entry, and whether it was shortened. If the file has
        changed or can't be read, note it as stale and return None."""
        try:
            stored = read(row.locator)
            if stored.hash == row.hash:
                # The index has the fields of exactly these bytes, so they need no parsing.
                note = self._store.parse(stored.raw, row.locator)
                short = self._shorten(note, row) if self._shorten else None
                text = _text_of(note, row) if short is None else short
                public = without_private(text)
                # Where something is left out, the places of passages do not fit.
                return public, short is not None or public != text
        except EngrainError:
            pass  # Gone or broken since it was indexed: the caller has the index updated.
        self.stale.append(row.locator)
        return None


def _text_of(note: Note, row: Row) -> str:
    """Return the text of an entry with its properties, without those that an import set aside."""
    text = text_under(row.title, note.body)
    if not note.fence:
        return text
    return add_properties(text, read_properties(row.locator, row.kind, note.fields, whole=False))


NEAREST = 3
"""The number of withheld entries that are shown to who asks when nothing fits."""


def fill_nearest(
    store: Store, request: RecallRequest, ranked: Sequence[Ranked]
) -> tuple[Recalled, ...]:
    """Return the first of the entries that were withheld as too weak, which only who asked is shown
    and no hook, and only hooks have a deadline."""
    if request.deadline is not None:
        return ()
    packer = Packer(NEAREST, request.profile.budget, None)
    return Filler(store, request.loaded).fill(ranked, packer, reject=False)


def refuse_loaded(store: Store, ids: Sequence[str], packer: Packer) -> None:
    """Make a packer refuse copies of the latest entries that the reader already has."""
    for reference in ids[-_MOST_COMPARED:]:
        for row in store.index.lookup(reference)[:1]:
            try:
                stored = store.backend.read(row.locator)
                text = text_under(row.title, store.parse(stored.raw, row.locator).body)
                packer.refuse_copies(compared_text(row.title, text))
            except EngrainError:
                continue


def _count(packer: Packer, text: str, known: int | None = None) -> int:
    """Return the tokens of a text, `known` if given. For a text that can't fit in any case, return
    its number of characters, which is above the budget."""
    longest = packer.longest
    if longest is not None and len(text) > longest:
        return len(text)
    if known is not None:
        return known
    return estimate_tokens(text)


def _choose_shown(
    item: Ranked, text: str, packer: Packer, *, shortened: bool
) -> tuple[str, int] | None:
    """Return the text to show of an entry and its tokens: all of it, or the best part that fits;
    None if nothing fits."""
    tokens = _count(packer, text, None if shortened else item.row.tokens)
    if not packer.affords(tokens) and not shortened:
        for part in _best_parts(item, text, packer):
            if packer.fits(size := _count(packer, part)):
                return part, size
    return (text, tokens) if packer.fits(tokens) else None


def _best_parts(item: Ranked, text: str, packer: Packer) -> Iterator[str]:
    """Yield parts of an entry that is too long, the longer first: the section around its best
    passage (see `_section_around`), then the passage alone. Yield nothing if that does not fit."""
    if not item.passages:
        return
    best = item.passages[0]
    if not packer.fits(_count(packer, text[best.start : best.end])):
        return
    for start, end in (_section_around(text, best.start, best.end), (best.start, best.end)):
        part = text[start:end].strip()
        if 0 < len(part) < len(text.strip()):
            yield part


def _section_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return start and end of the section around a passage, cut between paragraphs if it is longer
    than `_MOST_SHOWN` characters. Comments in code that begin with # count as headings, since
    telling them apart would cost a cold process more than it is worth."""
    room = max(0, end - _MOST_SHOWN)
    first = text.rfind("\n#", room, start + 2)
    if first < 0 and room:
        first = text.find("\n\n", room, start)
        first = start if first < 0 else first
    first = min(max(first, 0), start)
    rest = text.find("\n#", end, first + _MOST_SHOWN)
    if rest < 0 and first + _MOST_SHOWN < len(text):
        rest = text.rfind("\n\n", end, first + _MOST_SHOWN)
    elif rest < 0:
        rest = len(text)
    return first, max(rest, end)
