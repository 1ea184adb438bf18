"""Links from one note to others: `[[target]]` and its relatives (S1.11, S2.9).

The forms are `[[target]]`, `[[target|label]]`, `[[target#heading]]`, `[[target#^block]]`,
`[[path/to/target]]`, `![[embed]]`, the typed `[[relation:: target]]`, and markdown's own
`[text](path/to/target.md)`. A link in code, in an HTML comment or in a `%%comment%%` is none.
Reading takes time linear in the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from engrain.language.text.folding import fold
from engrain.language.text.link_tokens import scan

if TYPE_CHECKING:
    from engrain.model.note.field import Value


RELATIONS = (
    "derived_from", "related_to", "contradicts", "elaborates", "example_of", "supersedes",
    "superseded_by",
)  # fmt: skip

# The relation seen from the other end, if it has a name there.
INVERSE = {
    "related_to": "related_to",
    "contradicts": "contradicts",
    "supersedes": "superseded_by",
    "superseded_by": "supersedes",
}

MADE, MIRRORED = "made", "inverse"
"""`made: inverse` marks a link in frontmatter that nobody wrote: it was added because the entry at
its other end links here. Exports leave it out."""


def written_links(value: Value) -> dict[tuple[str, str], dict[str, Value]]:
    """Return the links of an entry's field `links` by (target, relation), each as written."""
    found: dict[tuple[str, str], dict[str, Value]] = {}
    for item in value if isinstance(value, list) else ():
        link = {"to": item} if isinstance(item, str) else item
        if isinstance(link, dict) and isinstance(link.get("to"), str):
            relation = str(link.get("relation") or "related_to")
            found[str(link["to"]), relation] = {**link, "relation": relation}
    return found


UNLINKABLE = re.compile(r"[\[\]|#^\r\n]")
"""Characters that a link's name can't contain (Obsidian's help, "Internal links")."""
VAULT = re.compile(r"\Adendron://([^/]*)/")
"""Dendron's prefix for a note in another vault."""
_NO_LABEL = str.maketrans("[]|<>", "()/()")


@dataclass(frozen=True, slots=True)
class Link:
    """One link as it is written.

    `target` precedes `|` and `#`, `label` follows `|`, `heading` follows `#` (`^id` for a block).
    `relation` is in lower case with `_` for `-`, one of `RELATIONS` or any other word. `offset` is
    that of the link's `[[` or `![[` in the body, in characters. The target of a `markdown` link is
    its decoded path, its offset that of the bracket that ends its text, and the text is no label,
    because it never names a note.
    """

    target: str
    label: str | None = None
    relation: str | None = None
    heading: str | None = None
    offset: int = 0
    markdown: bool = False


def parse_links(body: str) -> list[Link]:
    """Return the links in `body` to other notes, in order, without links within the note itself
    (`[[#heading]]`) and citations (`[[1]](https://…)`), which are markdown's own links."""
    return [link for link in read_links(body) if link.target]


def read_links(body: str) -> Iterator[Link]:
    """Yield the links in `body`, in order, with those within the note, whose target is ""."""
    if "[[" in body or ("](" in body and ".md" in body.lower()):
        for _, _, found in scan(body):
            if found and (link := read_link(found)).target + (link.heading or ""):
                yield link


def field_links(fields: Mapping[str, Value], drawn: str = "") -> Iterator[Link]:
    """Yield the links in a note's frontmatter that Obsidian reads as properties, in order, without
    the derived field `drawn` and Engrain's own field `links`."""
    todo: list[Value] = [fields[key] for key in fields if key not in ("links", drawn)][::-1]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield from parse_links(value) if "[[" in value else ()
        elif isinstance(value, list | dict):
            todo += [*(value.values() if isinstance(value, dict) else value)][::-1]


def note_name(written: str) -> str:
    """Return the name in one side of a link, without `dendron://vault/`, `#heading` and `.md`."""
    name = VAULT.sub("", written).partition("#")[0].strip()
    return name[:-3] if name[-3:].lower() == ".md" else name


def may_be_named(label: str) -> bool:
    """Whether what follows the bar may be a note's name, as Dendron writes it: with its scheme, or
    with a dot."""
    return VAULT.match(label) is not None or "." in note_name(label)


def named_side(target: str, label: str | None) -> str:
    """Return the name in a link without heading; what has Dendron's scheme is one."""
    side = label if label and VAULT.match(label) else target
    return side.partition("#")[0].strip()


def write_link(name: str, label: str) -> str:
    """Return a link to a note by its name that shows a label."""
    return f"[[{name}|{label}]]"


def as_label(text: str) -> str:
    """Return a text as a link's label: on one line, and without the characters of markup."""
    return " ".join(text.translate(_NO_LABEL).split())


# Any word before `:: ` is a relation; without the space only ours are, so that `std::vector` is a
# target.
TYPED = re.compile(
    rf"\s{{0,40}}(?:((?i:{'|'.join(RELATIONS)}))\s{{0,40}}::|([^\W\d][\w-]{{0,80}}+)\s{{0,40}}::(?=\s))\s*(?=\S)"
)


def read_link(found: re.Match[str]) -> Link:
    """Return the link in a match of `scan`."""
    place = found["angled"] or found["bare"]
    return _read_place(found, place) if place else read_wiki(found)


def read_wiki(found: re.Match[str]) -> Link:
    """Return the link in a match of `scan_quoted`."""
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
        offset=found.start(),
    )


def _read_place(found: re.Match[str], place: str) -> Link:
    path, _, heading = place.partition("#")
    return Link(
        target=unquote(path).strip(),
        heading=unquote(heading).strip() or None,
        offset=found.start(),
        markdown=True,
    )


_FILES = (
    "3gp avif base bmp canvas csv doc docx epub excalidraw flac gif heic htm html ics jpeg jpg json"
    " key m4a mkv mov mp3 mp4 odt ogg ogv pages pdf png ppt pptx psd rtf svg tex tif tiff tldraw"
    " tsv txt wav webm webp xls xlsx xml yaml yml zip"
)
FILES = frozenset(_FILES.split())
"""Endings of files that notes embed and link to: Obsidian's accepted formats, and other formats
that people keep beside notes."""


def leads_to_file(written: str) -> bool:
    """Whether a link names a file that is no note."""
    stem, dot, ending = note_name(written).rpartition(".")
    return bool(stem and dot) and fold(ending) in FILES


def is_at(written: str, place: str, title: str, folder: str) -> bool:
    """Whether the path of a link in `folder` fits the note at `place`: as a whole, by its end, or
    relative. A name without a path fits every place, and so does a title with a slash."""
    name = fold(note_name(written))
    if "/" not in name or name == fold(title):
        return True
    stem = fold(place).removesuffix(".md")
    if name.startswith(("./", "../")):
        return resolve_path(name, fold(folder)) == stem
    return f"/{stem}".endswith("/" + name.strip("/"))


def resolve_path(path: str, folder: str) -> str:
    """Return the path from the vault's root of a relative path in a link in `folder`."""
    parts = folder.split("/") if folder else []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
