"""Learns from the sessions of this device and acknowledges it by its exit code: the process that
tests kill.

python transcripts_child.py VAULT STATE
"""

from __future__ import annotations

import os
import sys

from engrain import open_memory

ACKNOWLEDGED = 42


def main() -> None:
    vault, state = sys.argv[1:]
    memory = open_memory(vault, state_dir=state, backend="device-local")
    memory.jobs.run(["transcripts", "consolidate"], due=True)
    os._exit(ACKNOWLEDGED)


if __name__ == "__main__":
    main()
