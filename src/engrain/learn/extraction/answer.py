"""Reads a language model's answer, and believes it as far as the turns support it (S4.4).

Everything it says may be wrong, made up, or what a text made it say. So a fact is kept only if
its quote stands in the text, and its subject and every name in it are named there.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any

from engrain.language.text.instants import MONTHS, WEEKDAYS, parse_instant
from engrain.learn.extraction.question import (
    INSTRUCTION,
    MOST_FACTS,
    QUESTION,
    Batch,
    Shown,
    find_fault,
    is_markup,
    is_name,
    name_words,
    settle_statement,
    speaks_to_a_model,
    words_of,
)
from engrain.model.facts.fact import AGENT, MOST_CONTENT, FactDraft
from engrain.model.note.strength import DAY
from engrain.seam.questions import WRONG_SCHEMA, Broken

_UNQUOTED = "not in the text"
_OTHER_ENTITY = "another entity"
_BY_AGENT = "said by the agent"
_INVENTED = "a name not in the text"
_TOO_LONG = "too long"
_TOO_MANY = "too many"
_WRONG_DATE = "no sane date"
"""Why something was lost."""

_LEAST_QUOTE = 6  # characters of its words
_MOST_NAME = 80
_EARLIEST = -2_208_988_800.0  # 1900
_AHEAD = 20 * 366 * DAY

_NAME = re.compile(r"(?<=[\w,;:'’)] )[A-Z][\w'’-]*")
_CALENDAR = frozenset((*WEEKDAYS, *(name for name in MONTHS if len(name) > 4 or name == "may"))) | {
    "june",
    "july",
}
_PREDICATE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+){0,5}\Z")
_TYPE = re.compile(r"[a-z][a-z -]{0,30}\Z")
_DATE = re.compile(r"(\d{4})(-\d\d)?(-\d\d)?\Z")
_KEYS: dict[str, tuple[type, ...]] = {
    "subject": (str,),
    "subject_type": (str,),
    "statement": (str,),
    "quote": (str,),
    "confidence": (int, float),
}
_OPTIONAL = ("predicate", "object", "valid_from", "valid_to")


def read_answer(text: str, batch: Batch, lost: MutableMapping[str, int]) -> list[FactDraft]:
    """The facts of an answer that the batch bears out, each once; `lost` counts the others by what
    is wrong with them. Raises Broken."""
    reader = _Reader(batch)
    found: dict[tuple[str, str], FactDraft] = {}
    items = QUESTION.read_items(text)
    misshapen = 0
    for item in items[:MOST_FACTS]:
        if not _fits(item):
            misshapen += 1
            continue
        draft = reader.read(item)
        if isinstance(draft, FactDraft):
            found.setdefault((words_of(draft.entity), words_of(draft.content)), draft)
        else:
            _count(lost, draft)
    if misshapen and misshapen == len(items[:MOST_FACTS]):
        raise Broken(WRONG_SCHEMA)
    _count(lost, WRONG_SCHEMA, misshapen)
    _count(lost, _WRONG_DATE, reader.dates)
    _count(lost, _TOO_MANY, max(0, len(items) - MOST_FACTS))
    return list(found.values())


def _count(lost: MutableMapping[str, int], reason: str, times: int = 1) -> None:
    if times:
        lost[reason] = lost.get(reason, 0) + times


def _fits(item: object) -> bool:
    """Whether an item has all required fields with their types; optional ones may be missing."""
    if not isinstance(item, dict):
        return False
    if not all(isinstance(item.get(key), types) for key, types in _KEYS.items()):
        return False
    if isinstance(item["confidence"], bool) or not 0 <= item["confidence"] <= 1:
        return False
    return all(isinstance(item.get(key), str | None) for key in _OPTIONAL)


class _Reader:
    """Holds facts against what the model was shown."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._said = "  ".join([batch.words, *batch.speakers])
        self.dates = 0

    def read(self, item: dict[str, Any]) -> FactDraft | str:
        """A fact; else why it is none."""
        subject, statement = _line(item["subject"]), _line(item["statement"])
        shown = self._find(item["quote"])
        if len(statement) > MOST_CONTENT or len(subject) > _MOST_NAME:
            return _TOO_LONG
        if shown is None:
            return _UNQUOTED
        statement, begun = settle_statement(statement, shown.turn.at)
        fault = find_fault(subject, statement, item["quote"], item["confidence"])
        if fault or (fault := self._doubt(subject, statement)):
            return fault
        if shown.turn.role == AGENT:
            return _BY_AGENT
        if speaks_to_a_model(item["quote"], shown.text):
            return INSTRUCTION
        valid_from, valid_to = self._validity(item, shown.turn.at, begun)
        type_ = _line(item["subject_type"]).lower()
        return FactDraft(
            subject,
            statement.rstrip(".").rstrip(),
            entity_type=type_ if _TYPE.match(type_) else "",
            edge=self._edge(item),
            at=shown.turn.at,
            valid_from=valid_from,
            valid_to=valid_to,
            confidence=float(item["confidence"]),
        )

    def _find(self, quote: str) -> Shown | None:
        """What was shown that has a quote, rather somebody's turn than the agent's."""
        words = words_of(quote)
        if len(words) < _LEAST_QUOTE:
            return None
        found = [shown for shown in self._batch.shown if words in shown.words]
        return next((one for one in found if one.turn.role != AGENT), found[0] if found else None)

    def _named(self, name: str) -> bool:
        """Whether somebody or something is named in the text, or speaks."""
        spoken = any(name_words(name, speaker) for speaker in self._batch.speakers)
        return spoken or name_words(name, self._batch.words)

    def _doubt(self, subject: str, statement: str) -> str:
        """The part of a statement that the text does not support, "" for none."""
        words = words_of(statement)
        if not self._named(subject):
            return _OTHER_ENTITY
        if not any(name_words(part, words) for part in words_of(subject).split()):
            return _OTHER_ENTITY
        for name in _NAME.findall(statement):
            said = words_of(name)
            # Other languages bend names, and write every noun as one.
            stem = said[: max(4, len(said) - 3)]
            if said not in _CALENDAR and stem not in self._said:
                return _INVENTED
        return ""

    def _edge(self, item: dict[str, Any]) -> tuple[str, str] | None:
        """The relation, where it is one and its object is named."""
        predicate = "_".join(re.split(r"[\s_-]+", (item.get("predicate") or "").strip().lower()))
        object_ = _line(item.get("object") or "")
        if not _PREDICATE.match(predicate) or not object_ or len(object_) > _MOST_NAME:
            return None
        if not (is_name(object_) and object_.isprintable()) or is_markup(object_):
            return None
        if not self._named(object_):
            return None
        return predicate, object_

    def _validity(
        self, item: dict[str, Any], at: float | None, stated: float | None
    ) -> tuple[float | None, float | None]:
        """From when to when a fact held; `stated` is when it began by the words of its
        statement."""
        begun, ended = (self._date(item.get(key), at) for key in ("valid_from", "valid_to"))
        begun = stated if begun is None else begun
        if begun is not None and ended is not None and ended < begun:
            self.dates += 1
            return None, None
        return begun, ended

    def _date(self, value: str | None, at: float | None) -> float | None:
        if not value:
            return None
        if match := _DATE.match(value.strip()):
            value = f"{match[1]}{match[2] or '-01'}{match[3] or '-01'}"
        try:
            read = parse_instant(value)
        except (ValueError, OverflowError):
            self.dates += 1
            return None
        if read < _EARLIEST or (at is not None and read > at + _AHEAD):
            self.dates += 1
            return None
        return read


def _line(text: str) -> str:
    return " ".join(text.split())
