"""One event of a session's journal, and the name of its file (S1.20)."""

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
