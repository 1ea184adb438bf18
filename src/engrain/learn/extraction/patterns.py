"""The predicates worth keeping of what people say: the tables of `extraction.txt`.

Each pattern is matched against what follows "I", with contractions written out and adverbs dropped:
"I've just moved to Berlin" is matched as `have moved to Berlin`. The group `o` (or `p`) is the
object of its relation. `STATES` apply to everyone; `EVENTS` and `HABITS` only where people talk to
one another, because "I started the server" is no event of a life; `COMPANIES` and `PROJECTS` to
what is said about those.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engrain.language.lexicons import expand, read_fragments, read_lines

FRAGMENTS = read_fragments("extraction")
NAME, KIN, PET = (FRAGMENTS[name] for name in ("NAME", "KIN", "PET"))

_MY = re.compile(r"\bmy\b")
"""A pattern with "my" also reads "our"."""
SURE = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A predicate: its `name`, an `example` sentence that it reads, and the `predicate` of the
    relation it states ("" for none). A `lasting` one may say since when it has been so; `sure` is
    the confidence of a fact read by it, from 0 to 1."""

    name: str
    example: str
    read: re.Pattern[str]
    predicate: str = ""
    lasting: bool = False
    sure: float = SURE


def _read_patterns(section: str) -> tuple[Pattern, ...]:
    found = []
    for head, (example, *lines) in read_lines("extraction", section).items():
        name, *flags = head.split(" | ")
        sure = next((float(flag.split()[1]) for flag in flags if flag.startswith("sure ")), SURE)
        predicate = next((flag for flag in flags if flag != "lasting" and " " not in flag), "")
        read = re.compile(_MY.sub("(?:my|our)", expand("".join(lines), FRAGMENTS)))
        found.append(Pattern(name, example, read, predicate, "lasting" in flags, sure))
    return tuple(found)


STATES, EVENTS, HABITS, COMPANIES, PROJECTS = map(
    _read_patterns, ("states", "events", "habits", "companies", "projects")
)
