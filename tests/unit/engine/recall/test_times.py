"""As of a moment, within a time, and after how long (DESIGN section 6, S4.7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory, Scope
from engrain.engine.core import upkeep
from engrain.engine.core.scope import recall_filter
from engrain.engine.recall.profiles import PROFILES
from engrain.language.text.instants import format_instant, parse_instant
from support.vaults import START, FakeClock, make_memory, write_as
from unit.engine.core.vault_files import delete_index, put, titles

DAY = 86_400.0


def as_of(memory: Memory, at: float, query: str = "pooler") -> list[str]:
    found = memory.recall(query, scope=Scope(as_of=at))
    return [one.text.strip() for one in found.results]


@pytest.fixture
def evolved(tmp_path: Path) -> tuple[Memory, list[float]]:
    """A fact that was replaced twice, and when each of the three was written."""
    clock = FakeClock()
    memory = make_memory(tmp_path, clock=clock)
    moments = [clock.at]
    memory.save("We use the pooler pgbouncer.", title="Pooler", kind="decision")
    for text in ("We use the pooler odyssey.", "We use the pooler supavisor."):
        clock.at += 30 * DAY
        moments.append(clock.at)
        memory.evolve("pooler", text)
        clock.at += 60
    return memory, moments


def test_what_was_superseded_answers_for_its_own_time(evolved: tuple[Memory, list[float]]) -> None:
    memory, (first, second, third) = evolved
    assert as_of(memory, first + DAY) == ["We use the pooler pgbouncer."]
    assert as_of(memory, second + DAY) == ["We use the pooler odyssey."]
    assert as_of(memory, third + DAY) == ["We use the pooler supavisor."]
    assert as_of(memory, first - DAY) == []


def test_now_only_the_last_of_a_chain_answers(evolved: tuple[Memory, list[float]]) -> None:
    memory, _ = evolved
    (found,) = memory.recall("pooler").results
    assert found.text.strip() == "We use the pooler supavisor."
    every = memory.recall("pooler", scope=Scope(include_superseded=True)).results
    assert len(every) == 3
    assert every[0].row.status == "active"


def test_what_was_superseded_at_the_time_and_what_holds_forever_stand_side_by_side(
    evolved: tuple[Memory, list[float]],
) -> None:
    memory, (first, _, _) = evolved
    memory.save(
        "The pooler has a port.", title="Port of the pooler", kind="fix", created=first - 5 * DAY
    )
    assert set(as_of(memory, first + DAY)) == {
        "We use the pooler pgbouncer.",
        "The pooler has a port.",
    }


@pytest.mark.parametrize(
    ("day", "held"), [(-1, False), (0, True), (5, True), (9.99, True), (10, False), (50, False)]
)
def test_an_entry_holds_from_its_first_moment_up_to_and_without_its_last(
    memory: Memory, day: float, held: bool
) -> None:
    memory.save(
        "The pooler is being moved.", title="Freeze", kind="decision",
        valid_from=START, valid_to=START + 10 * DAY,
    )  # fmt: skip
    assert as_of(memory, START + day * DAY) == (["The pooler is being moved."] if held else [])


def test_what_never_said_when_it_began_holds_from_its_creation(memory: Memory) -> None:
    memory.save("The pooler.", title="One", kind="fix", created=START - 5 * DAY)
    assert as_of(memory, START - 6 * DAY) == []
    assert as_of(memory, START - 5 * DAY) == ["The pooler."]


def test_what_was_forgotten_answers_for_no_time(memory: Memory) -> None:
    memory.forget(memory.save("The pooler.", title="One", kind="fix").id)
    assert as_of(memory, START + 10**6) == []


# What no longer holds

ENDED = START + 10 * DAY


def put_freeze(vault: Path, valid_to: str, **more: str) -> None:
    fields = {"kind": "decision", "created": "2026-01-01", "valid_to": valid_to, **more}
    front = "".join(f"{key}: {value}\n" for key, value in fields.items())
    put(vault, "Memory/decision/freeze.md", f"---\n{front}---\n# Freeze\nNo merge in the freeze.\n")


@pytest.mark.parametrize("profile", sorted({*PROFILES} - {"bare", "task", "tiered"}))
@pytest.mark.parametrize(("seconds", "recalled"), [(-1, True), (0, False), (1, False)])
def test_an_entry_is_recalled_up_to_and_without_its_end(
    tmp_path: Path, profile: str, seconds: float, recalled: bool
) -> None:
    clock = FakeClock(step=0.0)
    memory = make_memory(tmp_path, clock=clock)
    memory.save("No merge in the freeze.", title="Freeze", kind="decision", valid_to=ENDED)
    clock.at = ENDED + seconds
    found = memory.recall("may I merge during the freeze?", profile=profile)
    assert titles(found) == (["Freeze"] if recalled else [])
    assert found.elsewhere == 0


@pytest.mark.parametrize(("seconds", "recalled"), [(-1, True), (0, False)])
def test_a_mistake_or_a_skill_that_ended_is_given_before_no_task(
    tmp_path: Path, seconds: float, recalled: bool
) -> None:
    clock = FakeClock(step=0.0)
    memory = make_memory(tmp_path, clock=clock)
    for kind in ("anti-pattern", "procedural", "workflow"):
        text = "Deploy the billing service with the old script."
        memory.save(text, title=f"Deploy {kind}", kind=kind, valid_to=ENDED)
    clock.at = ENDED + seconds
    found = memory.recall("Deploy the billing service with the old script", profile="task")
    assert bool(found.given) is recalled


def test_what_has_ended_is_recalled_if_it_is_asked_for(tmp_path: Path) -> None:
    clock = FakeClock(step=0.0)
    memory = make_memory(tmp_path, clock=clock)
    memory.save("No merge in the freeze.", title="Freeze", kind="decision", valid_to=ENDED)
    clock.at = ENDED + DAY
    asked = Scope(as_of=ENDED - 1), Scope(include_superseded=True), Scope(known_at=ENDED - 1)
    for scope in asked:
        assert titles(memory.recall("merge in the freeze", scope=scope)) == ["Freeze"]
    assert titles(memory.recall("merge in the freeze", scope=Scope(as_of=ENDED))) == []
    assert [row.title for row in memory.list().rows] == ["Freeze"]


def test_the_end_of_a_day_without_a_time_is_its_beginning(tmp_path: Path) -> None:
    clock = FakeClock(step=0.0)
    memory = make_memory(tmp_path, clock=clock)
    put_freeze(tmp_path / "vault", "2026-12-09")
    for moment, recalled in (("2026-12-08T23:59:59Z", True), ("2026-12-09", False)):
        clock.at = parse_instant(moment)
        assert bool(memory.recall("merge in the freeze").results) is recalled


def test_without_an_index_what_has_ended_is_not_recalled_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = make_memory(tmp_path, clock=FakeClock(step=0.0))
    put_freeze(tmp_path / "vault", format_instant(START))
    put(tmp_path / "vault", "Memory/fix/other.md", "# Other\nMerge after the freeze.\n")
    assert memory.list().total == 2
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    found = memory.recall("merge freeze")
    assert found.degraded
    assert titles(found) == ["Other"]


@pytest.mark.parametrize("place", ["_always-load", "Memory/_always-load", "Memory/fix"])
@pytest.mark.parametrize(("seconds", "given"), [(-1, True), (0, False)])
def test_a_session_starts_without_what_has_ended(
    tmp_path: Path, place: str, seconds: float, given: bool
) -> None:
    clock = FakeClock(step=0.0)
    memory = make_memory(tmp_path, clock=clock)
    front = f"kind: fix\ncreated: 2026-01-01\nvalid_to: {format_instant(ENDED)}"
    note = f"---\n{front}\n---\n# Freeze\nNo merge.\n"
    write_as(memory, "agent", f"{place}/freeze.md", note)
    clock.at = ENDED + seconds
    parts = [found.row.title for part in memory.brief() for found in part.results]
    assert ("Freeze" in parts) is given


# A time that the query names


def test_what_was_written_in_a_time_that_the_query_names_comes_first(memory: Memory) -> None:
    march, july = START - 200 * DAY, START - 70 * DAY
    memory.save("The crane was greased.", title="In March", kind="fix", created=march)
    memory.save("The crane was painted.", title="In July", kind="fix", created=july)
    assert titles(memory.recall("what happened to the crane in March 2026"))[0] == "In March"
    assert titles(memory.recall("what happened to the crane in July 2026"))[0] == "In July"


def test_a_time_alone_brings_what_was_written_then(memory: Memory) -> None:
    memory.save("Greased.", title="One", kind="fix", created=START - 200 * DAY)
    memory.save("Painted.", title="Two", kind="fix", created=START - 70 * DAY)
    found = memory.recall("2026-07-13", profile="deep")
    assert titles(found) == ["Two"]


# Age


def test_age_counts_only_where_a_half_life_is_given(memory: Memory, vault: Path) -> None:
    for name, day in (("old", "2026-01-01"), ("new", "2026-09-01")):
        text = "The crane was greased twice." if name == "old" else "The crane was greased."
        put(
            vault, f"Memory/fix/{name}.md",
            f"---\nid: {name}\nkind: fix\ncreated: {day}\nupdated: {day}\n---\n# {name}\n{text}\n",
        )  # fmt: skip
    assert titles(memory.recall("crane greased twice", profile="deep")) == ["old", "new"]
    assert titles(memory.recall("crane greased twice", profile="deep", half_life=30)) == [
        "new",
        "old",
    ]
    assert titles(memory.recall("crane greased twice", profile="deep", half_life=1e9)) == [
        "old",
        "new",
    ]


@pytest.mark.parametrize(("before", "is_found"), [(1, True), (0, False), (-1, False)])
def test_an_entry_holds_until_its_end_and_not_at_it(
    tmp_path: Path, before: int, is_found: bool
) -> None:
    """What ends at a moment is over at that moment, in a recall, a list of then and `as_of`."""
    end = START + 100 * DAY
    clock = FakeClock(end - before, step=0.0)
    with make_memory(tmp_path, clock=clock, trust="operator") as memory:
        memory.save(
            "The harbour crane is out of service.", title="Crane", kind="fix",
            valid_from=START, valid_to=end,
        )  # fmt: skip
        held = memory.list(scope=Scope(as_of=end - before)).rows
        assert [row.title for row in held] == ["Crane"] * is_found
        store = memory._open_store()
        lasting = store.index.find(recall_filter(store, Scope()))
        assert [row.title for row in lasting] == ["Crane"] * is_found
        begun = memory.list(scope=Scope(as_of=START - before)).rows
        assert [row.title for row in begun] == ["Crane"] * (before <= 0)
