"""A process killed before each mutating system call: nothing torn, nothing lost once acknowledged.

strace delivers SIGKILL on entering the N-th call of a kind, so that call does not happen; N grows
until the verb gets through.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from faults.child import ACKNOWLEDGED, NEW, OLD
from support.strace import needs_strace, run_killed
from support.vaults import make_memory

CHILD = Path(__file__).with_name("child.py")
CALLS = (
    "write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink",
    "unlinkat", "mkdir", "mkdirat", "link", "linkat", "ftruncate", "fallocate",
)  # fmt: skip
LIMIT = 200


def kill_before(call: str, n: int, folder: Path, verb: str) -> tuple[bool, bool]:
    """Run the verb, killed before the n-th such call; whether it acknowledged, and died."""
    code = run_killed(call, n, CHILD, folder / "vault", folder / "state", verb)
    return code == ACKNOWLEDGED, code != ACKNOWLEDGED


def read_texts(memory: Memory) -> dict[str, tuple[str, str]]:
    """Title -> (status, text) of every entry that stands, read through the verbs."""
    from engrain.engine.scope import Scope
    from engrain.model.tiers import STATUSES

    listing = memory.list(scope=Scope(statuses=STATUSES, all_projects=True))
    return {
        f"{row.locator}": (row.status, memory.show(row.id).entry.text.strip())
        for row in listing.rows
    }


def prepare(folder: Path) -> None:
    with make_memory(folder) as memory:
        memory.save(OLD, title="Standing", kind="fix")
        memory.list()  # so that there is an index to keep in step


BEFORE = {"Memory/fix/standing.md": ("active", OLD.strip())}
FRESH = {"Memory/decision/fresh.md": ("active", NEW.strip())}
DELETED = {"Memory/fix/standing.md": ("deleted", OLD.strip())}


def is_after(verb: str, found: dict[str, tuple[str, str]]) -> bool:
    if verb == "doctor":
        return found == BEFORE
    if verb == "save":
        return found == BEFORE | FRESH
    if verb == "evolve":
        archived = [path for path in found if path.startswith("Memory/_archive/fix/standing--")]
        return (
            len(found) == 2
            and len(archived) == 1
            and found["Memory/fix/standing.md"] == ("active", NEW.strip())
            and found[archived[0]] == ("superseded", OLD.strip())
        )
    return found == DELETED


@needs_strace
@pytest.mark.parametrize("verb", ["save", "evolve", "forget", "undo", "doctor"])
def test_a_kill_before_any_mutating_call_tears_and_loses_nothing(tmp_path: Path, verb: str) -> None:
    kills = 0
    for call in CALLS:
        for n in range(1, LIMIT):
            folder = tmp_path / "run"
            prepare(folder)
            acknowledged, died = kill_before(call, n, folder, verb)
            kills += died
            with open_memory(
                folder / "vault", state_dir=folder / "state", backend="device-local"
            ) as memory:
                found = read_texts(memory)
                reports = memory.verify()
            where = f"{verb} killed before {call} {n}"
            assert all(report.wrong is None for report in reports), where
            assert found == BEFORE or is_after(verb, found), f"{where}: torn: {found}"
            if acknowledged:
                assert is_after(verb, found), f"{where}: acknowledged and lost"
            litter = list((folder / "vault").rglob(".~engrain-*"))
            assert not litter, f"{where}: left {litter}"
            shutil.rmtree(folder)
            if not died:
                break
        else:
            pytest.fail(f"{verb} never got through {LIMIT} calls of {call}")
    assert kills > 10
