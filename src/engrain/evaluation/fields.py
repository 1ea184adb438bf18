"""Reading the fields of a question file, naming the place where one is not what it should be."""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from engrain.model.errors import MalformedError


@dataclass(slots=True, eq=False)
class Record:
    """A JSON object of a file; its methods raise MalformedError for a field of another type.
    `where` names it in errors, `line` is its line if it has one, and `expected` says what file
    should be given."""

    fields: dict[str, object]
    where: str
    expected: str
    line: int = 0

    def text(self, name: str) -> str:
        """A field that is text."""
        return self.as_text(self.fields.get(name), f"{name} of {self.where}")

    def loose(self, name: str) -> str:
        """A field as text, whatever it is; "" for none."""
        return str(self.fields.get(name) or "")

    def list(self, name: str) -> builtins.list[object]:
        """A field that is a list, [] for none."""
        return as_list(self.fields.get(name), f"{name} of {self.where}", self.expected)

    def record(self, name: str) -> Record:
        """A field that is an object."""
        return as_record(self.fields.get(name), f"{name} of {self.where}", self.expected, self.line)

    def records(self, name: str, what: str, start: int = 0) -> Iterator[Record]:
        """The objects of a list; in errors they are called by their number and `what`."""
        for number, value in enumerate(self.list(name), start):
            yield as_record(value, f"{what} {number} of {self.where}", self.expected, self.line)

    def as_text(self, value: object, where: str) -> str:
        """A value beside the fields that must be text."""
        if not isinstance(value, str):
            reject(f"{where} is no text", self.expected, line=self.line)
        return value

    def reject(self, what: str) -> NoReturn:
        """Raise MalformedError about this object."""
        reject(f"{self.where}{what}", self.expected, line=self.line)


def parse_json(raw: bytes, expected: str) -> object:
    """The value of a JSON file. Raises MalformedError; `expected` says what should be there."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        reject(f"no JSON{f' at line {line}' if line else ''}", expected, line=line)
    return value


def read_records(raw: bytes, expected: str, what: str) -> Iterator[Record]:
    """The objects of a JSON file that is a list. Raises MalformedError."""
    for number, value in enumerate(as_list(parse_json(raw, expected), "the file", expected), 1):
        yield as_record(value, f"{what} {number}", expected)


def read_lines(raw: bytes, expected: str) -> Iterator[Record]:
    """The object in each line of a JSONL file, empty ones left out. Raises MalformedError, naming
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
    """`value` as a list, [] for None. Raises MalformedError."""
    if value is None:
        return []
    if not isinstance(value, list):
        reject(f"{where} is no list", expected)
    return value


def as_record(value: object, where: str, expected: str, line: int = 0) -> Record:
    """`value` as a JSON object. Raises MalformedError."""
    if not isinstance(value, dict):
        reject(f"{where} is no object", expected, line=line)
    return Record(value, where, expected, line)


def reject(what: str, expected: str, *, line: int = 0) -> NoReturn:
    """Raise MalformedError: what is wrong, and what was expected."""
    raise MalformedError(what, reason="question-set", line=line, remedy=f"give {expected}")
