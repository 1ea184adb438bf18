"""The predicates of facts: relations of people, companies and projects (S4.3).

A predicate is functional if a second value means that the first no longer holds: one lives in one
place. Of others (likes, speaks, has visited) any number of values hold at once.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import lru_cache

from engrain.language.lexicons import read_rows

PERSON, COMPANY, PROJECT, PLACE, VALUE = "person", "company", "project", "place", "value"
TYPES = (PERSON, COMPANY, PROJECT)
"""The types of entity that the seed knows; any other word is a type too."""


@dataclass(frozen=True, slots=True, eq=False)
class Predicate:
    """A relation: its `name`, what its object is (`range`, one of the five above) and whether it is
    `functional`. The value of one that is `ahead` may lie in the future, as a deadline does."""

    name: str
    range: str = VALUE
    _: KW_ONLY
    functional: bool = True
    ahead: bool = False


@lru_cache(maxsize=1)
def _by_word() -> dict[str, Predicate]:
    found: dict[str, Predicate] = {}
    for name, row in read_rows("predicates", "predicates").items():
        head, _, words = row.partition("|")
        range_, *flags = head.split()
        predicate = Predicate(name, range_, functional="f" in flags, ahead="a" in flags)
        for word in (name, *words.split()):
            found.setdefault(word.replace("-", "_"), predicate)
    return found


def find_predicate(word: str) -> Predicate | None:
    """Return the predicate of an edge or a noun, by its name or a synonym; None if it is unknown.
    Each kind of favourite is a predicate: `favourite_film`."""
    key = "_".join(word.lower().replace("-", "_").split())
    for prefix in ("favourite_", "favorite_"):
        if key.startswith(prefix) and len(key) > len(prefix):
            return Predicate("favourite_" + key[len(prefix) :])
    tried = (key, *(key.removeprefix(lead) for lead in ("is_", "has_", "the_")))
    return next((_by_word()[word] for word in tried if word in _by_word()), None)
