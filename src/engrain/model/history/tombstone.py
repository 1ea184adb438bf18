"""What stands in the place of an entry that was erased (DESIGN section 7).

A tombstone says that there was an entry of this id and when it was erased, and nothing of what it
said: no text, title, kind or tag. Its codes are made with the vault's key, so that only a holder of
the key can tell by them a copy of the text, or a link by one of the names, from any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import normalize

from engrain.language.text.instants import format_instant
from engrain.language.text.slugs import safe_component
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import compose_note
from engrain.model.note.tiers import split_ending

PREFIX = "erased-"
LEAST_SEALED = 16
"""Characters of a text at least for it to be known again: shorter ones are written twice by chance.
"""
_TEXT, _NAME = b"engrain erased text\n", b"engrain erased name\n"
_CONTENT = b"engrain erased content\n"
_ITEMS = "items"
"""The field of an entity's document that holds its facts."""


def stem_of(entry: str) -> str:
    """What a tombstone, and a link to it, is called. An id may have been written by hand."""
    return safe_component(f"{PREFIX}{entry}")


def compose_tombstone(
    entry: str,
    at: float,
    seals: Sequence[str] = (),
    names: Sequence[str] = (),
    contents: Sequence[str] = (),
) -> bytes:
    """The tombstone of an entry erased at `at`; `seals` are codes of its texts, `names` of what
    links called it, `contents` of what an import would bring back; none where there is no key."""
    fields: dict[str, Value] = {"id": entry, "status": "deleted", "erased": format_instant(at)}
    for name, codes in (("seals", seals), ("names", names), ("contents", contents)):
        if codes:
            fields[name] = list(codes)
    return compose_note(fields, "").raw


def is_tombstone(entry: Entry) -> bool:
    """Whether an entry is one, and nothing is said beside."""
    dead = entry.status == "deleted" and "erased" in entry.fields
    return dead and not entry.note.body.strip()


def codes_of(entry: Entry, field: str) -> list[str]:
    """The codes in a field of a tombstone: `seals`, `names` or `contents`."""
    value = entry.fields.get(field)
    return [code for code in value if isinstance(code, str)] if isinstance(value, list) else []


def text_message(body: str) -> bytes | None:
    """What a seal is the code of: a body however its lines are broken; None for too short a one."""
    text = " ".join(normalize("NFC", body).split())
    return _TEXT + text.encode() if len(text) >= LEAST_SEALED else None


def seal_message(entry: Entry) -> bytes | None:
    """The same of an entry. A record has none: its copies bear its id, and two traces of one task
    may well read the same."""
    return None if split_ending(entry.path)[1] == ".json" else text_message(entry.note.body)


def content_messages(entry: Entry) -> list[bytes]:
    """The messages by which an import recognises what an entry says: its text with and without the
    heading, with its title where the text is short; each fact of an entity by itself."""
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
    """The message of one text, however its lines are broken."""
    return _CONTENT + " ".join(normalize("NFC", text).split()).encode(errors="replace")


def name_message(key: str) -> bytes:
    """What the code of a name is over: the key by which links are resolved."""
    return _NAME + key.encode(errors="replace")
