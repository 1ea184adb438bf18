"""Chats in JSON: exports of ChatGPT and Claude, LoCoMo's conversations, and messages in general.

Each item of a file shows its own format, so a file may hold several.

ChatGPT   `conversations.json`: a list of {title, create_time, mapping, current_node}; the mapping
          is a tree of messages, whose branch to the current node was seen last
Claude    `conversations.json`: a list of {uuid, name, created_at, chat_messages: [{sender, text}]}
LoCoMo    a list of {sample_id, conversation: {speaker_a, session_1, session_1_date_time}}
messages  [{role | speaker | author | from, content | text | message}], or {messages: [...]} of it

The items of a large file are read one after the other, so that only one is in memory. An item is
parsed by the standard library's scanner, which is compiled; a parser of events (`ijson`) would cost
a dependency, and without its compiled part is too slow for files of this size.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from engrain.language.text.instants import SECONDS
from engrain.language.text.periods import find_periods
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
from engrain.model.facts.fact import CONVERSATION, OTHER, Conversation, Turn
from engrain.model.note.documents import list_of, object_of, objects_of

_LARGEST = 64 << 20
"""Characters of one item."""
_PIECE = 1 << 20
_NEAR_END = 16
"""What is cut within an escape or a number is wrong so many characters before its end at most."""
_BLANK = " \t\n\r"


def read_items(chunks: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    """Yield the values in a file of JSON: of a list each under "", of an object each under its key,
    and of a list inside that each under the key of the list. Raises MalformedError where it breaks
    off, or is no JSON, after what stands before that."""
    buffer = _Buffer(chunks)
    opening = buffer.peek()
    if opening == "[":
        for item in _list(buffer):
            yield "", item
    elif opening == "{":
        yield from _object(buffer)
    else:
        buffer.fail("neither a list nor an object")
    if buffer.peek():
        buffer.fail("something stands behind its end")


def _list(buffer: _Buffer) -> Iterator[Any]:
    buffer.take("[")
    while buffer.peek() != "]":
        yield buffer.value()
        if buffer.peek() != "]":
            buffer.take(",")
    buffer.take("]")


def _object(buffer: _Buffer) -> Iterator[tuple[str, Any]]:
    buffer.take("{")
    while buffer.peek() != "}":
        key = buffer.value()
        if not isinstance(key, str):
            buffer.fail("a key is no text")
        buffer.take(":")
        if buffer.peek() == "[":
            for item in _list(buffer):
                yield key, item
        else:
            yield key, buffer.value()
        if buffer.peek() != "}":
            buffer.take(",")
    buffer.take("}")


class _Buffer:
    """The part of a file that was read and not yet taken."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._scan = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._ended = False
        self._taken = 0

    def peek(self) -> str:
        """Return the next character that is no blank, "" at the end."""
        while True:
            text, at = self._text, self._at
            while at < len(text) and text[at] in _BLANK:
                at += 1
            self._at = at
            if at < len(text):
                return text[at]
            if not self._fill():
                return ""

    def take(self, wanted: str) -> None:
        if self.peek() != wanted:
            self.fail(f"{wanted} is missing")
        self._at += 1

    def value(self) -> Any:
        if not self.peek():
            self.fail("it ends before its end")
        while True:
            try:
                value, end = self._scan(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or (
                    error.pos >= len(self._text) - _NEAR_END
                )
                if not (cut and self._fill()):
                    self.fail("it ends before its end" if cut else error.msg)
            except (ValueError, RecursionError):
                self.fail("a value that can't be kept")
            else:
                # A number may go on in what was not read yet.
                if end < len(self._text) or not self._fill():
                    self._at = end
                    return value

    def fail(self, why: str) -> NoReturn:
        place = self._taken + self._at
        raise MalformedError(f"not JSON at character {place}: {why}", reason="json")

    def _fill(self) -> bool:
        """Read as much again as there is, so that a long value is not scanned often."""
        if self._ended:
            return False
        rest = self._text[self._at :]
        if len(rest) > _LARGEST:
            self.fail("an item that is too large")
        parts, size = [rest], 0
        while size < max(_PIECE, len(rest)):
            chunk = next(self._chunks, None)
            if chunk is None:
                self._ended = True
                break
            parts.append(self._decoder.decode(chunk))
            size += len(parts[-1])
        self._taken += self._at
        self._text, self._at = "".join(parts), 0
        return size > 0


_LISTS = (
    "messages", "chat_messages", "turns", "history", "conversation", "conversations", "dialog",
    "dialogue", "chat", "items", "data",
)  # fmt: skip
_IDS = ("conversation_id", "session_id", "sessionId", "uuid", "id")
_TITLES = (*_IDS, "title", "name")
_UNIQUE = 8
"""Characters from which on an id is one in every file."""
_SESSION = re.compile(r"session_(\d+)")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})\s*([ap])m on (.+)", re.IGNORECASE)
_UNSAID = frozenset(
    ("user_editable_context", "model_editable_context", "thoughts", "reasoning_recap", "code",
     "execution_output", "tether_quote", "tether_browsing_display", "system_error")
)  # fmt: skip
_LONGEST = 200
_MOST_NODES = 100_000


def read_chats(stream: Stream) -> Items:
    """Yield the conversations of a JSON file. Raises MalformedError where it breaks off."""
    about: dict[str, Any] = {}
    begun = False
    number = 0
    for key, item in read_items(stream.chunks()):
        if (key and key not in _LISTS) or not isinstance(item, dict):
            if not isinstance(item, list):
                about[key] = item
            continue
        if is_message(item):
            if not begun:  # a list of messages is one conversation
                yield _begin(about, stream, 0)
            begun = True
            yield from read_message(item, stream.passed)
            continue
        number += 1
        yield from _read_conversation(item, stream, number)
    if _shape_of(about) is not None:  # the whole file is one
        yield from _read_conversation(about, stream, 0)
    elif not begun and not number:
        stream.passed["unknown"] += 1


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
    if "speaker_a" in object_of(item.get("conversation")):
        return _read_locomo
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


def _read_locomo(item: dict[str, Any], stream: Stream, number: int) -> Items:
    talk = object_of(item.get("conversation"))
    name = str(item.get("sample_id") or f"{stream.name}#{number}")
    for session in sorted(int(found[1]) for key in talk if (found := _SESSION.fullmatch(key))):
        begun = _read_clock(str(talk.get(f"session_{session}_date_time") or ""))
        yield Conversation(f"{name}/session_{session}", CONVERSATION, (), begun)
        for place, said in enumerate(objects_of(talk[f"session_{session}"])):
            text, speaker = text_of(said.get("text"), stream.passed), str(said.get("speaker") or "")
            if text.strip():
                # A second apart, so that the order of speech is that of time.
                at = None if begun is None else begun + place
                yield Turn(speaker, OTHER, text.strip(), at, str(said.get("dia_id") or ""))


def _read_clock(text: str) -> float | None:
    """Return the instant in words such as "1:56 pm on 8 May, 2023", as UTC."""
    found = _CLOCK.search(text)
    days = find_periods(found[4], 0) if found else []
    if found is None or not days or days[0].yearless or days[0].end - days[0].start != SECONDS:
        return None
    hour = int(found[1]) % 12 + (12 if found[3].lower() == "p" else 0)
    return days[0].start + hour * 3600 + int(found[2]) * 60
