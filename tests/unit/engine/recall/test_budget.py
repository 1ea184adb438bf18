"""Budgets, near-copies and what the reader has already (S1.1, S1.6)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import Memory, Scope, UsageError
from engrain.engine.recall.filling import _MOST_SHOWN, OVERHEAD, _section_around
from engrain.engine.recall.profiles import PHASES, PROFILES
from engrain.language.text.tokens import estimate_tokens
from support.examples import SHARED_FIXTURE
from support.vaults import make_memory
from unit.engine.core.vault_files import find, titles

KINDS = ("fix", "decision", "idea", "preference", "workflow")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Sixty notes of many lengths about the same thing, the longest of several passages."""
    with make_memory(tmp_path_factory.mktemp("budget"), project="harbour") as memory:
        for number in range(60):
            sentence = f"The harbour crane number {number} was greased by crew {number % 7}. "
            memory.save(
                f"## Part {number}\n\n" + sentence * (1 + number * number % 83),
                title=f"Crane {number}",
                kind=KINDS[number % len(KINDS)],
            )
        yield memory


def texts(memory: Memory) -> dict[str, str]:
    return {row.id: memory.show(row.id).entry.text for row in memory.list().rows}


@given(
    budget=st.integers(1, 6000),
    limit=st.integers(1, 40),
    phase=st.sampled_from([None, *PHASES]),
    profile=st.sampled_from([name for name in PROFILES if name not in ("task", "tiered")]),
    explain=st.booleans(),
)
@settings(suppress_health_check=SHARED_FIXTURE, max_examples=25)
def test_no_answer_costs_more_than_its_budget(
    filled: Memory, budget: int, limit: int, phase: str | None, profile: str, explain: bool
) -> None:
    found = filled.recall(
        "harbour crane greased", budget=budget, limit=limit, phase=phase, profile=profile,
        explain=explain, scan=False,
    )  # fmt: skip
    costs = [one.tokens + OVERHEAD for one in found.results]
    assert found.tokens == sum(costs) <= budget
    assert [one.tokens for one in found.results] == [
        estimate_tokens(one.text) for one in found.results
    ]
    assert len(found.results) <= limit
    if phase:
        kinds = [one.row.kind for one in found.results]
        assert all(kinds.count(kind) <= PHASES[phase].most(kind) for kind in kinds)
    assert found.results or found.over_budget


@pytest.mark.parametrize("budget", [80, 300, 1000])
def test_an_entry_is_returned_whole_or_its_passage_is_marked_as_such(
    filled: Memory, budget: int
) -> None:
    whole = texts(filled)
    found = filled.recall("harbour crane greased", budget=budget, limit=50)
    assert found.results
    for one in found.results:
        text = whole[one.row.id]
        assert (one.text == text) is not one.part
        assert one.text in text


def test_explaining_an_answer_does_not_change_it(filled: Memory) -> None:
    for more in ({}, {"phase": "plan", "limit": 30}, {"budget": 500}, {"limit": 3}):
        plain = filled.recall("harbour crane greased", **more)
        explained = filled.recall("harbour crane greased", explain=True, **more)
        assert titles(plain) == titles(explained)
        assert plain.tokens == explained.tokens


def test_a_budget_of_one_token_returns_nothing_and_says_how_much_did_not_fit(
    memory: Memory,
) -> None:
    for number in range(3):
        memory.save(f"The crane number {number}.", title=f"Crane {number}", kind="fix")
    found = memory.recall("crane", budget=1)
    assert (found.results, found.over_budget, found.tokens) == ((), 3, 0)
    assert not found.rejected


def test_a_budget_or_a_limit_of_nothing_is_refused(memory: Memory) -> None:
    for number in (0, -1):
        with pytest.raises(UsageError, match="budget") as caught:
            memory.recall("crane", budget=number)
        assert caught.value.remedy
        with pytest.raises(UsageError, match="limit") as caught:
            memory.recall("crane", limit=number)
        assert caught.value.remedy


# Kinds and phases


def kinds(memory: Memory, phase: str | None) -> list[str]:
    found = memory.recall(
        "harbour crane greased", profile="deep", phase=phase, limit=30, budget=10**6
    )
    return [one.row.kind for one in found.results]


def test_a_plan_gets_decisions_first_and_work_gets_fixes(filled: Memory) -> None:
    plan, work = kinds(filled, "plan"), kinds(filled, "work")
    assert plan[0] == "decision"
    assert work[0] == "fix"
    assert plan.count("decision") > work.count("decision")
    assert work.count("fix") > plan.count("fix")


def test_of_no_kind_more_come_than_its_phase_wants(filled: Memory) -> None:
    for name, phase in PHASES.items():
        found = kinds(filled, name)
        assert {kind: found.count(kind) for kind in KINDS} == {
            kind: min(12, phase.most(kind)) for kind in KINDS
        }
    assert len(kinds(filled, None)) == 30


@pytest.mark.parametrize("phase", ["planning", "", "PLAN", "x" * 500])
def test_an_unknown_phase_is_refused_in_one_line_that_names_those_there_are(
    filled: Memory, phase: str
) -> None:
    with pytest.raises(UsageError) as caught:
        filled.recall("harbour", phase=phase)
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 100
    assert all(known in (caught.value.remedy or "") for known in PHASES)


# Near-copies

FACT = (
    "The settlement service of the northern branch listens behind the old proxy and answers"
    " every branch in turn, port {port}, as the operators wrote down in their handbook."
)


def test_near_copies_are_returned_once(memory: Memory) -> None:
    memory.save(FACT.format(port=5432), title="Settlement", kind="fix")
    memory.save(FACT.format(port=5432).upper(), title="Settlement", kind="decision")
    memory.save(FACT.format(port=5432) + " Really.", title="Settlement", kind="insight")
    assert memory.list().total == 3
    assert len(memory.recall("settlement service branch").results) == 1


def test_texts_that_differ_in_a_number_are_both_kept(memory: Memory) -> None:
    memory.save(FACT.format(port=5432), title="Settlement", kind="fix")
    memory.save(FACT.format(port=6432), title="Settlement", kind="decision")
    assert len(memory.recall("settlement service branch").results) == 2


def test_notes_that_differ_in_their_title_are_both_kept(memory: Memory) -> None:
    memory.save("5432", title="Port of the ledger", kind="fix")
    memory.save("5432", title="Port of the archive", kind="fix")
    assert set(find(memory, "port")) == {"Port of the ledger", "Port of the archive"}


def test_what_the_reader_has_already_is_left_out_with_its_copies(memory: Memory) -> None:
    had = memory.save(FACT.format(port=5432), title="Settlement", kind="fix")
    memory.save(FACT.format(port=5432).upper(), title="Settlement", kind="decision")
    other = memory.save("Settlement runs on the first of a month.", title="Dates", kind="fix")
    found = memory.recall("settlement service branch", profile="deep", loaded=[had.id])
    assert [one.row.id for one in found.results] == [other.id]
    unknown = memory.recall("settlement service branch", profile="deep", loaded=["nobody", ""])
    assert len(unknown.results) == 2


def test_what_is_left_out_makes_room_for_what_comes_next(memory: Memory) -> None:
    memory.save(FACT.format(port=5432), title="Settlement", kind="fix")
    memory.save(FACT.format(port=5432).upper(), title="Settlement", kind="decision")
    memory.save("The settlement service restarts at dawn.", title="Dawn", kind="fix")
    found = memory.recall("settlement service branch", profile="deep", limit=2)
    assert titles(found) == ["Settlement", "Dawn"]


def test_a_budget_holds_in_every_scope(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        old = memory.save("The old crane rope. " * 15, title="Rope", kind="fix")
        memory.evolve(old.id, "The new crane rope. " * 15)
        scope = Scope(include_superseded=True)
        both = memory.recall("crane rope", scope=scope)
        assert len(both.results) == 2
        one = memory.recall("crane rope", scope=scope, budget=both.tokens - 1)
        assert (len(one.results), one.over_budget) == (1, 1)
        assert one.results[0].row.status == "active"


@given(
    st.text(st.sampled_from("ab #\n.é"), min_size=1, max_size=4000),
    st.integers(0, 4000),
    st.integers(1, 350),
)
def test_the_section_around_a_passage_holds_it_and_is_bounded(
    text: str, start: int, length: int
) -> None:
    start = min(start, len(text) - 1)
    end = min(len(text), start + length)
    first, last = _section_around(text, start, end)
    assert 0 <= first <= start < end <= last <= len(text)
    assert last - first <= _MOST_SHOWN
