"""A flaw that lint finds, and the rule that finds it.

Glossary
--------
flaw        one thing that is not as it should be. It is mended where nobody could want it
            otherwise, proposed to the operator, or only reported.
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


@dataclass(slots=True, eq=False)
class Flaw:
    """One flaw of the file at `place`, at `line` (from 1; 0 for the whole file).

    `mend` puts it right, None where the right state is unknown. `action` names what may be proposed
    about the `entries` of these ids, "" for nothing; `remedy` says what a person can do.
    """

    rule: str
    place: str
    message: str
    _: KW_ONLY
    line: int = 0
    entries: Sequence[str] = ()
    mend: Mend | None = None
    action: str = ""
    remedy: str | None = None


@dataclass(slots=True, eq=False)
class Rule:
    """A rule: its name, and the function that finds its flaws, in each live entry or in the whole
    store."""

    name: str
    _: KW_ONLY
    each: LookAtEntry | None = None
    whole: LookAtStore | None = None
