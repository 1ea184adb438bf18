"""Links from one note to others: `[[target]]` and its relatives (S1.11, S2.9).

Understood: `[[target]]`, `[[target|label]]`, `[[target#heading]]`, `[[target#^block]]`,
`[[path/to/target]]`, `![[embed]]`, the typed `[[relation:: target]]`, and markdown's own
`[text](path/to/target.md)`. What stands in code, in an HTML comment or in a `%%comment%%` is text
about links, not a link. Reading takes time linear in the body, whatever the body is.
"""

from __future__ import annotations

import re

from engrain.language.text.link_tokens import scan, scan_quoted
from engrain.language.text.patterns import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engrain.model.note.field import Value

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

MADE, MIRRORED = "made", "inverse"
"""What a link in frontmatter says, as `made: inverse`, where nobody wrote it: it was added because
the entry at its other end links here. What is exported leaves it out."""


def written_links(value: Value) -> dict[tuple[str, str], dict[str, Value]]:
    """The links of an entry's field `links` by (target, relation), each as it is written."""
    found: dict[tuple[str, str], dict[str, Value]] = {}
    for item in value if isinstance(value, list) else ():
        link = {"to": item} if isinstance(item, str) else item
        if isinstance(link, dict) and isinstance(link.get("to"), str):
            relation = str(link.get("relation") or "related_to")
            found[str(link["to"]), relation] = {**link, "relation": relation}
    return found


def links_of_its_own(value: Value) -> list[tuple[str, str]]:
    """The links of an entry's field `links`, but for those that mirror another's."""
    return [end for end, link in written_links(value).items() if link.get(MADE) != MIRRORED]


UNLINKABLE = late(r"[\[\]|#^\r\n]")
"""What can't stand in a link's name (Obsidian's help, "Internal links")."""
VAULT = late(r"\Adendron://([^/]*)/")
"""What Dendron writes before the name of a note in a vault that it names."""
_NO_LABEL = str.maketrans("[]|<>", "()/()")


class Link:
    """One link as it is written.

    `target` is what precedes `|` and `#`, `label` what follows `|`, `heading` what follows `#`
    (`^id` for a block). `relation` is in lower case with `_` for `-`, of `RELATIONS` or any other
    word. `offset` counts characters from the start of the body to the link's `[[` or `![[`. Of a
    `markdown` link the target is the path it leads to, decoded, the offset that of the bracket that
    ends its text, and the text is no label: it never names a note.
    """

    __slots__ = ("embed", "heading", "label", "markdown", "offset", "relation", "target")

    def __init__(
        self,
        target: str,
        label: str | None = None,
        relation: str | None = None,
        heading: str | None = None,
        embed: bool = False,
        offset: int = 0,
        markdown: bool = False,
    ) -> None:
        self.target = target
        self.label = label
        self.relation = relation
        self.heading = heading
        self.embed = embed
        self.offset = offset
        self.markdown = markdown

    def _key(self) -> tuple[str | bool | int | None, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Link) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Link({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"


def parse_links(body: str) -> list[Link]:
    """The links in `body` to other notes, in order.

    Links within the note itself (`[[#heading]]`) are left out, and so are citations
    (`[[1]](https://…)`), which are markdown's own links.
    """
    return [link for link in read_links(body) if link.target]


def read_links(body: str) -> Iterator[Link]:
    """The links in `body`, in order, with those within the note itself, whose target is ""."""
    if "[[" in body or ("](" in body and ".md" in body.lower()):
        for _, _, found in scan(body):
            if found and (link := read_link(found)).target + (link.heading or ""):
                yield link


def quoted_links(body: str) -> Iterator[Link]:
    """What would be links did it not stand in code or in a comment, in order."""
    if "[[" in body:
        for start, end, found in scan(body):
            for quoted in () if found else scan_quoted(body, start, end):
                yield read_wiki(quoted)


def field_links(fields: Mapping[str, Value], drawn: str = "") -> Iterator[Link]:
    """The links in the texts of a note's frontmatter, where Obsidian knows them as properties, in
    order, but for the derived field `drawn`; what is in `links` is Engrain's own."""
    read = [key for key in fields if key not in ("links", drawn)]
    todo: list[Value] = [fields[key] for key in reversed(read)]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield from parse_links(value) if "[[" in value else ()
        elif isinstance(value, list | dict):
            todo += [*(value.values() if isinstance(value, dict) else value)][::-1]


def candidates(link: Link) -> tuple[str, ...]:
    """The names that `link` may mean, the likeliest first.

    The target; then the label if it can be a note's name (has no spaces), because Dendron writes
    `[[label|target]]`. Each is without `dendron://vault/`, `#heading` and `.md`.
    """
    label = link.label or ""
    names = [note_name(link.target)]
    if label and not re.search(r"\s", label):
        names.append(note_name(label))
    return tuple(dict.fromkeys(name for name in names if name))


def note_name(written: str) -> str:
    """The note's name in one side of a link: without `dendron://vault/`, `#heading` and `.md`."""
    name = VAULT.sub("", written).partition("#")[0].strip()
    return name[:-3] if name[-3:].lower() == ".md" else name


def write_link(name: str, label: str, *, label_first: bool) -> str:
    """A link to a note by its name that shows a label, in the order of a vault's links."""
    return f"[[{label}|{name}]]" if label_first else f"[[{name}|{label}]]"


def as_label(text: str) -> str:
    """A text as a link's label: on one line, and nothing in it ends the link or is markup."""
    return " ".join(text.translate(_NO_LABEL).split())


# Any word before `:: ` is a relation; without the space only ours are, so that `std::vector` is
# a target.
TYPED = late(rf"\s*(?:((?i:{'|'.join(RELATIONS)}))\s*::|([^\W\d][\w-]*+)\s*::(?=\s))\s*(?=\S)")


def read_link(found: re.Match[str]) -> Link:
    """The link of a match that `scan` gives."""
    place = found["angled"] or found["bare"]
    return _read_place(found, place) if place else read_wiki(found)


def read_wiki(found: re.Match[str]) -> Link:
    """The link of a match that `scan_quoted` gives."""
    target: str = found["target"]
    label: str | None = found["label"]
    if label is not None:
        target = target.removesuffix("\\")  # `\|` inside a table
        if not target:
            target, label = label, None
    relation = None
    if typed := TYPED.match(target):
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


def _read_place(found: re.Match[str], place: str) -> Link:
    from urllib.parse import unquote

    path, _, heading = place.partition("#")
    return Link(
        target=unquote(path).strip(),
        heading=unquote(heading).strip() or None,
        offset=found.start(),
        markdown=True,
    )
