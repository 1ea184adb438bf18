"""Which connections a listener of the server keeps: those that have shown the token, and a bounded
number of others.

Any program of this machine can open connections and say nothing. So a connection is a stranger
until its first request bears the token. Strangers have a few seconds for that, and where there are
too many the oldest is dropped for the newest: a client that has the token always gets in, since it
shows it at once. Connections that have shown it have places of their own. Each listener has its own
gate, so what happens on TCP is nothing to the private socket.
"""

from __future__ import annotations

from typing import Protocol


class Droppable(Protocol):
    """A connection."""

    def drop(self) -> None:
        """End it at once."""
        ...


MOST_STRANGERS = 256
MOST_KNOWN = 256
HEAD_SECONDS = 5.0
"""Within so long a stranger must show the token, and anybody send a request's head to its end."""


class Gate:
    """The connections of one listener."""

    def __init__(self) -> None:
        self._strangers: dict[Droppable, None] = {}
        self._known: set[Droppable] = set()

    def enter(self, connection: Droppable) -> None:
        """Take in a connection, and drop the oldest stranger where they are too many."""
        self._strangers[connection] = None
        if len(self._strangers) > MOST_STRANGERS:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.drop()

    def has_room(self, connection: Droppable) -> bool:
        """Whether a connection may show the token, or has shown it already."""
        return connection in self._known or len(self._known) < MOST_KNOWN

    def admit(self, connection: Droppable) -> None:
        """Give a connection that has shown the token its place among those."""
        self._strangers.pop(connection, None)
        self._known.add(connection)

    def knows(self, connection: Droppable) -> bool:
        """Whether a connection has shown the token."""
        return connection in self._known

    def leave(self, connection: Droppable) -> None:
        """Forget a connection that has ended."""
        self._strangers.pop(connection, None)
        self._known.discard(connection)
