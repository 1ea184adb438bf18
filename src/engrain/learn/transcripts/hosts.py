"""Whose transcript a file is, told from what it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, TypeAlias

from engrain.learn.transcripts import claude_code, codex, swe_agent
from engrain.learn.transcripts.events import Event, Session
from engrain.learn.transcripts.lines import Lines, Passed
from engrain.model.errors import MalformedError
from engrain.model.note.documents import parse_object

Reader: TypeAlias = "Callable[[Lines, Passed], Iterator[Session | Event]]"


_LINES: tuple[tuple[str, Callable[[dict[str, Any]], bool], Reader], ...] = (
    (claude_code.NAME, claude_code.is_claude_code, claude_code.read_claude_code),
    (codex.NAME, codex.is_codex, codex.read_codex),
)
_HEAD, _BYTES = 50, 32 << 20
"""So many lines and bytes are looked at for a line that tells the host."""


def open_transcript(lines: Lines) -> tuple[str, Reader, Lines]:
    """The host's name, its reader, and the lines again. Raises MalformedError for a file of no
    host that is known."""
    rest = iter(lines)
    head: list[bytes | None] = []
    size = 0
    for line in rest:
        head.append(line)
        for name, is_line, read in _LINES:
            if line is not None and is_line(parse_object(line)):
                return name, read, chain(head, rest)
        size += len(line or b"")
        if len(head) >= _HEAD or size > _BYTES:
            break
    if swe_agent.is_swe_agent(b"".join(line or b"" for line in head[:5])):
        return swe_agent.NAME, swe_agent.read_swe_agent, chain(head, rest)
    raise MalformedError("no transcript of a host that is known", reason="host")
