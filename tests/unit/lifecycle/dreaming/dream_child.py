"""Dreams once, in a process of its own that may be killed: `dream_child.py FOLDER SEED`. It takes
its time over each change, so that whoever kills it comes in between on a busy machine too."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from engrain.engine.core.store import Store
from support.vaults import make_memory

commit = Store.commit


def commit_slowly(*args: Any, **named: Any) -> Any:
    time.sleep(0.03)
    return commit(*args, **named)


Store.commit = commit_slowly  # type: ignore[method-assign]
with make_memory(Path(sys.argv[1]), seed=int(sys.argv[2])) as memory:
    memory.jobs.dream()
