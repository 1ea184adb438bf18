from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.sets.benchmarks import CATEGORIES, parse_spoken_date, read_locomo, without_names
from bench.sets.haystacks import Haystack

from engrain.model.errors import MalformedError
from support.check_script import leaves_files_open, load_check, needs_check
from support.conversations import make_locomo
from support.real_data import DATA, needs

_DEV = "locomo/locomo_dev.json"


def _haystacks(unit: str) -> list[Haystack]:
    return read_locomo(make_locomo()).haystacks[unit]


def test_a_turn_says_who_spoke_and_what_was_shown() -> None:
    turn = _haystacks("turn")[0].passages[0]
    assert turn.id == "D1:1"
    assert turn.title == "Nora"
    assert turn.text.startswith("Nora: I adopted a grey kitten")
    assert turn.text.endswith("[shares a photo of number 1]")
    assert turn.thread == "conv-1/S1"


def test_turns_of_a_session_are_a_second_apart() -> None:
    first, second, *_ = _haystacks("turn")[0].passages
    assert first.created == parse_spoken_date("1:51 pm on 1 May, 2023")
    assert second.created is not None and first.created is not None
    assert second.created - first.created == 1


def test_a_session_is_one_passage_under_its_date() -> None:
    session = _haystacks("session")[0].passages[1]
    assert session.id == "S2"
    assert session.title == "1:52 pm on 2 May, 2023"
    assert [line.partition(":")[0] for line in session.text.split("\n\n")] == ["Nora", "Emil"]


def test_evidence_is_split_and_read_whatever_its_spelling() -> None:
    gold = {question.id: question.gold for question in _haystacks("turn")[0].questions}
    assert gold["conv-1/2"] == {"D1:2", "D2:1", "D2:2"}
    assert _haystacks("turn")[1].questions[2].gold == {"D2:2"}


def test_the_sessions_of_the_evidence_are_the_gold_of_sessions() -> None:
    assert _haystacks("session")[0].questions[2].gold == {"S1", "S2"}


def test_a_question_without_evidence_that_is_there_is_skipped_and_counted() -> None:
    asked = read_locomo(make_locomo())
    assert asked.skipped == 1
    assert "conv-1/3" not in {question.id for question in asked.haystacks["turn"][0].questions}


def test_adversarial_questions_are_not_asked() -> None:
    ids = {question.id for haystack in _haystacks("turn") for question in haystack.questions}
    assert "conv-1/4" not in ids
    assert len(ids) == 6


def test_each_question_is_also_asked_of_the_next_conversation() -> None:
    first, second = _haystacks("turn")
    assert [question.id for question in second.foreign] == [q.id for q in first.questions]
    assert [question.id for question in first.foreign] == [q.id for q in second.questions]


def test_one_conversation_alone_has_no_foreign_questions() -> None:
    alone = json.dumps(json.loads(make_locomo())[:1]).encode()
    assert read_locomo(alone).haystacks["turn"][0].foreign == []


def test_a_limit_holds_for_each_conversation() -> None:
    asked = read_locomo(make_locomo(), limit=1)
    assert [len(each.questions) for each in asked.haystacks["turn"]] == [1, 1]


def test_names_are_taken_out_with_their_possessive_and_only_as_whole_words() -> None:
    assert without_names("What is Nora's plan, NORA?", {"Nora"}) == "What is plan, ?"
    assert without_names("Emil’s cello and Emilia", {"Emil"}) == "cello and Emilia"
    assert without_names("Nothing here", ()) == "Nothing here"


def test_a_question_knows_itself_without_names() -> None:
    question = _haystacks("turn")[0].questions[0]
    assert question.nameless == "What is kitten called?"


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00+00:00"),
        ("12:09 am on 13 September, 2023", "2023-09-13T00:09:00+00:00"),
        ("12:00 pm on 1 January 2022", "2022-01-01T12:00:00+00:00"),
    ],
)
def test_a_date_is_read_as_universal_time(text: str, iso: str) -> None:
    from datetime import datetime

    assert parse_spoken_date(text) == datetime.fromisoformat(iso).timestamp()


@pytest.mark.parametrize(
    "text", ["", "soon", "1:56 pm on 31 February, 2023", "9:00 am on 1 Foo, 2023"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert parse_spoken_date(text) is None


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"{", "no JSON at line 1"),
        (b"\xff", "no JSON"),
        (b"{}", "the file is no list"),
        (b"[]", "no question with evidence"),
        (b"[3]", "conversation 1 is no object"),
        (b'[{"sample_id": 3}]', "sample_id of conversation 1 is no text"),
        (b'[{"sample_id": "c", "conversation": {"session_1": 7}}]', "session_1 of c is no list"),
        (
            b'[{"sample_id": "c", "conversation": {"session_1": [{"speaker": "A"}]}}]',
            "turn 0 of session_1 of c has no dia_id",
        ),
    ],
)
def test_a_file_of_another_form_is_refused_by_what_is_wrong(raw: bytes, said: str) -> None:
    with pytest.raises(MalformedError, match=said):
        read_locomo(raw)


@needs_check
@leaves_files_open
@pytest.mark.parametrize("source", ["small", pytest.param(_DEV, marks=needs(_DEV))])
def test_an_independent_reader_finds_the_same_turns_and_gold(source: str, tmp_path: Path) -> None:
    path = DATA / source
    if source == "small":
        path = tmp_path / "small.json"
        path.write_bytes(make_locomo())
    theirs = load_check().load(str(path), check=source != "small")
    ours = read_locomo(path.read_bytes())
    for unit in ("turn", "session"):
        for conversation, haystack in zip(theirs, ours.haystacks[unit], strict=True):
            assert [unit["id"] for unit in conversation[unit]] == [p.id for p in haystack.passages]
            asked = [
                (q["qid"], CATEGORIES[q["category"]], q["question"], frozenset(q[f"gold_{unit}"]))
                for q in conversation["qa"]
                if q["category"] in CATEGORIES and q[f"gold_{unit}"]
            ]
            mine = [(q.id, q.category, q.text, q.gold) for q in haystack.questions]
            assert asked == mine
            if unit == "turn":
                said = [turn["text"] for turn in conversation["turn"]]
                assert said == [passage.text for passage in haystack.passages]
