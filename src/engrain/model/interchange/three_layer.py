"""The three-layer layout (S4, "File Structure"): facts of entities, daily notes, and a page about
the operator. Names are relative to the workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from engrain.language.text.folding import slugify
from engrain.model.errors import MalformedError
from engrain.model.facts.entity import Entity
from engrain.model.facts.fact import Fact, read_fact
from engrain.model.interchange.documents import (
    canonical,
    check_document,
    decode_utf8,
    digest,
    id_in,
)
from engrain.model.note.documents import object_of, objects_of, read_json, trimmed, trimmed_texts
from engrain.model.note.json_note import GENERATED_BY
from engrain.model.note.note import MAX_NOTE_BYTES

MEMORY = "MEMORY.md"
FOLDER = "memory"
ENTITIES = f"{FOLDER}/entities"
INDEX = f"{ENTITIES}/index.json"
ARCHITECTURE = f"{FOLDER}/ARCHITECTURE.md"
ITEMS = "items.json"
SUMMARY = "summary.md"

_MOST_BYTES = 8 * MAX_NOTE_BYTES  # with blanks and unknown keys of other writers
_LISTS = ("items", "facts")
"""Keys of the list in a file of facts."""

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


def part_at(name: str) -> str:
    """Return what a file is by its relative path: MEMORY or INDEX, ITEMS for an entity's facts,
    `day` for the note of a day; "" if it is not read."""
    if name in (MEMORY, INDEX):
        return name
    folder, _, file = name.rpartition("/")
    if folder == FOLDER and day_in(file):
        return "day"
    parent, _, entity = folder.rpartition("/")
    return ITEMS if parent == ENTITIES and file == ITEMS and entity else ""


def day_in(file: str) -> str:
    """Return the day in the name of a day's note, "" for any other file."""
    day = file.removesuffix(".md")
    parts = [part for part in day.split("-") if part.isascii() and part.isdigit()]
    fine = file != day and len(day) == 10 and list(map(len, parts)) == [4, 2, 2]
    return day if fine and "01" <= parts[1] <= "12" and "01" <= parts[2] <= "31" else ""


def folder_of(name: str) -> str:
    """Return the folder of the entity whose facts are in a file."""
    return name.split("/")[-2]


def in_reading_order(names: Iterable[str]) -> list[str]:
    """Return the files that are read, the index before facts. Of folders that get the same slug,
    the one called by it comes first."""
    ranks = {INDEX: 0, ITEMS: 1, "day": 3, MEMORY: 4}
    read = []
    for name in names:
        if part := part_at(name):
            folder = folder_of(name) if part == ITEMS else ""
            read.append((ranks[part] + (slugify(folder, "") != folder), name))
    return [name for _, name in sorted(read)]


@dataclass(slots=True, eq=False)
class ListedEntity:
    """The entry of one entity in the index."""

    name: str = ""
    type: str = ""
    aliases: tuple[str, ...] = ()


def read_index(raw: bytes) -> dict[str, ListedEntity]:
    """Return the entities of an index, by their folders. It is an object by folder, or a list of
    objects with their folders, bare or under `entities`. Raises MalformedError."""
    whole = read_json(decode_utf8(raw))
    listed = whole.get("entities", whole) if isinstance(whole, dict) else whole
    if isinstance(listed, dict):
        listed = [{"slug": slug, **object_of(value)} for slug, value in listed.items()]
    found: dict[str, ListedEntity] = {}
    for one in objects_of(listed):
        check_document(one)
        slug = trimmed(one.get("slug")) or trimmed(one.get("id"))
        if slug:
            type_ = trimmed(one.get("entityType")) or trimmed(one.get("type"))
            aliases = tuple(dict.fromkeys(trimmed_texts(one.get("aliases"))))
            found[slug] = ListedEntity(" ".join(trimmed(one.get("name")).split()), type_, aliases)
    return found


def write_index(entities: Iterable[tuple[str, Entity]]) -> dict[str, Any]:
    """Return the index of entities, given with their folders."""
    return {
        GENERATED_BY: "by engrain export",
        "entities": [
            {
                "slug": folder,
                "name": entity.name,
                "type": entity.type,
                "aliases": list(entity.aliases),
                "facts": len(entity.facts),
                "active": len(entity.active),
            }
            for folder, entity in entities
        ],
    }


def read_items(raw: bytes) -> list[Any]:
    """Return the facts in a file: a list, bare or under `items` or `facts`. Raises MalformedError,
    also for a file that is larger than any entity's."""
    if len(raw) > _MOST_BYTES:
        raise MalformedError(
            f"{len(raw)} bytes of facts, and an entity holds {MAX_NOTE_BYTES} at most",
            reason="too-large",
        )
    whole = read_json(decode_utf8(raw))
    if isinstance(whole, dict):
        whole = next((whole[key] for key in _LISTS if isinstance(whole.get(key), list)), None)
    if not isinstance(whole, list):
        raise MalformedError("no list of facts", reason="json", line=1)
    return whole


def read_foreign_fact(item: Any, trust: str) -> Fact:
    """Return a fact that another system wrote, with its origin; a missing id becomes a digest of
    the fact. Raises MalformedError."""
    document = check_document(item)
    if "\\u0000" in canonical(document):
        raise MalformedError("a text holds a NUL character", reason="nul")
    id_ = id_in(document.get("id")) or f"fact-{digest(document)}"
    fact = read_fact({**document, "id": id_}, {"trust": trust})
    if fact is None:
        raise MalformedError("a fact without content", reason="json")
    return fact


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
