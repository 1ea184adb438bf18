"""Reading frontmatter, by itself in the form that Engrain writes: one `key: value` a line.

Most notes have it, and libyaml takes ten times as long over them, and longer still to load. What is
accepted here has the fields, values and places that `reader` gives; all else is left to that.
"""

from __future__ import annotations

import re

from engrain.model.note.field import MAX_FRONTMATTER, Field, resolve_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.note.field import Value

_KEY = r"[A-Za-z_][\w-]{0,99}"
_QUOTED = r'"([^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]*)"'
_WORD = r"[\w./+,'()-]+(?::[\w./+,'()-]+)*"
_LINE = re.compile(
    rf"({_KEY}): (?:((?=[^\W_]){_WORD}(?: {_WORD})*)|{_QUOTED}|([\[{{].*[\]}}]))(?:\n|\Z)"
)
# In a flow a colon parts a key from its value, and a comma two items.
_ITEM = rf"(?:{_QUOTED}|([^\W_][\w./+-]*(?: [\w./+-]+)*))"
_ITEMS = re.compile(_ITEM)
_PAIRS = re.compile(rf"({_KEY}): {_ITEM}")
_MAP = rf"\{{{_PAIRS.pattern}(?:, {_PAIRS.pattern})*\}}"
_MAPS = re.compile(_MAP)
_LIST_OF = r"\[(?:{0}(?:, {0})*)?\]".format
_LIST = re.compile(_LIST_OF(_ITEM))


def parse_fields(text: str, first_line: int = 2) -> dict[str, Field]:
    """The top-level fields of frontmatter `text`, in order.

    `first_line` is the file's line number of the text's first line, for error messages.
    Raises MalformedError with the line and the reason.
    """
    fields = read_plain(text)
    if fields is not None:
        return fields
    from engrain.model.note.reader import read_fields

    return read_fields(text, first_line)


def read_plain(text: str) -> dict[str, Field] | None:
    """The top-level fields of frontmatter `text`, as `read_fields` gives them; None for a text of
    another form, which may be in order or not."""
    if len(text) > MAX_FRONTMATTER:
        return None
    fields: dict[str, Field] = {}
    at = 0
    while at < len(text):
        found = _LINE.match(text, at)
        if found is None or found[1] in fields:
            return None
        key, plain, quoted, flow = found.groups()
        value: Value = quoted
        if plain is not None:
            value = resolve_scalar(plain)
        elif flow is not None and (value := _read_flow(flow)) is None:
            return None
        colon, end = found.end(1) + 1, found.end() - found[0].endswith("\n")
        fields[key] = Field(value, at, colon, colon + 1, end)
        at = found.end()
    return fields


def _read_flow(text: str) -> Value:
    """A list of scalars, a mapping of them, or a list of such mappings; None for anything else."""
    if _LIST.fullmatch(text):
        return [_resolve(*found.groups()) for found in _ITEMS.finditer(text)]
    if _MAPS.fullmatch(text):
        return _read_map(text)
    if re.fullmatch(_LIST_OF(_MAP), text):  # of the many notes few have links there
        maps = [_read_map(found[0]) for found in _MAPS.finditer(text)]
        return None if None in maps else [*maps]
    return None


def _read_map(text: str) -> dict[str, Value] | None:
    """A mapping of scalars; None where a key stands in it twice."""
    pairs = _PAIRS.findall(text)
    found = {key: _resolve(quoted, plain) for key, quoted, plain in pairs}
    return found if len(found) == len(pairs) else None


def _resolve(quoted: str | None, plain: str | None) -> Value:
    return resolve_scalar(plain) if plain else quoted or ""
