"""Fragments are understood from what stands around them, long notes by their passages (S1.21)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from support.vaults import START
from unit.engine.core.vault_files import find, put, titles

TALK = [
    "Ana: Where did you spend the holidays?",
    "Ben: In a small cabin near Tromso.",
    "Ana: That sounds cold to me.",
    "Ben: We counted nine whales too.",
    "Ana: My garden needs new soil.",
    "Ben: Then buy some compost.",
]


def say(memory: Memory, turns: list[int], *, session: str = "s1", talk: list[str] = TALK) -> None:
    """Save turns of a talk in the order given; each was said in its turn."""
    for turn in turns:
        memory.save(
            talk[turn], title=f"{session}-{turn}", kind="memory", created=START + turn,
            source="session", ref=session,
        )  # fmt: skip


def test_an_answer_is_found_through_the_question_before_it(memory: Memory) -> None:
    say(memory, [0, 1, 2, 3, 4, 5])
    assert find(memory, "where were the holidays spent") == ["s1-0", "s1-1"]


def test_a_fragment_lends_its_words_to_both_of_its_neighbours(memory: Memory) -> None:
    say(memory, [0, 1, 2, 3, 4, 5])
    found = memory.recall("nine whales compost", profile="deep").results
    scores = {one.row.title: one.row.score for one in found}
    assert found[0].row.title == "s1-3"
    assert scores["s1-4"] > 0
    assert scores["s1-2"] > 0
    assert "s1-1" not in scores


def test_what_stands_alone_is_found_by_its_own_words_only(memory: Memory) -> None:
    for number, text in enumerate(TALK):
        memory.save(text, title=f"alone-{number}", kind="memory", created=START + number)
    assert find(memory, "nine whales") == ["alone-3"]


def test_another_session_lends_nothing(memory: Memory) -> None:
    say(memory, [0, 1, 2, 3])
    other = ["Cy: The train was late.", "Di: I read a book."]
    say(memory, [0, 1], session="s2", talk=other)
    assert not {"s2-0", "s2-1"} & set(find(memory, "nine whales"))


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [2, 5, 0, 3, 1, 4]])
def test_turns_stand_in_the_order_in_which_they_were_said(memory: Memory, order: list[int]) -> None:
    say(memory, order)
    assert find(memory, "where were the holidays spent") == ["s1-0", "s1-1"]
    recalled = memory.recall("nine whales", profile="deep")
    assert set(titles(recalled)) == {"s1-2", "s1-3", "s1-4"}


def test_a_fragment_that_moves_to_another_session_leaves_its_thread(
    memory: Memory, vault: Path
) -> None:
    say(memory, [2, 3, 4])
    assert "s1-4" in titles(memory.recall("nine whales", profile="deep"))
    (note,) = vault.rglob("s1-4.md")
    put(vault, str(note.relative_to(vault)), note.read_text().replace("ref: s1", "ref: s9"))
    found = titles(memory.recall("nine whales", profile="deep"))
    assert found[0] == "s1-3"
    assert "s1-4" not in found
    assert "s1-2" in found


def test_a_fragment_that_was_removed_lends_nothing_any_more(memory: Memory, vault: Path) -> None:
    say(memory, [2, 3, 4])
    (note,) = vault.rglob("s1-3.md")
    note.unlink()
    assert find(memory, "nine whales") == []


def test_a_fragment_that_was_forgotten_lends_nothing_any_more(memory: Memory) -> None:
    say(memory, [2, 3, 4])
    memory.forget("s1-3")
    assert find(memory, "nine whales") == []


def test_whom_a_prompt_names_speaks_for_what_they_said(memory: Memory) -> None:
    talk = ["Ana: The ferry leaves at noon.", "Ben: The ferry leaves at night."]
    say(memory, [0], session="s3", talk=talk)
    say(memory, [1], session="s4", talk=talk)
    assert find(memory, "what did Ben say about the ferry")[0] == "s4-1"
    assert find(memory, "what did Ana say about the ferry")[0] == "s3-0"


# Long notes

SECTIONS = {
    "Backups": "Every night the snapshot goes to the second region. " * 12,
    "Certificates": "The wildcard certificate is renewed by hand in March. " * 12,
    "Paging": "Whoever is on duty carries the yellow telephone. " * 12,
}
HANDBOOK = "".join(f"## {title}\n\n{text.strip()}\n\n" for title, text in SECTIONS.items())


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("who carries the yellow telephone", "Paging"),
        ("renewed certificate in March", "Certificates"),
        ("where does the snapshot go", "Backups"),
    ],
)
def test_of_a_long_note_over_the_budget_the_passage_that_answers_is_shown(
    memory: Memory, query: str, heading: str
) -> None:
    memory.save(HANDBOOK, title="Handbook", kind="domain-reference")
    (whole,) = memory.recall(query).results
    assert not whole.part
    assert whole.text == HANDBOOK.rstrip() + "\n"
    (found,) = memory.recall(query, budget=whole.tokens // 2 + 24).results
    assert found.part
    assert found.text.startswith(f"## {heading}")
    assert found.text in whole.text
    others = set(SECTIONS) - {heading}
    assert not any(other in found.text for other in others)


def test_a_passage_that_does_not_fit_either_is_left_out_and_counted(memory: Memory) -> None:
    memory.save(HANDBOOK, title="Handbook", kind="domain-reference")
    found = memory.recall("who carries the yellow telephone", budget=40)
    assert (found.results, found.over_budget, found.rejected) == ((), 1, False)


def test_a_short_note_is_shown_whole_or_not_at_all(memory: Memory) -> None:
    memory.save("The lighthouse counts. " * 30, title="Lighthouse", kind="fix")
    found = memory.recall("lighthouse", budget=60)
    assert (found.results, found.over_budget) == ((), 1)
