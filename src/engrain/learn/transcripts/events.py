"""What happens in a session, in the words of no host.

`at` is in epoch seconds, None where the transcript does not say. `stream` tells the agents apart
whose lines stand in one file: "" is the main one, else it is the sub-agent's id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LONGEST = 200


class Session:
    """Whose session it is: its id, the folder it runs in, and the agent's id where it is a
    sub-agent's own."""

    __slots__ = ("agent", "cwd", "session")

    def __init__(self, session: str, cwd: str = "", agent: str = "") -> None:
        self.session = " ".join(session.split())[:_LONGEST]
        self.cwd = cwd
        self.agent = agent


@dataclass(slots=True, eq=False)
class Event:
    """One thing that happened in a stream."""

    at: float | None
    stream: str = ""


class Request(Event):
    """What the user, or the agent that delegates, asked for. `key` tells it apart from the same
    words at another moment of the session; a copy of the line has the same one."""

    __slots__ = ("key", "text")

    def __init__(self, at: float | None, text: str, key: str, *, stream: str = "") -> None:
        super().__init__(at, stream)
        self.text = text
        self.key = key


class Said(Event):
    """The agent's own words."""

    __slots__ = ("text",)

    def __init__(self, at: float | None, text: str, *, stream: str = "") -> None:
        super().__init__(at, stream)
        self.text = text


class Call(Event):
    """A tool is called; `id` is what its result is known by, "" where there will be none."""

    __slots__ = ("arguments", "id", "name")

    def __init__(
        self,
        at: float | None,
        id: str,  # noqa: A002 - the hosts' own name
        name: str,
        arguments: Mapping[str, Any],
        *,
        stream: str = "",
    ) -> None:
        super().__init__(at, stream)
        self.id = id
        self.name = name
        self.arguments = arguments


class Result(Event):
    """What a call gave. `failed` is None where the host does not say; `code` is a process's exit
    code. A process that is `running` on has another result later, under the same id."""

    __slots__ = ("code", "failed", "id", "running", "text")

    def __init__(
        self,
        at: float | None,
        id: str,  # noqa: A002 - the hosts' own name
        text: str,
        *,
        failed: bool | None = None,
        code: int | None = None,
        running: bool = False,
        stream: str = "",
    ) -> None:
        super().__init__(at, stream)
        self.id = id
        self.text = text
        self.failed = failed
        self.code = code
        self.running = running


class Stopped(Event):
    """The session was broken off: by the user, or, with `error`, by a service that failed."""

    __slots__ = ("error",)

    def __init__(self, at: float | None, *, error: bool = False, stream: str = "") -> None:
        super().__init__(at, stream)
        self.error = error


class Used(Event):
    """Tokens that a model took in anew, and gave."""

    __slots__ = ("given", "taken")

    def __init__(self, at: float | None, taken: int, given: int, *, stream: str = "") -> None:
        super().__init__(at, stream)
        self.taken = taken
        self.given = given
