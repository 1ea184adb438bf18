"""Chats in JSON: exports of ChatGPT and Claude, and messages in general.

Each item of a file shows its own layout, so a file may hold several.

ChatGPT   `conversations.json`: a list of {title, create_time, mapping, current_node}; the mapping
          is a tree of messages, whose branch to the current node was seen last
Claude    `conversations.json`: a list of {uuid, name, created_at, chat_messages: [{sender, text}]}
messages  [{role | speaker | author | from, content | text | message}], or {messages: [...]} of it

The items of a list are parsed one after the other, so that only one is in memory beside the text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from engrain.learn.sources.stream import (
    Items,
    Stream,
    clean_text,
    is_message,
    read_message,
    role_of,
    when,
)
from engrain.learn.transcripts.events import read_objects, text_of
from engrain.model.errors import MalformedError
from engrain.model.facts.fact import CONVERSATION, Conversation, Turn
from engrain.model.note.documents import list_of, object_of, objects_of

_LARGEST = 256 << 20
"""Bytes of a file."""
_BLANKS = re.compile(r"[ \t\n\r]*")


def read_values(chunks: Iterable[bytes]) -> Iterator[tuple[int, Any]]:
    """Yield the items of a file's JSON list, numbered from 1, or the value of any other JSON under
    0. Raises MalformedError where it breaks off, after the items before that."""
    text = _read_text(chunks)
    if text.startswith("["):
        number, at = 0, _skip(text, 1)
        while not text.startswith("]", at):
            value, at = _decode(text, at)
            number += 1
            yield number, value
            at = _skip(text, at)
            if text.startswith(",", at):
                at = _skip(text, at + 1)
            elif not text.startswith("]", at):
                raise _broken(text, at, "a comma is missing")
        end = at + 1
    else:
        value, end = _decode(text, 0)
        yield 0, value
    if _skip(text, end) < len(text):
        raise _broken(text, end, "something stands behind its end")


def _read_text(chunks: Iterable[bytes]) -> str:
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > _LARGEST:
            raise MalformedError(f"a chat of over {_LARGEST >> 20} MiB", reason="json")
    return b"".join(parts).decode(errors="replace").lstrip()


def _skip(text: str, at: int) -> int:
    """Return the position of the next character that is no blank."""
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _decode(text: str, at: int) -> tuple[Any, int]:
    """Return the value at a position and the position behind it. Raises MalformedError."""
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _broken(text, error.pos, error.msg) from None
    except (ValueError, RecursionError):
        raise _broken(text, at, "a value that can't be kept") from None


_DECODER = json.JSONDecoder()


def _broken(text: str, at: int, why: str) -> MalformedError:
    if at >= len(text) or why.startswith("Unterminated"):
        why = "it ends before its end"
    return MalformedError(f"not JSON at character {at}: {why}", reason="json")


_LISTS = (
    "messages", "chat_messages", "turns", "history", "conversation", "conversations", "dialog",
    "dialogue", "chat", "items", "data",
)  # fmt: skip
_IDS = ("conversation_id", "session_id", "sessionId", "uuid", "id")
_TITLES = (*_IDS, "title", "name")
_UNIQUE = 8
"""Characters from which on an id is one in every file."""
_UNSAID = frozenset(
    ("user_editable_context", "model_editable_context", "thoughts", "reasoning_recap", "code",
     "execution_output", "tether_quote", "tether_browsing_display", "system_error")
)  # fmt: skip
_LONGEST = 200
_MOST_NODES = 100_000


def read_chats(stream: Stream) -> Items:
    """Yield the conversations of a JSON file. Raises MalformedError where it breaks off."""
    begun = False
    for number, item in _read_chat_items(stream):
        if not isinstance(item, dict):
            stream.passed["unknown"] += 1
        elif is_message(item):
            if not begun:  # a list of messages is one conversation
                yield Conversation(stream.name, CONVERSATION, (), stream.at)
            begun = True
            yield from read_message(item, stream.passed)
        else:
            yield from _read_conversation(item, stream, number)


def _read_chat_items(stream: Stream) -> Iterator[tuple[int, Any]]:
    """Yield the items of a file; of an object that has a list of conversations, these."""
    for number, value in read_values(stream.chunks()):
        whole = object_of(value) if number == 0 else {}
        for key in _LISTS:
            listed = objects_of(list_of(whole.get(key)))
            if listed and _shape_of(listed[0]) is not None and "mapping" not in whole:
                yield from enumerate(listed, 1)
                return
        yield number, value


def read_chat_lines(stream: Stream) -> Items:
    """Yield the conversations of a file of JSON lines, each a message or a conversation."""
    begun = ""
    for number, item in enumerate(read_objects(stream.records(), stream.passed), 1):
        if not is_message(item):
            begun = ""
            yield from _read_conversation(item, stream, number)
            continue
        named = next((str(item[key])[:_LONGEST] for key in _IDS[:3] if item.get(key)), stream.name)
        if named != begun:
            begun = named
            yield Conversation(named, CONVERSATION, (), stream.at)
        yield from read_message(item, stream.passed)


def _read_conversation(item: dict[str, Any], stream: Stream, number: int) -> Items:
    read = _shape_of(item)
    if read is None:
        stream.passed["unknown"] += 1
    else:
        yield from read(item, stream, number)


def _shape_of(item: dict[str, Any]) -> Callable[[dict[str, Any], Stream, int], Items] | None:
    if isinstance(item.get("mapping"), dict):
        return _read_tree
    if any(isinstance(item.get(key), list) for key in _LISTS):
        return _read_messages
    return None


def _begin(item: dict[str, Any], stream: Stream, number: int) -> Conversation:
    ref = _name_of(item, stream) or (f"{stream.name}#{number}" if number else stream.name)
    at = when(item)
    return Conversation(ref, CONVERSATION, (), stream.at if at is None else at)


def _name_of(item: dict[str, Any], stream: Stream) -> str:
    """Return a conversation's name, "" for none; after the file's if others may share it."""
    for key in _IDS:
        own = item.get(key)
        if isinstance(own, str) and _UNIQUE <= len(own) <= _LONGEST:
            return own
    titles = (" ".join(str(item[key]).split()) for key in _TITLES if item.get(key))
    title = next(filter(None, titles), "")
    return f"{stream.name}#{title[:_LONGEST]}" if title else ""


def _read_messages(item: dict[str, Any], stream: Stream, number: int) -> Items:
    yield _begin(item, stream, number)
    listed = next(item[key] for key in _LISTS if isinstance(item.get(key), list))
    for message in objects_of(listed):
        yield from read_message(message, stream.passed)


def _read_tree(item: dict[str, Any], stream: Stream, number: int) -> Items:
    yield _begin(item, stream, number)
    mapping = object_of(item.get("mapping"))
    path: list[dict[str, Any]] = []
    node = item.get("current_node") or next(reversed(mapping), None)
    seen = set()
    while isinstance(node, str) and node in mapping and node not in seen:
        seen.add(node)
        found = object_of(mapping[node])
        path.append(object_of(found.get("message")))
        node = found.get("parent") if len(seen) < _MOST_NODES else None
    for message in reversed(path):
        yield from _read_node(message, stream.passed)


def _read_node(message: dict[str, Any], passed: Counter[str]) -> Items:
    content, about = object_of(message.get("content")), object_of(message.get("metadata"))
    role = role_of(str(object_of(message.get("author")).get("role") or "system"))
    if (
        not role
        or message.get("recipient") not in (None, "all")
        or content.get("content_type") in _UNSAID
        or about.get("is_visually_hidden_from_conversation")
    ):
        return
    if text := clean_text(text_of(list_of(content.get("parts")), passed), role):
        yield Turn("", role, text, when(message), str(message.get("id") or ""))
