"""A process killed within a change, and a call that fails while the next process completes it: the
change is complete afterwards, and everything acknowledged is there.

The calls of both processes are counted in Python. The verb is killed before each of its writing
calls in turn; for each different state that this leaves unfinished, one call of the process that
comes next fails, each time a later one, until it gets through. A last process without any error
must find what an undisturbed one finds. `unit/backends/test_recovering.py` lets every call fail.
"""

from __future__ import annotations

import builtins
import errno
import os
import shutil
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain.backends import placing
from engrain.model.errors import EngrainError
from faults.scripts import SCRIPTS, Ids, look, save, use
from support.vaults import make_memory

WRITING = (
    "write", "pwrite", "fsync", "rename", "replace", "unlink", "mkdir", "link", "ftruncate",
)  # fmt: skip
READING = ("open", "read", "pread", "stat", "lstat", "fstat", "listdir", "scandir")
PASSING = (errno.EIO, errno.EMFILE, errno.ENOMEM, errno.EACCES)
"""Errors that a call may give once, and not again."""
KILLED, TOLD, SURVIVED, DONE, BROKEN = 9, 3, 2, 0, 4
LIMIT = 400
STRIDE = 11
"""How many calls lie between two that fail: of another state they are others."""
TAG = "quill"
VERBS = {
    **SCRIPTS,
    "undo of a rename": [*SCRIPTS["rename"], lambda memory, ids, tag: use(memory.undo())],
    "fold": [save, lambda memory, ids, tag: use(memory.archive(ids["one"]))],
}


def watch(names: tuple[str, ...], happen: Callable[[int], None]) -> None:
    """Call `happen` with its number before each of these calls of this process."""
    count = 0

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            nonlocal count
            count += 1
            happen(count)
            return real(*given, **named)

        return call

    for name in names:
        setattr(os, name, watched(getattr(os, name)))
    if "open" in names:
        builtins.open = watched(builtins.open)
    if "rename" in names:
        find = placing._find_rename

        def find_watched(flag: int) -> Callable[[int, str, str], bool] | None:
            rename = find(flag)
            return None if rename is None else watched(rename)

        placing._find_rename = find_watched


def apart(work: Callable[[], int]) -> int:
    """Do work in a forked process; its exit code."""
    if not (child := os.fork()):
        code = BROKEN
        try:
            code = work()
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def keep(folder: Path, kept: Path) -> Path:
    shutil.rmtree(kept, ignore_errors=True)
    return Path(shutil.copytree(folder, kept, symlinks=True))


def bring_back(kept: Path, folder: Path) -> Path:
    """Make a vault as it was, in the same folder: a copy of it would have another state."""
    for child in (*(folder / "vault").iterdir(), *(folder / "state").iterdir()):
        shutil.rmtree(child) if child.is_dir() else child.unlink()
    shutil.copytree(kept, folder, symlinks=True, dirs_exist_ok=True)
    return folder


def act_killed(folder: Path, verb: str, ids: Ids, n: int) -> int:
    def die(count: int) -> None:
        if count == n:
            os._exit(KILLED)

    def work() -> int:
        with make_memory(folder, trust="operator", seed=n + 50) as memory:
            memory.list()
            watch(WRITING, die)
            VERBS[verb][-1](memory, ids, TAG)
        return DONE

    return apart(work)


def recover_failing(folder: Path, n: int, error: int, *, writes: bool) -> int:
    """Use a vault while the n-th call fails."""
    met = False

    def fail(count: int) -> None:
        nonlocal met
        if count == n:
            met = True
            raise OSError(error, os.strerror(error))

    def work() -> int:
        watch(WRITING + READING, fail)
        try:
            with make_memory(folder, trust="operator", seed=n + 500) as memory:
                if writes:
                    memory.save("It was acknowledged.", title="later one", kind="fix")
                else:
                    memory.list()
        except EngrainError:
            return TOLD
        return SURVIVED if met else DONE

    return apart(work)


def look_at(folder: Path, where: str) -> dict[str, Any]:
    with make_memory(folder, trust="operator", seed=9) as memory:
        memory.list()
        memory.scan()
        found = look(memory)
        wrong = [report.wrong for report in memory.trust.survey().chains if report.wrong]
    assert not wrong, f"{where}: {wrong}"
    litter = list((folder / "vault").rglob(".~engrain-*"))
    assert not litter, f"{where}: left {litter}"
    return found


def contents(folder: Path) -> frozenset[tuple[str, bytes]]:
    """What is in the files of a vault but the times and codes in its history."""
    vault = folder / "vault"
    return frozenset(
        (str(path.relative_to(vault)).rpartition("-")[0] if "~engrain" in path.name
         else str(path.relative_to(vault)), b"" if path.suffix == ".log" else path.read_bytes())
        for path in vault.rglob("*")
        if path.is_file()
    )  # fmt: skip


def is_unfinished(folder: Path, base: Path) -> bool:
    """Whether a dead process left a record behind the end that the device noted."""

    def size(of: Path) -> int:
        return sum(path.stat().st_size for path in (of / "vault").rglob("*.log"))

    return size(folder) > size(base)


def killed_states(tmp_path: Path, verb: str) -> Iterator[tuple[Path, str]]:
    """Every different state in which a killed verb leaves a vault, and how it came to be. All of
    them are states of the folder `run`."""
    folder, ids = tmp_path / "run", {"beside": str(tmp_path)}
    with make_memory(folder, trust="operator") as memory:
        memory.save("Stands all the time.", title="standing", kind="fix")
        for step in VERBS[verb][:-1]:
            step(memory, ids, TAG)
        memory.list()
    base, seen = keep(folder, tmp_path / "base"), set()
    for n in range(1, LIMIT):
        code = act_killed(bring_back(base, folder), verb, ids, n)
        assert code in (KILLED, DONE), f"{verb} killed before call {n} ended with {code}"
        if code == DONE:
            return
        state = contents(folder)
        if is_unfinished(folder, base) and state not in seen:
            seen.add(state)
            yield keep(folder, tmp_path / "killed"), f"{verb} killed before call {n}"
    pytest.fail(f"{verb} never got through {LIMIT} calls")


@pytest.mark.long
@pytest.mark.parametrize("verb", sorted(VERBS))
def test_a_call_that_fails_while_a_dead_writers_change_is_completed_loses_nothing(
    tmp_path: Path, verb: str
) -> None:
    folder = tmp_path / "run"
    for number, (killed, how) in enumerate(killed_states(tmp_path, verb)):
        right = look_at(bring_back(killed, folder), how)
        for n in range(1 + number % STRIDE, LIMIT, STRIDE):
            error = PASSING[n % len(PASSING)]
            where = f"{how}, then call {n} failed with {errno.errorcode[error]}"
            writes = bool(n // 4 % 2)
            code = recover_failing(bring_back(killed, folder), n, error, writes=writes)
            assert code in (DONE, TOLD, SURVIVED), f"{where}: ended with {code}"
            found = look_at(folder, where)
            later = found.pop("later", None)
            assert bool(later) == (writes and code != TOLD), f"{where}: {code}, and then {later}"
            assert found == right, f"{where}: {found} is not {right}"
            if code == DONE:
                break
        else:
            pytest.fail(f"never got through {LIMIT} calls")
