"""A hook run as its host would run it: the payload on standard input, and a limit."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping, Sequence

LIMIT = 10.0
"""Seconds after which a host would give up, too."""


def run_hook(
    command: Sequence[str], payload: Mapping[str, object], folder: str, environ: Mapping[str, str]
) -> tuple[subprocess.CompletedProcess[bytes], float]:
    """The process of a hook when it is gone, and the seconds that it took. Raises OSError when it
    can't be run, subprocess.TimeoutExpired after `LIMIT`."""
    begun = time.perf_counter()
    done = subprocess.run(
        command,
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=False,
        cwd=folder,
        env=dict(environ),
        timeout=LIMIT,
    )
    return done, time.perf_counter() - begun


def last_said(done: subprocess.CompletedProcess[bytes]) -> str:
    """The last line of what a process said of its failure, "" for nothing."""
    return " ".join(done.stderr.decode(errors="replace").strip().splitlines()[-1:])
