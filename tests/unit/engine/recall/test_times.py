"""As of a moment, within a time, and after how long (DESIGN section 6, S4.7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory, Scope
from support.vaults import START, FakeClock, make_memory
from unit.engine.core.vault_files import put, titles

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
    memory.save("The pooler has a port.", title="Port", kind="fix", created=first - 5 * DAY)
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
