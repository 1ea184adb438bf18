"""Dreams once, in a process of its own that may be killed: `dream_child.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from support.vaults import make_memory

with make_memory(Path(sys.argv[1]), seed=int(sys.argv[2])) as memory:
    memory.dream()
