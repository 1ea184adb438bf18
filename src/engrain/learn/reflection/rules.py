"""The rules: which words say that something is to be kept, as what, and how sure that is (S1.20).

Each is a pattern that stands at the beginning of a sentence, behind words that only lead in, or
behind a comma. Its group `act` is what is said to be so. English; what no rule knows says nothing,
because a wrong memory costs more than a missing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.lexicons import expand, read_fragments, read_lines

PREFERENCE = "preference"
FEEDBACK = "feedback"
WORKFLOW = "workflow"
DECISION = "decision"
FIX = "fix"
IDEA = "idea"
INSIGHT = "insight"


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A rule: the `kind` of entry that a sentence becomes, and how sure that is, from 0 to 1.

    `again` is the confidence where the sentence corrects what the agent did. `questions` says
    whether it may be a question; `least` is how many words of content it needs.
    """

    name: str
    kind: str
    confidence: float
    again: float
    least: int
    questions: bool
    pattern: re.Pattern[str]


def _read_rules() -> Iterator[Rule]:
    fragments = read_fragments("reflection")
    for head, lines in read_lines("reflection", "rules").items():
        name, kind, sure, *options = head.split(" | ")
        given = dict(option.partition(" ")[::2] for option in options)
        yield Rule(
            name,
            kind,
            float(sure),
            float(given.get("again", sure)),
            int(given.get("least", _LEAST)),
            "questions" in given,
            re.compile(expand("".join(lines), fragments), re.IGNORECASE),
        )


_LEAST = 2
RULES = tuple(_read_rules())
"""In the order in which they are tried: the first that fits decides."""
