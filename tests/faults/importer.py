"""Imports a folder, or takes its import back: the process that tests kill.

python importer.py VAULT STATE import FOLDER
python importer.py VAULT STATE undo
"""

from __future__ import annotations

import sys

from engrain import open_memory


def main() -> None:
    vault, state, verb, *rest = sys.argv[1:]
    with open_memory(vault, state_dir=state, backend="device-local") as memory:
        print("begun", flush=True)
        if verb == "import":
            memory.import_folder(rest[0], name="notes")
        else:
            memory.undo()


if __name__ == "__main__":
    main()
