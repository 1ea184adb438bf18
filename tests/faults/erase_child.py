"""Erases the canary and acknowledges it by its exit code: the process that tests kill.

python erase_child.py VAULT STATE ID
"""

from __future__ import annotations

import os
import sys

from engrain import open_memory

ACKNOWLEDGED = 42


def main() -> None:
    vault, state, entry = sys.argv[1:]
    memory = open_memory(vault, state_dir=state, backend="device-local")
    memory.erase(memory.plan_erasure([entry]))
    # No exit handlers, no write: what is acknowledged is the verb alone.
    os._exit(ACKNOWLEDGED)


if __name__ == "__main__":
    main()
