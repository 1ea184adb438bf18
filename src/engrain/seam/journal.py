"""The ports to two kinds of journals on this device: what happened in each session (S1.20), and
episodes while they are being recorded (S2.2).

Glossary
--------
session     one conversation of an agent, by the id that its host gives it. It is open until it is
            closed, and closed until it is settled, when its results have been stored. The next
            event opens it again.
current     the session that is meant if none is named.
event       one thing that happened in a session: its name, when, and what belongs to it; in a
            recording an object of JSON.
recording   the journal of one episode. Whoever began or claimed it holds it until they release or
            discard it, and nobody else gets it meanwhile; a process that dies holds nothing.

Journals are device-local: they lie outside the vault, a recording until it is filed, and are lost
with the device.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

PROBE = "doctor-"
"""The prefix of sessions that only try the hooks: nothing is noted of them."""


@dataclass(slots=True)
class Event:
    """One event; its `details` are texts, numbers, or lists of texts."""

    name: str
    at: float
    details: Mapping[str, object] = field(default_factory=dict)


_LONGEST = 80
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


def name_file(session: str) -> str:
    """Return a file name for a session: its id if that is a plain name, else a digest, since hosts
    choose the ids."""
    if 0 < len(session) <= _LONGEST and _SAFE.issuperset(session):
        return session
    return blake2b(session.encode(errors="surrogatepass"), digest_size=16).hexdigest()
