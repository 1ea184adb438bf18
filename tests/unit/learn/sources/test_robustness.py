"""Whatever a file holds, it gives turns or is refused: nothing else happens."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from bench.read_sources import open_source
from hypothesis import example, given
from hypothesis import strategies as st

from engrain.learn.sources.formats import FORMATS
from engrain.model.errors import MalformedError
from engrain.model.facts.fact import AGENT, DOCUMENT, OPERATOR, OTHER, SOURCES
from support.sources import AT

KEYS = st.sampled_from(
    ["role", "content", "text", "messages", "mapping", "current_node", "conversation", "speaker_a",
     "session_1", "session_1_date_time", "chat_messages", "author", "parts", "message", "type",
     "payload", "sessionId", "timestamp", "id", "parent", "create_time", "title", "uuid", "a"]
)  # fmt: skip
WORDS = st.sampled_from(
    ["user", "assistant", "text", "a", "", "message", "session_meta", "1:56 pm on 8 May, 2023"]
) | st.text(max_size=8)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)
LINES = st.sampled_from(
    ["---", "```", "<!--", "-->", "# Sync 2026-02-30", "Attendees: Ada, Bob", "- Ada: hi",
     "Ada: hi", "- 25:99 x", "09:15 x", "WEBVTT", "00:00:01.000 --> 00:00:02.000", "<v Ada>hi",
     "> ask",
     "⏺ said", "⎿ gave", "[99:99] Ada: hi", "0000-00-00 10:00 Ada: hi", "", "|a|b|",
     "<engrain-memory 0123456789abcdef>", "</engrain-memory 0123456789abcdef>", "{", "[", "}"]
) | st.text(max_size=20)  # fmt: skip


def check(raw: bytes, name: str, format_: str = "") -> None:
    half = len(raw) // 2
    try:
        _, found = open_source([raw[:half], raw[half:]], name, format=format_, at=AT)
        conversations = list(found)
    except MalformedError:
        return
    for one in conversations:
        assert one.ref
        assert one.kind in SOURCES
        turns = list(one.turns)
        assert turns
        for turn in turns:
            assert turn.role in (OPERATOR, AGENT, OTHER, DOCUMENT)
            assert turn.text.strip()
            assert turn.at is None or 0 <= turn.at <= AT


@pytest.mark.parametrize("format_", ["", *FORMATS])
def test_of_any_bytes(format_: str) -> None:
    @given(st.binary(max_size=80), st.sampled_from(["a.md", "a.jsonl", "2026-03-01.md"]))
    @example(b"\xff\xfe", "a.md")
    @example(b"[]", "a.json")
    def run(raw: bytes, name: str) -> None:
        check(raw, name, format_)

    run()


@pytest.mark.parametrize("format_", ["", "chat", "chat-lines", "codex", "claude-code"])
@pytest.mark.parametrize("write", [json.dumps, lambda items: "\n".join(map(json.dumps, items))])
def test_of_any_json(format_: str, write: Callable[[Any], str]) -> None:
    @given(st.lists(values, max_size=3))
    def run(items: list[Any]) -> None:
        check(write(items).encode(), "a.jsonl", format_)

    run()


@pytest.mark.parametrize("format_", ["", "notes", "speech"])
def test_of_any_lines(format_: str) -> None:
    @given(
        st.lists(LINES, max_size=12), st.sampled_from(["a.md", "2026-03-01.md", "2026-02-31 sync"])
    )
    def run(lines: list[str], name: str) -> None:
        check("\n".join(lines).encode(errors="replace"), name, format_)

    run()
