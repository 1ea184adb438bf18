"""The lines of a transcript as objects, and the events of a session in the words of no host.

What can't be read is passed over and counted. An event's `at` is in epoch seconds, None where the
transcript does not say. `stream` names the agent where lines of several stand in one file: "" is
the main one, else it is the sub-agent's id."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeAlias

from engrain.language.text.fences import WORD, strip_private, strip_values
from engrain.language.text.instants import read_instant

_LONGEST_ID = 200


@dataclass(slots=True, eq=False)
class TranscriptSession:
    """A session: its id, the folder it runs in, and the agent's id where it is a sub-agent's."""

    session: str
    cwd: str = ""
    agent: str = ""

    def __post_init__(self) -> None:
        self.session = " ".join(self.session.split())[:_LONGEST_ID]


REQUEST, WORDS, CALL, RESULT, STOP, TOKENS = "request", "words", "call", "result", "stop", "tokens"


@dataclass(slots=True, eq=False)
class TranscriptEvent:
    """One thing that happened in a stream: `what` is a request of the user or of the agent that
    delegates, the agent's own words, a tool call, its result, the end of a session that the user or
    a failing service broke off, or the tokens that a model took in anew, and gave.

    A call and its result have the same `id`, "" for a call without a result; a request's `id`
    distinguishes it from the same words at another moment of the session. `code` is a process's
    exit code; a process that is `running` on has another result later, under the same id.
    """

    what: str
    at: float | None
    id: str = ""
    text: str = ""
    _: KW_ONLY
    name: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False
    code: int | None = None
    running: bool = False
    tokens: tuple[int, int] = (0, 0)
    stream: str = ""


Lines: TypeAlias = "Iterable[bytes | None]"
"""Each with its line end; None stands for one that was too long to be read."""
Passed: TypeAlias = "Counter[str]"
"""What was passed over: `broken` lines, an `unfinished` last one, `long` ones, `images`, and what
was said where memory is `off`."""
OFF = "off"


_LONGEST = 200_000
"""So many characters of one text are looked at: its beginning and its end."""


def read_objects(lines: Lines, passed: Passed) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of some lines, without what is marked as private in them. A last line
    without an end is still being written."""
    for line in lines:
        if line is None:
            passed["long"] += 1
            continue
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            if WORD.encode() in line.lower():
                found = strip_values(found)
        except (ValueError, RecursionError):
            passed["broken" if line.endswith(b"\n") else "unfinished"] += 1
            continue
        if isinstance(found, dict):
            yield found
        else:
            passed["broken"] += 1


def text_of(value: object, passed: Passed) -> str:
    """Return the text of a message's content, which is a text or a list of parts, without what is
    marked as private."""
    if isinstance(value, str):
        return ends_of(strip_private(value))
    parts = []
    for part in value if isinstance(value, list) else ():
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, dict):
            said = part.get("text")
            if isinstance(said, str):
                parts.append(said)
            elif "image" in str(part.get("type")):
                passed["images"] += 1
    return ends_of(strip_private("\n".join(parts)))


def ends_of(text: str, most: int = _LONGEST) -> str:
    """Return the beginning and the end of a text that is longer than what is looked at."""
    return text if len(text) <= most else f"{text[: most // 2]}\n{text[-most // 2 :]}"


def time_of(value: object) -> float | None:
    """Return when a line was written, None where it does not say."""
    if isinstance(value, int | float) and not abs(value) < 1e15:
        return None
    at = read_instant(value) if isinstance(value, str | int | float) else None
    return at if at is not None and 0 <= at < 253_402_300_800 else None  # years of four digits
