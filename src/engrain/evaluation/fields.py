"""Reading the fields of a question file, naming the place where one is not what it should be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NoReturn

from engrain.model.errors import MalformedError


def parse_json(raw: bytes, expected: str) -> object:
    """The value of a JSON file. Raises MalformedError; `expected` says what should be there."""
    try:
        value: object = json.loads(raw)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        reject(f"no JSON{f' at line {line}' if line else ''}", expected, line=line)
    return value


def read_lines(raw: bytes, expected: str) -> Iterator[tuple[int, object]]:
    """The number and the value of each line of a JSONL file, empty ones left out. Raises
    MalformedError, naming the line."""
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        reject("not UTF-8 text", expected)
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            yield number, json.loads(text)
        except (ValueError, RecursionError):
            reject(f"line {number} is no JSON", expected, line=number)


def as_list(value: object, where: str, expected: str) -> list[object]:
    """`value` as a list, [] for None. Raises MalformedError."""
    if value is None:
        return []
    if not isinstance(value, list):
        reject(f"{where} is no list", expected)
    return value


def as_record(value: object, where: str, expected: str) -> dict[str, object]:
    """`value` as a JSON object. Raises MalformedError."""
    if not isinstance(value, dict):
        reject(f"{where} is no object", expected)
    return value


def as_text(value: object, where: str, expected: str) -> str:
    """`value` as text. Raises MalformedError."""
    if not isinstance(value, str):
        reject(f"{where} is no text", expected)
    return value


def reject(what: str, expected: str, *, line: int = 0) -> NoReturn:
    """Raise MalformedError: what is wrong, and what was expected."""
    raise MalformedError(what, reason="question-set", line=line, remedy=f"give {expected}")
