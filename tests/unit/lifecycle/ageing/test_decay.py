"""`decay`: what has faded goes into the archive, or is proposed for it (S3.6, S1.9, S1.17)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.core.store import JOBS
from engrain.lifecycle.ageing.decay import find_faded, run_decay
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.reviewing.staging import list_proposals
from engrain.lifecycle.sessions.folding import note_births
from engrain.model.errors import ConfigError
from engrain.model.note.note import split_note
from engrain.model.note.tiers import KINDS
from engrain.model.run_result import RunResult
from support.layouts import take_living, write_living
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import notes, put, titles
from unit.lifecycle.sessions.living import (
    DAY,
    entry_of,
    isolate,
    live_through,
    store_of,
    with_settings,
)

STAGE = {"archive.t3": "stage"}


def pass_time(memory: Memory, clock: FakeClock, sessions: int, days: float = 0.0,
              project: str = "") -> None:  # fmt: skip
    """So many sessions that recall nothing, and days behind them."""
    local = store_of(memory).device.local
    first = len(local.sessions())
    for number in range(first, first + sessions):
        clock.at += 60
        local.end_session(f"idle-{number}", project, clock.at, ())
    clock.at += days * DAY


def save(memory: Memory, title: str, kind: str = "fix", **more: object) -> str:
    text = f"Zebras called {title} wander."
    saved = memory.save(text, title=title, kind=kind, project="", **more)  # type: ignore[arg-type]
    note_births(store_of(memory))
    return saved.id


def faded(memory: Memory, **settings: str) -> list[str]:
    """The titles of what has faded."""
    named = {name.replace("_", ".", 1): value for name, value in settings.items()}
    return [one.row.title for one in find_faded(with_settings(store_of(memory), named))]


def decay(memory: Memory, settings: dict[str, str] | None = None, **how: bool) -> RunResult:
    return run_decay(with_settings(store_of(memory), settings or {}), Run(**how))  # type: ignore[arg-type]


def place(memory: Memory, id_: str) -> str:
    return memory.show(id_).locator


# -- the rule ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sessions", "days", "titles"),
    [(7, 30.0, ["Old"]), (6, 40.0, []), (7, 29.9, []), (50, 60.0, ["Old"])],
)
def test_an_entry_fades_after_seven_sessions_and_thirty_days(
    memory: Memory, clock: FakeClock, sessions: int, days: float, titles: list[str]
) -> None:
    save(memory, "Old")
    pass_time(memory, clock, sessions, days)
    assert faded(memory) == titles


def test_what_is_recalled_starts_anew(memory: Memory, clock: FakeClock) -> None:
    old, kept = save(memory, "Old"), save(memory, "Kept")
    pass_time(memory, clock, 6, 40)
    live_through(memory, "s1", [kept])
    assert faded(memory) == ["Old"]
    pass_time(memory, clock, 7, 31)
    assert sorted(faded(memory)) == ["Kept", "Old"]
    assert entry_of(memory, old).recall_count == 0


def test_a_hit_alone_keeps_an_entry(memory: Memory, clock: FakeClock) -> None:
    kept = save(memory, "Kept")
    pass_time(memory, clock, 10, 60)
    store_of(memory).device.local.touch([kept])
    assert faded(memory) == []


@pytest.mark.parametrize(
    ("field", "value", "fades"),
    [("weight", 0.59, True), ("weight", 0.6, False), ("weight", 0.0, True),
     ("recall_count", 4, True), ("recall_count", 5, False)],
)  # fmt: skip
def test_what_weighs_enough_or_was_recalled_enough_stays(
    memory: Memory, clock: FakeClock, vault: Path, field: str, value: float, fades: bool
) -> None:
    id_ = save(memory, "Note")
    put(vault, place(memory, id_), entry_of(memory, id_).note.patch({field: value}).raw)
    memory.scan()
    pass_time(memory, clock, 10, 60)
    assert faded(memory) == (["Note"] if fades else [])


def test_sessions_of_another_project_age_nothing_of_this_one(
    memory: Memory, clock: FakeClock
) -> None:
    memory.save("Zebras.", title="Billing", kind="fix", project="billing")
    save(memory, "Anywhere")
    pass_time(memory, clock, 20, 60, project="orchard")
    assert faded(memory) == ["Anywhere"]
    pass_time(memory, clock, 7, project="billing")
    assert sorted(faded(memory)) == ["Anywhere", "Billing"]


def test_the_sessions_that_a_living_memory_had_counted_count_here(
    memory: Memory, clock: FakeClock
) -> None:
    said = {"created": "2026-01-01T00:00:00Z", "emotional_weight": 0.3}
    tree = {
        f"active/{name}.md": "\n".join(
            ["---", f"id: {name}", *(f"{key}: {value}" for key, value in front.items()), "---", ""]
        )
        + f"# {name}\n"
        for name, front in {
            "near": {**said, "sessions_since_recall": 6},
            "new": {**said, "sessions_since_recall": 0},
        }.items()
    }
    pass_time(memory, clock, 3)  # before they came, which is nothing to them
    take_living(memory, tree)
    note_births(store_of(memory))
    pass_time(memory, clock, 1, 40.0)
    assert faded(memory) == ["near"]
    files = write_living(memory)
    counts = [split_note(raw).fields["sessions_since_recall"] for _, raw in sorted(files.items())]
    assert counts == [7, 1]


def test_the_rule_is_the_operators_to_set(memory: Memory, clock: FakeClock) -> None:
    save(memory, "Old")
    pass_time(memory, clock, 3, 1)
    assert faded(memory) == []
    assert faded(memory, decay_sessions="3", decay_min_days="0.5") == ["Old"]
    assert faded(memory, decay_sessions="3", decay_min_days="0", decay_weight="0") == []
    assert faded(memory, decay_sessions="3", decay_min_days="0", decay_recalls="0") == []
    with pytest.raises(ConfigError, match=r"decay\.weight"):
        faded(memory, decay_weight="light")


# -- what never fades ----------------------------------------------------------------------------


def test_kinds_fade_by_their_class(memory: Memory, clock: FakeClock, vault: Path) -> None:
    memory.list()
    for kind, row in KINDS.items():
        folder = row.folder if row.folder.startswith("Memory/") else f"Memory/{kind}"
        put(vault, f"{folder}/{kind}.md",
            f"---\nid: 01{kind}\nkind: {kind}\ncreated: 2026-01-01T00:00:00Z\nweight: 0.1\n"
            f"confidence: 0.4\n---\n# {kind}\nText.\n")  # fmt: skip
    memory.scan()
    by_class: dict[str, set[str]] = {}
    for kind, row in KINDS.items():
        by_class.setdefault(row.retention, set()).add(kind)
    pass_time(memory, clock, 7, 31)
    assert set(faded(memory)) == by_class["normal"] | by_class["confidence"]
    pass_time(memory, clock, 21)
    assert set(faded(memory)) == by_class["normal"] | by_class["confidence"] | by_class["slow"]


def test_a_pattern_fades_only_where_it_is_doubted(
    memory: Memory, clock: FakeClock, vault: Path
) -> None:
    memory.list()
    for number, head in enumerate(("confidence: 0.49", "confidence: 0.5", "x: 1",
                                   "confidence: 0.1\nrecall_count: 1")):  # fmt: skip
        put(vault, f"Memory/pattern/p{number}.md",
            f"---\nid: 01p{number}\nkind: pattern\nweight: 0.1\n"
            f"created: 2026-01-01T00:00:00Z\n{head}\n---\n# P{number}\n")  # fmt: skip
    memory.scan()
    pass_time(memory, clock, 40, 31)
    assert faded(memory) == ["P0"]


def test_what_every_session_gets_never_fades(memory: Memory, clock: FakeClock, vault: Path) -> None:
    head = "kind: fix\nweight: 0.1\ncreated: 2026-01-01T00:00:00Z\n"
    memory.list()
    put(vault, "Memory/fix/flagged.md", f"---\nid: 01a\n{head}always_load: true\n---\n# A\n")
    put(vault, "Memory/_always-load/b.md", f"---\nid: 01b\n{head}---\n# B\n")
    put(vault, "Memory/_always-load/c.md", f"---\nid: 01c\n{head}pinned: true\n---\n# C\n")
    memory.scan()
    pass_time(memory, clock, 100, 60)
    assert faded(memory) == []
    assert decay(memory).counts == {"archived": 0, "proposed": 0}


def test_the_operators_folders_the_inbox_and_what_is_retired_never_fade(
    memory: Memory, clock: FakeClock, vault: Path
) -> None:
    head = "kind: fix\nweight: 0.1\ncreated: 2026-01-01T00:00:00Z\n"
    memory.list()
    put(vault, "fixes/mine.md", f"---\nid: 01a\n{head}---\n# A\n")
    put(vault, "Memory/_inbox/b.md", f"---\nid: 01b\n{head}---\n# B\n")
    put(vault, "Memory/_archive/fix/c.md", f"---\nid: 01c\n{head}---\n# C\n")
    put(vault, "Memory/fix/d.md", f"---\nid: 01d\n{head}status: superseded\n---\n# D\n")
    put(vault, "Memory/fix/e.md", f"---\nid: 01e\n{head}status: deleted\n---\n# E\n")
    memory.scan()
    before = notes(vault)
    pass_time(memory, clock, 100, 60)
    assert faded(memory) == []
    assert decay(memory).counts == {"archived": 0, "proposed": 0}
    assert notes(vault) == before


def test_a_year_that_a_clock_jumps_fades_nothing(memory: Memory, clock: FakeClock) -> None:
    save(memory, "Young")
    pass_time(memory, clock, 8)
    clock.at += 365 * DAY
    assert faded(memory) == []
    pass_time(memory, clock, 1)
    clock.at -= 365 * DAY
    assert faded(memory) == []


# -- the job -------------------------------------------------------------------------------------


def test_what_faded_is_archived_in_one_change_with_its_reason_and_found_by_its_tag(
    memory: Memory, clock: FakeClock, vault: Path
) -> None:
    id_ = save(memory, "Old", tags=["zoo"])
    young = save(memory, "Young", kind="value")
    before = notes(vault)
    pass_time(memory, clock, 9, 31)
    report = decay(memory)
    assert report.counts == {"archived": 1, "proposed": 0}
    (line,) = report.lines
    assert line.startswith(f"archived {id_}: not recalled in 9 sessions and 31 days, weight 0.")
    assert line.endswith(", 0 recalls")
    change = memory.history(id_)[0]
    assert (change.op, change.agent, change.trust) == ("archive", JOBS, "agent")
    assert line.endswith(change.reason)
    assert place(memory, id_).startswith("Memory/_archive/fix/")
    assert entry_of(memory, id_).status == "archived"
    assert titles(memory.recall("zebras called old wander")) != ["Old"]
    found = memory.list(scope=Scope(tags=["zoo"], include_archive=True, all_projects=True))
    assert [row.id for row in found.rows] == [id_]
    assert notes(vault)[place(memory, young)] == before[place(memory, young)]


def test_what_was_taken_back_from_the_archive_does_not_fade_at_once_again(
    memory: Memory, clock: FakeClock
) -> None:
    id_ = save(memory, "Old")
    pass_time(memory, clock, 9, 31)
    decay(memory)
    local = store_of(memory).device.local
    assert local.last_recalls()[id_] == 0
    memory.undo(memory.history(id_)[0].change)
    assert local.last_recalls()[id_] == len(local.sessions())
    assert decay(memory).counts == {"archived": 0, "proposed": 0}


def test_taken_back_it_is_as_it_was_byte_for_byte(
    memory: Memory, clock: FakeClock, vault: Path
) -> None:
    id_ = save(memory, "Old")
    before = notes(vault)
    pass_time(memory, clock, 9, 31)
    decay(memory)
    assert notes(vault) != before
    memory.undo(memory.history(id_)[0].change)
    assert notes(vault) == before


def test_the_job_is_done_once(memory: Memory, clock: FakeClock, vault: Path) -> None:
    for number in range(3):
        save(memory, f"Old {number}")
    pass_time(memory, clock, 9, 31)
    assert decay(memory).counts["archived"] == 3
    after = notes(vault)
    assert decay(memory).counts == {"archived": 0, "proposed": 0}
    assert notes(vault) == after


def test_a_dry_run_tells_all_and_changes_nothing(
    memory: Memory, clock: FakeClock, vault: Path
) -> None:
    ids = [save(memory, "Old"), save(memory, "Older")]
    pass_time(memory, clock, 9, 31)
    before, history = notes(vault), len(memory.history())
    for settings in ({}, STAGE):
        report = decay(memory, settings, dry_run=True)
        word = "proposed" if settings else "archived"
        assert report.counts == {"archived": 0, "proposed": 0, word: 2}
        assert [line.split(":")[0] for line in report.lines] == [
            f"{word} {id_}" for id_ in sorted(ids)
        ]
    assert notes(vault) == before
    assert len(memory.history()) == history


def test_an_entry_that_is_broken_is_left_and_costs_no_other(
    memory: Memory, clock: FakeClock, vault: Path
) -> None:
    broken, old = save(memory, "Broken"), save(memory, "Old")
    pass_time(memory, clock, 9, 31)
    path = vault / place(memory, broken)
    path.write_bytes(b"---\nid: [\n")
    assert decay(memory).counts["archived"] == 1
    assert entry_of(memory, old).status == "archived"
    assert path.read_bytes() == b"---\nid: [\n"


def test_a_conflict_copy_is_no_entry_that_fades(
    memory: Memory, clock: FakeClock, vault: Path
) -> None:
    id_ = save(memory, "Old")
    path = vault / place(memory, id_)
    copy = path.with_name("old.sync-conflict-20260101-000000-ABCDEFG.md")
    copy.write_bytes(path.read_bytes() + b"Said otherwise there.\n")
    pass_time(memory, clock, 9, 31)
    assert decay(memory).counts == {"archived": 1, "proposed": 0}
    assert copy.exists()


# -- what is only proposed -----------------------------------------------------------------------


@pytest.fixture
def operator_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: Memory, clock: FakeClock
) -> str:
    """The id of a note among the agent's own that the operator stated."""
    with make_memory(tmp_path, clock=clock, trust="operator", seed=8) as operator:
        return operator.save("Zebras wander.", title="Stated", kind="fix", project="").id


def test_what_the_operator_stated_is_proposed_and_what_the_agent_wrote_archived(
    memory: Memory, operator_note: str, clock: FakeClock
) -> None:
    own = save(memory, "Old")
    pass_time(memory, clock, 9, 31)
    assert decay(memory).counts == {"archived": 1, "proposed": 1}
    assert entry_of(memory, own).status == "archived"
    assert entry_of(memory, operator_note).status == "active"
    (proposal,) = list_proposals(store_of(memory))
    assert (proposal.action, proposal.target) == ("archive", operator_note)
    assert "not recalled in 9 sessions" in proposal.reason


def test_staged_nothing_is_archived_and_each_is_proposed_once(
    memory: Memory, clock: FakeClock, vault: Path
) -> None:
    ids = [save(memory, "Old"), save(memory, "Older")]
    pass_time(memory, clock, 9, 31)
    before = notes(vault)
    report = decay(memory, STAGE)
    assert report.counts == {"archived": 0, "proposed": 2}
    assert {line.split(":")[0] for line in report.lines} == {f"proposed {id_}" for id_ in ids}
    after = notes(vault)
    assert {name: after[name] for name in before} == before
    assert {name.rpartition("/")[0] for name in after.keys() - before.keys()} == {
        "Memory/_dream-staging"
    }
    assert decay(memory, STAGE).counts == {"archived": 0, "proposed": 0}
    assert notes(vault) == after
    assert sorted(one.target for one in list_proposals(store_of(memory))) == sorted(ids)


def test_a_value_that_is_neither_is_reported_before_anything_is_done(
    memory: Memory, clock: FakeClock, vault: Path
) -> None:
    save(memory, "Old")
    pass_time(memory, clock, 9, 31)
    before = notes(vault)
    with pytest.raises(ConfigError, match=r"archive\.t3"):
        decay(memory, {"archive.t3": "yes"})
    assert notes(vault) == before


def test_another_devices_recalls_keep_an_entry_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(tmp_path, monkeypatch)
    clock = FakeClock()
    with (
        make_memory(tmp_path, clock=clock) as here,
        make_memory(tmp_path, device="there", clock=clock, seed=9) as there,
    ):
        kept, old = save(here, "Kept"), save(here, "Old")
        pass_time(here, clock, 9, 31)
        live_through(there, "s1", [kept])
        here.scan()
        assert faded(here) == ["Old"]
        assert decay(here).counts["archived"] == 1
        assert entry_of(here, kept).status == "active"
        assert entry_of(here, old).status == "archived"
