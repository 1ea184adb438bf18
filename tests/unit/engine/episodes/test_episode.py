"""Filing episodes: once, by day, whatever their ids are and whoever has the same (S2.2)."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory, Scope, UsageError
from engrain.engine.episodes.episode import FiledEpisode
from engrain.model.errors import ErasedError, NotFoundError
from support.vaults import make_memory
from unit.model.experience.test_reading import SEED

PLACE = "Memory/episodic/2026-01-06"


def changed(**changes: Any) -> dict[str, Any]:
    return {**SEED, **changes}


def kept(memory: Memory, id_: str) -> dict[str, Any]:
    return dict(memory.episodes.read(id_)[1])


def test_an_episode_is_a_file_of_its_day_with_the_seeds_fields_first(
    memory: Memory, vault: Path
) -> None:
    filed = memory.episodes.save(SEED)
    assert (filed.outcome, filed.id, filed.told) == ("created", SEED["id"], ())
    assert filed.locator == f"{PLACE}/ep-2026-01-06-001.json"
    whole = json.loads((vault / filed.locator).read_text())
    assert list(whole) == [*SEED, "engrain"]
    assert {key: whole[key] for key in SEED} == SEED
    assert kept(memory, filed.id) == SEED


def test_the_day_is_that_of_the_timestamp_in_utc(memory: Memory) -> None:
    filed = memory.episodes.save(changed(timestamp="2026-01-07T01:30:00+02:00"))
    assert filed.locator.startswith("Memory/episodic/2026-01-06/")
    assert kept(memory, filed.id)["timestamp"] == "2026-01-07T01:30:00+02:00"


def test_the_same_again_is_unchanged(memory: Memory) -> None:
    memory.episodes.save(SEED)
    assert memory.episodes.save(SEED).outcome == "unchanged"
    assert len(memory.history()) == 1


def test_one_that_has_no_id_gets_one_and_its_agent_is_who_files_it(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        given = {"context": {"goal": "g"}}
        first, second = memory.episodes.save(given), memory.episodes.save(given)
        assert first.id != second.id
        assert next(iter(kept(memory, first.id))) == "id"
        assert memory.episodes.read(first.id)[2]["source"] == {"kind": "api", "trust": "agent"}


@pytest.mark.parametrize("day", ["2026-01-06", "2026-01-07"])
def test_of_two_agents_episodes_with_one_id_nothing_is_lost(memory: Memory, day: str) -> None:
    memory.episodes.save(SEED)
    other = changed(timestamp=f"{day}T12:00:00Z", agent="eng-002")
    filed = memory.episodes.save(other)
    assert (filed.outcome, filed.other) == ("similar", SEED["id"])
    assert filed.id.startswith("ep-2026-01-06-001-")
    assert filed.locator.startswith(f"Memory/episodic/{day}/")
    assert kept(memory, filed.id) == {**other, "id": filed.id}
    assert kept(memory, SEED["id"]) == SEED
    again = memory.episodes.save(other)
    assert (again.outcome, again.id) == ("unchanged", filed.id)


def test_an_id_that_another_entry_has_is_not_taken_from_it(memory: Memory) -> None:
    note = memory.save("Text.", title="Note")
    filed = memory.episodes.save(changed(id=note.id))
    assert (filed.outcome, filed.other) == ("similar", note.id)


@pytest.mark.parametrize(
    "id_", ["a/b", "../../x", "index", "Index", ".hidden", "con", "x" * 200, "é:", "ep 1", "\x01"]
)
def test_an_id_that_is_no_files_name_is_kept_in_the_episode(
    memory: Memory, vault: Path, id_: str
) -> None:
    filed = memory.episodes.save(changed(id=id_))
    path = vault / filed.locator
    assert path.parent == vault / PLACE
    assert path.name.lower() != "index.json"
    assert json.loads(path.read_text())["id"] == id_
    assert memory.episodes.save(changed(id=id_)).outcome == "unchanged"
    assert memory.trust.survey().chains[0].wrong is None


def test_two_ids_whose_files_names_would_meet_have_a_file_each(memory: Memory) -> None:
    places = {memory.episodes.save(changed(id=id_)).locator for id_ in ("a/b", "a:b", "a-b")}
    assert len(places) == 3


def test_threads_that_file_one_id_at_once_lose_nothing_and_file_nothing_twice(
    memory: Memory, vault: Path
) -> None:
    filed: list[FiledEpisode] = []
    given = [changed(agent=f"eng-{n % 4}") for n in range(12)]
    threads = [
        threading.Thread(target=lambda one=one: filed.append(memory.episodes.save(one)))
        for one in given
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = memory.episodes.list().rows
    assert len(filed) == 12
    assert len(rows) == len(list((vault / PLACE).iterdir())) == 4
    assert {kept(memory, row.id)["agent"] for row in rows} == {f"eng-{n}" for n in range(4)}


def test_a_forgotten_one_that_comes_again_is_restored(memory: Memory) -> None:
    memory.episodes.save(SEED)
    memory.forget(SEED["id"])
    filed = memory.episodes.save(SEED)
    assert filed.outcome == "restored"
    assert [row.id for row in memory.episodes.list().rows] == [SEED["id"]]


def test_an_erased_one_does_not_come_again(memory: Memory, vault: Path) -> None:
    memory.episodes.save(SEED)
    memory.erase(memory.plan_erasure([SEED["id"]]))
    with pytest.raises(ErasedError):
        memory.episodes.save(SEED)
    assert all(b"todos" not in path.read_bytes() for path in vault.rglob("*.json"))


def test_secrets_are_replaced_and_the_same_again_is_still_unchanged(
    memory: Memory, vault: Path
) -> None:
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    given = changed(action_log=[{"t": 0, "action": "curl", "target": f"token {secret}"}])
    filed = memory.episodes.save(given)
    assert secret not in (vault / filed.locator).read_text()
    assert memory.episodes.save(given).outcome == "unchanged"


def test_an_id_that_is_a_secret_is_replaced_in_the_same_way_each_time(memory: Memory) -> None:
    given = changed(id="ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    first, second = memory.episodes.save(given), memory.episodes.save(given)
    assert "16C7e42" not in first.id + first.locator
    assert (second.outcome, second.id) == ("unchanged", first.id)


def test_what_was_left_out_is_counted_beside_the_episode(memory: Memory) -> None:
    log = [{"t": n, "action": "run"} for n in range(2000)]
    filed = memory.episodes.save(changed(action_log=log, mood="good"))
    assert filed.told == ("mood is no field of an episode",)
    assert memory.episodes.read(filed.id)[2]["omitted"] == {"actions": 1700}
    assert memory.episodes.save(changed(action_log=log)).outcome == "unchanged"


def test_one_without_a_goal_is_refused_and_nothing_is_written(memory: Memory) -> None:
    with pytest.raises(UsageError, match="needs a goal"):
        memory.episodes.save({"outcome": "success"})
    assert memory.history() == []


def test_episodes_are_of_the_current_project_unless_another_is_named(tmp_path: Path) -> None:
    with make_memory(tmp_path, project="billing") as memory:
        here = memory.episodes.save(SEED)
        elsewhere = memory.episodes.save(changed(id="b"), project="shop")
        nowhere = memory.episodes.save(changed(id="c"), project="")
        found = {row.id: row.project for row in memory.episodes.list().rows}
        assert found == {here.id: "billing", nowhere.id: None}
        found = {row.id: row.project for row in memory.episodes.list(scope=everywhere()).rows}
        assert found[elsewhere.id] == "shop"


def everywhere() -> Scope:
    return Scope(all_projects=True)


def test_episodes_are_listed_by_outcome_newest_first(memory: Memory) -> None:
    for n, outcome in enumerate(["success", "failure", "success"]):
        memory.episodes.save(
            changed(id=f"e{n}", timestamp=f"2026-01-0{n + 1}T00:00:00Z", outcome=outcome)
        )
    assert [row.id for row in memory.episodes.list().rows] == ["e2", "e1", "e0"]
    assert [row.id for row in memory.episodes.list("success").rows] == ["e2", "e0"]
    assert [row.id for row in memory.episodes.list("success", limit=1).rows] == ["e2"]
    with pytest.raises(UsageError, match="no outcome"):
        memory.episodes.list("splendid")


def test_what_is_no_episode_is_not_read_as_one(memory: Memory) -> None:
    note = memory.save("Text.", title="Note")
    with pytest.raises(NotFoundError, match="no episode"):
        memory.episodes.read(note.id)


def test_a_broken_file_among_good_ones_is_reported_by_check_and_stops_nothing(
    memory: Memory, vault: Path
) -> None:
    memory.episodes.save(SEED)
    for name, raw in (("torn", b'{"id": "x", '), ("list", b"[]"), ("binary", b"\xff\x00")):
        (vault / PLACE / f"{name}.json").write_bytes(raw)
    assert [row.id for row in memory.episodes.list().rows] == [SEED["id"]]
    told = [flaw.place for flaw in memory.check(["unreadable"]).found]
    for name in ("torn", "list", "binary"):
        assert f"{PLACE}/{name}.json" in told
    assert memory.episodes.save(changed(id="torn")).locator != f"{PLACE}/torn.json"
