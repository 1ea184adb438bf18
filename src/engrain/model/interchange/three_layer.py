"""The three-layer layout (S4, "File Structure"): facts of entities, daily notes, a page about the
operator, and the files of its own upkeep. Names are relative to the workspace."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engrain.model.errors import MalformedError
from engrain.model.experience.ledger import file_stem
from engrain.model.facts.daily import KIND as DAILY
from engrain.model.facts.daily import place_of as place_of_day
from engrain.model.facts.entity import KIND, Entity
from engrain.model.facts.fact import Fact, read_fact
from engrain.model.interchange.documents import (
    canonical,
    check_document,
    decode_utf8,
    digest,
    id_in,
    stem_of,
)
from engrain.model.interchange.table import PAGE_FORM, Layout, LayoutRow
from engrain.model.note.documents import object_of, objects_of, read_json
from engrain.model.note.json_note import GENERATED_BY
from engrain.model.note.note import MAX_NOTE_BYTES

MEMORY = "MEMORY.md"
FOLDER = "memory"
INDEX = f"{FOLDER}/entities/index.json"
ARCHITECTURE = f"{FOLDER}/ARCHITECTURE.md"
LISTED, KEPT = "index", "checkpoint"
"""The content of the index, and the kind of files that are kept as they are."""

_MOST_BYTES = 8 * MAX_NOTE_BYTES  # with blanks and unknown keys of other writers
OF_INDEX = frozenset(("slug", "id", "name", "type", "entityType", "aliases", "facts", "active"))
"""The keys of an index that have a meaning here."""

ABOUT = """\
# Three layers

1. `entities/<slug>/items.json` holds atomic facts about a person, a company or a project: `id`,
   `content`, `source`, `sourceRef`, `entityType`, `createdAt`, `status`, `supersedes`, `edge`, and
   when it held, `valid_from` and `valid_to`. What is contradicted turns `historical` and stays.
   `summary.md` says what holds now; `entities/index.json` lists names, types and aliases.
2. `YYYY-MM-DD.md` is what happened on a day, as it happened.
3. `../MEMORY.md` is how the person works whose memory this is.
"""
"""The text of the layout's `ARCHITECTURE.md`."""


def _place_of_kept(document: Mapping[str, Any], _: str, __: str | None) -> str:
    return f"Memory/checkpoints/{file_stem(str(document['name']))}.json"


THREE_LAYER = Layout(
    "three-layer",
    (
        LayoutRow(LISTED, INDEX, rank=0),
        LayoutRow(KIND, "memory/entities/{slug}/items.json", rank=1),
        LayoutRow(
            DAILY,
            "memory/{date}.md",
            PAGE_FORM,
            own=(),
            ids=(),
            rank=3,
            fixed=lambda _, path, __: place_of_day(stem_of(path)),
        ),
        LayoutRow(
            MEMORY,
            MEMORY,
            PAGE_FORM,
            own=(),
            ids=(),
            rank=4,
            fixed=lambda _, path, __: path,
            operator_only=True,
            bare=True,
        ),
        LayoutRow(KEPT, "memory/{kept}", ids=(), rank=5, fixed=_place_of_kept),
    ),
    ref="{tree}/{path}",
)


def folder_of(name: str) -> str:
    """Return the folder of the entity whose facts are in a file."""
    return name.split("/")[-2]


def read_index(raw: bytes) -> dict[str, dict[str, Any]]:
    """Return what an index says of entities, by their folders. It is an object by folder, or a list
    of objects with their folders, bare or under `entities`. Raises MalformedError."""
    whole = read_json(decode_utf8(raw))
    listed = whole.get("entities", whole) if isinstance(whole, dict) else whole
    if isinstance(listed, dict):
        listed = [{"slug": slug, **object_of(value)} for slug, value in listed.items()]
    said = (check_document(one) for one in objects_of(listed))
    return {slug: one for one in said if (slug := id_in(one.get("slug")) or id_in(one.get("id")))}


def write_index(entities: Iterable[tuple[str, Entity, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the index of entities, given with their folders and what an index said besides."""
    return {
        GENERATED_BY: "by engrain export",
        "entities": [
            {
                **besides,
                "slug": folder,
                "name": entity.name,
                "type": entity.type,
                "aliases": list(entity.aliases),
                "facts": len(entity.facts),
                "active": len(entity.active),
            }
            for folder, entity, besides in entities
        ],
    }


def read_items(raw: bytes) -> tuple[list[Any], str]:
    """Return the facts in a file, a list that is bare or under `items` or `facts`, and as JSON what
    is around such a list, with null for it. Raises MalformedError, also for a file that is larger
    than any entity's."""
    if len(raw) > _MOST_BYTES:
        raise MalformedError(
            f"{len(raw)} bytes of facts, and an entity holds {MAX_NOTE_BYTES} at most",
            reason="too-large",
        )
    whole = read_json(decode_utf8(raw))
    if isinstance(whole, list):
        return whole, ""
    for key in ("items", "facts"):
        if isinstance(object_of(whole).get(key), list):
            return whole[key], json.dumps({**whole, key: None}, ensure_ascii=False)
    raise MalformedError("no list of facts", reason="json", line=1)


def read_foreign_fact(item: Any, trust: str) -> tuple[Fact, dict[str, Any]]:
    """Return a fact that another system wrote, with its origin, and its unknown fields; a missing
    id becomes a digest of the fact. Raises MalformedError."""
    document = check_document(item)
    if "\\u0000" in canonical(document):
        raise MalformedError("a text holds a NUL character", reason="nul")
    id_ = id_in(document.get("id")) or f"fact-{digest(document)}"
    fact = read_fact({**document, "id": id_}, {"trust": trust})
    if fact is None:
        raise MalformedError("a fact without content", reason="json")
    known = fact.document()
    return fact, {key: value for key, value in document.items() if key not in known}


def told_apart(facts: Iterable[Fact]) -> Iterator[tuple[Fact, str]]:
    """Yield facts with unique ids, each with its original id: a later fact with the id of another
    gets a new one, and a repetition is left out."""
    seen: dict[str, dict[str, Any]] = {}
    for fact in facts:
        id_, document = fact.id, fact.document()
        if id_ in seen and seen[id_] != document:
            fact = fact.replace(id=f"{id_}-{digest(document, 8)}")
        if fact.id not in seen:
            seen[fact.id] = document
            yield fact, id_


def type_of(facts: Iterable[Fact]) -> str:
    """Return the entity type of most facts, "" for none."""
    counts = Counter(fact.entity_type for fact in facts if fact.entity_type)
    return max(counts, key=counts.__getitem__, default="")
