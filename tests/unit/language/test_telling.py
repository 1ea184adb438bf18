"""What of a long prompt memories are looked for by."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.telling import MOST, find_codes, find_errors, find_telling

TRACE = """Production error since the deploy this morning:
Traceback (most recent call last):
  File "/app/shop/orders/views.py", line 88, in get_queryset
    return list(qs)
  File "/usr/lib/python3/psycopg/cursor.py", line 97, in execute
    raise ex.with_traceback(None)
psycopg.errors.InvalidSqlStatementName: prepared statement "_pg3_4" does not exist
RuntimeError: the request failed
Please find out why and fix it."""


def test_a_short_prompt_is_read_as_it_is() -> None:
    assert find_telling("why does\nthe error come?") == "why does\nthe error come?"


def test_of_a_trace_the_errors_come_first_and_then_what_is_asked() -> None:
    lines = find_telling(TRACE).splitlines()
    assert lines[0] == "RuntimeError: the request failed"
    assert "Please find out why and fix it." in lines
    assert not any("File" in line or "return list" in line for line in lines)


def test_the_last_line_of_a_long_log_is_found_by_its_code() -> None:
    log = "2026-01-01 12:00:00 INFO request handled in 3 ms\n" * 5000
    assert "ERR_PNPM_OUTDATED_LOCKFILE" in find_telling(log + "ERR_PNPM_OUTDATED_LOCKFILE Cannot")


def test_a_long_prompt_without_errors_is_read_from_its_beginning() -> None:
    text = "Rename the parser.\n" * 500
    assert find_telling(text) == text[:MOST]


@pytest.mark.parametrize(
    "line",
    [
        "===== 3 failed, 4 passed in 2.1s =====",
        "make: *** [Makefile:3: lint] Error 1",
        "ruff.....................................................................Failed",
        "Found 2 errors.",
        "Traceback (most recent call last):",
        "12 failed",
    ],
)
def test_a_summary_says_nothing(line: str) -> None:
    assert find_errors([line, "src/app.py:3:80: E501 line too long"]) == [
        "src/app.py:3:80: E501 line too long"
    ]


def test_the_line_that_pytest_marks_says_more_than_its_summary() -> None:
    marked = 'E   StatementName: "_pg3_7" does not exist'
    assert find_errors([marked, "FAILED tests/test_export.py::test_rows"])[0] == marked


@given(st.text(max_size=6000))
def test_what_is_found_is_short_and_was_there(text: str) -> None:
    found = find_telling(text)
    assert len(found) <= max(MOST, 0)
    assert all(line.strip() in text for line in found.splitlines())


@pytest.mark.parametrize("piece", ["a", "=+", " at ", ".", "x\n", 'File "', "0x1 "])
def test_no_prompt_takes_long(piece: str) -> None:
    began = time.process_time()
    find_telling(piece * (300_000 // len(piece)))
    assert time.process_time() - began < 2


def test_codes_of_errors_are_found_with_their_lines() -> None:
    text = "it fails\nsrc/app.ts(12,5): error TS2345: no\nconnect ECONNREFUSED 1.1.1.1\n(42P01)"
    codes = ["TS2345", "ECONNREFUSED", "42P01"]
    assert find_codes(text) == list(zip(codes, text.splitlines()[1:], strict=True))


def test_names_of_formats_and_settings_are_no_codes() -> None:
    assert not find_codes("SHA-256, ES2020, RFC3339, DATABASE_URL=x, EXPLAIN it, E2E, port 8080")
