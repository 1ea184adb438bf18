"""What many notes say together: found where there are witnesses, and quoted, never invented."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import ConflictError, Memory
from engrain.engine.core.active_notes import ActiveNotes
from engrain.engine.core.attesting import effective_trust
from engrain.lifecycle.dreaming.finding import DreamFinding
from engrain.lifecycle.dreaming.insights import find_insights
from engrain.lifecycle.reviewing.actions import join_ids
from support.vaults import START
from unit.lifecycle.dreaming.sleepers import DAY, put
from unit.lifecycle.sessions.living import store_of

SAID = (
    "The connection pooler drops prepared statements after a failover.",
    "After the failover, the connection pooler drops our prepared statements.",
    "Prepared statements: the connection pooler drops them after a failover!",
)
OWN = ("It was raining in the valley.", "We had run out of tea by noon.", "The lift stood still.")


def find(memory: Memory) -> list[DreamFinding]:
    store = store_of(memory)
    return list(find_insights(store, ActiveNotes(store), store.clock.now()))


def put_witnesses(memory: Memory, *, refs: str = "abc", by: str = "agent", count: int = 3) -> None:
    for number in range(count):
        put(
            memory,
            f"Memory/fix/witness-{number}.md",
            f"Day {number}",
            f"{OWN[number]} {SAID[number]}\n\nTold by desk {number}.",
            ref=refs[number],
            tags=["pg", f"t{number}"],
            by=by,
        )


def test_what_three_notes_of_two_sessions_say_is_found_with_their_words(memory: Memory) -> None:
    put_witnesses(memory, refs="aab")
    (found,) = find(memory)
    assert found.entries == ("id-witness-0", "id-witness-1", "id-witness-2")
    assert [quote for _, quote in found.evidence] == list(SAID)
    assert found.reason == "3 notes of 2 sessions say the same"
    assert 0.6 <= found.score <= 1


def test_what_notes_of_two_projects_say_is_told_to_neither(memory: Memory) -> None:
    put_witnesses(memory, count=2)
    put(memory, "Memory/fix/x.md", "There", SAID[2], ref="c", more=["project: harbour"])
    assert find(memory) == []
    put(memory, "Memory/fix/y.md", "Here", SAID[2], ref="c")
    assert len(find(memory)) == 1


def test_two_notes_or_one_session_are_no_witnesses(memory: Memory) -> None:
    put_witnesses(memory, count=2)
    assert find(memory) == []
    put(memory, "Memory/fix/again.md", "Again", f"Once more. {SAID[2]}", ref="a")
    assert len(find(memory)) == 1


def test_where_no_session_is_known_the_day_tells(memory: Memory) -> None:
    for number in range(3):
        text = f"{OWN[number]} {SAID[number]}"
        put(memory, f"Memory/fix/one-{number}.md", f"One {number}", text, at=START - 40 * DAY)
    assert find(memory) == []
    put(memory, "Memory/fix/later.md", "Later", f"At last. {SAID[0]}", at=START - 20 * DAY)
    (found,) = find(memory)
    assert len(found.entries) == 4


def test_one_session_is_one_witness_however_often_it_says_so(memory: Memory) -> None:
    put_witnesses(memory, refs="aaa")
    assert find(memory) == []


def test_what_came_from_outside_bears_no_witness(memory: Memory) -> None:
    put_witnesses(memory, by="external")
    assert find(memory) == []


def test_pages_of_the_operators_bear_none_unless_they_are_of_a_session(memory: Memory) -> None:
    for number in range(3):
        text = f"{OWN[number]} {SAID[number]}"
        at = START - (40 - number) * DAY
        put(memory, f"wiki/page-{number}.md", f"Page {number}", text, at=at, by="operator")
    assert find(memory) == []
    for number in range(3):
        text = f"{OWN[number]} {SAID[number]}"
        place = f"feedback/said-{number}.md"
        put(memory, place, f"Said {number}", text, ref=f"s{number}", by="operator")
    assert len(find(memory)) == 1


def test_of_two_that_the_same_notes_say_one_is_enough(memory: Memory) -> None:
    also = "The watchdog restarts the silent relay within one minute."
    for number in range(4):
        said = [OWN[number % 3], SAID[number % 3], f"Desk {number} was closed for the week."]
        said += [f"Then room {number} had visitors from abroad.", "" if number == 3 else also]
        said += [f"Van {number} stood in front of the gate.", f"Lamp {number} went out at night."]
        text = "\n".join(said)
        put(memory, f"Memory/fix/both-{number}.md", f"Both {number}", text, ref=f"s{number}")
    (found,) = find(memory)
    assert len(found.entries) == 4


def test_copies_of_one_note_are_one_witness(memory: Memory) -> None:
    text = "\n".join((SAID[0], "The watchdog restarts the relay within a minute of silence.",
                      "Nobody reads the third dashboard on the left any more."))  # fmt: skip
    for number in range(3):
        put(memory, f"Memory/fix/copy-{number}.md", f"Copy {number}", text, ref=f"s{number}")
    assert find(memory) == []


def test_what_an_insight_says_already_is_not_found_again(memory: Memory) -> None:
    put_witnesses(memory)
    memory.jobs.dream(only=["insight"])
    (proposal,) = memory.review.list("insight")
    memory.review.accept(proposal.id)
    assert find(memory) == []


@pytest.mark.parametrize("change", ["drops", "never drops"])
def test_a_word_that_turns_it_around_makes_it_another_statement(
    memory: Memory, change: str
) -> None:
    put_witnesses(memory, count=2)
    said = SAID[0].replace("drops", change)
    put(memory, "Memory/fix/third.md", "Third", f"The hall was cold. {said}", ref="z")
    assert len(find(memory)) == (change == "drops")


def test_accepted_it_is_a_note_that_cites_every_source(memory: Memory, vault: Path) -> None:
    put_witnesses(memory)
    memory.jobs.dream(only=["insight"])
    (proposal,) = memory.review.list("insight")
    _, shown = memory.review.show(proposal.id)
    memory.review.accept(proposal.id)
    (row,) = [row for row in memory.list().rows if row.kind == "insight"]
    entry = memory.show(row.id).entry
    assert entry.path == (
        "Memory/insight/the-connection-pooler-drops-prepared-statements-after-a-failover.md"
    )
    assert entry.title == SAID[0].rstrip(".")
    assert entry.derived_from == ("id-witness-0", "id-witness-1", "id-witness-2")
    assert entry.tags == ("pg",)
    for number, said in enumerate(SAID):
        line = f"- [[Memory/fix/witness-{number}|Day {number}]]: “{said}”"
        assert line in entry.text
        assert f"+{line}" in shown
    told = [line for line in entry.text.splitlines() if line and not line.startswith("- ")]
    assert told == ["3 notes say this, each in its own words:"]


def test_it_goes_with_what_it_was_made_from(memory: Memory) -> None:
    put_witnesses(memory)
    memory.jobs.dream(only=["insight"])
    memory.review.accept(memory.review.list("insight")[0].id)
    (row,) = [row for row in memory.list().rows if row.kind == "insight"]
    change = memory.history("id-witness-0")[-1].change
    memory.undo(change, cascade=True)
    assert row.id not in {row.id for row in memory.list().rows}


def test_it_is_trusted_no_more_than_the_least_of_its_sources(memory: Memory) -> None:
    put_witnesses(memory, count=2)
    put(memory, "Memory/fix/third.md", "Third", f"Told elsewhere. {SAID[2]}", by="external")
    memory.review.propose("insight", join_ids(["id-witness-0", "id-witness-1", "id-third"]))
    memory.review.accept(memory.review.list("insight")[0].id)
    (row,) = [row for row in memory.list().rows if row.kind == "insight"]
    assert effective_trust(store_of(memory), row) == "external"


def test_notes_that_say_nothing_together_make_none(memory: Memory) -> None:
    put_witnesses(memory, count=2)
    put(
        memory, "Memory/fix/third.md", "Third", "The bakery on the corner closes at six on Mondays."
    )
    with pytest.raises(ConflictError, match="no longer support"):
        memory.review.propose("insight", join_ids(["id-witness-0", "id-witness-1", "id-third"]))
    with pytest.raises(ConflictError, match="too few"):
        memory.review.propose("insight", join_ids(["id-witness-0", "id-witness-1"]))
