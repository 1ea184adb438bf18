"""Where links, code and comments stand in a text: what changes how the text after it is read.

Scanning takes time linear in the text, whatever the text is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

# Quantifiers that could overlap are possessive, so that none is tried twice. A target has no
# brackets, and is there but where Dendron's order leaves the label out; a label may have single
# brackets, in pairs.
_WIKI = r"""
    !?\[\[ (?P<target> [^\[\]|\r\n]++ | (?= \| [ ]* dendron:// ) )
      (?: \| (?P<label> (?: [^\[\]\r\n] | \[[^\[\]\r\n]*+\] )*+ ) )?+
    \]\] (?! \( (?: https?: | \# ) )
"""
# Of a markdown link only what follows its text is matched (CommonMark 6.3): the text may hold
# anything, code and links too.
_TOKEN = re.compile(
    rf"""
      ^[ \t>]*+ (?: (?: [-*+] | [0-9]{{1,9}}[.)] ) [ \t]++ )?+
        (?P<fence> `{{3,}}+ (?= [^`\n]*+ $ ) | ~{{3,}}+ )
    | (?P<ticks> `++ )
    | (?P<comment> <!-- | %% )
    | \\[!-/:-@\[-`{{-~]
    | {_WIKI}
    | \]\( [ \t]*+
        (?: < (?P<angled> [^<>\r\n]++ ) >
          | (?P<bare> (?: [^\s()<>\\] | \\. | \( [^\s()]*+ \) )++ ) )
        (?: [ \t]++ (?: "[^"\r\n]*+" | '[^'\r\n]*+' | \([^()\r\n]*+\) ) )?+ [ \t]*+
      \)
    """,
    re.MULTILINE | re.VERBOSE,
)

_MARKS = ("[[", "](", "`", "~~~", "<!--", "%%")
"""A text without these has none of it."""

_QUOTED = re.compile(_WIKI, re.VERBOSE)

_FENCE_END = re.compile(r"^[ \t>]*+(`{3,}+|~{3,}+)[ \t\r]*+$", re.MULTILINE)

# A code span ends with its block: at a blank line, a heading, a list item, a fence, a table row.
_BLOCK_END = re.compile(
    r"\n(?=[ \t>]*+(?:\r?$|#{1,6}[ \t]|[-*+][ \t]|[0-9]{1,9}[.)][ \t]|`{3}|~{3}|\|))", re.MULTILINE
)

_TICKS = re.compile("`+")
_INSIDE = r"(?i)\A(?![a-z][a-z0-9+.-]*:|//|[#?])[^#?]*\.md(?:#|\Z)"
"""Where a markdown link leads that means a note: no address, and a file of markdown."""


def scan(body: str) -> Iterator[tuple[int, int, re.Match[str] | None]]:
    """Return the spans that are not plain prose: a link with its match, code and comments with
    None.

    A match has the groups `target` and `label`, or, of a markdown link to a file of markdown,
    `angled` or `bare`; it begins at the bracket that ends the link's text.
    """
    return _scan(body) if any(mark in body for mark in _MARKS) else iter(())


def _scan(body: str) -> Iterator[tuple[int, int, re.Match[str] | None]]:
    ticks = _Ticks(body)
    unclosed: set[str] = set()
    pos = 0
    while found := _TOKEN.search(body, pos):
        start, pos = found.span()
        if found["target"] is not None:
            yield start, pos, found
            continue
        if place := found["angled"] or found["bare"]:
            if re.match(_INSIDE, place):
                yield start, pos, found
            else:
                pos = start + 2
            continue
        end = -1
        if fence := found["fence"]:
            end = _fence_end(body, fence, pos)
        elif found["ticks"]:
            end = ticks.span_end(start, pos)
        elif (opener := found["comment"]) and opener not in unclosed:
            closer = "%%" if opener == "%%" else "-->"
            end = body.find(closer, start + 2)
            if end < 0:
                unclosed.add(opener)
            else:
                end += len(closer)
        if end >= 0:
            yield start, end, None
            pos = end


def scan_quoted(text: str) -> Iterator[re.Match[str]]:
    """Return what would be links in code or in a comment."""
    return _QUOTED.finditer(text)


def _fence_end(body: str, fence: str, pos: int) -> int:
    """Return where a fenced block ends: at a fence as long, of the same character, or with the
    body."""
    for found in _FENCE_END.finditer(body, pos):
        if found[1].startswith(fence):
            return found.end()
    return len(body)


class _Ticks:
    """The runs of backticks in a body, by length, so that each finds its partner at once."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._runs: dict[int, list[int]] = {}
        self._block = (0, 0)

    def span_end(self, start: int, end: int) -> int:
        """Return where the code span ends that the run from `start` to `end` opens; -1 if none
        does."""
        if not self._runs:
            for run in _TICKS.finditer(self._body):
                self._runs.setdefault(len(run[0]), []).append(run.start())
        partners = self._runs.get(end - start, [])
        at = bisect_right(partners, start)
        if at == len(partners) or partners[at] >= self._block_end(end):
            return -1
        return partners[at] + end - start

    def _block_end(self, pos: int) -> int:
        start, end = self._block
        if not start <= pos <= end:
            found = _BLOCK_END.search(self._body, pos)
            self._block = pos, found.start() if found else len(self._body)
        return self._block[1]


def prose(body: str) -> str:
    """`body` with its code and comments blanked; every other character keeps its offset."""
    parts: list[str] = []
    pos = 0
    for start, end, link in scan(body):
        if link is None:
            parts += body[pos:start], " " * (end - start)
            pos = end
    return "".join([*parts, body[pos:]])


_MARK = r"(?m)^(?:(<{7} \S)|(={7}[ \t\r]*+$)|(>{7} \S))"


def find_merge_mark(text: str) -> int | None:
    """Return where the first mark begins, None if there is none outside of code. A closing mark
    counts behind a dividing one only, since people quote quotes."""
    divided = False
    for found in re.finditer(_MARK, prose(text)):
        if found[1] or (found[3] and divided):
            return found.start()
        divided = divided or bool(found[2])
    return None
