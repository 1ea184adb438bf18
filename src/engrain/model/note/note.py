"""A note: bytes split into frontmatter and body, so that joining gives the same bytes (S1.10).

A byte order mark, the fences, CRLF and everything unknown stay where they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING

from engrain.model.errors import MalformedError

if TYPE_CHECKING:
    from engrain.model.note.field import Field, Value


MAX_NOTE_BYTES = 512 * 1024
"""Larger files are reported and left alone: one note is one fragment."""

COUNTERS = (
    "recall_count", "last_recalled", "sessions_since_recall", "weight", "updated",
    "usage_count", "success_count", "failure_count", "last_used",
)  # fmt: skip
"""Fields that recall, use and time change by themselves; the rest is the substance."""

RELATED, DRAWN = "related", "# drawn by engrain"
"""The field with typed links as wikilinks, and the mark behind it: it is derived, and so no part of
the substance. Without the mark it is a person's."""

_BOM = "\ufeff"


def hash_bytes(raw: bytes) -> str:
    """Return the SHA-256 in hex, by which compare-and-swap identifies a file's bytes."""
    return sha256(raw).hexdigest()


class Note:
    """The parts of one file, which joined are its bytes.

    `head` is the byte order mark and the opening fence, `front` the frontmatter's text, `fence`
    the closing fence, `body` the rest. Without frontmatter the first three are empty.
    """

    __slots__ = ("_fields", "body", "fence", "front", "head")

    def __init__(
        self, head: str, front: str, fence: str, body: str, fields: dict[str, Field] | None = None
    ) -> None:
        self.head = head
        self.front = front
        self.fence = fence
        self.body = body
        self._fields = fields

    @property
    def raw(self) -> bytes:
        """The file's bytes."""
        return (self.head + self.front + self.fence + self.body).encode()

    @property
    def eol(self) -> str:
        """The line end of the note."""
        sample = self.head if self.fence else self.body
        return "\r\n" if "\r\n" in sample else "\n"

    @property
    def fields(self) -> dict[str, Value]:
        """The frontmatter's values. Raises MalformedError with line and reason."""
        return {key: field.value for key, field in self._spans().items()}

    def written(self, key: str) -> str:
        """Return a field's value as the file has it: as numbers `1.10` and `007` lose digits."""
        field = self.span(key)
        return self.front[field.value_start : field.value_end]

    def span(self, key: str) -> Field:
        """Return a field with the offsets of its text."""
        return self._spans()[key]

    def _spans(self) -> dict[str, Field]:
        if self._fields is None:
            from engrain.model.note.plain_fields import parse_fields

            self._fields = parse_fields(self.front)
        return self._fields

    @property
    def draws(self) -> bool:
        """Whether its field `related` is derived from its typed links."""
        if DRAWN not in self.front or (field := self._spans().get(RELATED)) is None:
            return False
        items = field.value if isinstance(field.value, list) else [None]
        links = all(isinstance(one, str) and one[:2] + one[-2:] == "[[]]" for one in items)
        return links and self.front[field.value_end :].lstrip(" \t").startswith(DRAWN)

    def remark(self, key: str, comment: str) -> Note:
        """Return the note with a comment behind a field's value, instead of what stood there."""
        end = self._spans()[key].value_end
        line = _line_end(self.front, end)
        rest = self.front[line:]
        return Note(
            self.head, f"{self.front[:end]} {comment}{self.eol}{rest}", self.fence, self.body
        )

    def patch(self, changes: Mapping[str, Value], removed: Iterable[str] = ()) -> Note:
        """Return the note with some fields set and others removed, and the rest untouched."""
        from engrain.model.note.frontmatter import patch_fields, render_fields

        if self.fence:
            front = patch_fields(self.front, changes, removed, self.eol, self._spans())
            return Note(self.head, front, self.fence, self.body)
        mark = _BOM if self.body.startswith(_BOM) else ""
        body = self.body[len(mark) :]
        fence = "---" + self.eol
        front, spans = render_fields(changes, self.eol)
        return Note(mark + fence, front, fence, body, spans)

    def with_body(self, body: str) -> Note:
        """Return the note with another body, written with the note's own line ends."""
        mark = _BOM if not self.fence and self.body.startswith(_BOM) else ""
        lines = body.removeprefix(mark).replace("\r\n", "\n").replace("\n", self.eol)
        return Note(self.head, self.front, self.fence, mark + lines)

    def substance(self, besides: Iterable[str] = ()) -> str:
        """Return the hash of the bytes without the counters and the fields named `besides`."""
        from engrain.model.note.frontmatter import remove_fields

        skipped = {*COUNTERS, *besides, *([RELATED] if self.draws else [])}
        fields = [field for key, field in self._spans().items() if key in skipped]
        front = remove_fields(self.front, fields)
        if not front and not self.body.startswith("---"):
            # A counter given to a note without frontmatter adds the fences too.
            mark = _BOM if self.head.startswith(_BOM) else ""
            return hash_bytes((mark + self.body).encode())
        return hash_bytes((self.head + front + self.fence + self.body).encode())


def split_note(raw: bytes) -> Note:
    """Split the bytes of a markdown file; the frontmatter itself is read on first use.

    Raises MalformedError for a file that is no text, is too large, or never closes its frontmatter.
    """
    text = decode_file(raw)
    mark = len(_BOM) if text.startswith(_BOM) else 0
    opening = _line_end(text, mark)
    if text[mark:opening].rstrip() != "---":
        return Note("", "", "", text)
    at = opening - 1
    while (at := text.find("\n---", at)) >= 0:
        at += 1
        end = _line_end(text, at)
        if text[at:end].rstrip() == "---":
            return Note(text[:opening], text[opening:at], text[at:end], text[end:])
    raise MalformedError("frontmatter is opened and never closed", reason="unclosed", line=1)


def decode_file(raw: bytes) -> str:
    """Return the text of a file's bytes. Raises MalformedError if it is no text, or too large."""
    if len(raw) > MAX_NOTE_BYTES:
        raise MalformedError(
            f"file of {len(raw)} bytes is over the limit of {MAX_NOTE_BYTES}",
            reason="too-large",
            remedy="split the note",
        )
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise MalformedError("file is UTF-16, not UTF-8", reason="encoding", line=1)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise MalformedError("file is not UTF-8", reason="encoding", line=line) from None
    if (zero := text.find("\0")) >= 0:
        line = text.count("\n", 0, zero) + 1
        raise MalformedError("file holds a NUL character", reason="nul", line=line)
    return text


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end + 1


def compose_note(fields: Mapping[str, Value], body: str) -> Note:
    """Return a fresh note."""
    from engrain.model.note.frontmatter import render_fields

    front, spans = render_fields(fields)
    return Note("---\n", front, "---\n", body, spans)
