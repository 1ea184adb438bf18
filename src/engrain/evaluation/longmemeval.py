"""LongMemEval: 500 questions about a user's chats with an assistant, each with a haystack of its
own (Wu et al., ICLR 2025, arXiv 2410.10813).

The gold turns are those marked `has_answer`, the gold sessions those of `answer_session_ids`. An
abstention question (its id ends in `_abs`) has no answer in its haystack: it is no ranking to be
scored, but one that ought to get nothing. Session ids begin with `answer` where the answer is, so
they are never stored.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from engrain.evaluation.fields import as_list, as_record, as_text, parse_json, reject
from engrain.evaluation.haystack import Haystack, Passage, Question, QuestionSet

_EXPECTED = "a file of the LongMemEval format, such as longmemeval_s.json"
_DATE = re.compile(r"(\d{4})/(\d\d)/(\d\d)\D*(\d\d):(\d\d)")


class _Chats:
    """The haystack of one question: passages and gold per unit."""

    __slots__ = ("gold", "passages")

    def __init__(self) -> None:
        self.passages: dict[str, list[Passage]] = {"turn": [], "session": []}
        self.gold: dict[str, set[str]] = {"turn": set(), "session": set()}


def read_longmemeval(raw: bytes, limit: int | None = None) -> QuestionSet:
    """A LongMemEval file as a question set, at most its first `limit` questions.

    A turn's id is `session id/number`, counted from 1. Of a unit for which a question has no gold
    it is left out, and counted as skipped if it has none for either. Raises MalformedError.
    """
    items = as_list(parse_json(raw, _EXPECTED), "the file", _EXPECTED)[:limit]
    haystacks: dict[str, list[Haystack]] = {"turn": [], "session": []}
    skipped = 0
    for number, item in enumerate(items, 1):
        record = as_record(item, f"question {number}", _EXPECTED)
        id_ = as_text(record.get("question_id"), f"question_id of question {number}", _EXPECTED)
        text = as_text(record.get("question"), f"question of {id_}", _EXPECTED)
        kind = str(record.get("question_type") or "")
        chats = _read_chats(record, id_)
        foreign = id_.endswith("_abs")
        skipped += not foreign and not any(chats.gold.values())
        for unit, passages in chats.passages.items():
            gold = frozenset() if foreign else frozenset(chats.gold[unit])
            question = Question(id_, text, gold, category=kind, group=kind)
            if foreign:
                haystacks[unit].append(Haystack(id_, passages, [], [question]))
            elif gold:
                haystacks[unit].append(Haystack(id_, passages, [question]))
    if not any(haystack.questions for each in haystacks.values() for haystack in each):
        reject("no question with evidence", _EXPECTED)
    return QuestionSet("longmemeval", haystacks, skipped)


def parse_date(text: str) -> float | None:
    """Seconds since the epoch of a date like "2023/05/20 (Sat) 02:21", taken as UTC; None when it
    is none."""
    match = _DATE.match(text)
    if match is None:
        return None
    year, month, day, hour, minute = map(int, match.groups())
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _read_chats(record: dict[str, object], id_: str) -> _Chats:
    chats = _Chats()
    names = as_list(record.get("haystack_session_ids"), f"haystack_session_ids of {id_}", _EXPECTED)
    dates = as_list(record.get("haystack_dates"), f"haystack_dates of {id_}", _EXPECTED)
    sessions = as_list(record.get("haystack_sessions"), f"haystack_sessions of {id_}", _EXPECTED)
    if not len(names) == len(dates) == len(sessions):
        reject(f"sessions, their ids and dates in {id_} are not equally many", _EXPECTED)
    answers = as_list(record.get("answer_session_ids"), f"answer_session_ids of {id_}", _EXPECTED)
    for place, (name, date, session) in enumerate(zip(names, dates, sessions, strict=True), 1):
        where = f"session {place} of {id_}"
        turns = as_list(session, where, _EXPECTED)
        _read_session(chats, str(name), str(date), turns, place, where)
        if turns and name in answers:
            chats.gold["session"].add(str(name))
    return chats


def _read_session(
    chats: _Chats, name: str, date: str, turns: list[object], place: int, where: str
) -> None:
    started = parse_date(date)
    thread = f"session-{place}"
    paragraphs: list[str] = []
    for number, said in enumerate(turns, 1):
        turn = as_record(said, f"turn {number} of {where}", _EXPECTED)
        speaker = str(turn.get("role") or "user").capitalize()
        text = f"{speaker}: {as_text(turn.get('content'), f'turn {number} of {where}', _EXPECTED)}"
        created = None if started is None else started + number
        passage = Passage(f"{name}/{number}", speaker, text, thread=thread, created=created)
        chats.passages["turn"].append(passage)
        if turn.get("has_answer"):
            chats.gold["turn"].add(passage.id)
        paragraphs.append(text)
    if paragraphs:
        body = "\n\n".join(paragraphs)
        title = date or f"Session {place}"
        passage = Passage(name, title, body, thread=thread, created=started)
        chats.passages["session"].append(passage)
