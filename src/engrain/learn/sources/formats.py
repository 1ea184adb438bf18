"""The format of a file, recognised by its content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TypeAlias

from engrain.language.text.fences import without_fences
from engrain.learn.sources.chats import read_chat_lines, read_chats
from engrain.learn.sources.notes import read_notes
from engrain.learn.sources.speech import is_speech, read_speech
from engrain.learn.sources.stream import (
    HEAD,
    LONGEST_LINE,
    Items,
    Stream,
    bound_times,
    cut,
    is_message,
)
from engrain.learn.transcripts.events import REQUEST, WORDS, TranscriptSession
from engrain.learn.transcripts.hosts import HOSTS as _HOSTS
from engrain.learn.transcripts.hosts import HostFormat, read_events
from engrain.model.errors import UsageError
from engrain.model.facts.fact import AGENT, CONVERSATION, OPERATOR, Conversation, Turn
from engrain.model.note.documents import parse_object


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
    """The format of a file. Raises MalformedError for what is no text."""
    raw, least = stream.head(), HEAD
    # The first line of a file of JSON may be a long one.
    while raw.lstrip()[:1] == b"{" and b"\n" not in raw and least <= len(raw) < LONGEST_LINE:
        least *= 2
        raw = stream.head(least)
    head = Head(stream.name, raw, whole=len(raw) < least)
    return next(format_ for format_ in FORMATS.values() if format_.fits(head))


def find_format(name: str) -> Format:
    """A format by its name. Raises UsageError."""
    if name not in FORMATS:
        raise UsageError(f"no format {name!r}", remedy="there are " + ", ".join(FORMATS))
    return FORMATS[name]


def read_stream(
    stream: Stream, format_: Format, latest: float | None = None
) -> Iterator[Conversation]:
    """The conversations in a file of a format, in pieces; no turn is later than `latest`."""
    return cut(bound_times(format_.read(stream), latest, stream.passed))
