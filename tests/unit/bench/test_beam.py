from __future__ import annotations

import pytest
from bench.sets.benchmarks import parse_long_date, read_beam

from engrain.model.errors import MalformedError
from support.conversations import make_beam
from support.real_data import DATA, needs

_DEV = "beam_dev/beam_100k_1-10.json"


def test_a_message_is_a_passage_of_its_session_at_its_time() -> None:
    first, second = read_beam(make_beam()).haystacks["message"]
    assert [passage.id for passage in first.passages] == ["0", "1", "2"]
    user, assistant, later = first.passages
    assert user.text == "User: Plan a trip to Lisbon."
    assert assistant.title == "Assistant"
    assert (user.thread, later.thread) == ("s1", "s2")
    start = parse_long_date("March-15-2024")
    assert start is not None
    assert [passage.created for passage in first.passages] == [start, start + 20, start + 40]
    assert second.passages[0].created is None


def test_gold_are_the_messages_that_are_there() -> None:
    first, second = read_beam(make_beam()).haystacks["message"]
    assert [(question.id, sorted(question.gold)) for question in first.questions] == [
        ("1/fact/0", ["0", "2"])
    ]
    assert second.questions[0].group == "chat 2"


def test_a_question_that_nothing_answers_is_counted_and_left_out() -> None:
    assert read_beam(make_beam()).skipped == 1


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"{", "no JSON"),
        (b"{}", "the file is no list"),
        (b"[]", "no question that a message answers"),
        (b'[{"chat": 1, "messages": [{"id": 0, "text": 5}]}]', "message 0 of chat 1 is no text"),
        (b'[{"chat": 1, "questions": [{"question": "why"}]}]', "qid of question 0 of chat 1"),
    ],
)
def test_what_is_no_such_file_is_refused(raw: bytes, said: str) -> None:
    with pytest.raises(MalformedError, match=said):
        read_beam(raw)


@needs(_DEV)
def test_the_development_file_has_ten_chats() -> None:
    known = read_beam((DATA / _DEV).read_bytes())
    chats = known.haystacks["message"]
    assert len(chats) == 10
    assert sum(len(chat.questions) for chat in chats) == 179
    assert all(passage.created for chat in chats for passage in chat.passages)
