"""A claim: one relation of the subject with its value, and how it is meant."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from engrain.language.statements.predicates import find_predicate

HOLDS, ENDED, LOOSE = "holds", "ended", "loose"
"""Loose is what was once, is planned, or only thought of: it says nothing of what holds."""
NEW, UNKNOWN = "§new", "§unknown"
"""Values: that it is another than before, and that there is one, without its being understood."""
STATE_OF, TOOL_OF, COUNT_OF, MEASURE_OF, WHICH, ATTRIBUTE = "=+#~^@"
"""What an aspect begins with that is no predicate: a state, a tool of a kind, a number of things, a
number of a unit, which one of a kind, or what is said of something the subject has."""
_PREDICATES = {"love": "marital_status", "car_model": "car"}


@dataclass(slots=True, eq=False)
class Found:
    """What a reader found in a clause: an `aspect`, its `value` and the place `at` which it stands;
    `strong` where a word tells the relation, `scope` what narrows it, `mode` if that is plain."""

    aspect: str
    value: str
    at: int
    _: KW_ONLY
    strong: bool = True
    scope: frozenset[str] = frozenset()
    mode: str = ""


@dataclass(slots=True, eq=False)
class Claim:
    """One relation with its value; the `aspect` is a predicate or begins with one of those signs.

    `mode` is one of the three above. `marks` say how its clause is meant, `scope` what narrows it,
    `rest` which words of the clause no phrase has, `gone` the words of what is said to be over
    where it is a part of that. `definite`: it is told of the one that the subject has.
    """

    aspect: str
    value: str
    mode: str
    _: KW_ONLY
    marks: frozenset[str] = frozenset()
    scope: frozenset[str] = frozenset()
    strong: bool = True
    rest: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    definite: bool = False

    @property
    def predicate(self) -> str:
        """The predicate of its aspect; the aspect's name if there is none."""
        name = self.aspect.lstrip("=+#~^@").partition("/")[0].partition(":")[0]
        name = _PREDICATES.get(name, name)
        known = find_predicate(name)
        return known.name if known else name

    @property
    def own(self) -> bool:
        """Whether the statement says so about the subject expressly."""
        return self.strong
