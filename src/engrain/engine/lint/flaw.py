"""What lint knows of: a flaw, and the rule that it is against.

Glossary
--------
flaw        one thing that is not as it should be. It can be mended where nobody could want it
            otherwise, may have an action that is for the operator to accept, or is only told.
mend        what puts a flaw right, as part of the one change that mends them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from engrain.engine.core.store import Store
from engrain.engine.lint.repairs import Repairs
from engrain.model.note.entry import Entry
from engrain.seam.rows import Row

Mend: TypeAlias = "Callable[[Repairs], None]"
LookAtEntry: TypeAlias = "Callable[[Store, Row, Entry], Iterator[Flaw]]"
LookAtStore: TypeAlias = "Callable[[Store], Iterator[Flaw]]"


class Flaw:
    """One flaw of the file at `place`; `line` is counted from 1, 0 where it is all of it.

    `mend` puts it right, None where nobody can tell what is right. `action` is one of what may be
    proposed, about the `entries` of these ids, "" for none; `remedy` what a person can do.
    """

    __slots__ = ("action", "entries", "line", "mend", "message", "place", "remedy", "rule")

    def __init__(
        self,
        rule: str,
        place: str,
        message: str,
        *,
        line: int = 0,
        entries: Sequence[str] = (),
        mend: Mend | None = None,
        action: str = "",
        remedy: str | None = None,
    ) -> None:
        self.rule = rule
        self.place = place
        self.message = message
        self.line = line
        self.entries = tuple(entries)
        self.mend = mend
        self.action = action
        self.remedy = remedy


@dataclass(slots=True, eq=False)
class Rule:
    """One rule: its name, and how what is against it is looked for, in each live entry or in the
    store as a whole."""

    name: str
    _: KW_ONLY
    each: LookAtEntry | None = None
    whole: LookAtStore | None = None
