"""Published question sets: LoCoMo, LongMemEval and BEAM.

LoCoMo has ten long conversations between two people (Maharana et al., ACL 2024, arXiv 2402.17753).
Categories 1 to 4 count; the fifth is adversarial and has no answer. Evidence is every `D<s>:<t>`
found in the evidence strings ("D8:6; D9:17" is two, "D30:05" is D30:5) that is in the conversation;
questions without any are skipped. The gold sessions are those of the evidence turns.

LongMemEval has 500 questions about a user's chats with an assistant, each with its own haystack (Wu
et al., ICLR 2025, arXiv 2410.10813). The gold turns are those marked `has_answer`, the gold
sessions those of `answer_session_ids`. An abstention question (its id ends in `_abs`) has no answer
in its haystack: it should get nothing, and no ranking is scored. Ids of sessions with the answer
begin with `answer`, so they are never stored.

BEAM has long chats of a user with an assistant (Tavakoli et al., "Beyond a Million Tokens", arXiv
2510.27246). Each message is a passage. Gold are all messages that a question names; questions
without any are skipped, among them those about things that were never said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bench.sets.haystacks import Haystack, Passage, QuestionSet
from bench.sets.question_set import (
    GoldQuestion,
    QuestionRecord,
    as_list,
    as_record,
    read_records,
    reject,
)

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_LOCOMO = "a file of the LoCoMo format, such as locomo10.json"
_LONGMEMEVAL = "a file of the LongMemEval format, such as longmemeval_s.json"
_BEAM = "a file of chats with messages and questions, such as beam_100k_1-10.json"
_TURN = re.compile(r"D\s*(\d+)\s*:\s*(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_SAID_DATE = re.compile(
    r"(?<!\d)(\d{1,2}):(\d{1,2})\s{0,4}([ap]m) on (\d{1,2}) ([a-z]{3})[a-z]*,? (\d{4})",
    re.IGNORECASE,
)
_DATE = re.compile(r"(\d{4}/\d\d/\d\d)\D*(\d\d:\d\d)")
_APART = 20.0
"""Seconds between two messages of BEAM, so that their order is that of creation."""


@dataclass(slots=True, eq=False)
class _Talk:
    """Conversations or chats: their passages by unit."""

    turns: list[Passage] = field(default_factory=list)
    sessions: list[Passage] = field(default_factory=list)

    @property
    def units(self) -> dict[str, list[Passage]]:
        return {"turn": self.turns, "session": self.sessions}

    def add_session(
        self,
        id_: str,
        title: str,
        thread: str,
        date: float | None,
        said: Sequence[tuple[str, str, str]],
        first: int = 0,
    ) -> None:
        """Add the turns of a session as (id, speaker, text), and the session as one passage with a
        paragraph for each turn. Turns are a second apart, from `first` on, so that their order is
        that of creation."""
        for place, (turn, speaker, text) in enumerate(said, first):
            created = None if date is None else date + place
            self.turns.append(Passage(turn, speaker, text, thread=thread, created=created))
        if said:
            body = "\n\n".join(text for *_, text in said)
            self.sessions.append(Passage(id_, title, body, thread=thread, created=date))


@dataclass(slots=True, eq=False)
class _Conversation(_Talk):
    """One conversation; `wanted` has (id, category, text, gold turns) of each question asked."""

    id: str = ""
    speakers: set[str] = field(default_factory=set)
    wanted: list[tuple[str, str, str, frozenset[str]]] = field(default_factory=list)
    skipped: int = 0


def read_locomo(raw: bytes, limit: int | None = None) -> QuestionSet:
    """Read a LoCoMo file, at most `limit` questions of each conversation. A question's id is
    `conversation/number`, counted from 0 among all of its conversation's. It is also asked of the
    next conversation's memory, as a foreign one. Raises MalformedError."""
    records = read_records(raw, _LOCOMO, "conversation")
    conversations = [_read_conversation(record, limit) for record in records]
    if not any(conversation.wanted for conversation in conversations):
        reject("no question with evidence", _LOCOMO)
    haystacks: dict[str, list[Haystack]] = {"turn": [], "session": []}
    for place, conversation in enumerate(conversations):
        before = conversations[place - 1]
        for unit, passages in conversation.units.items():
            foreign = _ask(before, unit) if before is not conversation else []
            own = _ask(conversation, unit)
            haystacks[unit].append(Haystack(conversation.id, passages, own, foreign))
    return QuestionSet("locomo", haystacks, sum(each.skipped for each in conversations))


def _ask(conversation: _Conversation, unit: str) -> list[GoldQuestion]:
    """Return the questions of a conversation, answered by turns or by sessions."""
    return [
        GoldQuestion(
            id_,
            text,
            gold if unit == "turn" else frozenset(f"S{turn[1:].split(':')[0]}" for turn in gold),
            category=category,
            group=conversation.id,
            nameless=without_names(text, conversation.speakers),
        )
        for id_, category, text, gold in conversation.wanted
    ]


def without_names(text: str, names: Iterable[str]) -> str:
    """Return `text` without these names and their possessives, as whole words in any case."""
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    if not either:
        return text
    return " ".join(re.sub(rf"\b(?:{either})(?:['’]s)?\b", " ", text, flags=re.I).split())


def _read_conversation(record: QuestionRecord, limit: int | None) -> _Conversation:
    found = _Conversation(id=record.text("sample_id"))
    record.where = found.id
    talk = record.record("conversation")
    for number in sorted(
        int(match[1]) for key in talk.fields if (match := _SESSION.fullmatch(key))
    ):
        _read_session(found, talk, f"session_{number}", number)
    have = {turn.id for turn in found.turns}
    for place, question in enumerate(record.records("qa", "question")):
        category = question.fields.get("category")
        if not isinstance(category, int) or category not in CATEGORIES:
            continue
        named = (match for each in question.list("evidence") for match in _TURN.finditer(str(each)))
        gold = frozenset(have.intersection(map(_turn_id, named)))
        if not gold:
            found.skipped += 1
        elif limit is None or len(found.wanted) < limit:
            text = question.text("question")
            found.wanted.append((f"{found.id}/{place}", CATEGORIES[category], text, gold))
    return found


def _read_session(found: _Conversation, talk: QuestionRecord, name: str, number: int) -> None:
    date = talk.loose(f"{name}_date_time")
    talk.where = f"{name} of {found.id}"
    said = []
    for turn in talk.records(name, "turn"):
        match = _TURN.fullmatch(turn.loose("dia_id").strip())
        if match is None:
            turn.reject(" has no dia_id like D1:3")
        speaker = turn.text("speaker")
        caption = f" [shares {turn.fields['blip_caption']}]" if turn.loose("blip_caption") else ""
        said.append(
            (_turn_id(match), speaker, f"{speaker}: {turn.fields.get('text', '')}{caption}")
        )
        found.speakers.add(speaker)
    thread, started = f"{found.id}/S{number}", parse_spoken_date(date)
    found.add_session(f"S{number}", date or f"Session {number}", thread, started, said)


def _turn_id(match: re.Match[str]) -> str:
    return f"D{int(match[1])}:{int(match[2])}"


def read_longmemeval(raw: bytes, limit: int | None = None) -> QuestionSet:
    """Read a LongMemEval file, at most its first `limit` questions. A turn's id is `session
    id/number`, counted from 1. A question is left out of units for which it has no gold, and
    counted as skipped if it has none at all. Raises MalformedError."""
    haystacks: dict[str, list[Haystack]] = {"turn": [], "session": []}
    skipped = 0
    for number, record in enumerate(read_records(raw, _LONGMEMEVAL, "question")):
        if limit is not None and number >= limit:
            break
        id_ = record.text("question_id")
        record.where = id_
        text, kind = record.text("question"), record.loose("question_type")
        chats, golds = _read_chats(record)
        foreign = id_.endswith("_abs")
        skipped += not foreign and not any(golds.values())
        for unit, passages in chats.units.items():
            gold = frozenset() if foreign else frozenset(golds[unit])
            question = GoldQuestion(id_, text, gold, category=kind, group=kind)
            if foreign:
                haystacks[unit].append(Haystack(id_, passages, [], [question]))
            elif gold:
                haystacks[unit].append(Haystack(id_, passages, [question]))
    if not any(haystack.questions for each in haystacks.values() for haystack in each):
        reject("no question with evidence", _LONGMEMEVAL)
    return QuestionSet("longmemeval", haystacks, skipped)


def _read_chats(record: QuestionRecord) -> tuple[_Talk, dict[str, set[str]]]:
    """Return the chats of one question, and its gold by unit."""
    chats, gold = _Talk(), {"turn": set[str](), "session": set[str]()}
    names, dates = record.list("haystack_session_ids"), record.list("haystack_dates")
    sessions = record.list("haystack_sessions")
    if not len(names) == len(dates) == len(sessions):
        reject(
            f"sessions, their ids and dates in {record.where} are not equally many", _LONGMEMEVAL
        )
    answers = record.list("answer_session_ids")
    for place, (name, date, session) in enumerate(zip(names, dates, sessions, strict=True), 1):
        where = f"session {place} of {record.where}"
        said = []
        for number, value in enumerate(as_list(session, where, _LONGMEMEVAL), 1):
            turn = as_record(value, f"turn {number} of {where}", _LONGMEMEVAL)
            speaker = (turn.loose("role") or "user").capitalize()
            said.append((f"{name}/{number}", speaker, f"{speaker}: {turn.text('content')}"))
            if turn.fields.get("has_answer"):
                gold["turn"].add(f"{name}/{number}")
        if said and name in answers:
            gold["session"].add(str(name))
        started, title = parse_date(str(date)), str(date) or f"Session {place}"
        chats.add_session(str(name), title, f"session-{place}", started, said, first=1)
    return chats, gold


def read_beam(raw: bytes) -> QuestionSet:
    """Read a BEAM file as a question set of the unit "message". Raises MalformedError."""
    haystacks, skipped = [], 0
    for number, chat in enumerate(read_records(raw, _BEAM, "chat"), 1):
        name = chat.where = f"chat {chat.loose('chat') or number}"
        messages = list(_read_messages(chat))
        ids = {message.id for message in messages}
        questions = [
            GoldQuestion(
                question.text("qid"),
                question.text("question"),
                frozenset(map(str, question.list("gold"))) & ids,
                category=question.loose("category"),
                group=name,
            )
            for question in chat.records("questions", "question")
        ]
        kept = [question for question in questions if question.gold]
        skipped += len(questions) - len(kept)
        haystacks.append(Haystack(name, messages, kept))
    if not any(haystack.questions for haystack in haystacks):
        reject("no question that a message answers", _BEAM)
    return QuestionSet("beam", {"message": haystacks}, skipped)


def _read_messages(chat: QuestionRecord) -> Iterator[Passage]:
    """Yield the messages in order; one without a date has the day of the one before it."""
    day = None
    for number, message in enumerate(chat.records("messages", "message")):
        day = parse_long_date(message.loose("date")) or day
        speaker = "User" if message.fields.get("role") == "user" else "Assistant"
        yield Passage(
            str(message.fields.get("id")),
            speaker,
            f"{speaker}: {message.text('text')}",
            thread=f"s{message.fields.get('session')}",
            created=None if day is None else day + number * _APART,
        )


def parse_spoken_date(text: str) -> float | None:
    """Return the epoch seconds of a date like "1:56 pm on 8 May, 2023" in UTC, None for no date."""
    match = _SAID_DATE.search(text)
    return _parse(" ".join(match.groups()), "%I %M %p %d %b %Y") if match else None


def parse_date(text: str) -> float | None:
    """Return the epoch seconds of a date like "2023/05/20 (Sat) 02:21" in UTC, None for no date."""
    match = _DATE.match(text)
    return _parse(" ".join(match.groups()), "%Y/%m/%d %H:%M") if match else None


def parse_long_date(text: str) -> float | None:
    """Return the epoch seconds of a date like "March-15-2024" in UTC, None for no date."""
    return _parse(text, "%B-%d-%Y")


def _parse(text: str, form: str) -> float | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
