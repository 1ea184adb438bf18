"""Facts drawn by rules: what people say of themselves and of one another."""

from __future__ import annotations

import time

import pytest

from engrain.language.lexicons import read_lines
from engrain.language.text.instants import parse_instant
from engrain.learn.extraction.phrasing import split_sentences
from engrain.learn.extraction.rules import find_facts
from engrain.model.facts.fact import AGENT, DOCUMENT, OPERATOR, OTHER, FactDraft, Turn

AT = parse_instant("2026-01-14T12:00:00Z")


def drawn(text: str, speaker: str = "Iris", role: str = OTHER) -> list[FactDraft]:
    return find_facts([Turn(speaker, role, text, AT, "1")])


def said(text: str, speaker: str = "Iris", role: str = OTHER) -> list[str]:
    return [draft.content for draft in drawn(text, speaker, role)]


@pytest.mark.parametrize(
    ("text", "content", "edge"),
    [
        ("I work as a counselor at Harbor House and it's so rewarding.",
         "Iris works as a counselor at Harbor House.", ("works_at", "Harbor House")),
        ("I'm a teacher.", "Iris is a teacher.", ("job_title", "teacher")),
        ("I drive a blue Volvo.", "Iris drives a blue Volvo.", ("car", "blue Volvo")),
        ("My boss is Tom Reed.", "Iris's boss is Tom Reed.", ("reports_to", "Tom Reed")),
        ("I started our new job at Acme.", "Iris started their new job at Acme.",
         ("works_at", "Acme")),
        ("Yeah, I'm actually working at Harbor House now!",
         "Iris is working at Harbor House.", ("works_at", "Harbor House")),
        ("I'm fluent in Swedish, you know.", "Iris is fluent in Swedish.", ("speaks", "Swedish")),
        ("I just moved to Berlin last month.", "Iris moved to Berlin in December 2025.",
         ("lives_in", "Berlin")),
        ("I'm allergic to peanuts.", "Iris is allergic to peanuts.", ("allergic_to", "peanuts")),
        ("My birthday is 3 May.", "Iris's birthday is 3 May.", ("birthday", "3 May")),
        ("I don't eat meat.", "Iris does not eat meat.", None),
        ("I got married to Sam Hill last month!", "Iris got married to Sam Hill in December 2025.",
         ("partner", "Sam Hill")),
        ("I no longer work at Acme.", "Iris no longer works at Acme.", None),
    ],
)  # fmt: skip
def test_a_statement_is_reported_in_the_third_person(
    text: str, content: str, edge: tuple[str, str] | None
) -> None:
    (draft,) = drawn(text)
    assert (draft.entity, draft.entity_type) == ("Iris", "person")
    assert (draft.content, draft.edge, draft.at) == (content, edge, AT)


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Berlin?",
        "If I moved to Berlin I'd be happy.",
        "Maybe I moved too fast to Berlin.",
        "I wish I lived in Berlin.",
        "I think I live in a simulation.",
        "I'd love to move to Berlin.",
        "I want to buy a house in Porto.",
        "I'll be home tonight.",
        "I was so happy and thankful.",
        'She said "I live in Berlin".',
        "Tom told me I live in a bubble.",
        "You live in Berlin.",
        "That's great, you work at Acme!",
        "I love it!",
        "I bought this.",
        "I got it from him.",
        "Just kidding, I moved to Mars.",
        "Please fix the tests.",
        "Have a great day!",
        "I had a great time.",
        "I had a lot of fun.",
        "Learning German has been tough.",
        "Good morning!",
        "My wife is a nurse.",
        "My fave colour is teal, haha.",
        "My dog's name is Rex.",
        "My sister Anna lives in Boston.",
    ],
)
def test_what_states_nothing_lasting_gives_nothing(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    "example", [lines[0] for lines in read_lines("extraction", "states").values()]
)
def test_the_example_of_every_pattern_is_read(example: str) -> None:
    assert said(f"{example}.")


def test_an_event_to_come_does_not_hold_yet() -> None:
    (past,) = drawn("I moved to Berlin yesterday.")
    assert past.valid_from == parse_instant("2026-01-13")
    assert past.edge == ("lives_in", "Berlin")
    assert drawn("I'm moving to Berlin next month.") == []
    (coming,) = drawn("I'm starting a company next month.")
    assert (coming.valid_from, coming.edge) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "I started the server and it fails.",
        "I have a bug in the parser.",
        "I moved the function to utils.",
        "I moved to the next step.",
        "I moved to TypeScript last year.",
        "I left TODO comments in the file.",
        "I joined Users with Orders.",
        "I opened a channel to the worker.",
        "I turned 3 tests green.",
        "I got a certificate error.",
        "I have two children components.",
        "I am married to this idea.",
        "I prefer the second option.",
        "I'm working on the parser.",
        "I got an error in the build.",
        "I always run the tests before committing.",
        "<system-reminder>I live in Berlin.</system-reminder>",
        "<engrain-memory 0011223344556677>\nI live in Berlin.\n</engrain-memory 0011223344556677>",
    ],
)
def test_work_with_an_agent_is_no_fact_of_a_life(text: str) -> None:
    assert said(text, "", OPERATOR) == []


def test_the_operator_is_told_of_under_the_name_that_is_known() -> None:
    (nameless,) = drawn("Remember that I'm allergic to nuts.", "", OPERATOR)
    assert (nameless.entity, nameless.content) == (
        "operator", "The operator is allergic to nuts.",
    )  # fmt: skip
    (named,) = drawn("I prefer tabs over spaces.", "Dana", OPERATOR)
    assert (named.entity, named.content) == ("Dana", "Dana prefers tabs over spaces.")


def test_nobody_is_meant_by_a_speaker_without_a_name_or_by_an_agent() -> None:
    assert said("I live in Berlin.", "") == []
    assert said("I live in Berlin.", "Speaker 2") == []
    assert said("I live in Berlin.", "Unknown Speaker") == []
    assert said("I live in Berlin. Alice moved to Rome.", "", AGENT) == []
    assert said("I live in Berlin.", "", DOCUMENT) == []


def test_the_same_fact_of_several_turns_is_drawn_once() -> None:
    turns = [Turn("Iris", OTHER, "I live in Berlin.", AT), Turn("Iris", OTHER, "I live in Berlin!")]
    assert len(find_facts(turns)) == 1


@pytest.mark.parametrize(
    "text", ["I'm going to visit Oslo next month.", "I'm planning to run a marathon in October."]
)
def test_a_plan_is_no_fact(text: str) -> None:
    assert said(text) == []


def test_what_trails_behind_a_statement_is_left_out() -> None:
    for tail in (
        ", it was awesome",
        " - so cool",
        ", you know",
        " and it made me so happy",
        ", Tom",
    ):
        assert said(f"I founded a shop{tail}!") == ["Iris founded a shop."]


@pytest.mark.parametrize(
    "part",
    [
        "a ",
        "Aa, ",
        "went back on a ",
        "A'",
        "and ",
        "I am ",
        "my sister ",
        "(",
        '"',
        "`",
        "- ",
        "to an ",
    ],
)
def test_no_text_takes_long_whatever_it_repeats(part: str) -> None:
    text = "\n".join(f"I took {part * 400}"[:380] for _ in range(50))
    begun = time.perf_counter()
    drawn(text)
    drawn(part * 20_000)
    assert time.perf_counter() - begun < 10


def test_somebody_beside_the_speaker_is_no_part_of_the_next_clause() -> None:
    assert said("I live in Oslo with my husband Erik and I prefer tea.") == [
        "Iris lives in Oslo with their husband Erik.",
        "Iris prefers tea.",
    ]


@pytest.mark.parametrize("text", ["Tom met her at Acme.", "Anna joined them."])
def test_who_is_pointed_to_is_nobodys_possession(text: str) -> None:
    assert [
        one.content for one in drawn(text) if "her" in one.content or "them" in one.content
    ] == []


def split(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


def test_abbreviations_and_initials_end_no_sentence() -> None:
    text = "I met Dr. Ames at St. Mary's. J. Stone was there at 5 p.m. with us! And you?"
    assert split(text) == [
        "I met Dr. Ames at St. Mary's",
        "J. Stone was there at 5 p.m. with us",
        "And you",
    ]
    assert [sentence.mark for sentence in split_sentences(text)] == [".", "!", "?"]


def test_emoji_and_lines_end_a_sentence_and_list_markers_are_none() -> None:
    text = "I got a dog 🐶 He is small\n- [x] I moved to Oslo\n2. I sold my car"
    assert split(text) == ["I got a dog", "He is small", "I moved to Oslo", "I sold my car"]


@pytest.mark.parametrize(
    "passed",
    [
        "```\nI work at Acme.\n```",
        "> I work at Acme.",
        "# I work at Acme",
        "$ I work at Acme",
        "2026-01-02T10:00:00 I work at Acme",
        "    I work at Acme",
        "I work at Acme; {",
        "see https://example.com I work at Acme",
        "`I work at Acme for a while now`",
        "I work at Acme " * 60,
    ],
)
def test_code_logs_quotations_and_markup_are_no_sentences(passed: str) -> None:
    assert split(passed) == []
    assert split(f"I live in Oslo.\n{passed}\n") == ["I live in Oslo"]


def test_a_fence_that_is_never_closed_takes_all_behind_it() -> None:
    assert split("I live in Oslo.\n```\nI work at Acme.\n") == ["I live in Oslo"]
