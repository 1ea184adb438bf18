"""A question with the ids that answer it, and a reader of JSON files that names the wrong place."""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import NoReturn

from engrain.model.errors import MalformedError


@dataclass(slots=True, eq=False)
class GoldQuestion:
    """One question. `gold` are the ids of the passages or entries that answer it, none if nothing
    should. `group` is its conversation, `nameless` the same question without the speakers' names,
    empty if it has none."""

    id: str
    text: str
    gold: frozenset[str]
    _: KW_ONLY
    category: str = ""
    group: str = ""
    nameless: str = ""


@dataclass(slots=True, eq=False)
class QuestionRecord:
    """A JSON object of a file. Its methods raise MalformedError for a field of another type.
    `where` names it in errors, `line` is its line or 0, and `expected` describes a valid file."""

    fields: dict[str, object]
    where: str
    expected: str
    line: int = 0

    def text(self, name: str) -> str:
        """Return a field that must be text."""
        return self.as_text(self.fields.get(name), f"{name} of {self.where}")

    def loose(self, name: str) -> str:
        """Return any field as text, "" for none."""
        return str(self.fields.get(name) or "")

    def list(self, name: str) -> builtins.list[object]:
        """Return a field that must be a list, [] for none."""
        return as_list(self.fields.get(name), f"{name} of {self.where}", self.expected)

    def record(self, name: str) -> QuestionRecord:
        """Return a field that must be an object."""
        return as_record(self.fields.get(name), f"{name} of {self.where}", self.expected, self.line)

    def records(self, name: str, what: str, start: int = 0) -> Iterator[QuestionRecord]:
        """Yield the objects of a list; errors name them by `what` and their number."""
        for number, value in enumerate(self.list(name), start):
            yield as_record(value, f"{what} {number} of {self.where}", self.expected, self.line)

    def as_text(self, value: object, where: str) -> str:
        """Return a value that must be text."""
        if not isinstance(value, str):
            reject(f"{where} is no text", self.expected, line=self.line)
        return value

    def reject(self, what: str) -> NoReturn:
        """Raise MalformedError about this object."""
        reject(f"{self.where}{what}", self.expected, line=self.line)


def parse_json(raw: bytes, expected: str) -> object:
    """Return the value of a JSON file. Raises MalformedError; `expected` describes a valid file."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        reject(f"no JSON{f' at line {line}' if line else ''}", expected, line=line)
    return value


def read_records(raw: bytes, expected: str, what: str) -> Iterator[QuestionRecord]:
    """Yield the objects of a JSON file that is a list. Raises MalformedError."""
    for number, value in enumerate(as_list(parse_json(raw, expected), "the file", expected), 1):
        yield as_record(value, f"{what} {number}", expected)


def read_lines(raw: bytes, expected: str) -> Iterator[QuestionRecord]:
    """Yield the object of each line of a JSONL file except empty ones. Raises MalformedError with
    the line."""
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        reject("not UTF-8 text", expected)
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            reject(f"line {number} is no JSON", expected, line=number)
        yield as_record(value, f"line {number}", expected, number)


def as_list(value: object, where: str, expected: str) -> list[object]:
    """Return `value` as a list, [] for None. Raises MalformedError."""
    if value is None:
        return []
    if not isinstance(value, list):
        reject(f"{where} is no list", expected)
    return value


def as_record(value: object, where: str, expected: str, line: int = 0) -> QuestionRecord:
    """Return `value` as a JSON object. Raises MalformedError."""
    if not isinstance(value, dict):
        reject(f"{where} is no object", expected, line=line)
    return QuestionRecord(value, where, expected, line)


def reject(what: str, expected: str, *, line: int = 0) -> NoReturn:
    """Raise MalformedError with the error and the description of a valid file."""
    raise MalformedError(what, reason="question-set", line=line, remedy=f"give {expected}")
