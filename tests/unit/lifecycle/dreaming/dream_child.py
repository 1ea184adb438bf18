"""Dreams once, in a process of its own: `dream_child.py FOLDER SEED [COMMIT SECONDS]`. It takes its
time over each change, and is killed that many seconds after it has begun that one."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from engrain.engine.core.store import Store
from support.vaults import make_memory

commit = Store.commit
_, folder, seed, *death = sys.argv
last, seconds = (int(death[0]), float(death[1])) if death else (0, 0.0)
begun = 0


def commit_slowly(*args: Any, **named: Any) -> Any:
    global begun
    begun += 1
    if begun == last:
        threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL)).start()
    time.sleep(0.03)
    return commit(*args, **named)


Store.commit = commit_slowly  # type: ignore[method-assign]
with make_memory(Path(folder), seed=int(seed)) as memory:
    memory.jobs.dream()
