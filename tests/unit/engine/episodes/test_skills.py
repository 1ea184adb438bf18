"""Skills found for a task, counted by how they served, taken in and given out (S2.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory, NotFoundError, UsageError
from engrain.model.experience.skills import Service, Skill, parse_skill

SECRET = "ghp_" + "aB3dE6gH9" * 4
RELEASE = Skill(
    "Release a version",
    "When a new version of the package goes out to the registry.",
    steps=["Tag the commit", "Run the pipeline"],
)
PAINT = Skill("Paint a fence", steps=["Sand the wood", "Brush on the colour"])


def found(memory: Memory, task: str, *, outside: bool = False) -> list[str]:
    return [one.row.title for one in memory.skills.find(task, outside=outside)]


def test_a_skill_is_a_note_in_the_template(memory: Memory, vault: Path) -> None:
    added = memory.skills.add(RELEASE, tags=["ci"])
    assert added.locator == "Memory/procedural/release-a-version.md"
    body = (vault / added.locator).read_text().partition("\n---\n")[2]
    read = parse_skill(body)
    assert (read.name, read.description) == (RELEASE.name, RELEASE.description)
    assert read.steps == RELEASE.steps
    assert memory.skills.add(RELEASE, tags=["ci"]).outcome == "unchanged"
    with pytest.raises(UsageError):
        memory.skills.add(Skill(" "))


def test_the_skills_that_apply_are_found_and_none_where_none_applies(memory: Memory) -> None:
    memory.skills.add(RELEASE)
    memory.skills.add(PAINT)
    memory.save("We release a version each Friday.", title="Release day", kind="decision")
    assert found(memory, "release a new version to the registry") == ["Skill: Release a version"]
    assert found(memory, "which wine suits fish") == []
    assert found(memory, "which wine goes with fish") == []  # it "goes out", in one word
    assert found(memory, "release checklist") == ["Skill: Release a version"]
    assert found(memory, " ") == []


def test_a_use_is_counted_and_does_not_change_the_substance(memory: Memory) -> None:
    id_ = memory.skills.add(RELEASE).id
    before = memory.show(id_).entry
    memory.skills.note_use("release-a-version", "success", "went out")
    memory.skills.note_use(id_, "failure")
    memory.skills.note_use(id_, "failure", f"with {SECRET}")
    after = memory.skills.show(id_)
    service = after.service
    assert (service.uses, service.successes, service.failures) == (3, 1, 2)
    assert service.last_used is not None
    assert service.doubtful
    assert after.entry.note.substance() == before.note.substance()
    assert after.origin == "agent"
    changes = memory.history(id_)
    assert [change.op for change in changes] == ["use", "use", "use", "save"]
    assert changes[2].reason == "success: went out"
    assert changes[0].reason == "failure: with [redacted: github-token]"
    memory.undo(changes[0].change)
    assert memory.skills.show(id_).service.failures == 1


def test_two_that_count_at_once_are_both_counted(memory: Memory, tmp_path: Path) -> None:
    from threading import Thread

    id_ = memory.skills.add(RELEASE).id
    threads = [Thread(target=memory.skills.note_use, args=(id_, "success")) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.skills.show(id_).service.uses == 6


def test_what_is_no_skill_or_no_outcome_is_refused(memory: Memory) -> None:
    saved = memory.save("Text.", title="Fix", kind="fix")
    with pytest.raises(UsageError):
        memory.skills.note_use(saved.id, "success")
    with pytest.raises(UsageError):
        memory.skills.note_use(memory.skills.add(RELEASE).id, "perhaps")
    with pytest.raises(NotFoundError):
        memory.skills.show("nowhere")


def test_counters_that_somebody_wrote_wrong_count_from_nothing(memory: Memory, vault: Path) -> None:
    added = memory.skills.add(RELEASE)
    path = vault / added.locator
    text = path.read_text().replace("---\n", "---\nusage_count: lots\nsuccess_count: -3\n", 1)
    path.write_text(text)
    memory.skills.note_use(added.id, "success")
    assert memory.skills.show(added.id).service.successes == 1


@pytest.mark.parametrize(
    ("successes", "failures", "factor"),
    [(0, 0, 1.0), (3, 3, 1.0), (0, 1, 0.5 + 1 / 3), (0, 4, 0.5 + 1 / 6), (1, 2, 0.5 + 2 / 5)],
)
def test_one_that_fails_more_than_it_serves_counts_less(
    successes: int, failures: int, factor: float
) -> None:
    service = Service(successes + failures, successes, failures, None)
    assert service.factor == pytest.approx(factor)


def test_of_two_skills_alike_the_one_that_serves_comes_first(memory: Memory) -> None:
    first = memory.skills.add(Skill("Deploy the service", steps=["Push the image to staging"]))
    other = memory.skills.add(Skill("Deploy the service", steps=["Pull the image in production"]))
    before = [one.row.id for one in memory.skills.find("deploy the service image")]
    assert set(before) == {first.id, other.id}
    for _ in range(4):
        memory.skills.note_use(before[0], "failure")
    assert [one.row.id for one in memory.skills.find("deploy the service image")] == before[::-1]
