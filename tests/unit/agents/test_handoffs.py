"""Hand-offs: left once, taken once."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engrain import ConflictError, Memory, NotFoundError, UsageError
from engrain.agents.handoffs import file_handoff
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import put
from unit.lifecycle.sessions.living import store_of
from unit.model.experience.test_handoff import SEED


def hand_over(memory: Memory, to: str = "qa-001", what: str = "The endpoint is there.") -> str:
    return memory.handoffs.create(to, what, agent="eng-001").id


def waiting(memory: Memory, to: str | None = None) -> list[str]:
    return [handoff.id for handoff in memory.handoffs.list(to=to)]


def document(vault: Path, id_: str) -> dict[str, object]:
    whole = json.loads((vault / f"Memory/handoffs/{id_}.json").read_bytes())
    assert isinstance(whole, dict)
    return whole


# -- leaving -------------------------------------------------------------------------------------


def test_a_hand_off_is_a_file_with_the_seeds_fields_and_one_key_more(
    memory: Memory, vault: Path
) -> None:
    id_ = hand_over(memory)
    whole = document(vault, id_)
    assert list(whole) == [*SEED, "engrain"]
    context = whole["context"]
    assert isinstance(context, dict)
    assert list(context) == list(SEED["context"])
    assert (whole["id"], whole["from_agent"], whole["to_agent"]) == (id_, "eng-001", "qa-001")


def test_the_seeds_own_hand_off_is_filed_as_it_is(memory: Memory, vault: Path) -> None:
    first = file_handoff(store_of(memory), SEED)
    assert (first.outcome, first.id) == ("created", "handoff-001")
    whole = document(vault, "handoff-001")
    assert {key: whole[key] for key in SEED} == SEED
    assert file_handoff(store_of(memory), SEED).outcome == "unchanged"


def test_ids_are_in_the_order_of_time_and_no_two_devices_make_the_same(
    memory: Memory, tmp_path: Path
) -> None:
    ids = [hand_over(memory) for _ in range(3)]
    assert ids == sorted(ids)
    with make_memory(tmp_path, device="other", seed=8) as second:
        assert hand_over(second) not in ids


def test_an_id_that_is_given_is_kept_and_never_written_over(memory: Memory, vault: Path) -> None:
    outcome = memory.handoffs.create("any", "First.", agent="eng", id="Handoff 1")
    assert outcome.id == "Handoff 1"
    with pytest.raises(ConflictError):
        memory.handoffs.create("any", "Second.", agent="eng", id="Handoff 1")
    other = memory.handoffs.create("any", "Third.", agent="eng", id="handoff 1")
    assert other.locator != outcome.locator
    assert [one.what_was_done for one in memory.handoffs.list()] == ["First.", "Third."]


def test_the_id_of_another_entry_is_refused(memory: Memory) -> None:
    saved = memory.save("A fix.", title="Fix", kind="fix")
    with pytest.raises(ConflictError, match="another entry"):
        memory.handoffs.create("any", "x", agent="eng", id=saved.id)


@pytest.mark.parametrize(
    ("to", "what", "agent"),
    [("", "x", "a"), ("  ", "x", "a"), ("b", " ", "a"), ("b", "x", ""), ("a\nb", "x", "a")],
)
def test_a_hand_off_to_nobody_from_nobody_or_of_nothing_is_refused(
    memory: Memory, vault: Path, to: str, what: str, agent: str
) -> None:
    with pytest.raises(UsageError):
        memory.handoffs.create(to, what, agent=agent)
    assert not (vault / "Memory/handoffs").exists()


def test_a_secret_in_it_reaches_no_file(memory: Memory, vault: Path) -> None:
    token = "ghp_" + "x7Kq2LmZ9vRt4WbN8sYp3HdF6jGcA1eUoTi5"
    id_ = hand_over(memory, what=f"Pushed with {token}.")
    assert token not in (vault / f"Memory/handoffs/{id_}.json").read_text()


def test_one_that_is_no_text_is_refused(memory: Memory) -> None:
    for what in ("a\0b", "a\ud800"):
        with pytest.raises(UsageError, match="can't be kept"):
            hand_over(memory, what=what)
    assert waiting(memory) == []


def test_an_erased_one_is_in_no_snapshot(memory: Memory, vault: Path) -> None:
    id_ = hand_over(memory, what="Painted the walrus in harbour blue.")
    memory.handoffs.save_checkpoint("noon", "x")
    memory.erase(memory.plan_erasure([id_]))
    assert not [path for path in vault.rglob("*.json") if "walrus" in path.read_text()]


# -- listing -------------------------------------------------------------------------------------


def test_what_waits_longest_comes_first_and_what_was_taken_last(memory: Memory) -> None:
    first, second, third = (hand_over(memory) for _ in range(3))
    memory.handoffs.claim(first, "qa-001")
    assert waiting(memory) == [second, third]
    assert [one.id for one in memory.handoffs.list(taken=True)] == [second, third, first]


def test_a_list_for_an_agent_has_what_it_may_take(memory: Memory) -> None:
    mine, other, anyones = (hand_over(memory, to) for to in ("qa-001", "qa-002", "*"))
    assert waiting(memory, "qa-001") == [mine, anyones]
    assert waiting(memory, "QA-002") == [other, anyones]
    assert waiting(memory, "nobody-else") == [anyones]


def test_those_of_other_projects_are_listed_where_that_is_asked(
    memory: Memory, tmp_path: Path
) -> None:
    mine = hand_over(memory)
    with make_memory(tmp_path, device="other", seed=8, project="elsewhere") as other:
        theirs = hand_over(other)
    assert waiting(memory) == [mine]
    assert {one.id for one in memory.handoffs.list(all_projects=True)} == {mine, theirs}


def test_a_broken_file_among_good_ones_is_passed_over(memory: Memory, vault: Path) -> None:
    id_ = hand_over(memory)
    put(vault, "Memory/handoffs/broken.json", '{"id": "broken", ')
    put(vault, "Memory/handoffs/list.json", "[]")
    assert waiting(memory) == [id_]


def test_one_is_shown_by_the_beginning_of_its_id(memory: Memory) -> None:
    id_ = memory.handoffs.create(
        "qa", "Done.", agent="eng", artifacts=["a.ts", " "], git_state="commit abc",
        needs_testing=["x"], known_issues=["y"], relevant_patterns=["sem-001"],
    ).id  # fmt: skip
    shown = memory.handoffs.show(id_[:20])
    assert (shown.id, shown.origin, shown.claimed_by) == (id_, "agent", "")
    assert (shown.artifacts, shown.git_state) == (("a.ts",), "commit abc")
    assert (shown.needs_testing, shown.known_issues) == (("x",), ("y",))
    assert shown.relevant_patterns == ("sem-001",)


def test_what_is_no_hand_off_is_not_shown_or_taken_as_one(memory: Memory) -> None:
    saved = memory.save("A fix.", title="Fix", kind="fix")
    for reference in (saved.id, "no-such"):
        with pytest.raises(NotFoundError):
            memory.handoffs.show(reference)
        with pytest.raises(NotFoundError):
            memory.handoffs.claim(reference, "qa")


# -- taking --------------------------------------------------------------------------------------


def test_who_takes_it_stands_beside_what_was_written(
    memory: Memory, vault: Path, clock: FakeClock
) -> None:
    id_ = hand_over(memory)
    before = document(vault, id_)
    assert memory.handoffs.claim(id_, "qa-001").outcome == "updated"
    after = document(vault, id_)
    assert {key: after[key] for key in SEED} == {key: before[key] for key in SEED}
    taken = memory.handoffs.show(id_)
    assert taken.claimed_by == "qa-001"
    assert taken.claimed_at is not None and taken.timestamp is not None
    assert taken.timestamp < taken.claimed_at <= clock.at


def test_the_history_tells_who_took_it_and_the_origin_stays(memory: Memory) -> None:
    id_ = hand_over(memory)
    memory.handoffs.claim(id_, "qa-001")
    change = memory.history(id_)[0]
    assert (change.op, change.reason) == ("claim", "taken by qa-001")
    assert memory.handoffs.show(id_).origin == "agent"


def test_taking_it_again_changes_nothing(memory: Memory) -> None:
    id_ = hand_over(memory)
    memory.handoffs.claim(id_, "qa-001")
    told = memory.handoffs.show(id_).hash
    assert memory.handoffs.claim(id_, "qa-001").outcome == "unchanged"
    assert memory.handoffs.show(id_).hash == told


def test_who_comes_later_is_told_who_has_it_and_since_when(memory: Memory) -> None:
    id_ = hand_over(memory, "any")
    memory.handoffs.claim(id_, "qa-001")
    with pytest.raises(ConflictError, match=r"^qa-001 has taken it, at 2026-09-\d\dT"):
        memory.handoffs.claim(id_, "qa-002")
    with pytest.raises(ConflictError, match=r"^qa-001"):
        memory.handoffs.claim(id_, "qa-002", force=True)


def test_what_is_for_another_is_taken_only_where_the_operator_says_so(memory: Memory) -> None:
    id_ = hand_over(memory)
    with pytest.raises(UsageError, match="it is for qa-001, and not for qa-002"):
        memory.handoffs.claim(id_, "qa-002")
    assert memory.handoffs.claim(id_, "qa-002", force=True).outcome == "updated"
    assert memory.handoffs.show(id_).claimed_by == "qa-002"


@pytest.mark.parametrize("to", ["any", "*"])
def test_what_is_for_anyone_is_taken_by_anyone(memory: Memory, to: str) -> None:
    id_ = hand_over(memory, to)
    memory.handoffs.claim(id_, "whoever")
    assert memory.handoffs.show(id_).claimed_by == "whoever"


def test_nobody_takes_nothing(memory: Memory) -> None:
    with pytest.raises(UsageError):
        memory.handoffs.claim(hand_over(memory, "any"), "")


def test_a_claim_that_is_undone_lets_it_wait_again(memory: Memory) -> None:
    id_ = hand_over(memory)
    memory.handoffs.claim(id_, "qa-001")
    memory.undo(memory.history(id_)[0].change)
    assert waiting(memory) == [id_]
    memory.handoffs.claim(id_, "qa-001")


def test_one_that_was_withdrawn_is_neither_listed_nor_taken(memory: Memory) -> None:
    id_ = hand_over(memory)
    memory.forget(id_)
    assert waiting(memory) == []
    with pytest.raises(NotFoundError, match="withdrawn"):
        memory.handoffs.claim(id_, "qa-001")


def test_of_many_threads_one_takes_it(memory: Memory) -> None:
    id_ = hand_over(memory, "any")

    def claim(agent: str) -> str:
        try:
            return memory.handoffs.claim(id_, agent).outcome
        except ConflictError as error:
            return error.message.split(" ")[0]

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(claim, [f"a{n}" for n in range(8)]))
    winner = memory.handoffs.show(id_).claimed_by
    assert sorted(told) == sorted([winner] * 7 + ["updated"])


def test_on_two_devices_of_a_folder_that_is_copied_the_history_has_both_claims(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    """Sync tools know no compare-and-swap: each device lets its own agent have it."""
    id_ = hand_over(memory, "any")
    there = tmp_path / "there"
    shutil.copytree(vault, there)
    memory.handoffs.claim(id_, "here")
    with make_memory(tmp_path, name="there", device="other", seed=8) as other:
        other.handoffs.claim(id_, "there")
    for log in (there / ".engrain/history").iterdir():
        if not (vault / ".engrain/history" / log.name).exists():
            shutil.copytree(log, vault / ".engrain/history" / log.name)
    memory.scan()
    claims = [change.reason for change in memory.history(id_) if change.op == "claim"]
    assert sorted(claims) == ["taken by here", "taken by there"]
