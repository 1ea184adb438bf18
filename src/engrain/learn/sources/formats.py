"""The format of a file, recognised by its content."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, TypeAlias

from engrain.language.text.fences import without_fences
from engrain.learn.sources.notes import read_notes
from engrain.learn.sources.speech import is_speech, read_speech
from engrain.learn.sources.stream import (
    HEAD,
    LONGEST_LINE,
    Items,
    Stream,
    bound_times,
    clean_text,
    cut,
    is_message,
    read_message,
    role_of,
    when,
)
from engrain.learn.transcripts.hosts import HOSTS as _HOSTS
from engrain.learn.transcripts.hosts import (
    REQUEST,
    WORDS,
    HostFormat,
    TranscriptSession,
    read_events,
    read_objects,
    text_of,
)
from engrain.model.errors import MalformedError, UsageError
from engrain.model.facts.fact import AGENT, CONVERSATION, OPERATOR, Conversation, Turn
from engrain.model.note.documents import list_of, object_of, objects_of, parse_object

_LARGEST = 256 << 20
"""Bytes of a file."""


def read_values(chunks: Iterable[bytes]) -> Iterator[tuple[int, Any]]:
    """Yield the items of a file's JSON list, numbered from 1, or the value of any other JSON under
    0. Raises MalformedError for a file that is too large or no JSON."""
    raw = bytearray()
    for chunk in chunks:
        raw += chunk
        if len(raw) > _LARGEST:
            raise MalformedError(f"a chat of over {_LARGEST >> 20} MiB", reason="json")
    try:
        value = json.loads(raw.decode(errors="replace"))
    except json.JSONDecodeError as error:
        raise MalformedError(
            f"not JSON at character {error.pos}: {error.msg}", reason="json"
        ) from None
    except (ValueError, RecursionError):
        raise MalformedError("not JSON: it has a value that can't be kept", reason="json") from None
    yield from enumerate(value, 1) if isinstance(value, list) else [(0, value)]


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
    """Yield the conversations of a JSON file. Raises MalformedError for what is no JSON."""
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


def read_turns(host: HostFormat, stream: Stream) -> Items:
    """Yield the turns of a session that a host wrote down. `stream` keeps where the session ran
    and whose it is, for the run that reads on where this ends."""
    name = stream.ref or stream.name.rpartition("/")[2].partition(".")[0]
    yield Conversation(name, CONVERSATION, (), stream.at, stream.cwd)
    for event in read_events(host, stream.records(), stream.passed):
        if isinstance(event, TranscriptSession):
            name = event.session or name
            stream.cwd = event.cwd or stream.cwd
            stream.agent = event.agent
            yield Conversation(name, CONVERSATION, (), stream.at, stream.cwd)
        elif event.stream or stream.agent:
            continue
        elif event.what == REQUEST:
            yield Turn("", OPERATOR, event.text, event.at, event.id)
        elif event.what == WORDS and (said := without_fences(event.text).strip()):
            yield Turn("", AGENT, said, event.at, "" if event.at is None else str(event.at))


Reader: TypeAlias = "Callable[[Stream], Items]"
Test: TypeAlias = "Callable[['Head'], bool]"

NOTES = "notes"
HOSTS = tuple(_HOSTS)
"""Formats in which a host writes down what its operator and its agent said."""
_JSON = re.compile(r'\[\s*(?:\{|\]\s*\Z)|\{\s*["}]')
_KEYS = re.compile(r'^ {0,4}"(\w{1,40})":', re.MULTILINE)
_LINES, _OBJECTS = 200, 50


class Head:
    """The beginning of a file, from which its format is recognised: `name`, `text`, `lines`, and
    the objects of lines that are JSON; `cut` says that an incomplete last line was dropped."""

    def __init__(self, name: str, raw: bytes, *, whole: bool) -> None:
        self.name = name.rpartition("/")[2]
        self.text = raw.decode(errors="replace").lstrip()
        lines = self.text.split("\n")
        self.cut = not whole and len(lines) > 1 and bool(lines.pop())
        self.lines = [line for line in lines[:_LINES] if line.strip()]
        self.objects = [parse_object(line) for line in self.lines[:_OBJECTS]]
        if self.text.startswith(("{\n", "{\r")):  # an object over many lines: what it has
            self.objects.append(dict.fromkeys(_KEYS.findall(self.text)))
        self.is_json = bool(_JSON.match(self.text))


@dataclass(slots=True, eq=False)
class Format:
    """One format: its name and meaning, a test of a file's beginning, and its reader. A format that
    `appends` grows by whole lines that can be read one by one."""

    name: str
    meaning: str
    fits: Test
    read: Reader
    _: KW_ONLY
    appends: bool = False


def _format_of(host: HostFormat) -> Format:
    return Format(
        host.name,
        f"sessions of {host.title} (JSON lines)",
        lambda head: any(map(host.is_line, head.objects)),
        partial(read_turns, host),
        appends=True,
    )


_FORMATS = (
    *map(_format_of, _HOSTS.values()),
    Format("chat-lines", "a chat as JSON lines, a message or a conversation each",
        lambda head: _is_lines(head), read_chat_lines, appends=True),
    Format("chat", "a chat as JSON, such as an export of ChatGPT or Claude",
        lambda head: head.is_json, read_chats),
    Format("speech", 'a transcript of speech (WebVTT, SubRip, "Ada: text")',
        lambda head: is_speech(head.lines), read_speech),
    Format(NOTES, "any other text, such as a day's or a meeting's notes",
        lambda _: True, read_notes),
)  # fmt: skip
FORMATS: Mapping[str, Format] = {format_.name: format_ for format_ in _FORMATS}
"""In the order in which they are tried: the first that fits is it."""


def _is_lines(head: Head) -> bool:
    """Whether a file of JSON has objects on its lines: several, or one that is a message."""
    if head.name.endswith(".jsonl") and head.text[:1] in ("", "{"):
        return True  # the first line may be half written
    first, second = [*head.objects, {}, {}][:2]
    return bool(first) and (bool(second) or head.cut or is_message(first))


def detect_format(stream: Stream) -> Format:
    """Return the format of a file. Raises MalformedError for what is no text."""
    raw, least = stream.head(), HEAD
    # The first line of a file of JSON may be a long one.
    while raw.lstrip()[:1] == b"{" and b"\n" not in raw and least <= len(raw) < LONGEST_LINE:
        least *= 2
        raw = stream.head(least)
    head = Head(stream.name, raw, whole=len(raw) < least)
    return next(format_ for format_ in FORMATS.values() if format_.fits(head))


def find_format(name: str) -> Format:
    """Return a format by its name. Raises UsageError."""
    if name not in FORMATS:
        raise UsageError(f"no format {name!r}", remedy="there are " + ", ".join(FORMATS))
    return FORMATS[name]


def read_stream(
    stream: Stream, format_: Format, latest: float | None = None
) -> Iterator[Conversation]:
    """Return the conversations in a file of a format, in pieces; no turn is later than `latest`."""
    return cut(bound_times(format_.read(stream), latest, stream.passed))
