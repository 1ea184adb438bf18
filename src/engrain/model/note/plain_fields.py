"""Reads frontmatter of the form that Engrain writes, one `key: value` a line, without libyaml.

Most notes have that form, and libyaml takes ten times as long for them, and longer still to load.
The fields, values and offsets are those of `reader`, which reads all other forms.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engrain.model.note.field import MAX_FRONTMATTER, Field, resolve_scalar

if TYPE_CHECKING:
    from engrain.model.note.field import Value


_KEY = r"[A-Za-z_][\w-]{0,99}"
_QUOTED = r'"([^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]*)"'
_WORD = r"[\w./+,'()-]+(?::[\w./+,'()-]+)*"
_LINE = re.compile(
    rf"({_KEY}): (?:((?=[^\W_]){_WORD}(?: {_WORD})*)|{_QUOTED}|([\[{{].*[\]}}]))(?:\n|\Z)"
)
# In a flow collection a colon separates a key from its value, and a comma two items.
_ITEM = rf"(?:{_QUOTED}|([^\W_][\w./+-]*(?: [\w./+-]+)*))"
_ITEMS = re.compile(_ITEM)
_PAIR = rf"({_KEY}): {_ITEM}"
_PAIRS = re.compile(_PAIR)
_MAPS = re.compile(rf"\{{{_PAIR}(?:, {_PAIR})*\}}")


def parse_fields(text: str) -> dict[str, Field]:
    """Return the top-level fields of frontmatter, in order. Raises MalformedError with the reason
    and the line of the file."""
    fields = read_plain(text)
    if fields is not None:
        return fields
    from engrain.model.note.reader import read_fields

    return read_fields(text)


def read_plain(text: str) -> dict[str, Field] | None:
    """Return the top-level fields of frontmatter as `read_fields` does, None for a text of another
    form, whether valid or not."""
    if len(text) > MAX_FRONTMATTER:
        return None
    fields: dict[str, Field] = {}
    at = 0
    while at < len(text):
        found = _LINE.match(text, at)
        if found is None:
            return None
        key, plain, quoted, flow = found.groups()
        if key in fields:
            return None
        value: Value = quoted
        if plain is not None:
            value = resolve_scalar(plain)
        elif flow is not None and (value := _read_flow(flow)) is None:
            return None
        colon, end = at + len(key) + 1, found.end()
        fields[key] = Field(value, at, colon, colon + 1, end - (text[end - 1] == "\n"))
        at = end
    return fields


def _read_flow(text: str) -> Value:
    """Return a list or mapping of scalars, or a list of such mappings; None for anything else."""
    if text[0] == "{":
        return _read_map(text)
    if text == "[]":
        return []
    if text.startswith("[{"):
        maps = [_read_map(found[0]) for found in _split_flow(_MAPS, text, "]")]
        return [*maps] if maps and None not in maps else None
    return [_resolve(*found.groups()) for found in _split_flow(_ITEMS, text, "]")] or None


def _read_map(text: str) -> dict[str, Value] | None:
    """Return a mapping of scalars, None if it has a key twice."""
    pairs = [found.groups() for found in _split_flow(_PAIRS, text, "}")]
    found = {str(key): _resolve(quoted, plain) for key, quoted, plain in pairs}
    return found if found and len(found) == len(pairs) else None


def _split_flow(item: re.Pattern[str], text: str, end: str) -> list[re.Match[str]]:
    """Return the items between two brackets, [] if there is anything else."""
    items: list[re.Match[str]] = []
    at = 1
    while found := item.match(text, at):
        items.append(found)
        at = found.end()
        if text[at:] == end:
            return items
        if not text.startswith(", ", at):
            break
        at += 2
    return []


def _resolve(quoted: str | None, plain: str | None) -> Value:
    return resolve_scalar(plain) if plain else quoted or ""
