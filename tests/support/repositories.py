"""Repositories of git, made by git itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def run_git(folder: Path, *words: str, at: str = "2026-03-01T12:00:00Z") -> str:
    """Run git in a folder, with nothing of this machine's configuration; what it wrote."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
        "GIT_AUTHOR_DATE": at,
        "GIT_COMMITTER_DATE": at,
    }
    done = subprocess.run(
        ["git", "-c", "core.fsmonitor=false", *words],
        cwd=folder,
        env=environ,
        check=True,
        capture_output=True,
    )
    return done.stdout.decode().strip()


def commit(folder: Path, message: str, **files: str) -> str:
    """Write files (`_` in a name for its point) and commit all there is; the commit."""
    if not (folder / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        run_git(folder, "init", "-q", "-b", "main")
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return run_git(folder, "rev-parse", "HEAD")
