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
_CONTENT = b"engrain erased content\n"
_ITEMS = "items"
"""The field of an entity's document with its facts."""


def stem_of(entry: str) -> str:
    """Return the name of a tombstone's file; an id may have been written by hand."""
    return safe_component(f"{PREFIX}{entry}")


def compose_tombstone(
    entry: str,
    at: float,
    seals: Sequence[str] = (),
    names: Sequence[str] = (),
    contents: Sequence[str] = (),
) -> bytes:
    """Return the tombstone of an entry erased at `at`. `seals` are codes of its texts, `names` of
    its names in links, `contents` of what an import would bring back; empty without a key."""
    fields: dict[str, Value] = {"id": entry, "status": "deleted", "erased": format_instant(at)}
    for name, codes in (("seals", seals), ("names", names), ("contents", contents)):
        if codes:
            fields[name] = list(codes)
    return compose_note(fields, "").raw


def is_tombstone(entry: Entry) -> bool:
    """Whether an entry is a tombstone without any text."""
    dead = entry.status == "deleted" and "erased" in entry.fields
    return dead and not entry.note.body.strip()


def codes_of(entry: Entry, field: str) -> list[str]:
    """Return the codes in a field of a tombstone: `seals`, `names` or `contents`."""
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


def content_messages(entry: Entry) -> list[bytes]:
    """Return the messages by which an import recognises an entry: its text with and without the
    heading, with its title if the text is short; for an entity each fact."""
    document = getattr(entry.note, "document", {})
    facts = document.get(_ITEMS) if entry.kind == "entity" else None
    if isinstance(facts, list):
        said = [fact.get("content") for fact in facts if isinstance(fact, dict)]
        return [content_message(text) for text in said if isinstance(text, str)]
    body = entry.note.body.strip()
    head, _, rest = body.partition("\n")
    texts = [body, rest] if head.startswith("# ") and rest.strip() else [body]
    if len(texts[-1].strip()) < LEAST_SEALED:
        texts = [f"{entry.title}\n{texts[-1]}"]
    return [content_message(text) for text in texts]


def content_message(text: str) -> bytes:
    """Return the message of one text, whatever its line breaks."""
    return _CONTENT + " ".join(normalize("NFC", text).split()).encode(errors="replace")


def name_message(key: str) -> bytes:
    """Return the message of a name's code, which is the key by which links are resolved."""
    return _NAME + key.encode(errors="replace")
