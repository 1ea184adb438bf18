"""Records: entries that machines write, stored as JSON with loki's own fields (S2.2, S2.5 to S2.7,
S4.10; DESIGN section 4).

The document is an object with the keys of its kind. The fields of every entry (kind, status,
project, tags, source, counters, links) are in an object under the key `engrain`, which a file that
somebody else wrote may lack. To the rest of Engrain a record is a note: it has the same fields and
a body, and patches change only that object.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from json import dumps
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from engrain.language.text.fences import code_span, shorten
from engrain.model.errors import MalformedError
from engrain.model.note.documents import is_deeper, list_of, read_json, texts_of, trimmed
from engrain.model.note.note import COUNTERS, Note, decode_file, hash_bytes, split_note
from engrain.model.note.tiers import record_kind

if TYPE_CHECKING:
    from engrain.model.note.field import Value


Document: TypeAlias = "Mapping[str, Any]"

LEARNING = "learning"


def read_id_and_time(
    document: Document, when: str = "timestamp", which: str = "id"
) -> dict[str, Value]:
    """Return the entry's fields `id` and `created`, as far as the document has them as text under
    the keys `which` and `when`."""
    said = {"id": document.get(which), "created": document.get(when)}
    return {key: value for key, value in said.items() if isinstance(value, str) and value}


_TITLE = 200
"""The most characters of a title."""


@dataclass(slots=True, eq=False)
class RecordKind:
    """A row of the table: `render` returns a document's title of one line and the text under it,
    `fields` the entry's fields that the document itself contains."""

    render: Callable[[Document], tuple[str, str]]
    fields: Callable[[Document], dict[str, Value]] = read_id_and_time


def _render_under(key: str) -> Callable[[Document], tuple[str, str]]:
    """Return a function that renders all values of a document, one a line, with this key's value as
    the title."""

    def render(document: Document) -> tuple[str, str]:
        title = shorten(trimmed(document.get(key)), _TITLE)
        return title or "record", "\n".join(_lines("", document)) + "\n"

    return render


def _lines(name: str, value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _lines(f"{name}.{key}" if name else str(key), part)
    elif isinstance(value, list):
        for part in value:
            yield from _lines(name, part)
    elif value is not None and value != "":
        yield f"- {name}: {' '.join(str(value).split())}"


def _render_learning(document: Document) -> tuple[str, str]:
    # The text of an error is no markup.
    titles = (trimmed(document.get(key)) for key in ("lesson", "message", "type"))
    title = next(filter(None, titles), LEARNING)
    names = ("type", "message", "resolution", "anti_pattern")
    lines = [f"- {key}: {code_span(str(document[key]))}" for key in names if document.get(key)]
    if ids := texts_of(document.get("source_episodes")):
        lines.append("- source_episodes: " + ", ".join(map(code_span, ids)))
    return shorten(title, _TITLE), "\n".join(lines) + "\n"


RECORDS: dict[str, RecordKind | str] = {
    "episode": "engrain.model.experience.episode",
    LEARNING: RecordKind(_render_learning),
    "handoff": "engrain.model.experience.handoff",
    "ledger": RecordKind(
        _render_under("agent_id"), lambda said: read_id_and_time(said, "last_checkpoint", "")
    ),
    "checkpoint": RecordKind(_render_under("name")),
    "entity": "engrain.model.facts.entity",
    "features": RecordKind(
        _render_under("project"), lambda said: read_id_and_time(said, "updated", "")
    ),
    "kept-file": RecordKind(lambda said: (trimmed(said.get("path")) or "file", "\n")),
}
"""By kind the row, or the module whose `RECORD` is the row: few processes need those."""


def find_record(kind: str) -> RecordKind | None:
    """Return the row of a kind, None for a kind that is stored as markdown."""
    found = RECORDS.get(kind)
    if isinstance(found, str):
        row: RecordKind = import_module(found).RECORD
        return row
    return found


OWN = "engrain"
"""The key of the fields of every entry, beside its kind's own."""
GENERATED_BY = "_generated"
"""The first key of every JSON file that Engrain generates."""
_LISTS = {"features": "features"}
"""By kind, the key of a list that a person may write instead of the whole object."""
_MAX_DEPTH = 64


class JsonNote(Note):
    """One record: `document` is the object without the key `engrain`, `own` the value of that key.
    Neither is ever changed in place."""

    __slots__ = ("document", "kind", "own")

    def __init__(
        self, kind: str, document: Mapping[str, Any], own: Mapping[str, Value], text: str = ""
    ) -> None:
        self.kind = str(own.get("kind") or kind)
        self.document = dict(document)
        self.own = dict(own)
        row = find_record(self.kind) or find_record(kind)
        if row is None:
            raise KeyError(kind)
        title, body = row.render(self.document)
        whole = {**self.document, OWN: self.own} if self.own else self.document
        if not text:
            text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
        super().__init__("", text, "", f"# {title}\n{body}")

    @property
    def raw(self) -> bytes:
        return self.front.encode()

    @property
    def fields(self) -> dict[str, Value]:
        row = find_record(self.kind)
        said = {} if row is None else row.fields(self.document)
        fields: dict[str, Value] = {"kind": self.kind, **said, **self.own}
        tags = [*list_of(self.own.get("tags")), *list_of(said.get("tags"))]
        if tags:
            fields["tags"] = list(dict.fromkeys(tags))
        return fields

    def written(self, key: str) -> str:
        return str(self.fields.get(key))

    @property
    def draws(self) -> bool:
        return False

    def patch(self, changes: Mapping[str, Value], removed: Iterable[str] = ()) -> JsonNote:
        row = find_record(self.kind)
        said = {} if row is None else row.fields(self.document)
        gone = set(removed)
        own = {key: value for key, value in self.own.items() if key not in gone}
        own |= {key: value for key, value in changes.items() if said.get(key) != value}
        return self if own == self.own else JsonNote(self.kind, self.document, own)

    def with_document(self, document: Mapping[str, Any]) -> JsonNote:
        """Return the record with another document."""
        return JsonNote(self.kind, document, self.own)

    def with_body(self, body: str) -> NoReturn:  # noqa: ARG002 - a note is given one
        raise MalformedError(
            f"a record of kind {self.kind} has no text to change",
            reason="record",
            remedy="change its fields, or its file",
        )

    def substance(self, besides: Iterable[str] = ()) -> str:
        skipped = {*COUNTERS, *besides}
        own = {key: value for key, value in self.own.items() if key not in skipped}
        whole = {**self.document, OWN: own}
        return hash_bytes(dumps(whole, sort_keys=True, ensure_ascii=True).encode())


def read_json_note(text: str, path: str) -> JsonNote:
    """Return the record in a file's text. Raises MalformedError with line and reason."""
    whole = read_json(text)
    kind = record_kind(path.rpartition("/")[0])
    if isinstance(whole, list) and (key := _LISTS.get(kind)):
        whole = {key: whole}
    if not isinstance(whole, dict):
        raise MalformedError("a record is a JSON object", reason="json", line=1)
    if GENERATED_BY in whole:
        raise MalformedError(
            "a copy of a generated file, which is not an entry",
            reason="generated",
            line=1,
            remedy="delete it; nothing is lost",
        )
    own = whole.pop(OWN, {})
    if not isinstance(own, dict):
        raise MalformedError(f"{OWN!r} is no object", reason="json", line=1)
    if "\\u" in text:
        _check_characters(whole, own)
    if is_deeper(whole, _MAX_DEPTH) or is_deeper(own, _MAX_DEPTH):
        raise MalformedError(f"nested deeper than {_MAX_DEPTH}", reason="json", line=1)
    if not kind:
        raise MalformedError("no place for a record of JSON", reason="json", line=1)
    return JsonNote(kind, whole, own, text)


def _check_characters(*values: object) -> None:
    """Raise MalformedError for characters that JSON can escape and no text file can hold."""
    said = dumps(values, ensure_ascii=False)
    if "\\u0000" in said:
        raise MalformedError("a text holds a NUL character", reason="nul", line=1)
    try:
        said.encode()
    except UnicodeEncodeError:
        raise MalformedError("a text is not valid Unicode", reason="encoding", line=1) from None


def parse_note(raw: bytes, path: str) -> Note:
    """Return the note in the bytes of the file at `path`. Raises MalformedError."""
    if path.endswith(".json"):
        return read_json_note(decode_file(raw), path)
    return split_note(raw)
