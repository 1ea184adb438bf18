"""Records one episode and acknowledges it by its exit code: the process that tests kill.

python episode_child.py VAULT STATE
"""

from __future__ import annotations

import os
import sys

from engrain import open_memory

ACKNOWLEDGED = 42
ACTIONS = 3


def main() -> None:
    vault, state = sys.argv[1:]
    memory = open_memory(vault, state_dir=state, backend="device-local")
    with memory.episodes.record("Count the waves") as episode:
        for number in range(ACTIONS):
            episode.action(f"count {number}")
    # No exit handlers, no write: what is acknowledged is the episode alone.
    os._exit(ACKNOWLEDGED)


if __name__ == "__main__":
    main()
