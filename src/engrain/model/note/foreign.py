"""Notes of other tools: read whatever their frontmatter is, and rewritten so that the text of every
value stays.

Frontmatter that is not YAML (a template, a title with a colon, a rule at the top) is left as it is
and becomes part of the text. Fields that mean something else to Engrain go under `imported:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engrain.model.errors import EngrainError, MalformedError
from engrain.model.note.field import Value
from engrain.model.note.note import Note, decode_file, own_lines, render_value, split_note
from engrain.model.note.properties import split_heading

ASIDE = "imported"
"""The field with what another tool meant by the names of Engrain's own fields."""

_TOML = re.compile(r"\ufeff?\+\+\+[ \t]*\r?\n(?:.*\n)*?\+\+\+[ \t]*(?:\r?\n|\Z)")
_IN_FLOW = re.compile(r'"[^"\\]*"|[^\W_][\w./+-]*(?: [\w./+-]+)*')
"""A value that may stand between braces as it is written."""
_KEY = re.compile(r"[A-Za-z_][\w-]{0,99}")


@dataclass(slots=True, frozen=True)
class Foreign:
    """A note of another tool, and the heading that opens its text, None for none. `unread` says why
    its frontmatter is a part of the text, "" where its fields were read."""

    note: Note
    heading: str | None
    unread: str = ""


def read_foreign(raw: bytes) -> Foreign:
    """Return the note in the bytes of another tool's file. Raises MalformedError for a file that is
    no text, or too large."""
    text = decode_file(raw)
    if toml := _TOML.match(text):
        return Foreign(Note("", "", "", text), split_heading(text[toml.end() :])[0], "TOML")
    heading = None
    try:
        note = split_note(raw)
        heading = split_heading(note.body)[0]
        if not note.fence or _is_patchable(note, note.fields):
            return Foreign(note, heading)
        return Foreign(_by_lines(note), heading)
    except MalformedError as error:
        # A note that opens with a rule has no frontmatter, and no text under it.
        heading = None if error.reason == "not-a-mapping" else heading
        return Foreign(Note("", "", "", text), heading, _describe(error))


def _describe(error: MalformedError) -> str:
    return f"{error.message} (line {error.line})" if error.line else error.message


def _is_patchable(note: Note, fields: Mapping[str, Value]) -> bool:
    """Whether fields can be added and each one be removed."""
    try:
        return not note.patch({ASIDE: ""}, fields).fields.keys() & (fields.keys() - {ASIDE})
    except EngrainError:
        return False


def _by_lines(note: Note) -> Note:
    """Return a note whose fields share lines, as those of JSON do, with a line for each. Raises
    MalformedError."""
    fields = note.fields
    lines = (f"{render_value(key)}: {_render(note, key)}{note.eol}" for key in fields)
    made = Note(note.head, "".join(lines), note.fence, note.body)
    if made.fields != fields:
        raise MalformedError("it is written in no form that can be changed", reason="unpatchable")
    return made


def _render(note: Note, key: str) -> str:
    written = note.written(key)
    return written if written and "\n" not in written else render_value(note.fields[key])


def set_aside(note: Note, given: Note, keys: Iterable[str]) -> Note:
    """Return the note with the field `imported`: the fields `keys` of the note `given`, with their
    values as they are written there."""
    names = list(keys)
    if not names:
        return note
    values = {key: given.fields[key] for key in names}
    for write in (_in_braces, _in_lines):
        text = write(given, names)
        if text is None:
            continue
        end = "" if not note.front or note.front.endswith("\n") else note.eol
        made = Note(note.head, f"{note.front}{end}{text}", note.fence, note.body)
        try:
            if made.fields.get(ASIDE) == values:
                return made
        except MalformedError:
            continue
    return note.patch({ASIDE: values})


def _in_braces(given: Note, keys: Iterable[str]) -> str | None:
    """Return the field as one line, None if a value has to stand on lines of its own."""
    written = {key: given.written(key) for key in keys}
    for key in written:
        lines = own_lines(given.front, given.span(key))
        if lines is None or given.front[given.span(key).value_end : lines[1]].strip():
            return None  # a comment stands behind it
    if not all(map(_KEY.fullmatch, written)) or not all(map(_IN_FLOW.fullmatch, written.values())):
        return None
    pairs = ", ".join(f"{key}: {value}" for key, value in written.items())
    return f"{ASIDE}: {{{pairs}}}{given.eol}"


def _in_lines(given: Note, keys: Iterable[str]) -> str | None:
    """Return the field with the lines of each field below it, None if fields share a line."""
    text = f"{ASIDE}:{given.eol}"
    for key in keys:
        lines = own_lines(given.front, given.span(key))
        if lines is None:
            return None
        for line in given.front[slice(*lines)].splitlines(keepends=True):
            text += f"  {line}" if line.strip() else line
        text += "" if text.endswith("\n") else given.eol
    return text
