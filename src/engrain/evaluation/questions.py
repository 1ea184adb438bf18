"""Questions about a user's own vault, read from a file.

A file has one JSON object on each line. `expected` names entries by id, slug or title;
`foreign` marks questions that should get nothing. `id` is the line's number by default.

    {"question": "why do numbers skip", "expected": ["invoice-number-gap"]}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from engrain.model.errors import MalformedError
from engrain.model.note.tiers import ACTIVE
from engrain.seam.rows import Row

_EXPECTED = (
    'lines like {"question": "…", "expected": ["slug"]} or {"question": "…", "foreign": true}'
)


@dataclass(slots=True, eq=False)
class OwnQuestion:
    """A question, whose `expected` names the entries that answer it, none for a foreign one.
    `gold` are the ids of these entries in the vault."""

    line: int
    id: str
    text: str
    expected: Sequence[str]
    gold: frozenset[str] = frozenset()


def reject(what: str, line: int = 0, expected: str = _EXPECTED) -> NoReturn:
    """Raise MalformedError with the fault, and a remedy that describes a valid file."""
    raise MalformedError(what, reason="question-set", line=line, remedy=f"give {expected}")


def read_questions(raw: bytes) -> list[OwnQuestion]:
    """Read every question of a JSONL file. Raises MalformedError, naming the line."""
    asked = [_read_question(number, fields) for number, fields in _read_lines(raw)]
    seen = set()
    for question in asked:
        if question.id in seen:
            reject(f"line {question.line}: a second {question.id!r}", question.line)
        seen.add(question.id)
    if not any(question.expected for question in asked):
        reject("no question that expects an entry")
    return asked


def _read_lines(raw: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of each line that is not blank."""
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        reject("not UTF-8 text")
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):
            reject(f"line {number} is no JSON", number)
        if not isinstance(fields, dict):
            reject(f"line {number} is no object", number)
        yield number, fields


def _read_question(line: int, fields: dict[str, Any]) -> OwnQuestion:
    text, expected = fields.get("question"), fields.get("expected") or []
    foreign = fields.get("foreign", False)
    if not isinstance(text, str):
        reject(f"question of line {line} is no text", line)
    if not isinstance(expected, list):
        reject(f"expected of line {line} is no list", line)
    if not all(isinstance(name, str) for name in expected):
        reject(f"what line {line} expects is no text", line)
    if not isinstance(foreign, bool):
        reject(f"line {line}: foreign is neither true nor false", line)
    if foreign == bool(expected):
        fault = "both expects something and is foreign" if foreign else "expects nothing"
        reject(f"line {line} {fault}", line)
    id_ = str(fields.get("id") or line)
    return OwnQuestion(line, id_, text, tuple(expected))


def find_expected(asked: Iterable[OwnQuestion], rows: Iterable[Row]) -> list[OwnQuestion]:
    """Return the questions with the ids of the entries that they expect. Of entries with the same
    name the active one counts. Raises MalformedError with the line if a name means no entry or
    several."""
    named: dict[str, list[Row]] = {}
    for row in rows:
        for name in dict.fromkeys((row.id, row.slug.casefold(), row.title.casefold())):
            named.setdefault(name, []).append(row)
    found = list(asked)
    for question in found:
        question.gold = frozenset(
            _find_one(name, named, question.line) for name in question.expected
        )
    return found


def _find_one(name: str, named: dict[str, list[Row]], line: int) -> str:
    rows = named.get(name) or named.get(name.casefold(), [])
    rows = [row for row in rows if row.status == ACTIVE] or rows
    ids = sorted({row.id for row in rows})
    if not ids:
        reject(f"line {line}: no entry {name!r}", line, "ids, slugs or titles of entries")
    if len(ids) > 1:
        reject(f"line {line}: {name!r} may mean {', '.join(ids[:5])}", line, "one of the ids")
    return ids[0]
