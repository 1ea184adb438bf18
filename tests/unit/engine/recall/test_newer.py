"""The newer of two statements about one thing comes before the older one (DESIGN 18)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.adapters.present.text import describe_entry
from support.vaults import make_memory
from unit.engine.core.vault_files import titles

OLD, NEW = "2026-03-01", "2026-04-01"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = make_memory(tmp_path)
    for number in range(12):
        memory.save(f"The harbour crane {number} was painted in a bright colour.", created=OLD)
    return memory


def ask(memory: Memory, question: str) -> list[str]:
    return titles(memory.recall(question))


def test_one_that_takes_up_what_the_older_one_says_comes_before_it(memory: Memory) -> None:
    older = "The newsletter of the club is edited by Paula."
    newer = "Paula passed the newsletter on to Ben."
    memory.save(older, created=OLD)
    memory.save(newer, created=NEW)
    assert ask(memory, "who edits the newsletter of the club")[:2] == [newer, older]


def test_of_two_that_fit_by_the_same_words_the_later_one_comes_first(memory: Memory) -> None:
    older = "The newsletter of the club appears on Monday."
    newer = "The newsletter of the club appears on Friday."
    memory.save(older, created=OLD)
    memory.save(newer, created=NEW)
    assert ask(memory, "when does the newsletter of the club appear")[:2] == [newer, older]


def test_one_that_speaks_of_a_change_needs_half_of_the_words_of_the_older_one(
    memory: Memory,
) -> None:
    older = "The newsletter of the club is printed in Ghent."
    newer = "The newsletter is no longer printed, it goes out by mail."
    memory.save(older, created=OLD)
    memory.save(newer, created=NEW)
    assert ask(memory, "where is the newsletter of the club printed")[:2] == [newer, older]


def test_it_has_to_be_a_day_later_and_of_the_same_kind_and_project(memory: Memory) -> None:
    older = "The newsletter of the club is edited by Paula."
    newer = "Paula passed the newsletter on to Ben."
    memory.save(older, created=f"{OLD}T10:00:00Z")
    memory.save(newer, created=f"{OLD}T20:00:00Z")
    memory.save(f"{newer} She did.", created=NEW, kind="workflow")
    assert ask(memory, "who edits the newsletter of the club")[0] == older


def test_one_about_another_subject_stays_behind_though_it_is_newer(memory: Memory) -> None:
    memory.save("The Polish office is closed on 11 November.", created=OLD)
    memory.save("Nobody works in the Spanish office on 12 October.", created=NEW)
    assert ask(memory, "polish office closed")[0].startswith("The Polish")


def test_the_older_one_is_marked_with_its_date(memory: Memory) -> None:
    memory.save("The wiki is backed up nightly by a job.", created=OLD)
    memory.save("The wiki is backed up hourly.", created=NEW)
    newer, older = memory.recall("how is the wiki backed up").results[:2]
    assert (newer.older, older.older) == (False, True)
    assert describe_entry(older).startswith(f"[memory {OLD} agent, older statement] ")
    assert "older statement" not in describe_entry(newer)


def test_an_entry_named_by_its_id_stays_first(memory: Memory) -> None:
    saved = memory.save("Backups of the wiki run nightly.", created=OLD)
    memory.save("Backups of the wiki are made every six hours.", created=NEW)
    assert memory.recall(f"wiki backups {saved.id}").results[0].row.id == saved.id


def test_the_nearest_older_one_is_named_for_what_was_saved(memory: Memory) -> None:
    older = memory.save("Our Leipzig team sits on the third floor.", created=OLD)
    saved = memory.save("Our Leipzig team sits at the station.", created=NEW)
    found = memory.find_older(saved)
    assert found is not None and found.id == older.id
    assert memory.find_older(older) is None
    assert memory.find_older(memory.save("Tomatoes need a roof.", created=NEW)) is None


def test_what_was_known_already_has_no_older_one(memory: Memory) -> None:
    memory.save("Our Leipzig team sits on the third floor.", created=OLD)
    memory.save("Our Leipzig team sits at the station.", created=NEW)
    again = memory.save("Our Leipzig team sits at the station.", created=NEW)
    assert (again.outcome, memory.find_older(again)) == ("unchanged", None)
