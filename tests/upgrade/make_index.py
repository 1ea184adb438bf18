"""Write the index of the present version as SQL, once for each version of it.

    python tests/upgrade/make_index.py

It is that of the vault `format-1`, opened by a device whose clock and random bytes repeat.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
TESTS = str(FOLDER.parent)
sys.path[:0] = [] if TESTS in sys.path else [TESTS]

from engrain import Memory, open_memory  # noqa: E402 - the path comes first
from engrain.index.connection import SCHEMA  # noqa: E402
from support.vaults import FakeClock, FakeEntropy  # noqa: E402

LATER = 1_796_000_000.0
"""When the vault is opened, which is after all that happened in it."""


def open_repeatably(folder: Path) -> Memory:
    """Open a copy of `format-1` on a new device, which is the same one each time."""
    return open_memory(
        folder / "vault", state_dir=folder / "state", keys_dir=folder / "keys",
        backend="obsidian-vault", trust="operator", project="main",
        clock=FakeClock(LATER), entropy=FakeEntropy(),
    )  # fmt: skip


def main() -> None:
    """Open a copy of the vault, and write the tables of its index beside this file."""
    with tempfile.TemporaryDirectory(prefix="engrain-index-") as away:
        copy = Path(shutil.copytree(FOLDER / "format-1", Path(away) / "old"))
        with open_repeatably(copy) as memory:
            memory.scan()
        (file,) = copy.glob("state/vaults/*/index/*.sqlite")
        command = [sys.executable, "-m", "apsw", str(file), ".dump"]
        dump = subprocess.check_output(command, text=True)
    lines = (line.rstrip() for line in dump.splitlines())
    wanted = [line for line in lines if line and not line.startswith("--")]
    (FOLDER / f"index-{SCHEMA}.sql").write_text("\n".join(wanted) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
