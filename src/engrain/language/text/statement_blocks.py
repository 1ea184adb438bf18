"""A note's text as its blocks: prose with its wrapped lines put together, items of lists, rows of
tables, headings, and code (CommonMark; the literal blocks of reStructuredText).

Comments, and what a template fills in, are left out. Reading takes time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

PROSE, ITEM, ROW, HEADING, CODE = "prose", "item", "row", "heading", "code"


@dataclass(slots=True, eq=False)
class Block:
    """`text` is without its markers; `kind` is one of the above. Of code each line is a block."""

    kind: str
    text: str


_COMMENT = re.compile(r"<!--.*?-->", re.S)
_FILLED = re.compile(r"\{\{[^{}\n]*\}\}")
_MARKER = re.compile(
    r"(?P<indent>[ \t]*)(?P<quote>(?:>[ \t]?)*)[ \t]*(?:(?P<hashes>#{1,6})[ \t]|"
    r"(?P<item>(?:[-*+]|\d{1,3}[.)])[ \t])|(?P<row>\|))?"
)
_TASK = re.compile(r"\[[ xX]\]\s")
_FENCES = ("```", "~~~")
_RULE = re.compile(r"([=\-~^*#_])\1{2,}$")
_WRAPPED = 60
"""Characters of a line from which on it was wrapped where no sentence ends with it."""
_CODE_INDENT = 4


def read_blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, in order."""
    # Behind the last end of a comment none is looked for: each would be, to the end of the text.
    closed = text.rfind("-->") + len("-->") if "<!--" in text and "-->" in text else 0
    text = _FILLED.sub(" ", _COMMENT.sub(" ", text[:closed]) + text[closed:])
    kind = PROSE
    held: list[str] = []
    fence = ""
    literal = False
    after_blank = True
    for line in text.split("\n"):
        bare = line.strip()
        if fence:
            if bare.startswith(fence):
                fence = ""
            elif bare:
                yield Block(CODE, bare)
            continue
        if not bare:
            after_blank = True
            continue
        marker = _MARKER.match(line)
        indent = len(marker["indent"].expandtabs(4)) if marker else 0
        said = line[marker.end() :].strip() if marker else bare
        marked = marker is not None and marker.lastgroup in ("hashes", "item", "row")
        goes_on = bool(held) and not after_blank and not marked
        starts_code = after_blank and indent >= _CODE_INDENT and kind != ITEM
        literal = literal and indent > 0
        if said[:3] in _FENCES and not marked:
            fence, goes_on = said[:3], False
        elif literal or (starts_code and not marked):
            goes_on = False
        elif goes_on and _RULE.fullmatch(bare):
            if len(held) == 1:
                yield Block(HEADING, held.pop())
            continue
        elif goes_on and _is_wrapped(held[-1], said):
            held.append(said)
            literal = _opens_literal(said)
            continue
        if held:
            yield Block(kind, " ".join(held))
            held = []
        was_blank, after_blank = after_blank, False
        if fence:
            kind = CODE
        elif literal or (starts_code and not marked):
            after_blank = was_blank
            yield Block(CODE, bare)
        elif marker is not None and marker["hashes"]:
            kind = HEADING
            yield Block(HEADING, said.rstrip("#").rstrip())
        elif not _RULE.fullmatch(bare):
            item = marker is not None and marker["item"]
            kind = ITEM if item else ROW if marker is not None and marker["row"] else PROSE
            held = [_TASK.sub("", said, count=1) if item else said]
            literal = _opens_literal(said)
    if held:
        yield Block(kind, " ".join(held))


def _opens_literal(line: str) -> bool:
    if line.startswith(".. "):
        return line.startswith((".. code-block::", ".. parsed-literal::"))
    return line.endswith("::")


def _is_wrapped(line: str, following: str) -> bool:
    """Whether a line goes on in the one that follows, and does not only stand above it."""
    if not following or line.endswith((".", "!", "?", ":", ";", "  ")):
        return False
    return following[0].islower() or len(line) >= _WRAPPED
