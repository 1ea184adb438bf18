"""What a reader finds in a clause of a fact, and the signs that its aspects begin with."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

NEW, UNKNOWN = "§new", "§unknown"
"""Values: that it is another than before, and that there is one, without its being understood."""
STATE_OF, TOOL_OF, COUNT_OF, MEASURE_OF, WHICH, ATTRIBUTE = SIGNS = "=+#~^@"
"""What an aspect begins with that is no predicate: a state, a tool of a kind, a number of things, a
number of a unit, which one of a kind, or an attribute of something the subject has."""


@dataclass(slots=True, eq=False)
class Found:
    """What a reader found in a clause: an `aspect`, its `value` and the place `at` which it stands;
    `strong` where a word names the relation, `scope` what narrows it, `mode` if that is plain."""

    aspect: str
    value: str
    at: int
    _: KW_ONLY
    strong: bool = True
    scope: frozenset[str] = frozenset()
    mode: str = ""
