"""Whatever a host says, a hook leaves with 0 and prints what that host takes."""

from __future__ import annotations

import itertools
import json
import time

import pytest

from support.hosts import EVENTS, HOSTS, make_payload, read_answer
from unit.adapters.hooks.running import LIMIT, Desk

QUESTION = "how does the nightly billing job lock in postgres?"
LOCK = "Nightly billing lock"

GARBAGE = {
    "nothing": b"",
    "spaces": b" \n\t ",
    "words": b"this is no JSON",
    "half an object": b'{"session_id": "s-1", "prompt": "why',
    "a list": b"[]",
    "null": b"null",
    "a number": b"7",
    "a string": b'"prompt"',
    "true": b"true",
    "two objects": b"{}{}",
    "zeros": bytes(1000),
    "not UTF-8": b'\xff\xfe\x00{"prompt": "\xc3\x28"}',
    "UTF-16": '{"prompt": "nightly billing"}'.encode("utf-16"),
    "deep lists": b"[" * 20_000,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "a deep field": b'{"session_id": "s-1", "x": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "a long number": b'{"session_id": "s-1", "x": ' + b"9" * 10_000 + b"}",
    "no number": b'{"session_id": "s-1", "x": NaN, "y": Infinity}',
    "fields of other types": b'{"session_id": {}, "prompt": ["a"], "cwd": 7, "source": null}',
    "empty fields": b'{"session_id": "", "prompt": "", "cwd": "", "transcript_path": ""}',
    "a folder with a zero byte": b'{"session_id": "s-1", "cwd": "/tmp\\u0000/x"}',
    "a folder that is too long": b'{"session_id": "s-1", "cwd": "/' + b"x" * 9000 + b'"}',
    "half a surrogate": b'{"session_id": "\\ud800", "prompt": "\\udfff", "cwd": "/\\ud800"}',
}
# What says nothing, or says it oddly, is no loss; what can't be read is one.
NO_LOSS = {
    "nothing",
    "spaces",
    "no number",
    "fields of other types",
    "empty fields",
    "a folder with a zero byte",
    "a folder that is too long",
    "half a surrogate",
}


TURNS = [
    (host, event, what)
    for what, (host, event) in zip(
        GARBAGE, itertools.cycle(zip(HOSTS, EVENTS, strict=True)), strict=False
    )
]
"""Each kind of garbage with one event of one host, so that each event of each host has several."""


@pytest.mark.parametrize(("host", "event", "what"), TURNS)
def test_garbage_is_answered_with_nothing_and_a_reason_is_logged(
    host: str, event: str, what: str, desk: Desk
) -> None:
    done = desk.hook(event, "--host", host, stdin=GARBAGE[what])
    answer = read_answer(host, event, done.raw)
    assert (answer.context, answer.message) == ("", "")
    assert len(desk.losses()) == (0 if what in NO_LOSS else 1)


def test_a_byte_order_mark_is_passed_over(filled: Desk) -> None:
    raw = b"\xef\xbb\xbf" + json.dumps({"session_id": "s-1", "prompt": QUESTION}).encode()
    done = filled.hook("prompt", "--host", "gemini", stdin=raw)
    assert LOCK in read_answer("gemini", "prompt", done.raw).context


def test_bytes_that_are_no_utf_8_spoil_only_their_own_place(filled: Desk) -> None:
    raw = b'{"session_id": "s-1", "x": "\xff\xfe", "prompt": "' + QUESTION.encode() + b'"}'
    done = filled.hook("prompt", "--host", "claude-code", stdin=raw)
    assert LOCK in read_answer("claude-code", "prompt", done.raw).context


def test_line_ends_within_strings_are_taken(filled: Desk) -> None:
    raw = b'{"session_id": "s-1", "prompt": "line one\n\t' + QUESTION.encode() + b'"}'
    done = filled.hook("prompt", "--host", "claude-code", stdin=raw)
    assert LOCK in read_answer("claude-code", "prompt", done.raw).context


MEGABYTE = 1024 * 1024
LARGE = {
    "words": QUESTION + " " + "lorem ipsum dolor " * (MEGABYTE // 18),
    "ten times as much": QUESTION + " " + "lorem ipsum dolor " * (10 * MEGABYTE // 18),
    "quotes": QUESTION + " " + '"' * (5 * MEGABYTE),
    "backslashes": QUESTION + " " + "\\" * (5 * MEGABYTE),
    "one word": QUESTION + " " + "x" * (10 * MEGABYTE),
    "line ends": QUESTION + "\n" * (5 * MEGABYTE),
    "looks like fields": QUESTION + '", "session_id": "forged", "cwd": "/"' * (MEGABYTE // 4),
}


@pytest.mark.parametrize("what", LARGE)
def test_a_prompt_of_megabytes_is_answered_by_its_beginning(what: str, filled: Desk) -> None:
    payload = make_payload("claude-code", "prompt", "s-1", str(filled.here), prompt=LARGE[what])
    started = time.monotonic()
    # Where the prompt comes in the object is the host's affair.
    turned = dict(reversed(payload.items())) | {"session_id": "s-2"}
    for session, told in (("s-1", payload), ("s-2", turned)):
        assert LOCK in filled.tell("prompt", told).context
        assert filled.events(session) == ["recalled"]
    assert time.monotonic() - started < LIMIT / 3
    assert filled.losses() == []
    assert len(list(filled.sessions.glob("*.jsonl"))) == 2


@pytest.mark.parametrize("letters", ["\U0001f680", "\u00e9", '"', "\n"], ids=ascii)
def test_a_prompt_of_megabytes_may_be_cut_within_any_escape(letters: str, filled: Desk) -> None:
    size = len(json.dumps(letters)) - 2
    for shift in {0, 1, size // 2, size - 1}:
        prompt = QUESTION + " " + "x" * shift + letters * (2 * MEGABYTE // size)
        payload = {"session_id": f"s-{shift}", "prompt": prompt}
        assert LOCK in filled.tell("prompt", payload).context, shift
    assert filled.losses() == []


class TestCommandLine:
    @pytest.mark.parametrize(
        "argv",
        [
            [],
            ["prompt"],
            ["lunch", "--host", "claude-code"],
            ["prompt", "stop", "--host", "claude-code"],
            ["prompt", "--host", ""],
            ["prompt", "--host"],
            ["prompt", "--novel", "--host", "claude-code"],
            ["--host", "claude-code"],
            ["\x1b[31m", "--host", "claude-code"],
        ],
        ids=" ".join,
    )
    def test_that_makes_no_sense_is_told_to_a_person_and_blocks_nobody(
        self, argv: list[str], desk: Desk
    ) -> None:
        done = desk.hook(*argv, stdin=b'{"prompt": "x"}')
        assert done.raw == b""
        assert done.err.startswith("engrain: ")
        assert done.err.count("\n") == 1
        assert "\x1b" not in done.err

    def test_that_names_an_unknown_host_prints_nothing(self, filled: Desk) -> None:
        raw = json.dumps({"session_id": "s-1", "prompt": QUESTION}).encode()
        for event in EVENTS:
            assert filled.hook(event, "--host", "emacs", stdin=raw).raw == b""

    def test_may_have_its_options_in_either_form_and_order(self, filled: Desk) -> None:
        raw = json.dumps({"session_id": "doctor-", "prompt": QUESTION}).encode()
        environ = {"ENGRAIN_VAULT": "", "ENGRAIN_STATE_DIR": ""}
        vault, state = str(filled.vault), str(filled.state)
        for argv in (
            ["prompt", "--host=gemini", f"--vault={vault}", f"--state-dir={state}"],
            ["--vault", vault, "--host", "gemini", "--state-dir", state, "prompt"],
        ):
            done = filled.hook(*argv, stdin=raw, environ=environ)
            assert LOCK in read_answer("gemini", "prompt", done.raw).context

    def test_asks_for_help_and_gets_it(self, desk: Desk) -> None:
        for argv in (["--help"], ["prompt", "--help"]):
            done = desk.run("hook", *argv)
            assert done.code == 0
            assert "engrain hook" in done.out
            assert "Traceback" not in done.err
