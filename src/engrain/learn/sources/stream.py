"""One file of UTF-8 as a stream: its bytes and its lines in bounded memory, its conversations cut
into pieces that fit into memory, and the messages in its objects.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from engrain.language.prompts import request_in
from engrain.language.text.fences import strip_lines, strip_private, without_fences
from engrain.learn.transcripts.hosts import as_lines, ends_of, text_of, time_of
from engrain.model.errors import MalformedError
from engrain.model.facts.fact import AGENT, OPERATOR, OTHER, Conversation, Turn
from engrain.model.note.documents import is_json, object_of
from engrain.model.note.strength import DAY

LONGEST_LINE = 16 << 20
"""Bytes of a line that is read; one that is longer holds images, and is passed over."""

HEAD = 64 << 10
"""Bytes at the beginning by which a format is recognised."""
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x08\x1b")
_MOST_CONTROLS = 0.05
_REMEDY = "save it as UTF-8 text"


class Stream:
    """A file that is being read, once.

    `name` is that of the file, `at` when it was last written; `ref`, `cwd` and `agent` are what is
    known so far of the session in it. `offset` is how far whole lines were read, in bytes of the
    file. `passed` counts what was skipped: besides what `learn.transcripts.hosts` counts, times
    that were changed because they lay in the `future` or were `disordered`.
    """

    def __init__(
        self,
        chunks: Iterable[bytes],
        name: str,
        *,
        at: float | None = None,
        offset: int = 0,
        ref: str = "",
        cwd: str = "",
        agent: str = "",
        passed: Counter[str] | None = None,
    ) -> None:
        self.name = name
        self.at = at
        self.ref = ref
        self.cwd = cwd
        self.agent = agent
        self.passed: Counter[str] = Counter() if passed is None else passed
        self.offset = offset
        self._chunks = self._check(iter(chunks)) if offset == 0 else iter(chunks)
        self._head: list[bytes] = []

    def head(self, least: int = HEAD) -> bytes:
        """Return the beginning, of at least so many bytes if there are; it is read again later.
        Raises MalformedError for what is no text."""
        size = sum(map(len, self._head))
        while size < least and (chunk := next(self._chunks, b"")):
            self._head.append(chunk)
            size += len(chunk)
        return b"".join(self._head)

    def chunks(self) -> Iterator[bytes]:
        """Yield all of it."""
        while self._head:
            yield self._head.pop(0)
        yield from self._chunks

    def lines(self) -> Iterator[bytes | None]:
        """Yield its lines, each with its end but perhaps the last; None for one too long."""
        parts: list[bytes] = []
        size = 0
        for chunk in self.chunks():
            *whole, rest = chunk.split(b"\n")
            for line in whole:
                size += len(line) + 1
                self.offset += size
                yield None if size > LONGEST_LINE else b"".join([*parts, line, b"\n"])
                parts, size = [], 0
            size += len(rest)
            if size <= LONGEST_LINE:
                parts.append(rest)
            else:
                parts.clear()
        if size:
            yield None if size > LONGEST_LINE else b"".join(parts)

    def records(self) -> Iterator[bytes | None]:
        """Yield the lines of a file of JSON lines that others go on writing: a last one without an
        end that is no JSON is half written, and left for the next run. A file that is one object
        is one line."""
        for line in as_lines(self.lines()):
            if line is None or line.endswith(b"\n") or b"\n" in line:
                yield line
            elif is_json(line):
                self.offset += len(line)
                yield line
            else:
                self.passed["unfinished"] += 1

    def texts(self) -> Iterator[str]:
        """Yield its lines as text, without their ends and what is marked as private; one that is
        too long is passed over. Raises MalformedError for what is no UTF-8."""
        return strip_lines(self._texts())

    def _texts(self) -> Iterator[str]:
        for line in self.lines():
            if line is None:
                self.passed["long"] += 1
                continue
            try:
                text = line.decode()
            except UnicodeDecodeError:
                if line.endswith(b"\n"):
                    raise MalformedError(
                        "text that is not UTF-8", reason="encoding", remedy=_REMEDY
                    ) from None
                text = line.decode(errors="replace")  # its end is still being written
            text = text.removesuffix("\n").removesuffix("\r")
            yield from text.split("\r") if "\r" in text else (text,)

    def _check(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the chunks of a file, without the mark of its encoding. Raises MalformedError for
        what is no text."""
        first = next(chunks, b"")
        while len(first) < len(BOM_UTF8) and (more := next(chunks, b"")):
            first += more
        if first.startswith(BOM_UTF8):
            first = first.removeprefix(BOM_UTF8)
            self.offset += len(BOM_UTF8)
        _check_text(first[:HEAD])
        yield first
        yield from chunks


def _check_text(head: bytes) -> None:
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    if b"\0" in head or controls > _MOST_CONTROLS * len(head):
        raise MalformedError(
            "a binary file, or text that is not UTF-8", reason="binary", remedy=_REMEDY
        )


Items: TypeAlias = "Iterator[Conversation | Turn]"
"""Each conversation, without its turns, and behind it those."""

MOST_TURNS = 500
_MOST_CHARACTERS = 400_000


def cut(items: Iterable[Conversation | Turn]) -> Iterator[Conversation]:
    """Yield conversations with at most `MOST_TURNS`, as a list; a longer one comes in several
    pieces under one name, one without turns not at all. Raises MalformedError where the stream
    breaks, after what came before."""
    begun: Conversation | None = None
    turns: list[Turn] = []
    size = 0
    try:
        for item in items:
            if (
                isinstance(item, Conversation)
                or len(turns) >= MOST_TURNS
                or size > _MOST_CHARACTERS
            ):
                yield from _piece(begun, turns)
                turns, size = [], 0
            if isinstance(item, Conversation):
                begun = item
                continue
            item.text = ends_of(item.text)
            size += len(item.text)
            turns.append(item)
    except MalformedError:
        yield from _piece(begun, turns)  # what stands before the break was said
        raise
    yield from _piece(begun, turns)


def _piece(begun: Conversation | None, turns: list[Turn]) -> Iterator[Conversation]:
    if begun is not None and turns:
        yield Conversation(begun.ref, begun.kind, turns, begun.at, begun.cwd)


def bound_times(items: Items, latest: float | None, passed: Counter[str]) -> Items:
    """Yield the items with no time after `latest`, when the file was written or is read: a later
    turn gets the time of the one before. So does a turn that is up to a day before the one in front
    of it, since order is known better than clocks; one that is further back is left alone."""
    before: float | None = None
    for item in items:
        begins = isinstance(item, Conversation)
        if begins:
            before = None
        if item.at is not None and latest is not None and item.at > latest:
            if not begins:
                passed["future"] += 1
            item.at = latest if before is None else before
        elif item.at is not None and not begins:
            if before is not None and before - DAY < item.at < before:
                passed["disordered"] += 1
                item.at = before
            before = item.at
        yield item


# Where a message says it, the first that does.
_WHO = ("role", "sender", "speaker", "author", "from", "username", "user_profile", "user", "name")
_NAME = ("real_name", "name", "display_name", "username")
_TEXT = ("content", "text", "message", "body", "parts")
_WHEN = ("timestamp", "created_at", "createdAt", "create_time", "datetime", "date", "time", "ts")
_KEY = ("id", "uuid", "message_id", "ts")

_ROLES = {
    **dict.fromkeys(("user", "human", "operator", "me", "you"), OPERATOR),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "agent", "chatbot", "chatgpt"), AGENT),
}
_SILENT = frozenset(("system", "developer", "tool", "function", "tool_result", "ipython", "memory"))


def role_of(said: str) -> str:
    """Return whose turn it is by the word for it: a role, "" for nobody's, `other` for a name."""
    word = said.strip().lower()
    return "" if word in _SILENT else _ROLES.get(word, OTHER)


def is_message(item: dict[str, Any]) -> bool:
    """Whether an object is a message: who said what."""
    return bool(_who(item)) and any(item.get(key) not in (None, "") for key in _TEXT)


def read_message(item: dict[str, Any], passed: Counter[str]) -> Iterator[Turn]:
    """Yield the turn in a message, none for what nobody said."""
    who = _who(item)
    role = role_of(who)
    if not role:
        return
    content = _first(item, _TEXT)
    if isinstance(content, dict):
        content = content.get("parts", content.get("text"))
    if text := clean_text(text_of(content, passed), role):
        if role != OTHER:
            named = item.get("name") or object_of(item.get("author")).get("name")
            who = named if isinstance(named, str) and role_of(named) == OTHER else ""
        key = _first(item, _KEY)
        key = str(key) if isinstance(key, str | int) else ""
        yield Turn(" ".join(who.split())[:200], role, text, when(item), key)


def clean_text(text: str, role: str) -> str:
    """Return what somebody said themselves and did not mark as private, without what a host or a
    recall inserted (S1.20)."""
    text = strip_private(text)
    return request_in(text) if role == OPERATOR else without_fences(text).strip()


def when(item: dict[str, Any]) -> float | None:
    """Return when an object says it was made."""
    for key in _WHEN:
        value = item.get(key)
        if isinstance(value, str) and value.replace(".", "", 1).isdecimal():
            value = float(value[:20])
        if (at := time_of(value)) is not None:
            return at
    return None


def _who(item: dict[str, Any]) -> str:
    for key in _WHO:
        value = item.get(key)
        if isinstance(value, dict):
            value = value.get("role") or _first(value, _NAME)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _first(item: dict[str, Any], keys: Sequence[str]) -> Any:
    return next((item[key] for key in keys if item.get(key) not in (None, "")), None)
