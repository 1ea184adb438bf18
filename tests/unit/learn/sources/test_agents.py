"""Agents' transcripts as turns."""

from __future__ import annotations

import pytest

from engrain.language.text.fences import close_fence, open_fence
from support.real_data import DATA, needs
from support.sources import Read
from support.transcripts import CWD, ClaudeCode, Codex, Gemini

MARK = "0123456789abcdef"
RECALLED = f"{open_fence(MARK)}\nAda lives in Rome.\n{close_fence(MARK)}\n"
Made = ClaudeCode | Codex | Gemini


def talk(made: Made) -> Made:
    made.request("I moved to Berlin.")
    made.said("Noted.")
    made.run("ls", "Ada works at Acme.")
    made.said("Done.")
    return made


@pytest.mark.parametrize(
    ("made", "name"),
    [(ClaudeCode(), "claude-code"), (Codex(), "codex"), (Gemini(), "gemini")],
    ids=["claude", "codex", "gemini"],
)
def test_requests_and_answers_are_turns_and_what_tools_gave_is_none(made: Made, name: str) -> None:
    read = Read(talk(made).raw, "s.jsonl")
    assert read.format == name
    assert read.said == [
        ("", "operator", "I moved to Berlin."),
        ("", "agent", "Noted."),
        ("", "agent", "Done."),
    ]
    assert set(read.refs) == {made.session}
    assert {one.cwd for one in read.conversations} == {CWD}
    assert {one.kind for one in read.conversations} == {"conversation"}
    assert all(turn.at and turn.key for turn in read.turns)


@pytest.mark.parametrize(
    "made", [ClaudeCode(), Codex(), Gemini()], ids=["claude", "codex", "gemini"]
)
def test_what_was_recalled_and_what_the_host_added_never_comes(made: Made) -> None:
    made.request(f"{RECALLED}<system-reminder>Ada is blue.</system-reminder>I moved.")
    made.said(f"{RECALLED}So you did.")
    assert Read(made.raw, "s.jsonl").texts == ["I moved.", "So you did."]


def test_what_a_sub_agent_is_told_and_says_is_no_turn() -> None:
    made = ClaudeCode(agent="a1")
    assert Read(talk(made).raw, "agent-a1.jsonl").turns == []


@needs("transcripts/claude-code")
def test_of_real_sessions_no_turn_is_a_tools_or_a_hosts() -> None:
    for file in sorted((DATA / "transcripts/claude-code/projects").rglob("*.jsonl")):
        read = Read(file.read_bytes(), file.name)
        assert read.format == "claude-code"
        assert bool(read.turns) == ("subagents" not in str(file))
        assert not any("<system-reminder>" in text for text in read.texts)
