"""What Claude Code's own memory says: files of its format read as memories.

The host's contract (its page on memory): a folder for each project with one markdown file a
memory, whose frontmatter has `name`, `description`, a `type` and, in later versions, `modified`,
the last two also under `metadata`; and `MEMORY.md`, an index of them. Earlier versions wrote notes
into that index itself: its list items that link to no file are memories too, each with the
heading above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.language.text.fences import without_fences
from engrain.language.text.instants import read_instant
from engrain.language.text.slugs import safe_component
from engrain.model.note.detection import detect_kind
from engrain.model.note.field import Value
from engrain.model.note.kinds import DEFAULT_KIND
from engrain.model.note.note import hash_bytes, split_note

INDEX = "MEMORY.md"
_TITLE = 200  # characters: what a title may have
_REVISION = 16  # digits of a hash: enough to distinguish the versions of one file

# Its types as kinds. `project` is missing: under it Claude files goals, deadlines, incidents and
# decisions alike, so that the text has to say which, as it does for a file without a type.
KINDS_OF_TYPES = {"user": "preference", "feedback": "feedback", "reference": "domain-reference"}
# Who the user is holds in every project, whichever it was learned in.
_OF_THE_PERSON = ("user",)

_ITEM = re.compile(r"[-*+][ \t]+(?=\S)")
_HEADING = re.compile(r"#{2,6}[ \t]+(.*?)[ \t#]*\Z")
_LINKED = re.compile(r"\[\[|\]\([^)]*\.md\b")


class NativeMemory:
    """One memory as Claude Code wrote it. `ref` distinguishes it from others of its folder, whose
    links mean it by `name`; `personal` says that it is about the user, not the project; `created`
    is epoch seconds, None where it isn't said."""

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
        """What it says, as a hash: another as soon as anything that is taken in has changed."""
        said = "\0".join((self.title or "", self.name, self.kind, self.description, self.text))
        return hash_bytes(said.encode(errors="surrogatepass"))[:_REVISION]


def read_memories(path: str, raw: bytes) -> list[NativeMemory]:
    """The memories in the file at `path` of a memory folder; none where it has no text of its own.
    What Engrain put into a session is not among it (S1.20). Raises MalformedError."""
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
    # The file's own name, so that the links between its files resolve here too.
    slug = safe_component(path.rpartition("/")[2].removesuffix(".md"))
    # A name without blanks is that of a file, as later versions write it.
    title = name if " " in name else description or re.sub("[-_]+", " ", name)
    memory = NativeMemory(
        path,
        body.strip("\n"),
        title=title[:_TITLE].strip() or None,
        slug=slug,
        type_=_line(given.get("type")),
        name=name,
        description=description,
        created=read_instant(given.get("modified")),
    )
    return [memory]


def _read_items(body: str) -> Iterator[tuple[str | None, str]]:
    """The list items of an index that link to no file, with what is indented under them; and a
    title where a heading below the first level stands over them."""
    heading, item = "", ""
    for line in [*body.splitlines(), "#"]:
        if item and line[:1].isspace() and line.strip():
            item += f"\n{line}"
            continue
        if item and not _LINKED.search(item):
            first = item.partition("\n")[0]
            yield (f"{heading}: {first}"[:_TITLE].strip() if heading else None), item
        found = _ITEM.match(line)
        item = line[found.end() :] if found else ""
        if line.startswith("#"):
            under = _HEADING.match(line)
            heading = under[1] if under else ""


def _line(value: Value) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
