"""Crystallization: one digest of a phase, made of what it left, cited line by line
(S1.17)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engrain import Memory, NotFoundError, UsageError
from engrain.api.crystals import run
from engrain.engine.core.scope import Scope
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.synthesizing.crystals import (
    FINDINGS,
    INVESTIGATION,
    LESSONS,
    OPEN,
    QUESTION,
    Crystallized,
)
from engrain.lifecycle.upkeep.digest import LEARNED
from engrain.model.note.entry import Entry
from engrain.model.run_result import RunResult
from support.vaults import FakeClock, make_memory
from unit.lifecycle.experience import episode, met
from unit.lifecycle.sessions.living import DAY, entry_of, isolate, store_of, with_settings

_SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: FakeClock) -> Iterator[Memory]:
    """A memory seen from the project harbour."""
    isolate(tmp_path, monkeypatch)
    with make_memory(tmp_path, clock=clock, project="harbour") as memory:
        yield memory


def work(memory: Memory, clock: FakeClock) -> float:
    """A phase with a task that failed and then succeeded, and one that only failed; a moment in
    it."""
    memory.work.begin_phase("work", goal="Make the quay safe")
    for id_, goal, outcome, errors in (
        ("ep-1", "Raise the crane", "failure", (met(4, resolution=""),)),
        ("ep-2", "Raise the crane", "success", (met(9),)),
        ("ep-3", "Light the pier", "failure", (("Fuse", "the fuse of the pier blew", ""),)),
    ):
        clock.at += 5
        memory.episodes.save(episode(id_, goal, clock.at, outcome=outcome, errors=errors))
    return clock.at


def end(memory: Memory, clock: FakeClock, summary: str = "The crane stands.") -> None:
    clock.at += 5
    memory.work.end_phase("work", summary=summary)
    clock.at += 60


def lines(done: Crystallized, section: str) -> list[tuple[str, Sequence[str]]]:
    return [(line.text, line.sources) for line in done.sections[section]]


def digest(memory: Memory) -> Entry:
    [row] = memory.list(scope=Scope(kinds=["crystallized"], all_projects=True)).rows
    return entry_of(memory, row.id)


def job(memory: Memory, **settings: str) -> RunResult:
    return run(with_settings(store_of(memory), settings), Run())


def test_a_phase_is_told_section_by_section_and_each_line_says_where_it_is_from(
    memory: Memory, clock: FakeClock
) -> None:
    work(memory, clock)
    rope = memory.save("Wire holds, hemp rots.", title="Wire rope for the crane", kind="decision")
    asked = memory.save("Who pays for the lamps of the pier?", title="Lamps", kind="insight")
    memory.work.set_feature("Rail", status="doing")
    memory.work.write_continuity(next_step="Order the lamps")
    end(memory, clock)
    done = memory.sessions.crystallize(phase="work")
    assert done.outcome == "created"
    entry = digest(memory)
    [(goal, [progress])] = lines(done, QUESTION)
    assert goal == "Make the quay safe"
    assert lines(done, INVESTIGATION) == [
        ("Raise the crane: success (2 times)", ("ep-2", "ep-1")),
        ("Light the pier: failure", ("ep-3",)),
    ]
    assert lines(done, FINDINGS) == [
        ("The crane stands.", (progress,)),
        ("Wire rope for the crane – Wire holds, hemp rots.", (rope.id,)),
        ("Lamps – Who pays for the lamps of the pier?", (asked.id,)),
    ]
    [(lesson, sources)] = lines(done, LESSONS)
    assert lesson.startswith("TypeScript compilation: ")
    assert lesson.endswith(" – Added explicit :void to the route handler")
    assert sources == ("ep-2",)
    assert lines(done, OPEN) == [
        ("next: Order the lamps", (progress,)),
        ("Rail is doing", (progress,)),
        ("Light the pier: failure", ("ep-3",)),
    ]
    assert set(entry.derived_from) == {"ep-1", "ep-2", "ep-3", rope.id, asked.id, progress}
    assert (entry.kind, entry.project) == ("crystallized", "harbour")
    assert entry.fields["phase"] == "work"
    assert entry.path == "Memory/crystallized/2026-09-21-phase-work-harbour.md"
    assert "- next: Order the lamps [[projects/harbour/progress]]\n" in entry.note.body
    links = memory.show(entry.id).links_from
    assert {row.id for _, _, row in links if row is not None} >= {"ep-1", "ep-3", rope.id, progress}


def test_made_again_of_the_same_it_is_unchanged(memory: Memory, clock: FakeClock) -> None:
    work(memory, clock)
    end(memory, clock)
    first = memory.sessions.crystallize()
    before = digest(memory).hash
    clock.at += 3600
    assert memory.sessions.crystallize(phase="work").outcome == "unchanged"
    assert job(memory).counts == {"spans": 1, "created": 0, "left": 0}
    assert digest(memory).hash == before
    assert digest(memory).id == first.id


def test_undoing_a_source_takes_the_digest_back_with_it(memory: Memory, clock: FakeClock) -> None:
    work(memory, clock)
    rope = memory.save("Wire holds, hemp rots.", title="Wire rope", kind="decision")
    end(memory, clock)
    done = memory.sessions.crystallize()
    [saved] = [one.change for one in memory.history(rope.id)]
    undone = memory.undo(saved, cascade=True)
    assert [row.id for row in undone.derived] == [done.id]
    assert entry_of(memory, done.id).status == "deleted"
    assert memory.sessions.crystallize().outcome == "unchanged"


def test_it_is_trusted_no_more_than_what_it_was_made_of(memory: Memory, clock: FakeClock) -> None:
    at = work(memory, clock)
    end(memory, clock)
    from engrain.engine.core.store import Actor
    from engrain.engine.verbs.save import SaveRequest, save

    outside = store_of(memory).acting_as(Actor("", "external"))
    save(outside, SaveRequest("A page said so.", title="Hemp is best", kind="insight", created=at))
    done = memory.sessions.crystallize()
    assert memory.show(done.id).origin == "external"
    assert entry_of(memory, done.id).source["trust"] == "external"


def test_secrets_of_what_it_cites_do_not_get_into_it(memory: Memory, clock: FakeClock) -> None:
    work(memory, clock)
    store = with_settings(store_of(memory), {"redact": "off"})
    from engrain.engine.verbs.save import SaveRequest, save

    save(store, SaveRequest(f"The token is {_SECRET}.", title="Crane's key", kind="fix"))
    end(memory, clock)
    done = memory.sessions.crystallize()
    assert done.redacted
    assert _SECRET not in digest(memory).note.raw.decode()


def test_text_of_an_episode_is_no_link_and_no_markup_in_it(
    memory: Memory, clock: FakeClock
) -> None:
    memory.work.begin_phase("work")
    memory.episodes.save(episode("ep-1", "See [[ep-9]] <img src=x>", clock.at + 1))
    end(memory, clock)
    memory.sessions.crystallize()
    assert "- `See [[ep-9]] <img src=x>: success` [[ep-1]]" in digest(memory).note.body


def test_another_projects_work_and_what_waits_in_the_inbox_are_no_part_of_it(
    memory: Memory, clock: FakeClock
) -> None:
    work(memory, clock)
    memory.save("Theirs.", title="Another quay", kind="decision", project="dock")
    memory.save("Perhaps.", title="A rumour", kind="decision", status="inbox")
    end(memory, clock)
    assert [text for text, _ in lines(memory.sessions.crystallize(), FINDINGS)] == [
        "The crane stands."
    ]


def test_where_there_is_nothing_to_say_no_note_is_made(memory: Memory, clock: FakeClock) -> None:
    memory.work.begin_phase("plan", goal="Think")
    clock.at += 5
    memory.work.end_phase("plan")
    done = memory.sessions.crystallize()
    assert (done.outcome, done.id) == ("nothing", "")
    assert memory.list(scope=Scope(kinds=["crystallized"])).total == 0


def test_a_dry_run_writes_nothing_and_shows_the_text(memory: Memory, clock: FakeClock) -> None:
    work(memory, clock)
    end(memory, clock)
    before = len(memory.history())
    done = memory.sessions.crystallize(dry_run=True)
    assert (done.outcome, done.id) == ("created", "")
    assert "## Open threads" in done.text
    assert len(memory.history()) == before


def test_the_job_makes_what_a_phases_end_asks_for(memory: Memory, clock: FakeClock) -> None:
    work(memory, clock)
    end(memory, clock)
    assert "crystallize" in [one.job.name for one in memory.jobs.status() if one.asked]
    [done] = memory.jobs.run(["crystallize"])
    assert (done.outcome, done.counts) == ("ok", {"spans": 1, "created": 1, "left": 0})
    assert digest(memory).source["agent"] == "engrain"


def test_the_operators_digest_tells_of_it(memory: Memory, clock: FakeClock) -> None:
    work(memory, clock)
    end(memory, clock)
    done = memory.sessions.crystallize()
    told = memory.review.digest(everything=True).sections
    assert done.id in [item.entry for item in told[LEARNED]]


def test_each_phase_has_a_digest_of_its_own_and_old_ones_are_not_begun_unasked(
    memory: Memory, clock: FakeClock
) -> None:
    work(memory, clock)
    end(memory, clock)
    clock.at += 30 * DAY
    memory.work.begin_phase("review")
    memory.episodes.save(episode("ep-9", "Look at the brake", clock.at + 1))
    clock.at += 5
    memory.work.end_phase("review")
    assert job(memory).counts["created"] == 1
    assert digest(memory).fields["phase"] == "review"
    done = memory.sessions.crystallize(phase="work")
    assert done.outcome == "created"
    assert "Look at the brake" not in done.text


def test_a_digest_stays_short_and_tells_how_much_it_left_out(
    memory: Memory, clock: FakeClock
) -> None:
    memory.work.begin_phase("work")
    for number in range(40):
        memory.episodes.save(episode(f"ep-{number}", f"Task number {number}", clock.at + 1))
    end(memory, clock)
    done = memory.sessions.crystallize()
    assert len(done.sources) == 25  # and the progress
    assert "\nAnd 16 more.\n" in digest(memory).note.body


def test_what_can_be_meant_by_nothing_is_refused(memory: Memory) -> None:
    memory.work.begin_phase("work")
    with pytest.raises(NotFoundError, match="no phase of harbour has ended"):
        memory.sessions.crystallize()
    with pytest.raises(UsageError):
        memory.sessions.crystallize(phase="lunch")
