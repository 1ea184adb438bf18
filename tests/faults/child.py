"""Runs one verb on a vault and acknowledges it by its exit code: the process that tests kill.

python child.py VAULT STATE VERB
"""

from __future__ import annotations

import os
import sys

from engrain import Memory, open_memory

ACKNOWLEDGED = 42
OLD = "The old truth: one lock for all.\n"
NEW = "The new truth: a lock for each.\n"


def act(memory: Memory, verb: str) -> None:
    if verb == "save":
        memory.save(NEW, title="Fresh", kind="decision")
    elif verb == "evolve":
        memory.evolve("standing", NEW)
    elif verb == "forget":
        memory.forget("standing")
    elif verb == "undo":
        memory.undo()
    else:
        raise SystemExit(f"no verb {verb}")


def main() -> None:
    vault, state, verb = sys.argv[1:]
    memory = open_memory(vault, state_dir=state, backend="device-local")
    act(memory, verb)
    # No exit handlers, no write: what is acknowledged is the verb alone.
    os._exit(ACKNOWLEDGED)


if __name__ == "__main__":
    main()
