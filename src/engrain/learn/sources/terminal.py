"""Sessions of an agent as its terminal shows them, saved as text: `> ` before what the operator
asks, `⏺ ` or `● ` (Claude Code) or `✦ ` (Gemini CLI) before what the agent says, a tool's name
behind that where it does something, `⎿` or a frame around what that gave."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.learn.sources.documents import find_day
from engrain.learn.sources.messages import clean_text
from engrain.learn.sources.pieces import Items
from engrain.learn.sources.stream import Stream
from engrain.model.facts.fact import CONVERSATION
from engrain.model.facts.turns import AGENT, OPERATOR, Conversation, Turn

_ASKED, _SAID, _GAVE = "> ", ("⏺", "✦", "●"), ("⎿", "│", "╭", "╰", "─")
_CALL = re.compile(r"[A-Z][\w .:-]*\(|[A-Z]\w+(?: [A-Z]\w+)?…|(?:Update|Write|Read|Search) ")
_COMMAND = re.compile(r"/[\w-]+")
_MOST_TEXT = 20_000


def is_terminal(lines: list[str]) -> bool:
    """Whether the first lines of a text are such a session."""
    asked = any(line.startswith(_ASKED) for line in lines)
    # A list in a note may have the third sign, and quotes beside it, but not what a tool gave.
    signs = _SAID if any(_GAVE[0] in line[:6] for line in lines) else _SAID[:2]
    return asked and sum(line.startswith(signs) for line in lines) > 1


def read_terminal(stream: Stream) -> Items:
    """The turns of such a session."""
    day = find_day(stream.name, "")
    yield Conversation(stream.name, CONVERSATION, (), stream.at if day is None else day)
    for role, text in _turns(stream.texts()):
        if said := clean_text(text, role):
            yield Turn("", role, said)


def _turns(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    role, parts, size = "", list[str](), 0
    for line in lines:
        begun = _role_of(line)
        if begun is not None:
            if role and parts:
                yield role, "\n".join(parts).strip()
            role, parts, size = begun, [], 0
            line = line[2:]
        elif line and not line.startswith(" "):
            if role and parts:  # something else of the screen
                yield role, "\n".join(parts).strip()
            role, parts = "", []
        if role and size < _MOST_TEXT:
            parts.append(line.strip())
            size += len(line)
    if role and parts:
        yield role, "\n".join(parts).strip()


def _role_of(line: str) -> str | None:
    """Whose words a line begins: "" for nobody's, None for one that goes on."""
    if line.startswith(_ASKED):
        return "" if _COMMAND.match(line[2:]) else OPERATOR
    if line.startswith(_SAID):
        return "" if _CALL.match(line[2:]) else AGENT
    return "" if line.lstrip().startswith(_GAVE) else None
