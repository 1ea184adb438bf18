"""The text of a note as it is shown: its body under the heading, and its properties as lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from engrain.model.note.field import OWN_FIELDS, Value

MOST = 2_000
"""The most characters of a note's properties."""
_DEPTH = 4

_TECHNICAL = (
    r"(?i)\A(?:.{0,100}(?:uuid|guid|checksum|sha\d{0,3}|md5|hash|css-?class(?:es)?)|u?id|ids"
    r"|(?:date[ _-]?|time[ _-]?)?(?:created|updated|modified)(?:[ _-]?(?:at|on|time|date))?"
    r"|(?:creation|modification)[ _-]?(?:date|time)"
    r"|last[ _-]?(?:modified|updated|edited|opened|viewed|mod)(?:[ _-]?(?:at|date|time))?"
    r"|[cm]time|birthtime|publish|permalink|banner.{0,20}|icon|layout|template|nav[ _-]?order)\Z"
)
_LINK = re.compile(r"!?\[\[([^\[\]|]+)(?:\|([^\[\]]*))?\]\]")
_CODE = r"(?i)\A(?:(?=[0-9a-f-]*\d)[0-9a-f-]{16,}|(?=\w*\d)(?=\w*[A-Za-z])[\w+/=-]{24,})\Z"


def describe_properties(fields: Mapping[str, Value], *, whole: bool = True) -> str:
    """Return the properties as lines `name: value`, "" for none; with `whole` also what an import
    put under `imported`."""
    if "archived" in fields:  # then the summary says how it was shortened
        fields = {key: value for key, value in fields.items() if key != "summary"}
    lines = list(_lines(fields, 0))
    aside = fields.get("imported")
    if whole and isinstance(aside, dict):
        lines += _lines(aside, 0, own=False)
    text = "\n".join(lines)
    if len(text) <= MOST:
        return text
    return text[:MOST].rpartition("\n")[0] or text[:MOST]


def _lines(fields: Mapping[str, Value], depth: int, *, own: bool = True) -> Iterator[str]:
    for key, value in fields.items():
        if (own and key in OWN_FIELDS) or re.fullmatch(_TECHNICAL, key):
            continue
        if said := ", ".join(_texts(value, depth)):
            yield f"{key}: {said}"


def _texts(value: Value, depth: int) -> Iterator[str]:
    """Yield the texts in a value; a link's name and label for a link."""
    if value is None or isinstance(value, bool) or depth > _DEPTH:
        return
    if isinstance(value, dict):
        yield from _lines(value, depth + 1, own=False)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, depth + 1)
    else:
        text = " ".join(_LINK.sub(_name_link, str(value)).split())
        if text and not re.fullmatch(_CODE, text):
            yield text


def _name_link(found: re.Match[str]) -> str:
    name = found[1].rpartition("/")[2].strip()
    return f"{name} ({found[2].strip()})" if found[2] and found[2].strip() != name else name


STRUCTURED = frozenset((
    "anti-pattern", "commitment", "continuity", "crystallized", "entity", "episode", "learning",
    "pattern", "procedural", "progress", "proposal", "roadmap",
))  # fmt: skip
"""Kinds of notes that have further fields of Engrain's own."""

_BY_PEOPLE = (None, "import", "cli", "mcp")
"""The kinds of `source` of notes in which a further field is no program's own."""


def read_properties(
    path: str, kind: str, fields: Mapping[str, Value], *, whole: bool = True
) -> str:
    """Return the properties of a note (see `properties`) from its fields, "" for none; `whole` is
    passed on."""
    if fields.keys() <= OWN_FIELDS and "imported" not in fields:
        return ""
    source = fields.get("source")
    written = source.get("kind") if isinstance(source, dict) else None
    own = written not in _BY_PEOPLE or (kind in STRUCTURED and written != "import")
    if path.endswith(".json") or own:
        return ""

    return describe_properties(fields, whole=whole)


def add_properties(text: str, properties: str) -> str:
    """Return a text with the properties of its note under it."""
    if not properties:
        return text
    return f"{text.rstrip()}\n\n{properties}" if text.strip() else properties


def split_heading(body: str) -> tuple[str | None, str]:
    """Return the first-level heading that opens a body (None for none), and the text under it."""
    stripped = body.lstrip("\ufeff\r\n \t")
    if not stripped.startswith("# "):
        return None, body
    line, _, rest = stripped.partition("\n")
    return line[2:].strip() or None, rest.lstrip("\r\n")


def text_under(title: str, body: str) -> str:
    """Return the body without a heading that repeats the title."""
    heading, rest = split_heading(body)
    return rest if heading == title else body
