"""LoCoMo: ten long conversations between two people, and questions with the turns that answer them
(Maharana et al., ACL 2024, arXiv 2402.17753).

Rules: categories 1 to 4; the fifth is adversarial and has no answer. Evidence is every `D<s>:<t>`
found in the evidence strings ("D8:6; D9:17" is two, "D30:05" is D30:5); what is not in the
conversation is dropped, and a question left with none is skipped. Of sessions, those of the
evidence turns are the gold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from engrain.evaluation.fields import as_list, as_record, as_text, parse_json, reject
from engrain.evaluation.haystack import Haystack, Passage, Question, QuestionSet

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_EXPECTED = "a file of the LoCoMo format, such as locomo10.json"
_TURN = re.compile(r"D\s*(\d+)\s*:\s*(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_DATE = re.compile(r"(\d+):(\d+)\s*([ap])m on (\d+) ([A-Za-z]{3})\w*,? (\d{4})", re.IGNORECASE)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


@dataclass(slots=True, eq=False)
class _Conversation:
    """One conversation; `wanted` has (id, category, text, gold turns) of each question asked."""

    id: str
    speakers: set[str] = field(default_factory=set)
    turns: list[Passage] = field(default_factory=list)
    sessions: list[Passage] = field(default_factory=list)
    wanted: list[tuple[str, str, str, frozenset[str]]] = field(default_factory=list)
    skipped: int = 0


def read_locomo(raw: bytes, limit: int | None = None) -> QuestionSet:
    """A LoCoMo file as a question set: of each conversation at most `limit` questions.

    A question's id is `conversation/number`, counted from 0 among all of its conversation's. Each
    is also asked of the next conversation's memory, as a foreign one. Raises MalformedError.
    """
    items = as_list(parse_json(raw, _EXPECTED), "the file", _EXPECTED)
    conversations = [_read_conversation(item, limit) for item in items]
    if not any(conversation.wanted for conversation in conversations):
        reject("no question with evidence", _EXPECTED)
    haystacks: dict[str, list[Haystack]] = {"turn": [], "session": []}
    for place, conversation in enumerate(conversations):
        before = conversations[place - 1]
        passages = {"turn": conversation.turns, "session": conversation.sessions}
        for unit, found in haystacks.items():
            foreign = _ask(before, unit) if before is not conversation else []
            own = _ask(conversation, unit)
            found.append(Haystack(conversation.id, passages[unit], own, foreign))
    skipped = sum(conversation.skipped for conversation in conversations)
    return QuestionSet("locomo", haystacks, skipped)


def _ask(conversation: _Conversation, unit: str) -> list[Question]:
    """Return the questions of a conversation, answered by turns or by sessions."""
    return [
        Question(
            id_,
            text,
            gold if unit == "turn" else frozenset(map(_session_of, gold)),
            category=category,
            group=conversation.id,
            nameless=without_names(text, conversation.speakers),
        )
        for id_, category, text, gold in conversation.wanted
    ]


def without_names(text: str, names: Iterable[str]) -> str:
    """`text` without these names and their possessives, as whole words in any case."""
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    if not either:
        return text
    return " ".join(re.sub(rf"\b(?:{either})(?:['’]s)?\b", " ", text, flags=re.I).split())


def _read_conversation(item: object, limit: int | None) -> _Conversation:
    record = as_record(item, "a conversation", _EXPECTED)
    found = _Conversation(as_text(record.get("sample_id"), "sample_id", _EXPECTED))
    talk = as_record(record.get("conversation"), f"conversation of {found.id}", _EXPECTED)
    numbers = sorted(int(match[1]) for key in talk if (match := _SESSION.fullmatch(key)))
    for number in numbers:
        _read_session(found, talk, number)
    have = {turn.id for turn in found.turns}
    for place, asked in enumerate(as_list(record.get("qa"), f"qa of {found.id}", _EXPECTED)):
        where = f"question {place} of {found.id}"
        question = as_record(asked, where, _EXPECTED)
        category = question.get("category")
        if not isinstance(category, int) or category not in CATEGORIES:
            continue
        evidence = as_list(question.get("evidence"), f"evidence of {where}", _EXPECTED)
        gold = have.intersection(_turns_named(evidence))
        if not gold:
            found.skipped += 1
        elif limit is None or len(found.wanted) < limit:
            text = as_text(question.get("question"), where, _EXPECTED)
            found.wanted.append(
                (f"{found.id}/{place}", CATEGORIES[category], text, frozenset(gold))
            )
    return found


def _read_session(found: _Conversation, talk: dict[str, object], number: int) -> None:
    """Add a session's turns, and the session as one passage of a paragraph per turn."""
    where = f"session_{number} of {found.id}"
    date = str(talk.get(f"session_{number}_date_time") or "")
    started = parse_date(date)
    thread = f"{found.id}/S{number}"
    paragraphs: list[str] = []
    for place, said in enumerate(as_list(talk[f"session_{number}"], where, _EXPECTED)):
        turn = as_record(said, f"turn {place} of {where}", _EXPECTED)
        match = _TURN.fullmatch(str(turn.get("dia_id")).strip())
        if match is None:
            reject(f"turn {place} of {where} has no dia_id like D1:3", _EXPECTED)
        speaker = as_text(turn.get("speaker"), f"the speaker of turn {place} of {where}", _EXPECTED)
        caption = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
        text = f"{speaker}: {turn.get('text', '')}{caption}"
        # A second apart, so that the order of speech is the order of creation.
        created = None if started is None else started + place
        found.speakers.add(speaker)
        found.turns.append(Passage(_turn_id(match), speaker, text, thread=thread, created=created))
        paragraphs.append(text)
    if paragraphs:
        body = "\n\n".join(paragraphs)
        title = date or f"Session {number}"
        found.sessions.append(Passage(f"S{number}", title, body, thread=thread, created=started))


def parse_date(text: str) -> float | None:
    """Seconds since the epoch of a date like "1:56 pm on 8 May, 2023", taken as UTC; None when it
    is none."""
    match = _DATE.search(text)
    if match is None or match[5].lower() not in _MONTHS:
        return None
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    month = _MONTHS.index(match[5].lower()) + 1
    try:
        at = datetime(int(match[6]), month, int(match[4]), hour, int(match[2]), tzinfo=UTC)
    except ValueError:
        return None
    return at.timestamp()


def _turns_named(evidence: Iterable[object]) -> Iterator[str]:
    for named in evidence:
        yield from map(_turn_id, _TURN.finditer(str(named)))


def _turn_id(match: re.Match[str]) -> str:
    return f"D{int(match[1])}:{int(match[2])}"


def _session_of(turn: str) -> str:
    return "S" + turn[1:].partition(":")[0]
