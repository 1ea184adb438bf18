"""Reads the properties of a note: fields of frontmatter that a person or another tool gave it, such
as `director: "[[Mira Tollan]]"`.

They are searched as text and shown with it. Fields of Engrain's own are none, and neither are those
that only a program understands: ids, hashes, times of files, names of styles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from engrain.model.note.field import OWN_FIELDS, Value

MOST = 2_000
"""The most characters of a note's properties."""
_DEPTH = 4

_TECHNICAL = re.compile(
    r"\A(?:.{0,100}(?:uuid|guid|checksum|sha\d{0,3}|md5|hash|css-?class(?:es)?)|u?id|ids"
    r"|(?:date[ _-]?|time[ _-]?)?(?:created|updated|modified)(?:[ _-]?(?:at|on|time|date))?"
    r"|(?:creation|modification)[ _-]?(?:date|time)"
    r"|last[ _-]?(?:modified|updated|edited|opened|viewed|mod)(?:[ _-]?(?:at|date|time))?"
    r"|[cm]time|birthtime|publish|permalink|banner.{0,20}|icon|layout|template|nav[ _-]?order)\Z",
    re.IGNORECASE,
)
_LINK = re.compile(r"!?\[\[([^\[\]|]+)(?:\|([^\[\]]*))?\]\]")
_CODE = re.compile(
    r"\A(?:(?=[0-9a-f-]*\d)[0-9a-f-]{16,}|(?=\w*\d)(?=\w*[A-Za-z])[\w+/=-]{24,})\Z", re.IGNORECASE
)


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
        if (own and key in OWN_FIELDS) or _TECHNICAL.fullmatch(key):
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
        if text and not _CODE.fullmatch(text):
            yield text


def _name_link(found: re.Match[str]) -> str:
    name = found[1].rpartition("/")[2].strip()
    return f"{name} ({found[2].strip()})" if found[2] and found[2].strip() != name else name
