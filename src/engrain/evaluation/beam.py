"""BEAM: long chats between a user and an assistant, and questions with the messages that answer
them (Tavakoli et al., "Beyond a Million Tokens", arXiv 2510.27246).

One message is one passage. Gold are all messages that are named for a question; a question
without any is skipped, as are those about what was never said.
"""

from __future__ import annotations

from datetime import UTC, datetime

from engrain.evaluation.fields import as_list, as_record, as_text, parse_json, reject
from engrain.evaluation.haystack import Haystack, Passage, Question, QuestionSet

_EXPECTED = "a file of chats with messages and questions, such as beam_100k_1-10.json"
_APART = 20.0
"""Seconds from one message to the next, so that their order is that of creation."""


def read_beam(raw: bytes) -> QuestionSet:
    """A BEAM file as a question set of the unit "message". Raises MalformedError."""
    chats = as_list(parse_json(raw, _EXPECTED), "the file", _EXPECTED)
    haystacks, skipped = [], 0
    for number, item in enumerate(chats, 1):
        chat = as_record(item, f"chat {number}", _EXPECTED)
        name = str(chat.get("chat") or number)
        messages = _read_messages(chat, name)
        asked = as_list(chat.get("questions"), f"questions of chat {name}", _EXPECTED)
        questions = [_read_question(each, name, messages) for each in asked]
        kept = [question for question in questions if question.gold]
        skipped += len(questions) - len(kept)
        haystacks.append(Haystack(f"chat {name}", messages, kept))
    if not any(haystack.questions for haystack in haystacks):
        reject("no question that a message answers", _EXPECTED)
    return QuestionSet("beam", {"message": haystacks}, skipped)


def parse_date(text: str) -> float | None:
    """Seconds since the epoch of a date like "March-15-2024", taken as UTC; None when it is
    none."""
    try:
        return datetime.strptime(text, "%B-%d-%Y").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _read_messages(chat: dict[str, object], name: str) -> list[Passage]:
    """The messages in order; one without a date is of the day of the one before it."""
    found: list[Passage] = []
    day: float | None = None
    said = as_list(chat.get("messages"), f"messages of chat {name}", _EXPECTED)
    for number, item in enumerate(said):
        where = f"message {number} of chat {name}"
        message = as_record(item, where, _EXPECTED)
        day = parse_date(str(message.get("date") or "")) or day
        speaker = "User" if message.get("role") == "user" else "Assistant"
        found.append(
            Passage(
                str(message.get("id")),
                speaker,
                f"{speaker}: {as_text(message.get('text'), where, _EXPECTED)}",
                thread=f"s{message.get('session')}",
                created=None if day is None else day + number * _APART,
            )
        )
    return found


def _read_question(item: object, name: str, messages: list[Passage]) -> Question:
    record = as_record(item, f"a question of chat {name}", _EXPECTED)
    id_ = as_text(record.get("qid"), f"qid of a question of chat {name}", _EXPECTED)
    named = as_list(record.get("gold"), f"gold of {id_}", _EXPECTED)
    return Question(
        id_,
        as_text(record.get("question"), f"question of {id_}", _EXPECTED),
        frozenset(map(str, named)).intersection(message.id for message in messages),
        category=str(record.get("category") or ""),
        group=f"chat {name}",
    )
