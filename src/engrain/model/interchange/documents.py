"""Functions for all foreign layouts, which read, serialise and hash documents and name the files of
an export."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain, count
from typing import Any

from engrain.language.text.folding import fold, safe_component
from engrain.model.errors import MalformedError
from engrain.model.note.documents import is_deeper
from engrain.model.note.field import Value
from engrain.model.note.note import Note, compose_note, hash_bytes

IMPORTED = "imported"
"""The field of an entry with the frontmatter that another system wrote."""

_MAX_DEPTH = 60  # a record is read to 64, and stands a few levels deeper in a file of many


def decode_utf8(raw: bytes) -> str:
    """Return the text of a file of any size. Raises MalformedError with the first bad line."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise MalformedError("file is not UTF-8", reason="encoding", line=line) from None


def check_document(item: Any) -> dict[str, Any]:
    """Return the item if it is an object that can be stored. Raises MalformedError."""
    if not isinstance(item, dict):
        raise MalformedError("not an object", reason="json")
    if is_deeper(item, _MAX_DEPTH):
        raise MalformedError(f"nested deeper than {_MAX_DEPTH}", reason="json")
    try:
        json.dumps(item, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MalformedError("not valid Unicode", reason="encoding") from None
    return item


def id_in(value: object) -> str:
    """Return an id as written, on one line; "" for a value that can't be an id."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value).split())[:200]


def fraction_in(value: object) -> int | float | None:
    """Return a number from 0 to 1, None for any other value."""
    fine = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return value if fine else None  # type: ignore[return-value]


def canonical(value: Any) -> str:
    """Return the canonical JSON of a value; `1`, `1.0` and `true` differ."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def digest(value: Any, digits: int = 12) -> str:
    """Return the first digits of the hash of a value."""
    return hash_bytes(canonical(value).encode())[:digits]


def stem_of(name: str) -> str:
    """Return a file's name without folders and ending."""
    return name.rpartition("/")[2].rpartition(".")[0]


class ExportNames:
    """The file names of one export: portable, and unique on any file system."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, folder: str, wanted: str, ending: str) -> str:
        """Return a free name in a folder, as similar to `wanted` as possible."""
        stem = safe_component(wanted or "unnamed")
        folder = "/".join(map(safe_component, folder.split("/")))
        name = f"{folder}/{stem}{ending}"
        if stem.lower() == "index" or fold(name) in self._taken:
            name = f"{folder}/{stem}-{hash_bytes(wanted.encode())[:8]}{ending}"
        numbered = (f"{name.removesuffix(ending)}-{number}{ending}" for number in count(2))
        free = next(one for one in chain([name], numbered) if fold(one) not in self._taken)
        self._taken.add(fold(free))
        return free


def compose_plain(front: Mapping[str, Value], body: str) -> Note:
    """Return a note with some fields and a text, without frontmatter if it needs none."""
    if front or body.startswith("---"):
        return compose_note(front, body)
    return Note("", "", "", body)
