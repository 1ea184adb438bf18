"""One recall over several vaults: folders and a namespace of a real PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from engrain import Memory, open_memory
from engrain.adapters.mcp import tools
from engrain.engine.core.outcomes import Recall, Recalled
from engrain.engine.core.scope import Scope
from engrain.engine.core.store import Other, Store
from engrain.engine.recall.pipeline import choose_profile
from engrain.engine.recall.profiles import Request
from engrain.engine.recall.together import merge_recalls, recall_together
from engrain.lifecycle.sessions.sessions import list_given
from engrain.model.errors import ConfigError
from engrain.seam.locator import Locator
from engrain.seam.rows import Row

QUERY = "which port does the staging database use"
OWN = "My own staging database uses port 5433 at home."
TEAM = "The staging database of the team uses port 5544."

Open = Callable[..., Memory]


def make_found(name: str, score: float) -> Recalled:
    row = Row(
        Locator(f"{name}.md"), name, "", "fix", name, name, "active", None, "T3", "", [], "agent",
        0.0, 0.0, True,
    )  # fmt: skip
    row.score = score
    return Recalled(row, " ".join(f"{name}{n}" for n in range(9)), tokens=10)


@pytest.fixture
def open_one(tmp_path: Path) -> Iterator[Open]:
    opened: list[Memory] = []

    def open_one(vault: str, also: list[str] | None = None) -> Memory:
        opened.append(
            open_memory(vault, state_dir=tmp_path / "state", create=True, also=also or [])
        )
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def team(tmp_path: Path, open_one: Open) -> str:
    """Where the team's vault is, with one entry."""
    vault = str(tmp_path / "team")
    open_one(vault).save(TEAM, title="Staging of the team", kind="fix")
    return vault


@pytest.fixture
def both(tmp_path: Path, open_one: Open, team: str) -> Memory:
    """A memory of one's own that asks the team's too."""
    memory = open_one(str(tmp_path / "own"), [team])
    memory.save(OWN, title="Staging at home", kind="fix")
    return memory


def test_each_result_names_the_vault_that_it_is_in(both: Memory, team: str) -> None:
    found = both.recall(QUERY)
    assert {one.row.title: one.vault for one in found.results} == {
        "Staging at home": both.where,
        "Staging of the team": team,
    }
    assert found.unanswered == ()
    assert [one.vault for one in both.recall(QUERY, alone=True).results] == [""]


def test_the_budget_holds_for_all_together(both: Memory) -> None:
    whole = both.recall(QUERY)
    less = both.recall(QUERY, budget=whole.tokens - 1)
    assert len(whole.results) == 2
    assert (len(less.results), less.over_budget) == (1, 1)
    assert less.tokens < whole.tokens
    assert len(both.recall(QUERY, limit=1).results) == 1


def test_nothing_is_written_into_a_vault_that_is_only_asked(
    both: Memory, team: str, open_one: Open
) -> None:
    asked = open_one(team)
    before = dict(asked.heads)
    both.sessions.begin("s1")
    given = both.recall(QUERY, session="s1").results
    assert set(list_given(both.journal, "s1")) == {one.row.id for one in given}
    assert both.recall(QUERY, session="s1").results == (), "a session gets nothing twice"
    both.sessions.end("s1")
    both.sessions.fold()
    assert asked.heads == before
    assert [row.title for row in asked.list().rows] == ["Staging of the team"]
    assert OWN not in "".join(found.text for found in asked.recall("home port").results)


def test_a_copy_in_both_vaults_comes_once(both: Memory) -> None:
    both.save(TEAM, title="Staging of the team", kind="fix")
    assert sorted(one.row.title for one in both.recall(QUERY).results) == [
        "Staging at home",
        "Staging of the team",
    ]


def test_what_is_asked_before_a_task_comes_from_both(
    both: Memory, team: str, open_one: Open
) -> None:
    open_one(team).save(
        "Check the staging database before each deploy.", title="Check staging", kind="procedural"
    )
    found = both.before_task("deploy to the staging database")
    assert "Check staging" in [one.row.title for one in found.applicable_skills]
    assert {one.vault for one in found.given} <= {both.where, team}


def test_an_mcp_client_sees_the_vault_of_each_result(both: Memory, team: str) -> None:
    answer = tools.call(both, "memory_recall", {"query": QUERY})
    assert f"in {team}" in answer.text
    answer = tools.call(both, "memory_search", {"query": QUERY})
    assert {row["vault"] for row in answer.data["results"]} == {both.where, team}  # type: ignore[attr-defined]


def test_a_vault_that_cannot_be_reached_is_named_and_the_others_answer(
    tmp_path: Path, open_one: Open
) -> None:
    gone = [str(tmp_path / "gone"), "stone:carved"]
    memory = open_one(str(tmp_path / "own"), gone)
    memory.save(OWN, title="Staging at home", kind="fix")
    found = memory.recall(QUERY)
    assert [one.row.title for one in found.results] == ["Staging at home"]
    assert [name for name, _ in found.unanswered] == gone
    assert "no backend named 'stone'" in found.unanswered[1][1]
    assert "\nWithout " in tools.call(memory, "memory_search", {"query": QUERY}).text


def test_a_vault_that_hangs_is_not_waited_for_nor_asked_twice(
    tmp_path: Path, open_one: Open
) -> None:
    memory = open_one(str(tmp_path / "own"))
    memory.save(OWN, title="Staging at home", kind="fix")
    asked, go_on = Event(), Event()

    def hang() -> Store:
        assert not asked.is_set(), "asked once"
        asked.set()
        go_on.wait(60)
        return memory._open_store()

    other = Other("team", hang)
    store = replace(memory._open_store(), also=[other])
    try:
        for _ in range(2):
            request = Request(QUERY, choose_profile(None), Scope(), deadline=time.monotonic() + 0.2)
            found = recall_together(store, request)
            assert len(found.results) == 1
            assert found.unanswered == (("team", "it did not answer in time"),)
        assert other.is_late
    finally:
        go_on.set()
    while other.is_late:
        time.sleep(0.01)


def test_the_user_names_the_vaults_and_a_project_file_may_not(
    tmp_path: Path, open_one: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    team, own = str(tmp_path / "team"), str(tmp_path / "own")
    open_one(team).save(TEAM, title="Staging of the team", kind="fix")
    monkeypatch.setenv("ENGRAIN_ALSO", f"{team}, {own}")
    with open_memory(own, state_dir=tmp_path / "state", create=True) as memory:
        memory.save(OWN, title="Staging at home", kind="fix")
        assert len(memory.recall(QUERY).results) == 2, "itself it asks once"
    with open_memory(own, state_dir=tmp_path / "state", cold=True) as memory:
        assert len(memory.recall(QUERY).results) == 1, "a prompt has no time for it"
    (tmp_path / ".engrain.toml").write_text(f'also = "{team}"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="a project file may not set 'also'"):
        open_memory(own, state_dir=tmp_path / "state")


def test_lists_are_merged_by_rank_and_not_by_scores() -> None:
    def make(vault: str, *scores: float, relevance: float) -> Recall:
        found = [make_found(f"{vault}{n}", score) for n, score in enumerate(scores)]
        return Recall(tuple(found), relevance=relevance)

    own, team = make("a", 0.2, 0.1, relevance=0.5), make("b", 9.0, 8.0, 0.1, relevance=0.9)
    request = Request("x", choose_profile(None, limit=10), Scope())
    merged = merge_recalls([("own", own), ("team", team)], request)
    assert [one.row.id for one in merged.results] == ["b0", "a0", "b1", "a1", "b2"]
    assert merged.leading == ["b0", "a0"], "each is measured by its own vault's best"
    assert merged.relevance == 0.9


def test_nothing_fits_where_nothing_fits_in_any() -> None:
    silent = [
        Recall((), rejected=True, withheld=n, nearest=(make_found(f"n{n}", 0.1),)) for n in (1, 2)
    ]
    request = Request("x", choose_profile(None), Scope())
    merged = merge_recalls([("own", silent[0]), ("team", silent[1])], request)
    assert (merged.rejected, merged.withheld, len(merged.nearest)) == (True, 3, 2)
    answer = Recall((make_found("a", 1.0),))
    merged = merge_recalls([("own", silent[0]), ("team", answer)], request)
    assert (merged.rejected, merged.nearest, len(merged.results)) == (False, (), 1)
