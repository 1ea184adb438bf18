"""Sessions of an agent as its terminal showed them, saved as text: the turns in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from engrain.learn.sources.stream import clean_text
from engrain.model.facts.fact import AGENT, OPERATOR, Turn

_ASKED, _SAID, _GAVE = "> ", ("⏺", "✦", "●"), ("⎿", "│", "╭", "╰", "─")
_CALL = re.compile(r"[A-Z][\w .:-]*\(|[A-Z]\w+(?: [A-Z]\w+)?…|(?:Update|Write|Read|Search) ")
_COMMAND = re.compile(r"/[\w-]+")
_MOST_PART = 20_000


def is_screen(text: str) -> bool:
    """Return whether a text is such a session."""
    lines = [line for line in text.split("\n")[:200] if line.strip()]
    asked = any(line.startswith(_ASKED) for line in lines)
    # A list in a note may have the third sign, and quotes beside it, but not what a tool gave.
    signs = _SAID if any(_GAVE[0] in line[:6] for line in lines) else _SAID[:2]
    return asked and sum(line.startswith(signs) for line in lines) > 1


def read_screen(text: str) -> list[Turn]:
    """Return the turns of a session."""
    found = ((role, clean_text(said, role)) for role, said in _split(iter(text.split("\n"))))
    return [Turn("", role, said) for role, said in found if said]


def _split(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    role, parts, size = "", list[str](), 0
    for line in chain(lines, (_ASKED,)):  # the last line only ends the turn before it
        begun = _role_of(line)
        # A line without an indent is something else of the screen.
        if begun is not None or (line and not line.startswith(" ")):
            if role and parts:
                yield role, "\n".join(parts).strip()
            role, parts, size = begun or "", [], 0
            line = line[2:]
        if role and size < _MOST_PART:
            parts.append(line.strip())
            size += len(line)


def _role_of(line: str) -> str | None:
    """Return whose words a line begins: "" for nobody's, None for one that goes on."""
    if line.startswith(_ASKED):
        return "" if _COMMAND.match(line[2:]) else OPERATOR
    if line.startswith(_SAID):
        return "" if _CALL.match(line[2:]) else AGENT
    return "" if line.lstrip().startswith(_GAVE) else None
