"""What a session recalled is folded into the vault once, at its end (S3.5, DESIGN section 6)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engrain import Memory
from engrain.language.text.instants import read_instant
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.sessions.folding import end, fold_pending, fold_session, run
from engrain.lifecycle.sessions.sessions import (
    END,
    LEFT_AFTER,
    day_session,
    mark_session,
    note_given,
    note_recalled,
    note_used,
    start_session,
)
from engrain.model.note.strength import REINFORCEMENT, USE
from support.strace import needs_strace, run_killed
from support.vaults import START, FakeClock, make_memory
from unit.engine.core.vault_files import notes, put
from unit.lifecycle.sessions.living import (
    DAY,
    entry_of,
    folds,
    isolate,
    leave_recalls,
    live_through,
    store_of,
)

COUNTERS = ("weight", "recall_count", "last_recalled", "sessions_since_recall")


@pytest.fixture
def saved(memory: Memory) -> list[str]:
    """The ids of three notes."""
    texts = {"Nightly lock": "Use advisory locks.", "Harbour": "Ships come.", "Orchard": "Apples."}
    return [
        memory.save(text, title=title, kind="fix", project="").id for title, text in texts.items()
    ]


def counts(memory: Memory, *ids: str) -> list[int]:
    return [entry_of(memory, id_).recall_count for id_ in ids]


# -- one session ---------------------------------------------------------------------------------


def test_recalling_rewrites_nothing(memory: Memory, saved: list[str], vault: Path) -> None:
    before, history = notes(vault), len(memory.history())
    memory.sessions.begin("s1")
    assert [
        found.row.id for found in memory.recall("advisory locks", session="s1").results
    ] == saved[:1]
    memory.recall("harbour ships", session="")
    memory.sessions.note_used("s1", saved)
    assert notes(vault) == before
    assert len(memory.history()) == history


def test_one_record_a_session_has_what_it_recalled_and_every_other_file_is_as_it_was(
    memory: Memory, saved: list[str], vault: Path
) -> None:
    before = notes(vault)
    leave_recalls(memory, "s1", [saved[1], saved[0]], again=[saved[2]])
    assert memory.sessions.end("s1") == [saved[1], saved[0]]
    after = notes(vault)
    assert [name for name in before if before[name] != after[name]] == [
        "Memory/fix/harbour.md", "Memory/fix/nightly-lock.md",
    ]  # fmt: skip
    assert {change.change for change in memory.history() if change.op == "fold"} == {
        memory.history(limit=1)[0].change
    }
    assert sorted(folds(memory)) == sorted((id_, "session s1") for id_ in saved[:2])


def test_a_fold_changes_the_counters_and_no_other_byte(
    memory: Memory, vault: Path, clock: FakeClock
) -> None:
    raw = (
        b"---\r\nid: 01abc\r\nkind: fix   # mine\r\ncustom: [ 1,2 ]\r\n"
        b"recall_count: 4\r\n---\r\n# T  \r\nBody \xe2\x80\xa8 [[x]]\r\n"
    )
    put(vault, "Memory/fix/t.md", raw)
    live_through(memory, "s1", ["01abc"])
    lines = notes(vault)["Memory/fix/t.md"].split(b"\r\n")
    told = [line for line in lines if line.split(b":")[0].decode(errors="replace") in COUNTERS]
    assert b"recall_count: 5" in told
    assert len(told) == len(COUNTERS)
    left = [line for line in lines if line not in told]
    assert left == [line for line in raw.split(b"\r\n") if line != b"recall_count: 4"]


def test_counters_tell_how_often_an_entry_came_when_last_and_in_how_strong_a_session(
    memory: Memory, saved: list[str], clock: FakeClock
) -> None:
    store = store_of(memory)
    start_session(store.device.journal, "s1", START, source="startup")
    note_recalled(store.device.journal, "s1", START + 100, saved[:2])
    note_recalled(store.device.journal, "s1", START + 200, saved[:1])
    note_used(store.device.journal, "s1", START + 300, [saved[1], saved[2]])
    weights = [0.4, 0.5, 0.6]
    for id_, weight in zip(saved, weights, strict=True):
        put(Path(store.backend.describe()), memory.show(id_).locator,
            memory.show(id_).entry.note.patch({"weight": weight}).raw)  # fmt: skip
    memory.sessions.end("s1")
    entries = [entry_of(memory, id_) for id_ in saved]
    assert [entry.recall_count for entry in entries] == [2, 1, 1]
    gains = (REINFORCEMENT, USE, USE)
    assert [entry.weight for entry in entries] == [
        round(weight + gain * (1 - weight), 4) for weight, gain in zip(weights, gains, strict=True)
    ]
    assert {entry.sessions_since_recall for entry in entries} == {0}
    assert all(abs((entry.last_recalled or 0) - clock.at) < 60 for entry in entries)


@pytest.mark.parametrize("kind", ["pattern", "anti-pattern"])
def test_a_pattern_that_a_session_used_has_one_use_more_and_the_day_of_it(
    memory: Memory, clock: FakeClock, kind: str
) -> None:
    used, came = (
        memory.save(f"Take the lock {n}.", title=f"Lock {n}", kind=kind, project="").id
        for n in range(2)
    )
    store = store_of(memory)
    for count in (1, 2):
        session = f"s{count}"
        start_session(store.device.journal, session, clock.at, source="startup")
        note_recalled(store.device.journal, session, clock.at, [used, came])
        note_used(store.device.journal, session, clock.at + 100, [used])
        memory.sessions.end(session)
        entry = entry_of(memory, used)
        clock.at += DAY
        assert entry.fields["usage_count"] == count
        assert read_instant(entry.fields["last_used"]) == pytest.approx(
            clock.at - DAY + 100, abs=120
        )
    assert "usage_count" not in entry_of(memory, came).fields
    assert "last_used" not in entry_of(memory, came).fields


def test_what_is_reported_at_the_start_of_a_session_is_no_recall(
    memory: Memory, saved: list[str], vault: Path
) -> None:
    before = notes(vault)
    store = store_of(memory)
    start_session(store.device.journal, "s1", START, source="startup")
    note_given(store.device.journal, "s1", START, saved)
    assert memory.sessions.end("s1") == []
    assert notes(vault) == before
    assert dict(store.device.local.hits_since(0)) == {}
    assert len(store.device.local.sessions()) == 1


def test_what_a_recall_would_have_brought_again_is_a_hit_and_no_rewrite(
    memory: Memory, saved: list[str], vault: Path
) -> None:
    before = notes(vault)
    leave_recalls(memory, "s1", [], again=[saved[0]])
    memory.sessions.end("s1")
    assert notes(vault) == before
    assert {id_: list(at) for id_, at in store_of(memory).device.local.hits_since(0).items()} == {
        saved[0]: [1]
    }


def test_a_session_is_of_the_one_project_it_began_or_recalled_in(
    memory: Memory, saved: list[str]
) -> None:
    store = store_of(memory)
    start_session(store.device.journal, "s1", START, source="startup", project="x")
    note_recalled(store.device.journal, "s1", START + 1, saved[:1], project="x")
    note_recalled(store.device.journal, "s2", START + 1, saved[:1], project="y")
    start_session(store.device.journal, "s3", START, source="startup")
    note_recalled(store.device.journal, "s4", START + 1, saved[:1], project="x")
    note_recalled(store.device.journal, "s4", START + 2, saved[:1], project="y")
    for session in ("s1", "s2", "s3", "s4"):
        end(store, session)
    assert [one.project for one in store.device.local.sessions()] == ["x", "y", "", ""]


def test_ending_a_session_twice_folds_it_once(memory: Memory, saved: list[str]) -> None:
    leave_recalls(memory, "s1", saved)
    assert len(memory.sessions.end("s1")) == 3
    assert memory.sessions.end("s1") == []
    assert counts(memory, *saved) == [1, 1, 1]
    assert len(folds(memory)) == 3
    assert len(store_of(memory).device.local.sessions()) == 1


# -- sessions that go on, are left, or overlap ---------------------------------------------------


def test_a_session_resumed_after_its_fold_gains_what_is_new_and_stays_one_session(
    memory: Memory, saved: list[str], clock: FakeClock
) -> None:
    leave_recalls(memory, "s1", saved[:2])
    memory.sessions.end("s1")
    clock.at += DAY
    store = store_of(memory)
    start_session(store.device.journal, "s1", START + DAY, source="resume")
    note_recalled(store.device.journal, "s1", START + DAY, saved[1:])
    assert sorted(memory.sessions.end("s1")) == sorted(saved[1:])
    assert counts(memory, *saved) == [1, 2, 1]
    assert sorted({reason for _, reason in folds(memory)}) == ["session s1", "session s1#1"]
    assert [one.ordinal for one in store.device.local.sessions()] == [1]
    assert {id_: list(at) for id_, at in store.device.local.hits_since(0).items()} == {
        id_: [1] for id_ in saved
    }


def test_a_host_that_was_killed_has_its_session_folded_by_the_next_start(
    memory: Memory, saved: list[str], tmp_path: Path, clock: FakeClock
) -> None:
    leave_recalls(memory, "left", saved[:1])
    (journal,) = tmp_path.glob("state/vaults/*/sessions/left.jsonl")
    os.utime(journal, (clock.at - LEFT_AFTER - 60,) * 2)
    memory.sessions.begin("s2", current=False)
    assert counts(memory, saved[0]) == [1]
    assert len(store_of(memory).device.local.sessions()) == 1


def test_one_that_begins_by_hand_leaves_the_one_before_it(
    memory: Memory, saved: list[str], clock: FakeClock
) -> None:
    first = memory.sessions.begin()
    memory.recall("advisory locks", session=memory.sessions.current())
    second = memory.sessions.begin()
    assert first != second
    assert memory.journal.current() == second
    assert counts(memory, saved[0]) == [1]
    clock.at += DAY
    memory.recall("advisory locks", session=memory.sessions.current())
    assert list(memory.sessions.end()) == saved[:1]
    assert memory.journal.current() == ""
    assert counts(memory, saved[0]) == [2]


def test_two_sessions_at_once_each_count_what_they_recalled(
    memory: Memory, saved: list[str], clock: FakeClock
) -> None:
    leave_recalls(memory, "s1", saved[:2])
    leave_recalls(memory, "s2", saved[1:])
    memory.sessions.end("s2")
    assert counts(memory, *saved) == [0, 1, 1]
    assert list(memory.sessions.end("s1")) == saved[:2]
    assert counts(memory, *saved) == [1, 1, 1]
    clock.at += DAY
    run(store_of(memory), Run())
    assert counts(memory, *saved) == [1, 2, 1]
    assert dict(store_of(memory).device.local.last_recalls()) == {
        saved[0]: 2, saved[1]: 2, saved[2]: 1,
    }  # fmt: skip


def test_recalls_outside_of_any_session_are_the_days(
    memory: Memory, saved: list[str], vault: Path, clock: FakeClock
) -> None:
    store = store_of(memory)
    before = notes(vault)
    memory.recall("advisory locks", session=memory.sessions.current())
    memory.recall("advisory locks", session="")
    assert [event.name for event in memory.journal.read(day_session(clock.at))] == ["recalled"] * 2
    assert run(store, Run()).counts["folded"] == 0  # the day is not over
    assert notes(vault) == before
    clock.at += DAY
    report = run(store, Run())
    assert report.counts["folded"] == 1
    assert counts(memory, saved[0]) == [2]
    assert run(store, Run()).counts["folded"] == 0


# -- entries that changed meanwhile --------------------------------------------------------------


def test_what_is_gone_broken_moved_edited_or_forgotten_since_costs_no_other_its_count(
    memory: Memory, vault: Path
) -> None:
    names = ("gone", "broken", "moved", "edited", "forgotten", "whole")
    ids = {name: memory.save(f"Text of {name}.", title=name, kind="fix").id for name in names}
    leave_recalls(memory, "s1", [*ids.values(), "01nosuchentry", "", "Memory/fix/whole.md"])
    memory.forget(ids["forgotten"])
    folder = vault / "Memory" / "fix"
    (folder / "gone.md").unlink()
    (folder / "broken.md").write_bytes(b"---\nid: [\n")
    (folder / "moved.md").rename(vault / "Memory" / "decision.md")
    edited = (folder / "edited.md").read_bytes() + b"\nAnd more.\n"
    (folder / "edited.md").write_bytes(edited)
    forgotten = (folder / "forgotten.md").read_bytes()
    raised = memory.sessions.end("s1")
    assert set(raised) <= {ids["moved"], ids["edited"], ids["whole"]}
    assert {ids["edited"], ids["whole"]} <= set(raised)
    assert counts(memory, ids["whole"], ids["edited"]) == [1, 1]
    assert (folder / "edited.md").read_bytes().endswith(b"\nAnd more.\n")
    assert (folder / "broken.md").read_bytes() == b"---\nid: [\n"
    assert (folder / "forgotten.md").read_bytes() == forgotten
    assert not (folder / "gone.md").exists()
    assert list(memory.journal.closed()) == []


def test_an_edit_by_another_program_is_in_the_history_before_a_fold_writes_over_it(
    memory: Memory, saved: list[str], vault: Path
) -> None:
    leave_recalls(memory, "s1", saved[:1])
    path = vault / "Memory" / "fix" / "nightly-lock.md"
    path.write_bytes(path.read_bytes() + b"By hand.\n")
    memory.sessions.end("s1")
    assert [change.op for change in memory.history(saved[0])] == ["fold", "external", "save"]


def test_the_operators_own_is_never_rewritten(memory: Memory, vault: Path) -> None:
    put(vault, "notes/plan.md", "---\nid: 01plan\n---\n# Plan\nHarbours and ships.\n")
    before = notes(vault)
    leave_recalls(memory, "s1", ["01plan"], used=["01plan"])
    assert memory.sessions.end("s1") == []
    assert notes(vault) == before
    assert folds(memory) == []
    assert dict(store_of(memory).device.local.last_recalls()) == {"01plan": 1}


def test_a_candidate_in_the_inbox_is_not_rewritten(memory: Memory, vault: Path) -> None:
    saved = memory.save("Maybe so.", title="Maybe", status="inbox")
    before = notes(vault)
    leave_recalls(memory, "s1", [saved.id])
    memory.sessions.end("s1")
    assert notes(vault) == before


def test_of_a_conflict_copy_the_entry_alone_is_counted(
    memory: Memory, saved: list[str], vault: Path
) -> None:
    path = vault / "Memory" / "fix" / "nightly-lock.md"
    copy = path.with_name("nightly-lock.sync-conflict-20260101-000000-ABCDEFG.md")
    copy.write_bytes(path.read_bytes().replace(b"advisory", b"other"))
    memory.scan()
    live_through(memory, "s1", saved[:1])
    assert b"recall_count: 1" in path.read_bytes()
    assert b"recall_count" not in copy.read_bytes()


# -- the job -------------------------------------------------------------------------------------


def test_a_dry_run_changes_nothing(memory: Memory, saved: list[str], vault: Path) -> None:
    leave_recalls(memory, "s1", saved)
    mark_session(memory.journal, "s1", START, END)
    before = notes(vault)
    report = run(store_of(memory), Run(dry_run=True))
    assert report.counts == {"folded": 1}
    assert report.lines == ("fold s1",)
    assert notes(vault) == before
    assert list(memory.journal.closed()) == ["s1"]


def test_the_job_folds_what_is_closed_and_finds_nothing_more(
    memory: Memory, saved: list[str]
) -> None:
    for session in ("s1", "s2"):
        leave_recalls(memory, session, saved)
        mark_session(memory.journal, session, START, END)
    store = store_of(memory)
    assert run(store, Run()).counts["folded"] == 2
    assert counts(memory, *saved) == [2, 2, 2]
    report = run(store, Run())
    assert report.counts == {"folded": 0, "journals dropped": 0}
    assert not report.lines
    assert not report.unfinished


def test_out_of_time_it_stops_between_two_sessions(memory: Memory, saved: list[str]) -> None:
    for session in ("s1", "s2", "s3"):
        leave_recalls(memory, session, saved)
        mark_session(memory.journal, session, START, END)
    answers = iter((False, True))
    report = run(store_of(memory), Run(out_of_time=lambda: next(answers)))
    assert report.unfinished
    assert report.counts["folded"] == 1
    assert counts(memory, *saved) == [1, 1, 1]
    assert fold_pending(store_of(memory)) == (["s2", "s3"], False)


def test_journals_are_kept_90_days_after_their_fold(
    memory: Memory, saved: list[str], tmp_path: Path, clock: FakeClock
) -> None:
    for session in ("old", "young"):
        live_through(memory, session, saved)
    folder = next(tmp_path.glob("state/vaults/*/sessions/settled"))
    os.utime(folder / "old.jsonl", (clock.at - 90 * DAY - 60,) * 2)
    os.utime(folder / "young.jsonl", (clock.at - 90 * DAY + 60,) * 2)
    assert run(store_of(memory), Run()).counts["journals dropped"] == 1
    assert [path.stem for path in folder.iterdir()] == ["young"]
    clock.at += DAY
    run(store_of(memory), Run())
    assert counts(memory, *saved) == [2, 2, 2]


# -- once a day ----------------------------------------------------------------------------------


def test_for_counters_alone_a_note_is_written_once_a_day(
    memory: Memory, saved: list[str], vault: Path, clock: FakeClock
) -> None:
    live_through(memory, "s1", saved[:1])
    first = notes(vault)
    for number in range(2, 6):
        live_through(memory, f"s{number}", saved[:1])
    assert notes(vault) == first
    clock.at += DAY
    live_through(memory, "s6", saved[1:])
    entry = entry_of(memory, saved[0])
    assert entry.recall_count == 5
    assert entry.last_recalled is not None and entry.last_recalled < clock.at - DAY + 60
    assert folds(memory)[-1][1] == "session s2 s3 s4 s5 s6"
    assert len(folds(memory)) == 4
    assert not store_of(memory).device.local.counts()


def test_a_day_in_one_fold_gains_as_much_as_its_sessions_one_by_one(
    memory: Memory, saved: list[str], clock: FakeClock
) -> None:
    live_through(memory, "before", saved)
    for day in range(4):
        if day:
            clock.at += DAY
            live_through(memory, f"apart{day}", saved[:1])
        leave_recalls(memory, f"together{day}", saved[1:2] if day else [])
        memory.sessions.end(f"together{day}")
    clock.at += DAY
    for number in range(3):
        live_through(memory, f"more{number}", saved[2:])
    clock.at += DAY
    run(store_of(memory), Run())
    entries = [entry_of(memory, id_) for id_ in saved]
    assert len({(entry.recall_count, entry.weight) for entry in entries}) == 1


def test_what_waits_is_on_no_other_device_and_goes_with_an_erasure(
    memory: Memory, saved: list[str], vault: Path
) -> None:
    for session in ("s1", "s2"):
        live_through(memory, session, saved[:1])
    store = store_of(memory)
    assert [count.entry for count in store.device.local.counts()] == saved[:1]
    memory.erase(memory.plan_erasure(saved[:1]))
    assert not store.device.local.counts()


def test_what_a_fold_of_another_process_said_is_not_counted_again(
    memory: Memory, saved: list[str], clock: FakeClock
) -> None:
    for session in ("s1", "s2"):
        live_through(memory, session, saved[:1])
    store = store_of(memory)
    waiting = list(store.device.local.counts())
    clock.at += DAY
    run(store, Run())
    store.device.local.add_counts(waiting)  # as if it had died behind the record
    clock.at += DAY
    run(store, Run())
    assert counts(memory, *saved[:1]) == [2]
    assert not store.device.local.counts()


# -- killed --------------------------------------------------------------------------------------

CALLS = ("rename", "renameat2", "write", "fdatasync")
ENDING = """
import os, sys
from engrain import open_memory
memory = open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local")
memory.sessions.end("s1")
os._exit(42)
"""


@needs_strace
@pytest.mark.parametrize("call", CALLS)
def test_killed_before_any_step_a_session_is_folded_once_and_not_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    isolate(tmp_path, monkeypatch)
    for n in range(1, 50):
        folder = tmp_path / str(n)
        with make_memory(folder) as memory:
            ids = [memory.save(text, kind="fix").id for text in ("Use locks.", "Ships come.")]
            leave_recalls(memory, "s1", ids)
        code = run_killed(call, n, ENDING, folder / "vault", folder / "state", follow=True)
        with make_memory(folder, clock=FakeClock(START + DAY)) as memory:
            for _ in range(2):
                end(store_of(memory), "s1")
            assert counts(memory, *ids) == [1, 1], f"killed at {n}"
            assert sorted(folds(memory)) == sorted((id_, "session s1") for id_ in ids)
            state = store_of(memory).device.local
            assert [one.ordinal for one in state.sessions()] == [1], f"killed at {n}"
            assert dict(state.last_recalls()) == dict.fromkeys(ids, 1), f"killed at {n}"
            assert all(report.wrong is None for report in memory.trust.survey().chains)
        if code == 42:
            assert n > 2
            return
    pytest.fail("it never got through")


def test_a_process_that_stopped_behind_the_record_has_the_rest_done_by_the_next(
    memory: Memory, saved: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(BaseException):
        pass

    def stop(*_: object) -> None:
        raise Stopped

    leave_recalls(memory, "s1", saved)
    store = store_of(memory)
    for step, counted in (("end_session", 0), ("drop_counts", 1)):
        with monkeypatch.context() as patched:
            patched.setattr(type(store.device.local), step, stop)
            with pytest.raises(Stopped):
                end(store, "s1")
        assert counts(memory, *saved) == [counted] * 3
        assert len(store.device.local.sessions()) == counted
        assert len(store.device.local.counts()) == 3
    end(store, "s1")
    assert counts(memory, *saved) == [1, 1, 1]
    assert len(store.device.local.sessions()) == 1
    assert not store.device.local.counts()
    assert list(memory.journal.closed()) == []


def test_a_session_that_another_process_folded_meanwhile_is_folded_once(
    memory: Memory, saved: list[str], tmp_path: Path
) -> None:
    leave_recalls(memory, "s1", saved)
    mark_session(memory.journal, "s1", START, END)
    with make_memory(tmp_path, seed=11) as other:
        store = store_of(other)
        pending = list(store.device.journal.closed())
        fold_pending(store_of(memory))
        for session in pending:
            fold_session(store, session)
    assert counts(memory, *saved) == [1, 1, 1]
    assert len(store_of(memory).device.local.sessions()) == 1
