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
    reader = _Reader()
    for line in text.split("\n"):
        yield from reader.read(line)
    yield from reader.finish()


class _Reader:
    """Puts lines together: the block that is open is `held`, of a `kind`."""

    def __init__(self) -> None:
        self.kind = PROSE
        self.held: list[str] = []
        self.fence = ""
        self.literal = False
        self.after_blank = True

    def read(self, line: str) -> Iterator[Block]:
        """The blocks that a line ends or is."""
        bare = line.strip()
        if self.fence:
            if bare.startswith(self.fence):
                self.fence = ""
            elif bare:
                yield Block(CODE, bare)
        elif bare:
            yield from self._read_line(line, bare)
        else:
            self.after_blank = True

    def finish(self) -> Iterator[Block]:
        """The block that is open, if one is."""
        if self.held:
            yield Block(self.kind, " ".join(self.held))
            self.held = []

    def _read_line(self, line: str, bare: str) -> Iterator[Block]:
        marker = next(_MARKER.finditer(line))
        said = line[marker.end() :].strip()
        marked = marker.lastgroup in ("hashes", "item", "row")
        is_code = self._is_code(len(marker["indent"].expandtabs(4)), marked)
        opens = said[:3] in _FENCES and not marked
        going_on = None if marked or is_code or opens else self._continue(bare, said)
        if going_on is not None:
            yield from going_on
            return
        yield from self.finish()
        if is_code and not opens:
            yield Block(CODE, bare)
            return
        self.after_blank = False
        if opens:
            self.kind, self.fence = CODE, said[:3]
        elif marker["hashes"]:
            self.kind = HEADING
            yield Block(HEADING, said.rstrip("#").rstrip())
        elif not _RULE.fullmatch(bare):
            self._open(marker, said)

    def _is_code(self, indent: int, marked: bool) -> bool:
        """Whether a line is code by its indent, or of a literal block."""
        self.literal = self.literal and indent > 0
        starts = self.after_blank and indent >= _CODE_INDENT and self.kind != ITEM
        return self.literal or (starts and not marked)

    def _continue(self, bare: str, said: str) -> list[Block] | None:
        """The blocks that end with a line of the open block; None if the line begins another."""
        if not self.held or self.after_blank:
            return None
        if _RULE.fullmatch(bare):  # a heading that is underlined, or nothing
            return [Block(HEADING, self.held.pop())] if len(self.held) == 1 else []
        if not _is_wrapped(self.held[-1], said):
            return None
        self.held.append(said)
        self.literal = _opens_literal(said)
        return []

    def _open(self, marker: re.Match[str], said: str) -> None:
        self.kind = ITEM if marker["item"] else ROW if marker["row"] else PROSE
        self.held = [_TASK.sub("", said, count=1) if marker["item"] else said]
        self.literal = _opens_literal(said)


def _opens_literal(line: str) -> bool:
    if line.startswith(".. "):
        return line.startswith((".. code-block::", ".. parsed-literal::"))
    return line.endswith("::")


def _is_wrapped(line: str, following: str) -> bool:
    """Whether a line goes on in the one that follows, and does not only stand above it."""
    if not following or line.endswith((".", "!", "?", ":", ";", "  ")):
        return False
    return following[0].islower() or len(line) >= _WRAPPED
