from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from bench.sets.benchmarks import parse_date, read_longmemeval

from engrain.model.errors import MalformedError
from support.conversations import make_longmemeval


def test_every_question_has_a_haystack_of_its_own() -> None:
    asked = read_longmemeval(make_longmemeval())
    assert [haystack.name for haystack in asked.haystacks["session"]] == ["q1", "q2", "q3_abs"]
    assert all(len(haystack.passages) == 3 for haystack in asked.haystacks["session"])
    assert all(len(haystack.passages) == 6 for haystack in asked.haystacks["turn"])


def test_turns_that_are_marked_are_the_gold_of_turns() -> None:
    first, second, _ = read_longmemeval(make_longmemeval()).haystacks["turn"]
    assert first.questions[0].gold == {"answer_a1/1"}
    assert second.questions[0].gold == {"ultrachat_7/1", "sharegpt_9/1"}


def test_answer_sessions_are_the_gold_of_sessions() -> None:
    _, second, _ = read_longmemeval(make_longmemeval()).haystacks["session"]
    assert second.questions[0].gold == {"ultrachat_7", "sharegpt_9"}
    assert second.questions[0].category == "multi-session"


def test_an_abstention_ranks_nothing_and_ought_to_get_nothing() -> None:
    last = read_longmemeval(make_longmemeval()).haystacks["turn"][2]
    assert list(last.questions) == []
    assert [question.id for question in last.foreign] == ["q3_abs"]


def test_nothing_that_is_stored_tells_where_the_answer_is() -> None:
    for haystacks in read_longmemeval(make_longmemeval()).haystacks.values():
        for passage in (passage for haystack in haystacks for passage in haystack.passages):
            stored = f"{passage.title} {passage.text} {passage.thread}"
            assert "answer_" not in stored and "has_answer" not in stored


def test_a_turn_is_created_after_the_beginning_of_its_session() -> None:
    passages = read_longmemeval(make_longmemeval()).haystacks["turn"][0].passages
    assert passages[0].title == "User"
    assert passages[0].text == "User: I put together a bookshelf in four hours."
    begun = parse_date("2023/05/20 (Sat) 02:21")
    assert begun is not None
    assert passages[1].created == begun + 2


def test_a_question_with_gold_sessions_only_is_not_asked_for_turns() -> None:
    items = json.loads(make_longmemeval())
    for session in items[0]["haystack_sessions"]:
        for turn in session:
            turn.pop("has_answer", None)
    asked = read_longmemeval(json.dumps(items).encode())
    assert [haystack.name for haystack in asked.haystacks["turn"]] == ["q2", "q3_abs"]
    assert asked.skipped == 0


def test_a_question_without_any_gold_is_skipped_and_counted() -> None:
    items = json.loads(make_longmemeval())
    items[0]["answer_session_ids"] = ["elsewhere"]
    items[0]["haystack_sessions"][0][0].pop("has_answer")
    assert read_longmemeval(json.dumps(items).encode()).skipped == 1


def test_a_limit_keeps_the_first_questions() -> None:
    asked = read_longmemeval(make_longmemeval(), limit=1)
    assert [haystack.name for haystack in asked.haystacks["turn"]] == ["q1"]


def test_a_date_with_a_weekday_is_read() -> None:
    at = datetime(2023, 5, 20, 2, 21, tzinfo=UTC).timestamp()
    assert parse_date("2023/05/20 (Sat) 02:21") == at


@pytest.mark.parametrize("text", ["", "20 May 2023", "2023/02/30 (Thu) 01:00"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question_id": None}, "question_id of question 1 is no text"),
        ({"haystack_sessions": []}, "in q1 are not equally many"),
        ({"haystack_sessions": ["a", "b", "c"]}, "session 1 of q1 is no list"),
        (
            {"haystack_sessions": [[{"role": "user"}], [], []]},
            "turn 1 of session 1 of q1 is no text",
        ),
    ],
)
def test_a_file_of_another_form_is_refused_by_what_is_wrong(
    change: dict[str, object], said: str
) -> None:
    items = json.loads(make_longmemeval())
    items[0] |= change
    with pytest.raises(MalformedError, match=said):
        read_longmemeval(json.dumps(items).encode())


def test_a_file_of_abstentions_alone_is_refused() -> None:
    items = json.loads(make_longmemeval())[2:]
    with pytest.raises(MalformedError, match="no question with evidence"):
        read_longmemeval(json.dumps(items).encode())
