"""The table of the ways in, and what a tree may be (`engrain import auto`)."""

from __future__ import annotations

from engrain.interchange.ways.agents import (
    BASIC_MEMORY,
    CLAUDE_MEM,
    MEM0,
    MEMSEARCH,
    RULES,
    SERVER_MEMORY,
)
from engrain.interchange.ways.exports import CHATGPT, CHATS, CLAUDE, NOTION
from engrain.interchange.ways.notes import CSV, JSONL, LOGSEQ, ORG
from engrain.seam.source_tree import SourceTree

WAYS = {
    way.name: way
    for way in (
        RULES, SERVER_MEMORY, BASIC_MEMORY, CLAUDE_MEM, MEM0, MEMSEARCH, CHATGPT, CLAUDE, CHATS,
        NOTION, LOGSEQ, ORG, CSV, JSONL,
    )
}  # fmt: skip


def recognise(tree: SourceTree) -> dict[str, int]:
    """Return the names of the ways in by which a tree can be imported, with the number of files
    that each would read, in the order of these numbers."""
    found = {name: len(way.finds(tree)) for name, way in WAYS.items()}
    ranked = sorted(found.items(), key=lambda one: -one[1])
    return {name: count for name, count in ranked if count}
