"""Chats in JSON. Items of a JSON list, one after the other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.fences import close_fence, open_fence
from engrain.language.text.instants import format_instant
from engrain.learn.sources.formats import read_values
from engrain.model.errors import MalformedError
from support.sources import AT, Read, pieces

MARK = "0123456789abcdef"
FENCED = f"{open_fence(MARK)}\nAda lives in Rome.\n{close_fence(MARK)}\nI moved to Berlin."


def node(id_: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
    content = {"content_type": more.pop("content_type", "text"), "parts": [text]}
    message = {"id": id_, "author": {"role": role}, "create_time": AT - 900, "content": content}
    return {"id": id_, "parent": parent, "children": [], "message": {**message, **more}}


def tree(*nodes: dict[str, Any], current: str) -> dict[str, Any]:
    mapping = {one["id"]: one for one in ({"id": "root", "parent": None, "message": None}, *nodes)}
    return {
        "title": "Moving",
        "create_time": AT - 1000,
        "conversation_id": "c-1234567",
        "mapping": mapping,
        "current_node": current,
    }


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "I moved to Berlin."},
        {"role": "user", "content": [{"type": "text", "text": "I moved to Berlin."}]},
        {"sender": "human", "text": "I moved to Berlin."},
        {"author": {"role": "user"}, "content": {"parts": ["I moved to Berlin."]}},
        {"role": "user", "content": FENCED},
    ],
)
def test_a_message_is_understood_however_it_is_written(message: dict[str, Any]) -> None:
    read = Read(json.dumps([message, {"role": "assistant", "content": "Nice."}]), "a/chat.json")
    assert read.format == "chat"
    assert read.refs == ["a/chat.json"]
    assert read.said == [("", "operator", "I moved to Berlin."), ("", "agent", "Nice.")]


def test_who_is_neither_the_operator_nor_the_agent_has_a_name() -> None:
    messages = [
        {"speaker": "Ada", "text": "I moved.", "timestamp": "2026-03-01T10:00:00Z", "id": 7},
        {"from": "Bob", "message": "Where?", "date": 1_772_359_260},
        {
            "user": "U1",
            "user_profile": {"real_name": "Cleo"},
            "text": "Oh!",
            "ts": "1772359320.000100",
        },
    ]
    read = Read(json.dumps({"title": "Trip", "messages": messages}))
    assert read.refs == ["file.txt#Trip"]
    assert read.said == [
        ("Ada", "other", "I moved."),
        ("Bob", "other", "Where?"),
        ("Cleo", "other", "Oh!"),
    ]
    assert [format_instant(turn.at or 0)[11:] for turn in read.turns] == [
        "10:00:00Z",
        "10:01:00Z",
        "10:02:00Z",
    ]
    assert read.turns[0].key == "7"


def test_what_systems_and_tools_say_is_no_turn() -> None:
    messages = [{"role": role, "content": "Secret."} for role in ("system", "tool", "developer")]
    assert Read(json.dumps(messages)).turns == []


def test_messages_on_lines_are_a_chat_that_grows() -> None:
    lines = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    read = Read("".join(json.dumps(line) + "\n" for line in lines) + '{"role": "us', "c.jsonl")
    assert read.format == "chat-lines"
    assert read.texts == ["Hi.", "Hello."]
    assert read.passed["unfinished"] == 1


def test_conversations_on_lines_are_told_apart() -> None:
    lines = [{"messages": [{"role": "user", "content": f"I am {n}."}]} for n in range(2)]
    read = Read("".join(json.dumps(line) + "\n" for line in lines), "c.jsonl")
    assert read.refs == ["c.jsonl#1", "c.jsonl#2"]
    assert read.texts == ["I am 0.", "I am 1."]


def test_of_chatgpt_the_branch_that_was_last_seen_is_read() -> None:
    export = tree(
        node("a", "root", "user", "I moved to Berlin."),
        node("b", "a", "assistant", "A first answer."),
        node("c", "a", "assistant", "Another answer."),
        node("d", "c", "user", "I work at Acme."),
        current="d",
    )
    read = Read(json.dumps([export]), "conversations.json")
    assert read.format == "chat"
    assert read.refs == ["c-1234567"]
    assert read.texts == ["I moved to Berlin.", "Another answer.", "I work at Acme."]
    assert [turn.key for turn in read.turns] == ["a", "c", "d"]


@pytest.mark.parametrize(
    "more",
    [
        {"content_type": "user_editable_context"},
        {"content_type": "code"},
        {"recipient": "python"},
        {"metadata": {"is_visually_hidden_from_conversation": True}},
    ],
)
def test_of_chatgpt_what_nobody_said_is_left_out(more: dict[str, Any]) -> None:
    export = tree(
        node("a", "root", "user", "Hidden.", **more), node("b", "a", "user", "Seen."), current="b"
    )
    assert Read(json.dumps([export])).texts == ["Seen."]


def test_a_tree_that_runs_in_a_circle_ends() -> None:
    export = tree(node("a", "b", "user", "One."), node("b", "a", "user", "Two."), current="a")
    assert Read(json.dumps([export])).texts == ["Two.", "One."]


def test_a_single_conversation_of_chatgpt_is_read() -> None:
    export = tree(node("a", "root", "user", "I moved."), current="a")
    assert Read(json.dumps(export, indent=1)).texts == ["I moved."]


def test_an_export_of_claude_is_read() -> None:
    message = {"uuid": "m1", "sender": "human", "created_at": "2026-03-01T10:00:00.5Z"}
    export = [
        {
            "uuid": "u-1234567",
            "name": "Moving",
            "created_at": "2026-03-01T09:59:00Z",
            "chat_messages": [
                {**message, "text": "I moved.", "content": [{"type": "text", "text": "I moved."}]},
                {"uuid": "m2", "sender": "assistant", "text": "Where to?"},
            ],
        }
    ]
    read = Read(json.dumps(export), "conversations.json")
    assert read.format == "chat"
    assert read.refs == ["u-1234567"]
    assert read.said == [("", "operator", "I moved."), ("", "agent", "Where to?")]
    assert read.turns[0].key == "m1"


def test_what_is_no_conversation_is_counted_and_the_rest_is_read() -> None:
    items = [{"uuid": "x", "full_name": "Ada"}, {"messages": [{"role": "user", "text": "Hi."}]}]
    read = Read(json.dumps(items))
    assert (read.texts, read.passed["unknown"]) == (["Hi."], 1)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(values, max_size=5), st.integers(1, 9), st.sampled_from([None, 2]))
def test_the_items_of_a_list_are_those_of_the_parser(
    items: list[Any], size: int, indent: int | None
) -> None:
    raw = json.dumps(items, indent=indent, ensure_ascii=False).encode(errors="replace")
    assert list(read_values(pieces(raw, size))) == list(enumerate(json.loads(raw), 1))


@given(st.dictionaries(st.text(), values, max_size=4), st.integers(1, 9))
def test_an_object_is_one_value(whole: dict[str, Any], size: int) -> None:
    raw = json.dumps(whole).encode()
    assert list(read_values(pieces(raw, size))) == [(0, whole)]


def test_the_conversations_in_an_object_are_read_one_by_one() -> None:
    talks = [{"messages": [{"role": "user", "content": f"I am {n}."}]} for n in range(2)]
    read = Read(json.dumps({"version": 1, "conversations": talks}), "c.json")
    assert read.refs == ["c.json#1", "c.json#2"]
    assert read.texts == ["I am 0.", "I am 1."]


@pytest.mark.parametrize(
    "raw",
    [
        b'[{"a": 1}, {"b": "unfin',
        b'[{"a": 1} {"b": 2}]',
        b'[{"a": 1}] x',
        b'[{"a": 1}, ' + b"[" * 100_000,
        b'[{"a": 1' + b"0" * 5_000 + b"}]",
    ],
)
def test_a_file_that_is_broken_is_refused_whole(raw: bytes) -> None:
    with pytest.raises(MalformedError, match="not JSON"):
        list(read_values(pieces(raw)))


@pytest.mark.parametrize("raw", [b"", b"text", b"{", b'"tex'])
def test_what_is_no_json_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedError, match="not JSON"):
        list(read_values(pieces(raw)))


@pytest.mark.parametrize("raw", [b"1", b"null", b'"text"', b"[[1], 2]"])
def test_json_without_a_conversation_is_counted(raw: bytes) -> None:
    read = Read(raw, "a.json", format_="chat")
    assert (read.turns, read.passed["unknown"] > 0) == ([], True)
