"""Reads the files of Claude Code's own memory.

The format, by the host's page on memory: each project has a folder with one markdown file per
memory, whose frontmatter has `name`, `description`, a `type` and, in later versions, `modified`
(the last two also under `metadata`), and `MEMORY.md`, an index of them. Earlier versions wrote
notes into that index: its list items that link to no file are memories too, each with the heading
above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.language.text.fences import shorten, without_fences
from engrain.language.text.folding import safe_component
from engrain.language.text.instants import read_instant
from engrain.model.note.detection import detect_kind
from engrain.model.note.field import Value
from engrain.model.note.note import hash_bytes, split_note
from engrain.model.note.tiers import DEFAULT_KIND

INDEX = "MEMORY.md"
_TITLE = 200  # characters: the longest title
_REVISION = 16  # digits of a hash: enough to distinguish the versions of one file

# The kinds for its types. `project` is missing: Claude uses it for goals, deadlines, incidents and
# decisions alike, so the kind is detected from the text, as for a file without a type.
KINDS_OF_TYPES = {"user": "preference", "feedback": "feedback", "reference": "domain-reference"}
# A memory about the user holds in every project, whichever it was learned in.
_OF_THE_PERSON = ("user",)

_ITEM = re.compile(r"[-*+][ \t]+(?=\S)")
_HEADING = re.compile(r"#{2,6}[ \t]++(.*?)(?<![ \t#])[ \t#]*+\Z")
_LINKED = re.compile(r"\[\[|\]\([^)]{0,500}\.md\b")


class NativeMemory:
    """One memory as Claude Code wrote it. `ref` identifies it in its folder, and the links of other
    memories there use its `name`; `personal` says that it is about the user, not the project;
    `created` is in epoch seconds, None if unknown."""

    def __init__(
        self,
        ref: str,
        text: str,
        *,
        title: str | None,
        slug: str | None = None,
        type_: str = "",
        name: str = "",
        description: str = "",
        created: float | None = None,
    ) -> None:
        kind = detect_kind(KINDS_OF_TYPES.get(type_), slug or "", text, DEFAULT_KIND)
        self.ref = ref
        self.text = text
        self.title = title
        self.slug = slug
        self.kind = kind.value
        self.kind_tier = kind.tier
        self.name = name
        self.personal = type_ in _OF_THE_PERSON
        self.description = description
        self.created = created

    @property
    def revision(self) -> str:
        """A hash that changes with anything that is imported: title, name, kind, description and
        text."""
        said = "\0".join((self.title or "", self.name, self.kind, self.description, self.text))
        return hash_bytes(said.encode(errors="surrogatepass"))[:_REVISION]


def read_memories(path: str, raw: bytes) -> list[NativeMemory]:
    """Return the memories in the file at `path` of a memory folder, without text that Engrain put
    into a session (S1.20); none if no text is left. Raises MalformedError."""
    note = split_note(raw)
    body = without_fences(note.body.removeprefix("\ufeff").replace("\r\n", "\n"))
    if path.rpartition("/")[2] == INDEX:
        return [
            NativeMemory(f"{path}#{hash_bytes(text.encode())[:_REVISION]}", text, title=title)
            for title, text in _read_items(body)
        ]
    if not body.strip():
        return []
    fields = note.fields
    nested = fields.get("metadata")
    given = {**nested, **fields} if isinstance(nested, dict) else fields
    name, description = _line(given.get("name")), _line(given.get("description"))
    # The slug is the file's own name, so that links between the files resolve here too.
    slug = safe_component(path.rpartition("/")[2].removesuffix(".md"))
    # A name without blanks is a file name, as later versions write it, and no title.
    title = name if " " in name else description or re.sub("[-_]+", " ", name)
    memory = NativeMemory(
        path,
        body.strip("\n"),
        title=shorten(title, _TITLE) or None,
        slug=slug,
        type_=_line(given.get("type")),
        name=name,
        description=description,
        created=read_instant(given.get("modified")),
    )
    return [memory]


def _read_items(body: str) -> Iterator[tuple[str | None, str]]:
    """Yield the list items of an index that link to no file, with the lines indented under them, as
    (title, text); the title is None unless a heading below the first level is above the item."""
    heading, item = "", ""
    for line in [*body.splitlines(), "#"]:
        if item and line[:1].isspace() and line.strip():
            item += f"\n{line}"
            continue
        if item and not _LINKED.search(item):
            first = item.partition("\n")[0]
            yield (shorten(f"{heading}: {first}", _TITLE) if heading else None), item
        found = _ITEM.match(line)
        item = line[found.end() :] if found else ""
        if line.startswith("#"):
            under = _HEADING.match(line)
            heading = under[1] if under else ""


def _line(value: Value) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
