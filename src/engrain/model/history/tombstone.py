"""Tombstones, which replace entries that were erased (DESIGN section 7).

A tombstone has the entry's id and the time of the erasure, and nothing of its content: no text,
title, kind or tag. Its codes are made with the vault's key, so that only a holder of the key can
recognise a copy of the text, or a link by one of the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import normalize

from engrain.language.text.folding import safe_component
from engrain.language.text.instants import format_instant
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import compose_note
from engrain.model.note.tiers import split_ending

PREFIX = "erased-"
LEAST_SEALED = 16
"""The fewest characters of a text that is recognised: shorter texts recur by chance."""
_TEXT, _NAME = b"engrain erased text\n", b"engrain erased name\n"


def stem_of(entry: str) -> str:
    """Return the name of a tombstone's file; an id may have been written by hand."""
    return safe_component(f"{PREFIX}{entry}")


def compose_tombstone(
    entry: str, at: float, seals: Sequence[str] = (), names: Sequence[str] = ()
) -> bytes:
    """Return the tombstone of an entry erased at `at`. `seals` are codes of its texts, `names` of
    its names in links; empty without a key."""
    fields: dict[str, Value] = {"id": entry, "status": "deleted", "erased": format_instant(at)}
    for name, codes in (("seals", seals), ("names", names)):
        if codes:
            fields[name] = list(codes)
    return compose_note(fields, "").raw


def is_tombstone(entry: Entry) -> bool:
    """Whether an entry is a tombstone without any text."""
    dead = entry.status == "deleted" and "erased" in entry.fields
    return dead and not entry.note.body.strip()


def codes_of(entry: Entry, field: str) -> list[str]:
    """Return the codes in a field of a tombstone: `seals` or `names`."""
    value = entry.fields.get(field)
    return [code for code in value if isinstance(code, str)] if isinstance(value, list) else []


def text_message(body: str) -> bytes | None:
    """Return the message of a body's seal, whatever its line breaks; None for a short body."""
    text = " ".join(normalize("NFC", body).split())
    return _TEXT + text.encode() if len(text) >= LEAST_SEALED else None


def seal_message(entry: Entry) -> bytes | None:
    """Return the message of an entry's seal. A record has none: its copies have its id, and two
    traces of one task may have the same text."""
    return None if split_ending(entry.path)[1] == ".json" else text_message(entry.note.body)


def name_message(key: str) -> bytes:
    """Return the message of a name's code, which is the key by which links are resolved."""
    return _NAME + key.encode(errors="replace")
