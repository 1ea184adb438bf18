"""Adds facts and acknowledges it by its exit code: the process that tests kill.

python fact_child.py VAULT STATE
"""

from __future__ import annotations

import os
import sys

from engrain import open_memory
from engrain.model.facts.fact import FactDraft

ACKNOWLEDGED = 42
ROME = "Bob lives in Rome."
OSLO = "Bob lives in Oslo."
SONG = "Ann sings."


def drafts() -> list[FactDraft]:
    """What is added: one that replaces what is known, and one of somebody new."""
    return [
        FactDraft("Bob", OSLO, at=1.7e9, ref="call-2"),
        FactDraft("Ann", SONG, at=1.7e9, ref="call-2"),
    ]


def main() -> None:
    vault, state = sys.argv[1:]
    memory = open_memory(vault, state_dir=state, backend="device-local")
    memory.facts.add_all(drafts())
    os._exit(ACKNOWLEDGED)


if __name__ == "__main__":
    main()
