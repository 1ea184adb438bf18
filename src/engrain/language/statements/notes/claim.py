"""The claim of a note's sentence, and when two of them are about the same thing (S2.9, S4.9)."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.language.statements.notes.subjects import ENOUGH, WORDING, stands_in
from engrain.language.statements.statement import COMPATIBLE, ENDED, OTHER, SAME, Claim, Statement


@dataclass(slots=True, eq=False, kw_only=True)
class NoteClaim(Claim):
    """An attribute of a thing, which is its `aspect`, and its `values`; ENDED if they are denied.

    The thing is named by the words of `about`. If the sentence leaves it out, the claim is `open`:
    `about` are all words of the note's title, in this `order`, and `marks` those that distinguish
    the title from others. Without `values` a denial says that the thing has none.
    """

    about: frozenset[str]
    values: frozenset[str]
    open: bool = False
    marks: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()

    def match(self, older: Claim, _earlier: Statement) -> str | None:
        if (self.aspect, self.scope) != (older.aspect, older.scope):
            return None
        if not isinstance(older, NoteClaim) or not _same_thing(self, older):
            return None
        if self.mode != older.mode:
            denial, said = (self, older) if self.mode == ENDED else (older, self)
            covered = not denial.values or denial.values >= said.values
            return SAME if said.values and covered else COMPATIBLE
        if self.values == older.values:
            return SAME
        # Without values a denial is of all of them.
        shared = not self.values or not older.values or self.values & older.values
        return COMPATIBLE if shared else OTHER


def _same_thing(one: NoteClaim, other: NoteClaim) -> bool:
    ours, theirs = one.about, other.about
    if one.open and other.open:
        if one.marks - other.marks and other.marks - one.marks:
            return False
        return ours - WORDING == theirs - WORDING and len(ours & theirs) >= ENOUGH
    if one.open or other.open:
        whole, named = (one, theirs) if one.open else (other, ours)
        if named >= whole.about - WORDING:
            return named <= whole.about
        return len(named) >= ENOUGH and stands_in(named, whole.order)
    return ours == theirs
