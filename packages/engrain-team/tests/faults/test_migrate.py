"""A move that is killed at any moment is completed by repeating it, and never are two stores in
use."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engrain.adapters.cli.main import run
from engrain.backends import adopting, confined
from engrain.backends.folder import FolderBackend
from engrain.wiring import open_memory
from engrain_team import carrying
from engrain_team.commands import migrate
from engrain_team.moving import compare_stores
from engrain_team.postgres.store import PostgresBackend
from team.servers import OWNER, Server, shared_server

STEPS: list[tuple[Any, str]] = [
    *(
        (kind, name)
        for kind in (PostgresBackend, FolderBackend)
        for name in ("adopt_links", "adopt_files", "adopt_others", "begin_use")
    ),
    (adopting, "_put"),
    (carrying, "_copy"),
    (migrate, "carry_state"),
    (migrate, "set_value"),
]
"""What changes something, in either direction."""


def killed_at(event: int, do: Callable[[], int]) -> int | None:
    """The exit code of `do` in a process that kills itself right before or right behind one of
    `STEPS`, counted from 1; None where it was killed."""
    child = os.fork()
    if child == 0:
        try:
            quiet = os.open(os.devnull, os.O_RDWR)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            left = event

            def pass_by() -> None:
                nonlocal left
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

            def watch(place: Any, name: str) -> None:
                inner = getattr(place, name)

                def step(*args: Any) -> Any:
                    pass_by()
                    made = inner(*args)
                    pass_by()
                    return made

                setattr(place, name, step)

            for place, name in STEPS:
                watch(place, name)
            os._exit(do())
        finally:
            os._exit(99)
    status = os.waitpid(child, 0)[1]
    return None if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)


def is_open(server: Server, place: str) -> bool:
    """Whether a store lets writers in."""
    if not place.startswith("postgres:"):
        return not (Path(place) / confined.MOVED).exists()
    database, _, namespace = place.rpartition("/")[2].partition("?namespace=")
    with server.connect(database) as connection:
        found = connection.execute(
            "SELECT closed FROM engrain.namespaces WHERE namespace = %s", (namespace,)
        ).fetchone()
    return found == (None,)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with notes and an image."""
    for name in list(os.environ):
        if name.startswith("ENGRAIN_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ENGRAIN_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "none")
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.chdir(tmp_path)
    vault = tmp_path / "vault"
    with open_memory(vault, create=True) as memory:
        for n in range(3):
            memory.save(f"Number {n} is a note.", title=f"Note {n}", kind="fix")
    (vault / "image.png").write_bytes(os.urandom(1000))
    return vault


@pytest.mark.parametrize("back", [False, True])
def test_a_move_that_is_killed_is_completed_by_repeating_it(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, back: bool
) -> None:
    server = shared_server()
    database = server.make_database()
    config = tmp_path / "config.toml"
    monkeypatch.setenv("ENGRAIN_CONFIG", str(config))

    def move(old: str, new: str) -> int:
        return run(["migrate", "--vault", old, "--to", new, "--finish"])

    for event in range(1, 60):
        folder = tmp_path / f"v{event}"
        shutil.copytree(vault, folder)
        with open_memory(folder) as memory:
            memory.sessions.begin("s1")
        old, new = str(folder), server.address(database, OWNER, f"n{event}")
        if back:
            assert killed_at(-1, lambda old=old, new=new: move(old, new)) == 0  # type: ignore[misc]
            old, new = new, str(tmp_path / f"back{event}")
        config.write_text(f'vault = "{old}"\n')
        code = killed_at(event, lambda old=old, new=new: move(old, new))  # type: ignore[misc]
        if not back:  # a folder that is being filled is a folder
            assert not (is_open(server, old) and is_open(server, new)), "two are in use"
        if code is None:
            assert killed_at(-1, lambda old=old, new=new: move(old, new)) == 0  # type: ignore[misc]
        assert not is_open(server, old)
        assert is_open(server, new)
        assert new in config.read_text()
        source, target = migrate.open_stores(old, new, finish=True)
        assert list(compare_stores(source, target)) == []
        assert len(list(target.others())) > 0
        assert (tmp_path / "state" / "vaults" / target.key / "sessions").exists()
        source.close()
        target.close()
        if code == 0:
            assert event > 8, "each step was met"
            return
    raise AssertionError("it never ended")
