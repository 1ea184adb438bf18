"""Skills drafted from what succeeded alike, for the operator's word (S2.4, S1.17)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import ConflictError, Memory, Scope
from engrain.engine.core.store import Store
from engrain.engine.episodes.episode import save_episode
from engrain.lifecycle.consolidating import skill_drafts
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.reviewing import staging
from engrain.model.errors import ConfigError
from support.tasks import GOALS, make_episode
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import notes
from unit.lifecycle.sessions.living import DAY, store_of, with_settings

DRAFT = "Memory/_dream-staging/implement-endpoint.md"


def work(store: Store, *resources: str, number: int = 0, outcome: str = "success") -> list[str]:
    return [
        save_episode(store, make_episode(resource, number + place, outcome), project="").id
        for place, resource in enumerate(resources)
    ]


def draft(memory: Memory, **settings: str) -> Report:
    return skill_drafts.run(with_settings(store_of(memory), settings), Run())


def test_three_tasks_that_succeeded_alike_are_drafted_and_proposed(
    memory: Memory, vault: Path
) -> None:
    ids = work(store_of(memory), *GOALS)
    report = draft(memory)
    assert report.counts == {"drafted": 1, "expired": 0}
    text = (vault / DRAFT).read_text()
    assert "status: proposed\n" in text
    assert "## Steps\n1. `read_file` `openapi.yaml`\n" in text
    (proposal,) = memory.review.list("adopt")
    assert proposal.reason == "3 tasks succeeded alike"
    entry = memory.show(proposal.target).entry
    assert sorted(entry.derived_from) == sorted(ids)
    assert entry.source == {"kind": "episodes", "agent": "engrain", "trust": "agent"}
    _, diff = memory.review.show(proposal.id)
    assert "+1. `read_file` `openapi.yaml`" in diff
    assert memory.skills.find("implement an endpoint") == []
    assert memory.skills.list() == []


def test_accepted_it_is_a_skill_like_any_other(memory: Memory, vault: Path) -> None:
    work(store_of(memory), *GOALS)
    draft(memory)
    (proposal,) = memory.review.list("adopt")
    memory.review.accept(proposal.id)
    (skill,) = memory.skills.list()
    assert skill.row.locator == "Memory/procedural/implement-endpoint.md"
    assert (skill.row.id, skill.entry.status, skill.origin) == (proposal.target, "active", "agent")
    assert not (vault / DRAFT).exists()
    (found,) = memory.skills.find("Implement the DELETE /api/todos endpoint")
    assert found.row.id == proposal.target
    assert draft(memory).counts == {"drafted": 0, "expired": 0}
    change = next(one for one in memory.history(proposal.target) if one.op == "adopt")
    memory.undo(change.change)
    assert memory.skills.list() == []
    assert (vault / DRAFT).exists()


def test_drafting_again_changes_nothing(memory: Memory, vault: Path) -> None:
    work(store_of(memory), *GOALS)
    draft(memory)
    before = notes(vault)
    assert draft(memory).counts == {"drafted": 0, "expired": 0}
    assert notes(vault) == before


def test_fewer_than_the_setting_says_or_failures_make_no_draft(memory: Memory) -> None:
    store = store_of(memory)
    work(store, "todos", "users")
    work(store, "bills", number=2, outcome="failure")
    assert draft(memory).counts["drafted"] == 0
    assert draft(memory, **{"skills.repeats": "2"}).counts["drafted"] == 1


@pytest.mark.parametrize("value", ["1", "many", "-3", "²"])
def test_a_setting_that_is_no_number_is_told(memory: Memory, value: str) -> None:
    with pytest.raises(ConfigError, match=r"skills\.repeats"):
        draft(memory, **{"skills.repeats": value})


def test_rejected_it_is_retired_and_never_drafted_again(memory: Memory, vault: Path) -> None:
    store = store_of(memory)
    work(store, *GOALS)
    draft(memory)
    (proposal,) = memory.review.list("adopt")
    memory.review.reject(proposal.id, "we do it otherwise")
    assert draft(memory).counts == {"drafted": 0, "expired": 1}
    assert "status: archived\n" in (vault / DRAFT).read_text()
    work(store, *GOALS, number=10)
    assert draft(memory).counts == {"drafted": 0, "expired": 0}
    assert memory.review.list() == []


def test_the_same_steps_of_other_episodes_are_not_drafted_again(memory: Memory) -> None:
    store = store_of(memory)
    first = work(store, *GOALS)
    draft(memory)
    memory.review.accept(memory.review.list("adopt")[0].id)
    for id_ in first:
        memory.archive(id_)
    work(store, *GOALS, number=20)
    assert draft(memory).counts["drafted"] == 0


def test_a_draft_that_nobody_answered_goes_with_its_proposal(
    memory: Memory, vault: Path, clock: FakeClock
) -> None:
    work(store_of(memory), *GOALS)
    draft(memory)
    clock.at += 31 * DAY
    staging.run(store_of(memory), Run())
    assert draft(memory).counts == {"drafted": 0, "expired": 1}
    assert "status: archived\n" in (vault / DRAFT).read_text()


def test_a_draft_whose_writer_died_before_it_asked_is_asked_about(
    memory: Memory, vault: Path
) -> None:
    work(store_of(memory), *GOALS)
    draft(memory)
    (proposal,) = memory.review.list("adopt")
    (vault / proposal.path).unlink()
    memory.scan()
    assert memory.review.list() == []
    draft(memory)
    (again,) = memory.review.list("adopt")
    assert again.target == proposal.target


def test_a_draft_that_was_edited_meanwhile_is_asked_about_anew(memory: Memory, vault: Path) -> None:
    work(store_of(memory), *GOALS)
    draft(memory)
    path = vault / DRAFT
    path.write_text(path.read_text() + "\n## Notes\nMine.\n")
    memory.scan()
    (proposal,) = memory.review.list("adopt")
    with pytest.raises(ConflictError, match="has changed since the proposal"):
        memory.review.accept(proposal.id)
    draft(memory)
    (again,) = memory.review.list("adopt")
    assert again.id != proposal.id
    memory.review.accept(again.id)
    assert "Mine." in memory.skills.list()[0].entry.text


def test_with_dry_run_it_only_tells(memory: Memory, vault: Path) -> None:
    work(store_of(memory), *GOALS)
    before = notes(vault)
    report = skill_drafts.run(store_of(memory), Run(dry_run=True))
    assert report.counts["drafted"] == 1
    assert report.lines[0].startswith("would draft: 3 tasks succeeded alike: ep-")
    assert notes(vault) == before


def test_what_is_drawn_from_outside_is_trusted_no_more(memory: Memory, tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="external", seed=8) as outside:
        work(store_of(outside), "todos")
    work(store_of(memory), "users", "bills", number=1)
    draft(memory)
    (row,) = memory.list(scope=Scope(statuses=["proposed"], kinds=["procedural"])).rows
    assert row.source == "external"


def test_undoing_an_episode_with_what_was_made_from_it_takes_the_skill(memory: Memory) -> None:
    ids = work(store_of(memory), *GOALS)
    draft(memory)
    (proposal,) = memory.review.list("adopt")
    memory.review.accept(proposal.id)
    saved = next(change for change in memory.history(ids[0]) if change.op == "save")
    with pytest.raises(ConflictError, match=r"changed later, by .* \(adopt\)"):
        memory.undo(saved.change, cascade=True)
    adopted = next(change for change in memory.history(proposal.target) if change.op == "adopt")
    memory.undo(adopted.change)
    memory.undo(saved.change, cascade=True)
    assert memory.show(proposal.target).entry.status == "deleted"


def test_what_is_in_the_way_of_a_draft_is_left_alone(memory: Memory, vault: Path) -> None:
    path = vault / DRAFT
    path.parent.mkdir(parents=True)
    path.write_text("# Mine\n")
    work(store_of(memory), *GOALS)
    assert draft(memory).counts["drafted"] == 1
    assert path.read_text() == "# Mine\n"
    assert len(list(path.parent.glob("implement-endpoint--*.md"))) == 1


def test_no_more_drafts_wait_than_somebody_looks_at(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(skill_drafts, "MOST_WAITING", 1)
    store = store_of(memory)
    work(store, *GOALS)
    for number in range(4):
        save_episode(store, make_episode("Translate the handbook", number), project="")
    draft(memory)
    (first,) = memory.review.list("adopt")
    assert "Translate the handbook" in first.text
    assert draft(memory).counts["drafted"] == 0
    memory.review.accept(first.id)
    assert draft(memory).counts["drafted"] == 1
    (second,) = memory.review.list("adopt")
    assert "Implement endpoint" in second.text


def test_a_time_that_is_up_stops_between_two_drafts(memory: Memory) -> None:
    work(store_of(memory), *GOALS)
    report = skill_drafts.run(store_of(memory), Run(out_of_time=lambda: True))
    assert (report.unfinished, report.counts["drafted"]) == (True, 0)
