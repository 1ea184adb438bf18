"""A user's own question set: one JSON object a line.

    {"question": "why do numbers skip", "expected": ["invoice-number-gap"], "category": "why"}
    {"question": "tide tables of Brest", "foreign": true}

`expected` names entries by id, slug or title; `foreign` marks what ought to get nothing. `id` is
the line's number where it is not given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engrain.evaluation.fields import as_list, as_record, as_text, read_lines, reject
from engrain.evaluation.haystack import Question
from engrain.model.note.tiers import ACTIVE
from engrain.seam.rows import Row

_EXPECTED = (
    'lines like {"question": "…", "expected": ["slug"]} or {"question": "…", "foreign": true}'
)


@dataclass(slots=True, eq=False)
class Asked:
    """A question as its line has it: `expected` are names of entries, none for a foreign one."""

    line: int
    id: str
    text: str
    expected: Sequence[str]
    category: str


def read_questions(raw: bytes) -> list[Asked]:
    """Read every question of a JSONL file. Raises MalformedError, naming the line."""
    asked = [_read_line(value, number) for number, value in read_lines(raw, _EXPECTED)]
    seen: set[str] = set()
    for question in asked:
        if question.id in seen:
            reject(f"line {question.line}: a second {question.id!r}", _EXPECTED, line=question.line)
        seen.add(question.id)
    if not any(question.expected for question in asked):
        reject("no question that expects an entry", _EXPECTED)
    return asked


def find_expected(asked: Iterable[Asked], rows: Iterable[Row]) -> list[Question]:
    """The questions, with the ids of the entries that they expect.

    Of entries with one name the active one is meant. Raises MalformedError, naming the line, where
    a name means no entry, or several.
    """
    named: dict[str, list[Row]] = {}
    for row in rows:
        for name in dict.fromkeys((row.id, row.slug.casefold(), row.title.casefold())):
            named.setdefault(name, []).append(row)
    return [
        Question(
            question.id,
            question.text,
            frozenset(_find_one(name, named, question.line) for name in question.expected),
            category=question.category,
        )
        for question in asked
    ]


def _read_line(value: object, number: int) -> Asked:
    where = f"line {number}"
    record = as_record(value, where, _EXPECTED)
    question = as_text(record.get("question"), f"{where}: question", _EXPECTED)
    names = as_list(record.get("expected"), f"{where}: expected", _EXPECTED)
    expected = tuple(as_text(name, f"{where}: what is expected", _EXPECTED) for name in names)
    foreign = record.get("foreign", False)
    if not isinstance(foreign, bool):
        reject(f"{where}: foreign is neither true nor false", _EXPECTED, line=number)
    if foreign == bool(expected):
        what = "both expects something and is foreign" if foreign else "expects nothing"
        reject(f"{where} {what}", _EXPECTED, line=number)
    return Asked(
        number,
        str(record.get("id") or number),
        question,
        expected,
        str(record.get("category") or ""),
    )


def _find_one(name: str, named: dict[str, list[Row]], line: int) -> str:
    rows = named.get(name) or named.get(name.casefold(), [])
    rows = [row for row in rows if row.status == ACTIVE] or rows
    ids = sorted({row.id for row in rows})
    if not ids:
        reject(f"line {line}: no entry {name!r}", "ids, slugs or titles of entries", line=line)
    if len(ids) > 1:
        reject(f"line {line}: {name!r} may mean {', '.join(ids[:5])}", "one of the ids", line=line)
    return ids[0]
