"""What a reader of another tool's memory yields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from engrain.seam.source_tree import SourceTree


@dataclass(slots=True, eq=False)
class ForeignItem:
    """One memory of another tool. `key` is its own id there, by which a later import finds it
    again. `kind` is "" for one that Engrain detects. `project` is None for that of the import, ""
    for none. `created` is in epoch seconds. `links` are (title or key of another item, relation).
    `thread` is the conversation of a message. `slug` is "" for one that follows from the title.
    """

    key: str
    text: str
    title: str = ""
    kind: str = ""
    project: str | None = None
    created: float | None = None
    tags: Sequence[str] = ()
    aliases: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()
    thread: str = ""
    slug: str = ""
    description: str = ""


PassedOver: TypeAlias = "Counter[tuple[str, str]]"
"""Counts what a reader passes over, by what it is and why."""
Found: TypeAlias = Iterator[ForeignItem]


@dataclass(slots=True, frozen=True)
class WayIn:
    """One kind of source: its name in `engrain import NAME PATH`, what it is, `finds`, which
    returns its files in a tree, none where the tree is no such source, and `read`, which yields
    the items of these files. With `own_ids` the keys are unique in the whole tool, so that a later
    export of the same account, in another file, is the same source. A later import renews the
    fields `renewed`. The items of a way that `proposes` are candidates in the inbox, and each of
    its files is read by itself."""

    name: str
    title: str
    finds: Callable[[SourceTree], Sequence[str]]
    read: Callable[[SourceTree, Sequence[str], PassedOver], Found]
    own_ids: bool = False
    renewed: Sequence[str] = ("aliases", "tags", "links")
    proposes: bool = False


@dataclass(slots=True, eq=False)
class MarkdownSection:
    """A part of a markdown text under a heading; `heading` is "" before the first one."""

    heading: str
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text without blank lines around it."""
        return "\n".join(self.lines).strip("\n")


def split_sections(text: str, most_level: int = 2) -> list[MarkdownSection]:
    """Split a markdown text at its headings down to a level; code blocks stay whole. Sections
    without text are left out."""
    sections = [MarkdownSection("")]
    fence = ""
    for line in text.splitlines():
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and (not fence or fence == mark):
            fence = "" if fence else mark
        level = len(line) - len(line.lstrip("#"))
        if not fence and 0 < level <= most_level and line[level : level + 1] == " ":
            sections.append(MarkdownSection(line[level:].strip().strip("#").strip()))
        else:
            sections[-1].lines.append(line)
    return [section for section in sections if section.text]
