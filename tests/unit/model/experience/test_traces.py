"""Episodes as consolidation looks at them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.experience.traces import (
    Trace,
    error_signature,
    features_of,
    goal_words,
    main_line,
)

DOCUMENT: dict[str, Any] = {
    "context": {"goal": "Implement  the\nlogin", "phase": "work", "files_involved": ["a/b.ts"]},
    "artifacts_produced": ["a/b.ts", "c.md"],
    "outcome": "success",
    "action_log": [
        {"action": "run_test", "result": "fail", "error": "x.ts:3 missing return type"},
        {"action": "grep", "result": "fail", "error": "no such file"},
        {"action": "run_test", "result": "pass"},
    ],
    "errors_encountered": [
        {"type": "tsc", "message": "y.ts:9 missing return type", "resolution": ""},
        {"type": "tsc", "message": "y.ts:12 missing return type", "resolution": "Added it"},
    ],
}


def test_a_trace_has_what_is_compared() -> None:
    trace = Trace("e", DOCUMENT)
    assert trace.goal == "Implement the login"
    assert trace.files == ("a/b.ts", "c.md")
    assert trace.outcome == "success"
    assert ("run_test", "", True) in trace.actions


def test_an_error_met_twice_is_one_and_its_resolution_stands() -> None:
    [error] = Trace("e", DOCUMENT).errors
    assert error.resolution == "Added it"
    assert error.actions == ("run_test",)


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["context", "goal", "action_log", "action", "errors_encountered", "message",
                         "files_involved", "error", "outcome"]), inner, max_size=4
    ),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["context", "action_log", "errors_encountered", "outcome",
                                        "artifacts_produced"]), documents))  # fmt: skip
def test_any_document_is_read(document: dict[str, Any]) -> None:
    trace = Trace("e", document)
    assert set(features_of(trace)) == {"goal", "files", "actions", "errors"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Implementing endpoints", "implement an endpoint"),
        ("fix parseDate", "FIX: parse the date"),
        ("日本語の検索", "日本語の検索"),
    ],
)
def test_words_of_a_goal_are_compared_by_their_stems(one: str, other: str) -> None:
    assert goal_words(one) == goal_words(other) != []


TRACEBACK = """Traceback (most recent call last):
  File "{path}", line {line}, in <module>
    import requests
ModuleNotFoundError: No module named 'requests'
"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a.ts:12:3 - error TS2322: no", "lib/deep/b.ts:7 - error TS2322: no"),
        ("src/a.ts(12,3): error TS2322: no", "src/b.ts: error TS2322: no"),
        ("connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED 127.0.0.1:5433"),
        ("open '/tmp/tmpab12/x.json' failed", 'open "/var/y.json" failed'),
        ("segfault at 0x7fff12ab", "segfault at 0xdeadbeef"),
        ("object 8f14e45fceea is missing", "object 45c48cce2e2d is missing"),
        ("expected 3 rows but got 41", "expected 12 rows but got 0"),
        ("timed out at 2026-01-06T10:30:00Z", "timed out at 2025-12-24 08:00:01"),
        ("GET https://a.example/x?y=1 failed", "GET http://b.example failed"),
        ("\x1b[31merror:\x1b[0m no space", "error: no space"),
        ("C:\\work\\a.py is missing", "/home/me/a.py is missing"),
        ("can't write tmp_x81k", "can't write tmp-9fjd2"),
        (TRACEBACK.format(path="/a/b.py", line=3), TRACEBACK.format(path="/c.py", line=99)),
    ],
)
def test_occurrences_of_one_error_have_one_signature(one: str, other: str) -> None:
    assert error_signature("E", one) == error_signature("E", other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("No module named 'requests'", "No module named 'numpy'"),
        ("error TS2322: no", "error TS2345: no"),
        ("Missing return type annotation", "Missing semicolon"),
        ("permission denied", "connection refused"),
    ],
)
def test_other_errors_have_others(one: str, other: str) -> None:
    assert error_signature("E", one) != error_signature("E", other)


def test_the_type_is_a_part_of_it() -> None:
    assert error_signature("A", "boom") != error_signature("B", "boom")
    assert error_signature("boom", "") == error_signature("", "boom") == "boom"


def test_of_a_long_output_the_line_that_tells_is_taken() -> None:
    output = "> build\n> compiling 200 files\nerror: missing semicolon\nsee the log\n"
    assert main_line(output) == "error: missing semicolon"
    assert main_line("one\ntwo") == "one"
    assert main_line(" \n") == ""


@given(st.text(), st.text())
def test_any_text_has_a_signature_of_bounded_length(type_: str, message: str) -> None:
    assert len(error_signature(type_, message)) <= 200


def test_a_hostile_message_takes_no_long_time() -> None:
    for text in ("a" * 10**6, "/" * 10**6, "1" * 10**6, "a.b/" * 10**5, ": " * 10**5, "<" * 10**5):
        assert len(error_signature("E", text)) <= 200
