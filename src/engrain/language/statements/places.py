"""Places, and which lies in which."""

from __future__ import annotations

from functools import lru_cache

from engrain.language.lexicons import read_rows
from engrain.language.text.words import spell_out


@lru_cache(maxsize=1)
def places() -> dict[str, frozenset[str]]:
    """Every place, with those in which it lies."""
    wider: dict[str, set[str]] = {}
    known = ("san francisco", "los angeles", "palo alto", "mountain view", "san jose",
             "san diego", "bay area", "silicon valley", "new york", "las vegas",
             "north carolina")  # fmt: skip
    for whole, parts in read_rows("places", "places").items():
        wider.setdefault(whole, set())
        for name in known:
            if name in parts:
                wider.setdefault(name, set()).add(whole)
                parts = parts.replace(name, " ")
        for part in parts.split():
            wider.setdefault(part, set()).add(whole)
    for name, areas in wider.items():
        for area in list(areas):
            wider[name] = wider[name] | wider.get(area, set())
    wider["bay area"] = wider["bay area"] | {"silicon valley"}
    return {name: frozenset(areas) for name, areas in wider.items()}


@lru_cache(maxsize=1024)
def place_in(text: str) -> str | None:
    """The narrowest place that a text names, in lower case."""
    lower = f" {spell_out(text)} "
    found = [name for name in places() if f" {name} " in lower]
    if not found:
        return None
    return max(found, key=lambda name: (len(places()[name]), len(name)))


def lies_in(part: str, whole: str) -> bool:
    """Whether one place is known to lie in another."""
    return whole in places().get(part, frozenset())
