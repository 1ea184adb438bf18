"""The names of a note that gets another title (its file, its slug, and the links to it), and the
rewriting of links to another name (S1.11). Typed links are drawn as wikilinks.

Everything but the name stays as written: relation, embed, heading, label, their order, a path
before the name, `.md` behind it, blanks, the encoding of a markdown link, and links in code or
comments.

A note names the ends of `links` and `supersedes` by their ids, which Obsidian can't follow. So the
names of their files are in a derived property as well, with a mark behind it:

    related: ["[[flaky-dunning-test]]"] # drawn by engrain

A property of that name without the mark is a person's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import unquote

from engrain.language.text.folding import fold, safe_component, slugify
from engrain.language.text.link_tokens import scan, scan_quoted
from engrain.model.errors import MalformedError
from engrain.model.links.link import TYPED, UNLINKABLE, Link, parse_links, read_link, read_wiki
from engrain.model.note.documents import aliases_in, list_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import RELATED, Note
from engrain.model.note.tiers import PERSONAL, link_key, split_ending

_HIERARCHY = re.compile(r"\A[^\s.]+(?:\.[^\s.]+)+\Z")
_SPOKEN = re.compile(r"[\sA-Z]")
_CLOSING = re.compile(r"(?<![ \t])[ \t]++(?:#++|\^[\w-]++)$")
_NOT_SAID = re.compile(r"[\W_]+")


@dataclass(slots=True, eq=False)
class Called:
    """The names of a note: its title, the stem of its file, its slug, its aliases and id."""

    id: str
    title: str
    stem: str
    slug: str
    aliases: Sequence[str]

    @property
    def keys(self) -> set[str]:
        """The keys by which links to it are resolved."""
        names = (self.id, self.title, self.stem, self.slug, *self.aliases)
        return {link_key(name) for name in names}


def called(entry: Entry) -> Called:
    """Return the names of an entry."""
    return Called(entry.id, entry.title, split_ending(entry.path)[0], entry.slug, aliases_of(entry))


def aliases_of(entry: Entry) -> list[str]:
    """Return the aliases of an entry."""
    return aliases_in(entry.fields.get("aliases"))


def name_file(entry: Entry, title: str) -> str:
    """Return the file stem of an entry with a new title, in the style of the old one: the title
    itself, as Obsidian's users name files; a slug; or, in Dendron's hierarchy of dots, the same
    branch with another last part."""
    old = called(entry)
    spoken = safe_component(UNLINKABLE.sub("-", title))
    slug = slugify(title, old.slug)
    ours = "slug" in entry.fields or entry.source.get("kind") not in (None, "import")
    if ours and fold(old.stem).startswith(fold(old.slug)) and old.slug == slugify(old.slug, ""):
        return slug
    if old.stem == safe_component(UNLINKABLE.sub("-", old.title)):
        return spoken
    if _HIERARCHY.match(old.stem):
        return f"{old.stem.rpartition('.')[0]}.{slug}"
    return spoken if _SPOKEN.search(old.stem) else slug


def rename_link(written: str, old: Called, new: Called) -> str:
    """Return the new text of a link to a note by an old name; a name that is kept stays."""
    folder, slash, name = written.rpartition("/")
    key = link_key(written)
    if slash and fold(written) == fold(old.title):
        folder, slash, name = "", "", written  # a title with a slash in it
    if link_key(name) != link_key(old.stem) and key in map(link_key, (old.id, *new.aliases)):
        return written
    if slash or name == old.stem:
        return folder + slash + new.stem
    if link_key(name) == link_key(old.title):
        return new.title if is_linkable(new.title) else new.stem
    if link_key(name) == link_key(old.stem):
        return new.stem
    return new.slug if link_key(name) == link_key(old.slug) else written


def is_linkable(name: str) -> bool:
    """Whether a link can use this name, as Obsidian reads it: a slash would make it a path."""
    return not UNLINKABLE.search(name) and "/" not in name and "\\" not in name


def rename_heading(written: str, old: str, new: str) -> str:
    """Return the new text of a link's heading, if that is the old title of the note."""
    first = re.split(r"[#:,]", written, maxsplit=1)[0]
    if not old or heading_key(first) != heading_key(old):
        return written
    slug = slugify(old, "")
    named = slugify(new, "") if first == slug else re.sub(r"[#|^:%\[\]\s]+", " ", new).strip()
    return named + written[len(first) :]


def heading_key(written: str) -> str:
    """Return the key by which headings are compared: their folded letters and digits, or the
    heading itself if it has none."""
    folded = fold(_CLOSING.sub("", written.strip()).strip())
    return _NOT_SAID.sub("", folded) or folded


Name: TypeAlias = "Callable[[str], str]"
"""Returns the new text of a name, which may have a path."""
Decide: TypeAlias = "Callable[[Link], 'LinkRewrite | None']"
"""Returns how to rewrite a link, None if it stays."""

TARGET, LABEL = "target", "label"
_SIDE = re.compile(
    r"\A(\s{0,40}(?:dendron://[^/]{0,200}/)?)([^#]*?)((?:\.md)?\s{0,40})(#.*)?\Z", re.I | re.S
)
_ENCODED = re.compile(r"[\s()<>%\"\\#?]")


def keep(written: str) -> str:
    """Return the same text."""
    return written


@dataclass(slots=True, eq=False)
class LinkRewrite:
    """How to rewrite one link: its name, its heading, and the `side` (TARGET or LABEL) with the
    name."""

    name: Name
    heading: Name = keep
    side: str = TARGET


def relink_note(note: Note, decide: Decide) -> tuple[Note, int]:
    """Return a note with the links in body and frontmatter rewritten, and their number. Raises
    MalformedError for frontmatter that can't be changed safely."""
    body, count = relink(note.body, decide)
    fields = note.fields if note.front else {}
    wanted = {key: relink_value(value, decide) for key, value in fields.items()}
    changed = sum(number for _, number in wanted.values())
    front = relink_front(note.front, decide) if changed else note.front
    rewritten = Note(note.head, front, note.fence, body)
    if changed and rewritten.fields != {key: value for key, (value, _) in wanted.items()}:
        raise MalformedError("its frontmatter can't be changed safely", reason="unpatchable")
    return rewritten, count + changed


def relink_ends(given: Value, choose: Callable[[str], str | None]) -> tuple[list[Value], int]:
    """Return the field `links` with the ends that `choose` replaces, and how many changed."""
    links: list[Value] = []
    count = 0
    for item in list_of(given):
        to = item.get("to") if isinstance(item, dict) else item
        new = choose(to) if isinstance(to, str) else None
        if new is not None and new != to:
            count += 1
            item = {**item, "to": new} if isinstance(item, dict) else new
        links.append(item)
    return links, count


def relink(text: str, decide: Decide) -> tuple[str, int]:
    """Return `text` with its links rewritten, and their number."""
    if "[[" not in text and "](" not in text:
        return text, 0
    return _replace(text, (found for _, _, found in scan(text) if found), decide)


def relink_value(value: Value, decide: Decide) -> tuple[Value, int]:
    """Return a value of frontmatter with the links in its texts rewritten, and their number."""
    if isinstance(value, str):
        return relink(value, decide) if "[[" in value else (value, 0)
    if isinstance(value, list):
        pairs = [relink_value(item, decide) for item in value]
        return [item for item, _ in pairs], sum(count for _, count in pairs)
    if isinstance(value, dict):
        named = {key: relink_value(item, decide) for key, item in value.items()}
        return {key: item for key, (item, _) in named.items()}, sum(n for _, n in named.values())
    return value, 0


def relink_front(front: str, decide: Decide) -> str:
    """Return the text of frontmatter with its links rewritten in place. The caller checks that the
    result has the wanted values."""
    return _replace(front, scan_quoted(front), decide, read_wiki)[0]


def _replace(
    text: str,
    found: Iterable[re.Match[str]],
    decide: Decide,
    read: Callable[[re.Match[str]], Link] = read_link,
) -> tuple[str, int]:
    parts: list[str] = []
    pos = count = 0
    for match in found:
        rewrite = decide(read(match))
        if rewrite is None:
            continue
        for start, end, new in _edits(match, rewrite):
            if text[start:end] != new:
                parts += text[pos:start], new
                pos = end
                count += 1
    return "".join([*parts, text[pos:]]), count


def _edits(match: re.Match[str], rewrite: LinkRewrite) -> Iterable[tuple[int, int, str]]:
    groups = match.re.groupindex
    for group in ("angled", "bare"):
        if group in groups and match[group]:
            yield *match.span(group), _move_place(match[group], rewrite, group == "angled")
            return
    # Where Dendron's order leaves the label out, the name stands behind the bar all the same.
    side = LABEL if rewrite.side == LABEL or not match["target"] else TARGET
    start, end = match.span(side)
    written = match[side]
    if side == TARGET:
        if match["label"] is not None and written.endswith("\\"):
            written, end = written[:-1], end - 1
        if typed := TYPED.match(written):
            start += typed.end()
            written = written[typed.end() :]
    yield start, end, _rename_side(written, rewrite)


def _rename_side(written: str, rewrite: LinkRewrite) -> str:
    found = _SIDE.match(written)
    if found is None:
        return written
    before, name, behind, heading = found.groups()
    named = rewrite.name(name.rstrip()) + name[len(name.rstrip()) :] if name.strip() else name
    headed = "#" + rewrite.heading(heading[1:]) if heading else ""
    return f"{before}{named}{behind}{headed}"


def _move_place(written: str, rewrite: LinkRewrite, angled: bool) -> str:
    """Return the path of a markdown link with another name, encoded as before."""
    path, mark, heading = written.partition("#")
    said = unquote(path)
    folder = said[:-3].rpartition("/")[0]
    new = rewrite.name(said[:-3])
    if mark:
        new_heading = rewrite.heading(unquote(heading))
        heading = heading if new_heading == unquote(heading) else _encode(new_heading, angled)
    if new == said[:-3]:
        return path + mark + heading
    new_folder, _, new_name = new.rpartition("/")
    kept = path.rpartition("/")[0] if new_folder == folder else _encode(new_folder, angled)
    slash = "/" if new_folder or said.startswith("/") else ""
    return f"{kept}{slash}{_encode(new_name, angled)}{path[-3:]}{mark}{heading}"


def _encode(text: str, angled: bool) -> str:
    """Return a path as a markdown link has it: plain between `<` and `>`, else percent-encoded."""
    if angled and not re.search(r"[<>%#?]", text):
        return text
    return _ENCODED.sub(lambda found: "".join(f"%{b:02X}" for b in found[0].encode()), text)


def ends_of(note: Note) -> list[str]:
    """Return the ends that a note's `links` and `supersedes` name, in order, without wikilinks and
    the operator's own notes."""
    given: list[Value] = [
        item.get("to") if isinstance(item, dict) else item
        for item in list_of(note.fields.get("links"))
    ]
    older = note.fields.get("supersedes")
    given += older if isinstance(older, list) else [older]
    ends = [str(one) for one in given if isinstance(one, str | int)]
    plain = [one for one in ends if one and "[[" not in one and not one.startswith(PERSONAL)]
    return list(dict.fromkeys(plain))


def drawn_names(note: Note) -> list[str]:
    """Return the names in a note's drawn property, as written."""
    given = note.fields.get(RELATED)
    written = [given] if isinstance(given, str) else list_of(given)
    return [link.target for one in written if isinstance(one, str) for link in parse_links(one)]


def draw(note: Note, names: Sequence[str]) -> Note:
    """Return `note` with the property that draws these names, or without it if none can be drawn.
    Raises MalformedError for frontmatter that can't be changed safely."""
    value: list[Value] = [f"[[{name}]]" for name in names if not UNLINKABLE.search(name)]
    if note.fields.get(RELATED) == (value or None) and bool(value) == note.draws:
        return note
    if not value:
        return note.patch({}, [RELATED])
    drawn = note.patch({RELATED: value})
    return drawn if drawn.draws else drawn.mark_drawn()
