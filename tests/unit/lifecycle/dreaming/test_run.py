"""A pass over the whole vault: what it finds waits in the folder of its run."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import ConflictError, Memory
from engrain.engine.core.upkeep import IndexUpkeep
from engrain.lifecycle.dreaming import run as running
from engrain.lifecycle.dreaming.run import STAGES
from engrain.lifecycle.jobs.table import JOBS, Run
from engrain.lifecycle.policy import check_policy
from engrain.lifecycle.reviewing.staging import propose
from engrain.model.errors import ConfigError
from support.vaults import FakeClock
from unit.engine.core.vault_files import notes
from unit.lifecycle.dreaming.sleepers import MENTION, fill, put
from unit.lifecycle.sessions.living import DAY, store_of, with_settings

COPIES = 4


@pytest.fixture(autouse=True)
def sleepers(memory: Memory) -> None:
    fill(memory, copies=COPIES)


def by_kind(memory: Memory) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in memory.review.list():
        found[one.finder] = found.get(one.finder, 0) + 1
    return found


def test_each_finding_is_a_proposal_in_the_folder_of_its_run(memory: Memory, vault: Path) -> None:
    dream = memory.jobs.dream()
    assert list(dream.stages) == [stage.kind for stage in STAGES]
    found = by_kind(memory)
    assert found == {"duplicate": COPIES, "link": 1}
    assert dream.count("proposed") == found
    assert memory.survey().proposals == sum(found.values())
    (link,) = memory.review.list("link")
    assert link.path.startswith(f"Memory/_dream-staging/{dream.run}/link-id-deploy~id-backup")
    assert link.ids == ("id-deploy", "id-backup")
    assert link.evidence == (("id-deploy", MENTION),)
    assert (link.run, link.score, link.open) == (dream.run, 0.95, True)
    text = (vault / link.path).read_text()
    assert f"run: {dream.run}\n" in text and "expires: 2026-10-21T" in text
    assert memory.history(limit=1)[0].agent == "engrain"


def test_a_dry_run_shows_the_same_and_writes_nothing(memory: Memory, vault: Path) -> None:
    before, history = notes(vault), len(memory.history())
    dream = memory.jobs.dream(dry_run=True)
    assert (notes(vault), len(memory.history())) == (before, history)
    assert store_of(memory).device.local.read_note("dream") is None
    assert {one.reason for one in dream.findings if one.kind == "duplicate"} == {"the same text"}
    assert len(dream.findings) == sum(dream.count("proposed").values())
    assert dream.count("proposed") == memory.jobs.dream().count("proposed")


def test_what_is_open_or_was_decided_is_not_proposed_again(memory: Memory, vault: Path) -> None:
    first = memory.jobs.dream()
    standing = {one.id for one in memory.review.list()}
    second = memory.jobs.dream()
    assert {one.id for one in memory.review.list()} == standing
    assert second.proposals == ()
    assert not (vault / f"Memory/_dream-staging/{second.run}").exists()
    for one in memory.review.list(run=first.run):
        memory.review.reject(one.id, "no")
    third = memory.jobs.dream()
    assert third.count("proposed") == {}
    assert third.count("known") == first.count("proposed")


def test_what_was_accepted_and_taken_back_is_not_proposed_again(memory: Memory) -> None:
    memory.jobs.dream(only=["link"])
    (proposal,) = memory.review.list("link")
    memory.review.accept(proposal.id)
    assert "[[backup|" in memory.show("id-deploy").entry.text
    change = next(change for change in memory.history("id-deploy") if change.op == "link")
    memory.undo(change.change)
    assert memory.jobs.dream(only=["link"]).count("proposed") == {}


def test_one_whose_target_changed_is_stale_and_is_proposed_anew(memory: Memory) -> None:
    memory.jobs.dream(only=["link"])
    (first,) = memory.review.list("link")
    shown = memory.show("id-deploy").entry
    memory.edit("id-deploy", expect=shown.hash, text=shown.text + "\nAnd so it was.")
    with pytest.raises(ConflictError, match="has changed since the proposal"):
        memory.review.accept(first.id)
    memory.jobs.dream(only=["link"])
    (second,) = memory.review.list("link")
    assert second.target == first.target and second.base != first.base


def test_a_proposal_that_expired_is_made_again(memory: Memory, clock: FakeClock) -> None:
    first = memory.jobs.dream(only=["duplicate"]).proposals
    clock.at += 31 * DAY
    again = memory.jobs.dream(only=["duplicate"]).proposals
    assert {one.target for one in again} == {one.target for one in first} != set()


def test_a_dream_looks_for_edits_by_other_programs_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.jobs.dream()
    scans: list[object] = []
    own = IndexUpkeep.scan

    def note(self: IndexUpkeep, *given: object) -> object:
        scans.append(self)
        return own(self, *given)  # type: ignore[arg-type]  # a function or None

    monkeypatch.setattr(IndexUpkeep, "scan", note)
    memory.jobs.dream()
    assert len(scans) == 1


def test_more_than_the_limit_is_left_to_the_next_and_reported(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_LIMIT", 3)
    store = store_of(memory)
    dream = running.dream(store, only=["duplicate"])
    assert (len(memory.review.list()), list(dream.count("capped"))) == (3, ["duplicate"])
    assert dream.count("capped") == {"duplicate": COPIES - 3}
    running.dream(store, only=["duplicate"])
    assert len(memory.review.list()) == COPIES


def test_a_finder_that_fails_stops_no_other(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engrain.lifecycle.dreaming import finders

    def fail(*_: object) -> Iterator[object]:
        raise ConflictError("the moon is full")
        yield

    monkeypatch.setattr(finders, "find_duplicates", fail)
    dream = memory.jobs.dream()
    assert dream.problems == [("duplicate", "the moon is full")]
    assert "link" in by_kind(memory)
    assert "duplicate failed: the moon is full" in dream.lines


def test_accepting_all_of_a_run_leaves_others_alone(memory: Memory) -> None:
    first = memory.jobs.dream(only=["duplicate"])
    memory.jobs.dream(only=["link"])
    decisions = memory.review.accept_all(run=first.run)
    assert {one.decision for one in decisions} == {"accepted"}
    assert len(decisions) == COPIES
    assert by_kind(memory) == {"link": 1}


def test_the_digest_of_all_that_happened_tells_of_a_dream_in_one_line(memory: Memory) -> None:
    run = memory.jobs.dream(only=["duplicate", "link"]).run
    (item,) = memory.review.digest().sections["proposed"]
    told = f"{COPIES} duplicate, 1 link: engrain review list --run {run}"
    assert (item.op, item.title, item.reason) == ("dream", run, told)


def test_its_proposals_expire_as_all_do(memory: Memory, clock: FakeClock) -> None:
    memory.jobs.dream(only=["duplicate"])
    clock.at += 31 * DAY
    assert JOBS["staging"].load()(store_of(memory), Run()).counts == {"expired": COPIES}


def test_the_job_is_due_as_often_as_the_operator_says(memory: Memory) -> None:
    job = JOBS["dream"]
    assert job.every == 7 * 24 * 60
    assert job.as_set({"dream.days": "2"}).every == 2 * 24 * 60
    report = job.load()(store_of(memory), Run())
    assert report.counts["proposed"] == len(memory.review.list())
    assert not report.unfinished
    assert any(line.startswith("duplicate: 4 found, 4 proposed") for line in report.lines)


@pytest.mark.parametrize(("name", "value"), [("dream.days", "0"), ("dream.days", "often")])
def test_a_setting_that_says_nothing_is_reported(memory: Memory, name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        check_policy({name: value})
    with pytest.raises(ConfigError, match=name):
        running.run(with_settings(store_of(memory), {name: value}), Run())


def test_what_is_erased_is_gone_from_proposals_too(memory: Memory, vault: Path) -> None:
    put(memory, "Memory/fix/crimson-kettle-sings.md", "Crimson kettle sings", "It boils at dawn.")
    put(memory, "Memory/fix/other.md", "Crimson kettle sings", "It boils at dawn.")
    memory.jobs.dream(only=["duplicate"])
    memory.erase(memory.plan_erasure(["id-crimson-kettle-sings", "id-other"]))
    staged = [path.read_text() for path in (vault / "Memory/_dream-staging").rglob("*.md")]
    assert staged and not any("kettle" in text.lower() for text in staged)


def test_a_note_of_secrets_is_quoted_without_them(memory: Memory, vault: Path) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    text = f"The nightly ledger backup needs the deploy token {secret} of the relay."
    put(memory, "Memory/fix/secret.md", "Secret", text)
    memory.jobs.dream(only=["link"])
    staged = [path.read_text() for path in (vault / "Memory/_dream-staging").rglob("*.md")]
    assert staged
    assert not any(secret in text for text in staged)


def test_garbage_is_collected_again_after_a_dream(memory: Memory) -> None:
    told: list[bool] = []
    memory.jobs.dream(tell=lambda _: told.append(gc.isenabled()))
    assert told and not any(told)
    assert gc.isenabled()


def test_what_nobody_asked_for_is_the_best_few_of_a_week(memory: Memory, clock: FakeClock) -> None:
    store = with_settings(store_of(memory), {"staging.weekly": "3"})
    saved = memory.save("Nobody has asked for it since.", title="Weak", kind="fix")
    propose(store, "archive", saved.id, "faded", capped=True)
    job = JOBS["dream"].load()
    assert sum(job(store, Run()).count("proposed").values()) == 3  # type: ignore[attr-defined]
    assert [one.finder for one in memory.review.list()] == ["duplicate"] * 3, "it took its place"
    assert propose(store, "archive", saved.id, "faded", capped=True) is None
    clock.at += 8 * DAY
    job(store, Run())
    assert len(memory.review.list()) == COPIES + 1, "the week after has room for the rest"
    memory.jobs.dream()
    assert propose(store, "archive", saved.id, "asked for") is not None
