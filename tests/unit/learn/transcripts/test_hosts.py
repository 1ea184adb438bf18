"""Whose transcript a file is."""

from __future__ import annotations

import json

import pytest

from engrain.learn.transcripts.filing import open_transcript
from engrain.model.errors import MalformedError
from support.transcripts import ClaudeCode, Codex


@pytest.mark.parametrize(("session", "host"), [(ClaudeCode(), "claude-code"), (Codex(), "codex")])
def test_the_host_is_told_by_a_line_whatever_stands_before_it(
    session: ClaudeCode | Codex, host: str
) -> None:
    raw = b"// by hand\n" + session.request("Look").raw
    name, _, lines = open_transcript(raw.splitlines(keepends=True))
    assert name == host
    assert b"".join(line or b"" for line in lines) == raw


def test_a_swe_agent_trajectory_is_told_by_its_object() -> None:
    assert open_transcript([json.dumps({"trajectory": []}).encode()])[0] == "swe-agent"


@pytest.mark.parametrize("raw", [b"", b"a note\n", b'[1]\n{"a": 1}\n', b"\x00\xff\n" * 100])
def test_any_other_file_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedError):
        open_transcript(raw.splitlines(keepends=True))
