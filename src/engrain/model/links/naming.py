"""The names of a note that gets another title: its file, its slug, and the links to it (S1.11)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engrain.language.text.folding import fold, safe_component, slugify
from engrain.model.links.link import UNLINKABLE
from engrain.model.note.documents import aliases_in
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import link_key, split_ending

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
