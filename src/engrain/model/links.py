"""Links from one note's body to others: `[[target]]` and its relatives (S1.11, S2.9).

Understood: `[[target]]`, `[[target|label]]`, `[[target#heading]]`, `[[target#^block]]`,
`[[path/to/target]]`, `![[embed]]` and the typed `[[relation:: target]]`. What stands in code, in
an HTML comment or in a `%%comment%%` is text about links, not a link. Reading takes time linear in
the body, whatever the body is.
"""

from __future__ import annotations

import re
from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RELATIONS = (
    "derived_from",
    "related_to",
    "contradicts",
    "elaborates",
    "example_of",
    "supersedes",
    "superseded_by",
)

# The relation seen from the other end; one that is absent has no name there.
INVERSE = {
    "related_to": "related_to",
    "contradicts": "contradicts",
    "supersedes": "superseded_by",
    "superseded_by": "supersedes",
}


class Link:
    """One link as it is written.

    `target` is what precedes `|` and `#`, `label` what follows `|`, `heading` what follows `#`
    (`^id` for a block). `relation` is in lower case with `_` for `-`, of `RELATIONS` or any other
    word. `offset` counts characters from the start of the body to the link's `[[` or `![[`.
    """

    __slots__ = ("embed", "heading", "label", "offset", "relation", "target")

    def __init__(
        self,
        target: str,
        label: str | None = None,
        relation: str | None = None,
        heading: str | None = None,
        embed: bool = False,
        offset: int = 0,
    ) -> None:
        self.target = target
        self.label = label
        self.relation = relation
        self.heading = heading
        self.embed = embed
        self.offset = offset

    def _key(self) -> tuple[str, str | None, str | None, str | None, bool, int]:
        return self.target, self.label, self.relation, self.heading, self.embed, self.offset

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Link) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        fields = ("target", "label", "relation", "heading", "embed", "offset")
        return f"Link({', '.join(f'{name}={getattr(self, name)!r}' for name in fields)})"


def parse_links(body: str) -> list[Link]:
    """The links in `body` to other notes, in order.

    Links within the note itself (`[[#heading]]`) are left out, and so are citations
    (`[[1]](https://…)`), which are markdown's own links.
    """
    if "[[" not in body:
        return []
    links = [_read_link(found) for _, _, found in _scan(body) if found]
    return [link for link in links if link.target]


def prose(body: str) -> str:
    """`body` with its code and comments blanked; every other character keeps its offset."""
    parts: list[str] = []
    pos = 0
    for start, end, link in _scan(body):
        if link is None:
            parts += body[pos:start], " " * (end - start)
            pos = end
    return "".join([*parts, body[pos:]])


def candidates(link: Link) -> tuple[str, ...]:
    """The names that `link` may mean, the likeliest first.

    The target; then the label if it can be a note's name (has no spaces), because Dendron writes
    `[[label|target]]`. Each is without `dendron://vault/`, `#heading` and `.md`.
    """
    label = link.label or ""
    names = [_note_name(link.target)]
    if label and not re.search(r"\s", label):
        names.append(_note_name(label))
    return tuple(dict.fromkeys(name for name in names if name))


def _note_name(written: str) -> str:
    name = re.sub(r"\Adendron://[^/]*/", "", written).partition("#")[0].strip()
    return name[:-3] if name[-3:].lower() == ".md" else name


# Any word before `:: ` is a relation; without the space only ours are, so that `std::vector` is
# a target.
_TYPED = re.compile(
    rf"\s*(?:((?i:{'|'.join(RELATIONS)}))\s*::|([^\W\d][\w-]*+)\s*::(?=\s))\s*(?=\S)"
)


def _read_link(found: re.Match[str]) -> Link:
    target: str = found["target"]
    label: str | None = found["label"]
    if label is not None:
        target = target.removesuffix("\\")  # `\|` inside a table
    relation = None
    if typed := _TYPED.match(target):
        relation = (typed[1] or typed[2]).lower().replace("-", "_")
        target = target[typed.end() :]
    target, _, heading = target.partition("#")
    return Link(
        target=target.strip(),
        label=(label or "").strip() or None,
        relation=relation,
        heading=heading.strip() or None,
        embed=found[0].startswith("!"),
        offset=found.start(),
    )


# What changes how the text after it is read. Quantifiers that could overlap are possessive, so
# that none is tried twice. A target has no brackets; a label may have single ones, in pairs.
_TOKEN = re.compile(
    r"""
      ^[ \t>]*+ (?: (?: [-*+] | [0-9]{1,9}[.)] ) [ \t]++ )?+
        (?P<fence> `{3,}+ (?= [^`\n]*+ $ ) | ~{3,}+ )
    | (?P<ticks> `++ )
    | (?P<comment> <!-- | %% )
    | \\[!-/:-@\[-`{-~]
    | !?\[\[ (?P<target> [^\[\]|\r\n]++ )
        (?: \| (?P<label> (?: [^\[\]\r\n] | \[[^\[\]\r\n]*+\] )*+ ) )?+
      \]\] (?! \( (?: https?: | \# ) )
    """,
    re.MULTILINE | re.VERBOSE,
)

_FENCE_END = re.compile(r"^[ \t>]*+(`{3,}+|~{3,}+)[ \t\r]*+$", re.MULTILINE)

# A code span ends with its block: at a blank line, a heading, a list item, a fence, a table row.
_BLOCK_END = re.compile(
    r"\n(?=[ \t>]*+(?:\r?$|#{1,6}[ \t]|[-*+][ \t]|[0-9]{1,9}[.)][ \t]|`{3}|~{3}|\|))", re.MULTILINE
)


def _scan(body: str) -> Iterator[tuple[int, int, re.Match[str] | None]]:
    """The spans that are not plain prose: a link with its match, code and comments with None."""
    ticks = _Ticks(body)
    unclosed: set[str] = set()
    pos = 0
    while found := _TOKEN.search(body, pos):
        start, pos = found.span()
        if found["target"]:
            yield start, pos, found
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


def _fence_end(body: str, fence: str, pos: int) -> int:
    """Where a fenced block ends: at a fence as long, of the same character, or with the body."""
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
        """Where the code span ends that the run from `start` to `end` opens; -1 if none does."""
        if not self._runs:
            for run in re.finditer("`+", self._body):
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
