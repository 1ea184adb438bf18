"""Whether hooks have left events in the spool, which every command asks."""

from __future__ import annotations

import os

FOLDER = "spool"


def has_events(state_dir: str) -> bool:
    """Return whether the spool has anything."""
    try:
        return bool(os.listdir(os.path.join(state_dir, FOLDER)))
    except OSError:
        return False
