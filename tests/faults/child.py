"""Runs one verb on a vault and acknowledges it by its exit code: the process that tests kill.

python child.py VAULT STATE VERB
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from engrain import Memory, open_memory
from engrain.backends import applying

ACKNOWLEDGED = 42
OLD = "The old truth: one lock for all.\n"
NEW = "The new truth: a lock for each.\n"


def act(memory: Memory, verb: str) -> None:
    if verb == "save":
        memory.save(NEW, title="Fresh", kind="decision")
    elif verb == "save beside":
        memory.save(NEW, title="Fresh", kind="fix")
    elif verb == "evolve":
        memory.evolve("standing", NEW)
    elif verb == "forget":
        memory.forget("standing")
    elif verb == "undo":
        memory.undo()
    elif verb == "doctor":
        memory.diagnose()
        memory.check(deep=True)
    elif verb.endswith("-while-edited"):
        edit_at_append(Path(sys.argv[1]) / "Memory/fix/standing.md")
        if verb.startswith("archive"):
            memory.archive("standing")
        else:
            memory.evolve("standing", NEW)
    else:
        raise SystemExit(f"no verb {verb}")


def edit_at_append(note: Path) -> None:
    """Have another program add to a note once the change that is about it is recorded."""
    from engrain.backends import segments

    append = segments.append

    def append_and_edit(*args: Any) -> Any:
        written = append(*args)
        with note.open("ab") as file:
            file.write(b"\nA line that the operator typed just now.\n")
        note.parents[2].with_name("edited").touch()
        return written

    segments.append = append_and_edit  # type: ignore[assignment]


def main() -> None:
    vault, state, verb = sys.argv[1:]
    # What a kill leaves is the same on all file systems that have files without names.
    applying.keeps_named = lambda folder: True
    memory = open_memory(vault, state_dir=state, backend="device-local")
    act(memory, verb)
    # No exit handlers, no write: what is acknowledged is the verb alone.
    os._exit(ACKNOWLEDGED)


if __name__ == "__main__":
    main()
