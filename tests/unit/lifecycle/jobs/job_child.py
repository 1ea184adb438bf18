"""Runs a job that takes a minute, in a process of its own: `job_child.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from engrain.lifecycle.jobs.runner import run_jobs
from support.vaults import make_memory
from unit.lifecycle.jobs.sample_jobs import table

with make_memory(Path(sys.argv[1])) as memory:
    run_jobs(memory._open_store(), table=table("first", "linger", "third"))
