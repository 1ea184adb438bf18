"""Tombstones, which replace entries that were erased (DESIGN section 7).

A tombstone has the entry's id and the time of the erasure, and nothing of its content: no text,
title, kind or tag.
"""

from __future__ import annotations

from unicodedata import normalize

from engrain.language.text.folding import safe_component
from engrain.language.text.instants import format_instant
from engrain.model.note.entry import Entry
from engrain.model.note.note import compose_note, hash_bytes
from engrain.model.note.tiers import split_ending

PREFIX = "erased-"
LEAST_SEALED = 16
"""The fewest characters of a text that is recognised: shorter texts recur by chance."""


def stem_of(entry: str) -> str:
    """Return the name of a tombstone's file; an id may have been written by hand."""
    return safe_component(f"{PREFIX}{entry}")


def compose_tombstone(entry: str, at: float) -> bytes:
    """Return the tombstone of an entry erased at `at`."""
    return compose_note({"id": entry, "status": "deleted", "erased": format_instant(at)}, "").raw


def is_tombstone(entry: Entry) -> bool:
    """Whether an entry is a tombstone without any text."""
    dead = entry.status == "deleted" and "erased" in entry.fields
    return dead and not entry.note.body.strip()


def body_digest(body: str) -> str | None:
    """Return the digest of a body, whatever its line breaks; None for a short body."""
    text = " ".join(normalize("NFC", body).split())
    return hash_bytes(text.encode()) if len(text) >= LEAST_SEALED else None


def text_digest(entry: Entry) -> str | None:
    """Return the digest that two notes with one text share. A record has none: its copies have its
    id, and two traces of one task may have the same text."""
    return None if split_ending(entry.path)[1] == ".json" else body_digest(entry.note.body)
