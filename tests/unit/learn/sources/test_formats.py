"""Which format a file has."""

from __future__ import annotations

import json

import pytest
from bench.read_sources import open_source

from engrain.learn.sources.formats import FORMATS
from engrain.learn.sources.stream import HEAD
from engrain.model.errors import MalformedError, UsageError
from support.sources import Read
from support.transcripts import ClaudeCode

MESSAGE = {"role": "user", "content": "Hi."}


@pytest.mark.parametrize(
    ("raw", "name", "format_"),
    [
        (json.dumps(MESSAGE), "a.jsonl", "chat-lines"),
        (json.dumps(MESSAGE) + "\n" + json.dumps(MESSAGE), "a.json", "chat-lines"),
        (json.dumps([MESSAGE]), "a.jsonl", "chat"),
        (json.dumps({"messages": [MESSAGE]}), "a.json", "chat"),
        (json.dumps({"messages": [MESSAGE]}, indent=2), "a.json", "chat"),
        ("[ ] a task\n", "a.md", "notes"),
        ("[{not json", "a.json", "chat"),
        ("", "a.md", "notes"),
        ("", "2026-02-03.md", "notes"),
        ("# Meeting of the board\n", "a.md", "notes"),
    ],
)
def test_the_format_is_told_from_what_a_file_holds(raw: str, name: str, format_: str) -> None:
    try:
        assert Read(raw, name).format == format_
    except MalformedError as error:
        assert (raw, error.reason) == ("[{not json", "json")


def test_long_first_lines_hide_no_format() -> None:
    made = ClaudeCode().request("I moved. " * HEAD).request("I work at Acme.")
    read = Read(made.raw, "s.jsonl")
    assert read.format == "claude-code"
    assert len(read.turns) == 2
    message = {"role": "user", "content": "I moved. " * HEAD}
    read = Read(json.dumps(message) + "\n" + json.dumps(MESSAGE) + "\n", "s.jsonl")
    assert read.format == "chat-lines"
    assert len(read.turns) == 2


def test_a_named_format_is_not_told_from_the_file() -> None:
    assert Read("Ada: I moved.\n", "a.txt", format_="speech").said == [("Ada", "other", "I moved.")]


def test_a_format_of_no_such_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        open_source([b""], "a.md", format="docx")
    assert caught.value.remedy == "there are " + ", ".join(FORMATS)
