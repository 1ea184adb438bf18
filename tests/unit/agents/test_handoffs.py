"""Hand-offs: left once, taken once. Checkpoints: a snapshot of short-term memory, by name."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import ConflictError, Memory, NotFoundError, UsageError
from engrain.agents.handoffs import MOST_GIVEN, file_handoff
from engrain.engine.history.history import bytes_after
from support.examples import SHARED_FIXTURE
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import put
from unit.lifecycle.sessions.living import leave_recalls, store_of
from unit.model.experience.test_handoff import SEED
from unit.model.experience.test_ledger import SEED as LEDGER_SEED


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


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abcé"), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=25, suppress_health_check=SHARED_FIXTURE)
@given(value=values.filter(lambda value: value is not None))
def test_what_was_given_is_loaded_as_it_was(memory: Memory, value: object) -> None:
    memory.handoffs.save_checkpoint("noon", value, bare=True)
    assert dict(memory.handoffs.load_checkpoint("noon").snapshot) == {"given": value}


def test_a_checkpoint_is_a_file_with_its_fields(memory: Memory, vault: Path) -> None:
    outcome = memory.handoffs.save_checkpoint("noon", "Half way.", bare=True)
    whole = json.loads((vault / "Memory/checkpoints/noon.json").read_bytes())
    assert list(whole) == ["id", "name", "timestamp", "agent", "project", "snapshot", "engrain"]
    assert (whole["id"], whole["name"], whole["project"]) == (outcome.id, "noon", memory.project)
    assert whole["snapshot"] == {"given": "Half way."}


def test_around_what_is_given_stand_references_and_the_agents_ledger(
    memory: Memory, vault: Path
) -> None:
    place = f"projects/{memory.project}/_harness/CONTINUITY.md"
    put(vault, place, "# Continuity\nAt the lock.\n")
    waits = memory.handoffs.create("qa", "Done.", agent="eng").id
    leave_recalls(memory, "s1", ["e1", "e2"])
    memory.handoffs.save_checkpoint("noon", session="s1", git={"branch": "main", "commit": "abc"})
    snapshot = memory.handoffs.load_checkpoint("noon").snapshot
    assert snapshot["session"] == {"id": "s1", "recalled": ["e1", "e2"]}
    assert snapshot["continuity"]["path"] == place
    assert "At the lock" not in json.dumps(snapshot)
    assert [one["id"] for one in snapshot["handoffs"]] == [waits]
    assert snapshot["git"] == {"branch": "main", "commit": "abc"}
    assert "given" not in snapshot


def test_the_ledger_of_who_saves_it_is_in_it(tmp_path: Path, memory: Memory) -> None:
    memory.close()
    from engrain import open_memory

    with open_memory(tmp_path / "vault", state_dir=tmp_path / "state", agent="eng") as mine:
        mine.handoffs.save_ledger(goal="the lock")
        mine.handoffs.save_checkpoint("noon")
        loaded = mine.handoffs.load_checkpoint("noon")
    assert loaded.agent == "eng"
    assert loaded.snapshot["ledger"]["context"]["current_goal"] == "the lock"


def test_loading_tells_whether_the_working_notes_are_others_by_now(
    memory: Memory, vault: Path
) -> None:
    memory.handoffs.save_checkpoint("before", "x")
    assert memory.handoffs.load_checkpoint("before").moved is None
    place = f"projects/{memory.project}/_harness/CONTINUITY.md"
    put(vault, place, "# Continuity\nAt the lock.\n")
    memory.handoffs.save_checkpoint("noon", "x")
    assert memory.handoffs.load_checkpoint("noon").moved is False
    put(vault, place, "# Continuity\nBehind the lock.\n")
    assert memory.handoffs.load_checkpoint("noon").moved is True
    (vault / place).unlink()
    assert memory.handoffs.load_checkpoint("noon").moved is True


def test_of_one_saved_again_the_history_keeps_the_older(memory: Memory) -> None:
    first = memory.handoffs.save_checkpoint("noon", "first", bare=True)
    second = memory.handoffs.save_checkpoint("noon", "second", bare=True)
    assert (second.outcome, second.id) == ("updated", first.id)
    assert memory.handoffs.load_checkpoint("noon").snapshot == {"given": "second"}
    changes = memory.history(first.id)
    assert [change.op for change in changes] == ["work", "work"]
    assert b'"first"' in bytes_after(store_of(memory), changes[1])
    memory.undo()
    assert memory.handoffs.load_checkpoint("noon").snapshot == {"given": "first"}


def test_without_a_name_the_latest_of_the_project_is_loaded(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no checkpoint yet"):
        memory.handoffs.load_checkpoint()
    for name in ("a", "b"):
        memory.handoffs.save_checkpoint(name, name)
    with make_memory(tmp_path, device="other", project="elsewhere", seed=8) as other:
        other.handoffs.save_checkpoint("c", "c")
    assert memory.handoffs.load_checkpoint().name == "b"
    memory.handoffs.save_checkpoint("a", "again")
    assert memory.handoffs.load_checkpoint().name == "a"
    assert [one.name for one in memory.handoffs.list_checkpoints()] == ["a", "b"]
    assert {one.name for one in memory.handoffs.list_checkpoints(all_projects=True)} == {
        "a",
        "b",
        "c",
    }


def test_names_that_fold_to_one_are_two_checkpoints(memory: Memory) -> None:
    for name in ("Noon", "noon", "no/on", "index"):
        memory.handoffs.save_checkpoint(name, name, bare=True)
    for name in ("Noon", "noon", "no/on", "index"):
        assert memory.handoffs.load_checkpoint(name).snapshot == {"given": name}


def test_one_that_was_forgotten_is_not_loaded_until_it_is_saved_again(memory: Memory) -> None:
    memory.forget(memory.handoffs.save_checkpoint("noon", "x").id)
    with pytest.raises(NotFoundError):
        memory.handoffs.load_checkpoint("noon")
    memory.handoffs.save_checkpoint("noon", "y", bare=True)
    assert memory.handoffs.load_checkpoint("noon").snapshot == {"given": "y"}


def deep(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "given",
    ["x" * MOST_GIVEN, deep(33), deep(5000), [float("nan")], "a\0b", "a\ud800", {1: {2}}],
    ids=["too much", "too deep", "far too deep", "no number", "no text", "no Unicode", "no JSON"],
)  # fmt: skip
def test_what_could_not_be_read_back_is_refused(memory: Memory, vault: Path, given: object) -> None:
    with pytest.raises(UsageError):
        memory.handoffs.save_checkpoint("noon", given)
    assert not (vault / "Memory/checkpoints").exists()


def test_nothing_is_no_checkpoint(memory: Memory) -> None:
    with pytest.raises(UsageError):
        memory.handoffs.save_checkpoint("noon", bare=True)
    with pytest.raises(UsageError):
        memory.handoffs.save_checkpoint(" ", "x")


def test_a_secret_in_a_snapshot_reaches_no_file(memory: Memory, vault: Path) -> None:
    token = "ghp_" + "x7Kq2LmZ9vRt4WbN8sYp3HdF6jGcA1eUoTi5"
    memory.handoffs.save_checkpoint("noon", {"deploy": {"token": token}})
    assert token not in (vault / "Memory/checkpoints/noon.json").read_text()


def test_a_ledger_is_a_file_with_the_seeds_fields_and_one_key_more(
    memory: Memory, vault: Path
) -> None:
    state, context = LEDGER_SEED["state"], LEDGER_SEED["context"]
    outcome = memory.handoffs.save_ledger(
        "eng-001-backend",
        task=LEDGER_SEED["current_task"],
        completed=LEDGER_SEED["tasks_completed"],
        files=state["files_modified"],
        uncommitted=state["uncommitted_changes"],
        commit=state["last_git_commit"],
        tech=context["tech_stack"],
        patterns=context["patterns_learned"],
        goal=context["current_goal"],
    )
    assert (outcome.outcome, outcome.locator) == ("created", "Memory/ledgers/eng-001-backend.json")
    whole = json.loads((vault / outcome.locator).read_bytes())
    assert list(whole) == [*LEDGER_SEED, "engrain"]
    del whole["engrain"]
    assert {**whole, "last_checkpoint": LEDGER_SEED["last_checkpoint"]} == LEDGER_SEED
    assert dict(memory.handoffs.show_ledger("eng-001-backend")) == whole


def test_what_is_said_later_comes_to_what_is_there(memory: Memory) -> None:
    first = memory.handoffs.save_ledger("eng", task="t1", files=["a"], added=1)
    again = memory.handoffs.save_ledger("eng", files=["b"], added=1, uncommitted=True)
    assert (again.outcome, again.id) == ("updated", first.id)
    ledger = memory.handoffs.show_ledger("eng")
    assert (ledger["current_task"], ledger["tasks_completed"]) == ("t1", 2)
    assert ledger["state"]["files_modified"] == ["a", "b"]
    assert [change.op for change in memory.history(first.id)] == ["work", "work"]


def test_two_agents_whose_names_fold_to_one_have_two_ledgers(memory: Memory, vault: Path) -> None:
    for number, agent in enumerate(("eng-001", "ENG-001", "Eng-001", "eng/001"), 1):
        memory.handoffs.save_ledger(agent, completed=number)
    files = [path.name.casefold() for path in (vault / "Memory/ledgers").iterdir()]
    assert len(set(files)) == 4
    told = {str(one["agent_id"]): one["tasks_completed"] for one in memory.handoffs.list_ledgers()}
    assert told == {"eng-001": 1, "ENG-001": 2, "Eng-001": 3, "eng/001": 4}


def test_a_file_that_is_another_agents_is_never_written_over(memory: Memory, vault: Path) -> None:
    path = put(vault, "Memory/ledgers/eng.json", json.dumps(LEDGER_SEED))
    with pytest.raises(ConflictError):
        memory.handoffs.save_ledger("eng", added=1)
    assert json.loads(path.read_bytes()) == LEDGER_SEED


def test_an_agent_without_a_ledger_or_a_name_has_none_to_show(memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        memory.handoffs.show_ledger("eng")
    with pytest.raises(UsageError):
        memory.handoffs.show_ledger()


def test_one_that_was_forgotten_is_in_force_again_when_its_agent_goes_on(memory: Memory) -> None:
    outcome = memory.handoffs.save_ledger("eng", added=1)
    memory.forget(outcome.id)
    assert list(memory.handoffs.list_ledgers()) == []
    memory.handoffs.save_ledger("eng", added=1)
    assert [one["tasks_completed"] for one in memory.handoffs.list_ledgers()] == [2]


def test_nothing_that_many_say_at_once_is_lost(memory: Memory) -> None:
    def save(number: int) -> None:
        memory.handoffs.save_ledger("eng", added=1, files=[f"f{number % 3}"])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(save, range(18)))
    assert memory.handoffs.show_ledger("eng")["tasks_completed"] == 18
    assert sorted(memory.handoffs.show_ledger("eng")["state"]["files_modified"]) == [
        "f0",
        "f1",
        "f2",
    ]


def test_recall_is_never_given_a_ledger(memory: Memory) -> None:
    memory.handoffs.save_ledger("eng", goal="paint the walrus")
    assert memory.recall("walrus").results == ()
