"""What happens in a session, in the words of no host.

`at` is in epoch seconds, None where the transcript does not say. `stream` tells the agents apart
whose lines stand in one file: "" is the main one, else it is the sub-agent's id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

_LONGEST = 200


@dataclass(slots=True, eq=False)
class Session:
    """A session: its id, the folder it runs in, and the agent's id where it is a sub-agent's."""

    session: str
    cwd: str = ""
    agent: str = ""

    def __post_init__(self) -> None:
        self.session = " ".join(self.session.split())[:_LONGEST]


@dataclass(slots=True, eq=False)
class Event:
    """One thing that happened in a stream."""

    at: float | None
    stream: str = field(default="", kw_only=True)


@dataclass(slots=True, eq=False)
class Request(Event):
    """What the user, or the agent that delegates, asked for. `key` tells it apart from the same
    words at another moment of the session; a copy of the line has the same key."""

    text: str
    key: str


@dataclass(slots=True, eq=False)
class Said(Event):
    """The agent's own words."""

    text: str


@dataclass(slots=True, eq=False)
class Call(Event):
    """A call of a tool; its result has the same `id`, "" where there will be none."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(slots=True, eq=False)
class Result(Event):
    """What a call gave. `failed` is None where the host does not say; `code` is a process's exit
    code. A process that is `running` on has another result later, under the same id."""

    id: str
    text: str
    _: KW_ONLY
    failed: bool | None = None
    code: int | None = None
    running: bool = False


@dataclass(slots=True, eq=False)
class Stopped(Event):
    """The session was broken off: by the user, or, with `error`, by a service that failed."""

    error: bool = field(default=False, kw_only=True)


@dataclass(slots=True, eq=False)
class Used(Event):
    """Tokens that a model took in anew, and gave."""

    taken: int
    given: int
