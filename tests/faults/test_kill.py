"""A process killed before each mutating system call: nothing torn, nothing lost once acknowledged.

strace delivers SIGKILL on entering the N-th call of a kind, so that call does not happen; N grows
until the verb gets through. The longer suite kills processes at random moments of every verb.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from faults.child import ACKNOWLEDGED, NEW, OLD
from faults.scripts import SCRIPTS, Ids, State, Step, look, retag
from support.strace import needs_strace, run_killed
from support.vaults import make_memory

CHILD = Path(__file__).with_name("child.py").read_text(encoding="utf-8")
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
    from engrain.engine.core.scope import Scope
    from engrain.model.note.tiers import STATUSES

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
    if verb == "save beside":
        return found == BEFORE | {"Memory/fix/fresh.md": ("active", NEW.strip())}
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
@pytest.mark.parametrize("verb", ["save", "save beside", "evolve", "forget", "undo", "doctor"])
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
                reports = memory.trust.survey().chains
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
    assert kills > (8 if verb == "save beside" else 10)


KILLS = int(os.environ.get("ENGRAIN_TEST_KILLS", "1000"))
IN_ONE_VAULT = 40
EMPTY: State = frozenset()


def work(folder: Path, steps: Sequence[Step], tag: str, acknowledge: Callable[[], object]) -> None:
    """Do the steps of a script, and acknowledge each."""
    ids: Ids = {"beside": str(folder)}
    with make_memory(folder, trust="operator", seed=random.randrange(2**32)) as memory:
        for step in steps:
            step(memory, ids, tag)
            acknowledge()


def rehearse(folder: Path, steps: Sequence[Step]) -> tuple[list[State], float]:
    """What a script leaves after each step where nobody kills it, and how long it takes."""
    started = time.monotonic()
    work(folder / "timed", steps, "rehearsal", lambda: None)
    took = time.monotonic() - started
    states = [EMPTY]

    def note() -> None:
        with make_memory(folder, trust="operator") as memory:
            states.append(look(memory).get("rehearsal", EMPTY))

    work(folder, steps, "rehearsal", note)
    return states, took


def kill_at(folder: Path, steps: Sequence[Step], tag: str, seconds: float) -> tuple[int, bool]:
    """Run a script in a process that is killed after a time; how many steps it acknowledged, and
    whether it was killed before its end."""
    told, tells = os.pipe()
    if not (child := os.fork()):
        try:
            os.close(told)
            work(folder, steps, tag, lambda: os.write(tells, b"."))
        finally:
            os._exit(0)
    os.close(tells)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, code = os.waitpid(child, 0)
    with open(told, "rb") as file:
        return len(file.read()), os.WIFSIGNALED(code)


@pytest.mark.long
def test_a_thousand_kills_at_any_moment_of_any_verb_tear_and_lose_nothing(tmp_path: Path) -> None:
    chance = random.Random(15)
    rehearsed = {verb: rehearse(tmp_path / verb, steps) for verb, steps in SCRIPTS.items()}
    kills = trials = 0
    folder = tmp_path / "0"
    known: dict[str, State] = {}
    while kills < KILLS:
        if trials % IN_ONE_VAULT == 0:
            if trials:
                look_at_all(folder, known)
                shutil.rmtree(folder)
            folder, known = tmp_path / str(trials), {}
            with make_memory(folder, trust="operator") as memory:
                memory.save("Stands all the time.", title="standing", kind="fix")
                known["standing"] = look(memory)["standing"]
        trials += 1
        verb = chance.choice(sorted(SCRIPTS))
        states, took = rehearsed[verb]
        tag = f"t{trials}"
        acknowledged, killed = kill_at(folder, SCRIPTS[verb], tag, chance.uniform(0, 1.1) * took)
        kills += killed
        where = f"{verb} in trial {trials}, {acknowledged} steps acknowledged"
        with make_memory(folder, trust="operator") as memory:
            memory.scan()
            found = look(memory)
            wrong = [report.wrong for report in memory.trust.survey().chains if report.wrong]
            memory.recall("standing")
        assert not wrong, f"{where}: {wrong}"
        state = found.get(tag, EMPTY)
        allowed = [retag(one, "rehearsal", tag) for one in states[acknowledged:][:2]]
        whole = state in allowed or (verb == "import" and state <= allowed[-1])
        assert whole, f"{where}: {state} is none of {allowed}"
        lost = {one: was for one, was in known.items() if found.get(one, EMPTY) != was}
        assert not lost, f"{where}: {lost}"
        known[tag] = state
        litter = list((folder / "vault").rglob(".~engrain-*"))
        assert not litter, f"{where}: left {litter}"
    look_at_all(folder, known)


def look_at_all(folder: Path, known: dict[str, State]) -> None:
    """Whether everything works in a vault in which many died, on its files alone too."""
    with make_memory(folder, trust="operator") as memory:
        assert not [finding for finding in memory.diagnose() if finding.level == "unusable"]
        assert memory.check(deep=True).sound
        memory.reindex()
        found = look(memory)
        assert {tag: found.get(tag, EMPTY) for tag in known} == known
        saved = memory.save("A last one.", title="last", kind="fix")
        memory.undo()
        assert memory.show(saved.id).entry.status == "deleted"
