"""Reads frontmatter from libyaml's events, without constructing arbitrary objects.

It is a module of its own, because importing yaml costs a cold process more than all its other work;
the wiring loads it when a note needs it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

import yaml

from engrain.model.errors import MalformedError
from engrain.model.note.field import (
    BREAKS,
    MAX_DEPTH,
    MAX_FRONTMATTER,
    Field,
    Value,
    resolve_scalar,
)

_FIRST_LINE = 2
"""The number of the frontmatter's first line in its file, behind the fence."""
_TEXT_TAG = "tag:yaml.org,2002:str"


def read_fields(text: str) -> dict[str, Field]:
    """Return the top-level fields of frontmatter, as `note.parse_fields` does."""
    if len(text) > MAX_FRONTMATTER:
        raise _malformed("frontmatter-too-large", f"frontmatter over {MAX_FRONTMATTER} characters")
    if text.startswith("\ufeff"):
        # libyaml skips it without counting, and every offset would be off by one.
        raise _malformed("yaml", "a byte order mark stands inside the frontmatter", _FIRST_LINE)
    try:
        return _EventReader(text).read()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + _FIRST_LINE if mark else 0
        raise _malformed("yaml", f"frontmatter is not YAML: {error.problem}", line) from None
    except yaml.reader.ReaderError as error:
        # Its position counts bytes.
        line = text.encode()[: error.position].count(b"\n") + _FIRST_LINE
        raise _malformed("yaml", f"frontmatter is not YAML: {error.reason}", line) from None


def _malformed(reason: str, message: str, line: int = 0) -> MalformedError:
    return MalformedError(message, reason=reason, line=line)


class _EventReader:
    """Descends libyaml's events; the depth cap bounds the recursion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.closed = 0
        self.parser = yaml.CSafeLoader(text)

    def read(self) -> dict[str, Field]:
        events = iter(self.parser.get_event, None)
        fields: dict[str, Field] = {}
        next(events)  # the stream's start
        opening = next(events)
        if isinstance(opening, yaml.StreamEndEvent):
            return fields
        root = next(events)
        if isinstance(root, yaml.MappingStartEvent):
            self._refuse_alias(root)
            read = 0
            for key, event in self._pairs(events, fields):
                start, end = _span(key)
                value, value_start, value_end = self._node(event, events, 2)
                line_start = max(self.text.rfind(eol, read, start) for eol in BREAKS) + 1
                if not self.text[max(line_start, read) : start].strip(" "):
                    start = max(line_start, read)
                read = value_end
                colon = self.text.find(":", end, value_start) + 1 or end
                fields[key.value] = Field(value, start, colon, value_start, value_end)
        elif self._node(root, events, 1)[0] is not None:
            raise self._at(root, "not-a-mapping", "frontmatter is not a mapping")
        next(events)  # the document's end
        trailing = next(events)
        if isinstance(trailing, yaml.DocumentStartEvent):
            raise self._at(trailing, "yaml", "frontmatter holds more than one document")
        return fields

    def _pairs(
        self, events: Iterator[yaml.Event], seen: Container[str]
    ) -> Iterator[tuple[yaml.ScalarEvent, yaml.Event]]:
        """Yield each key of the open mapping with the first event of its value, then set
        `closed`."""
        while not isinstance(key := next(events), yaml.MappingEndEvent):
            self._refuse_alias(key)
            if not isinstance(key, yaml.ScalarEvent):
                raise self._at(key, "key", "a frontmatter key is not a plain word")
            if key.value in seen:
                raise self._at(key, "duplicate-key", f"key {key.value[:60]!r} is given twice")
            yield key, next(events)
        self.closed = _span(key)[1]

    def _node(
        self, event: yaml.Event, events: Iterator[yaml.Event], depth: int
    ) -> tuple[Value, int, int]:
        """Return the value that begins at `event`, with the offsets of its text."""
        self._refuse_alias(event)
        start, end = _span(event)
        if isinstance(event, yaml.ScalarEvent):
            # The end mark of a block scalar is behind its last line end; the field ends before.
            while end > start and self.text[end - 1] in "\r\n":
                end -= 1
            literal = event.style or event.tag == _TEXT_TAG
            return (event.value if literal else resolve_scalar(event.value)), start, end
        if depth >= MAX_DEPTH:
            raise self._at(event, "depth", f"frontmatter nested over {MAX_DEPTH} deep")
        value: Value
        if isinstance(event, yaml.MappingStartEvent):
            mapping: dict[str, Value] = {}
            for key, item in self._pairs(events, mapping):
                mapping[key.value], _, end = self._node(item, events, depth + 1)
            value = mapping
        else:
            sequence: list[Value] = []
            while not isinstance(item := next(events), yaml.SequenceEndEvent):
                element, _, end = self._node(item, events, depth + 1)
                sequence.append(element)
            self.closed = _span(item)[1]
            value = sequence
        if isinstance(event, yaml.CollectionStartEvent) and event.flow_style:
            end = self.closed
        return value, start, end

    def _refuse_alias(self, event: yaml.Event) -> None:
        if getattr(event, "anchor", None) is not None:
            raise self._at(event, "alias", "anchors and aliases are not allowed in frontmatter")

    def _at(self, event: yaml.Event, reason: str, message: str) -> MalformedError:
        line = event.start_mark.line if event.start_mark else 0
        return _malformed(reason, message, line + _FIRST_LINE)


def _span(event: yaml.Event) -> tuple[int, int]:
    """Return where an event's text begins and ends, which libyaml's events always say."""
    assert event.start_mark is not None
    assert event.end_mark is not None
    return event.start_mark.index, event.end_mark.index
