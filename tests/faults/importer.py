"""Imports a folder, or takes its import back: the process that tests kill. It tells the entries
that the store acknowledged of what it commits together.

python importer.py VAULT STATE import FOLDER
python importer.py VAULT STATE undo
"""

from __future__ import annotations

import sys

from engrain import open_memory
from engrain.backends.folder import FolderBackend
from engrain.model.errors import EngrainError
from engrain.model.history.record import Record
from engrain.seam.changes import ChangeSet

commit_all = FolderBackend.commit_all


def tell(backend: FolderBackend, changes: list[ChangeSet]) -> list[Record | EngrainError]:
    records = commit_all(backend, changes)
    print(*(id_ for record in records if isinstance(record, Record) for id_ in record.entries))
    sys.stdout.flush()
    return records


def main() -> None:
    vault, state, verb, *rest = sys.argv[1:]
    FolderBackend.commit_all = tell  # type: ignore[assignment, method-assign]
    with open_memory(vault, state_dir=state, backend="device-local") as memory:
        print("begun", flush=True)
        if verb == "import":
            memory.import_folder(rest[0], name="notes")
        else:
            memory.undo()


if __name__ == "__main__":
    main()
