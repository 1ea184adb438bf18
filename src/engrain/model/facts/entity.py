"""Entities: persons, companies, projects, or anything else that facts are about (S4.1).

Each has a folder with its facts in `items.json`; its summary and the index of all are generated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from unicodedata import normalize

from engrain.language.lexicons import read_words
from engrain.language.text.fences import quote_links, shorten
from engrain.language.text.folding import drop_invisible, fold
from engrain.language.text.instants import format_instant, read_instant
from engrain.model.errors import UsageError
from engrain.model.facts.fact import Fact, find_ends, read_fact
from engrain.model.note.documents import list_of, object_of, text_of, trimmed, trimmed_texts
from engrain.model.note.field import Value
from engrain.model.note.json_note import RecordKind
from engrain.model.note.tiers import ENTITY

MOST_NAME = 100
"""The most characters of a name."""
_MOST_WORDS = 12
_LINK = r"!?\[\[(?:[^\[\]|]*+\|)?([^\[\]|]*+)\]\]|!?\[([^\[\]]*+)\]\([^()]*+\)"
_MARKUP = r"[\[\]<>`*|{}\\/\"“”«»\x00-\x1f\x7f-\x9f]+"
_APART = r"[\s_\-.,'’()]+"
_TITLES = frozenset(("mr", "mrs", "ms", "miss", "mx", "dr", "prof", "sir", "herr", "frau"))
_FORMS = read_words("places", "companies")["forms"]
"""Legal forms at the end of a company's name."""


def clean_entity_name(name: str) -> str:
    """Return a name on one line, without links, markup and control characters. Raises UsageError
    for a text that is no name."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UsageError("a name is not valid Unicode", remedy="give it in UTF-8") from None
    text = re.sub(_LINK, lambda found: found[1] or found[2] or "", normalize("NFC", name))
    if "://" in text:
        raise UsageError(
            f"{name[:40]!a} is an address, not a name", remedy="name the person, company or project"
        )
    text = " ".join(drop_invisible(re.sub(_MARKUP, " ", text)).split()).strip(" -_.,;:#'’")
    if not any(map(str.isalnum, text)):
        raise UsageError(
            f"{name[:40]!a} names nobody", remedy="give the name of a person, company or project"
        )
    if len(text) > MOST_NAME or text.count(" ") >= _MOST_WORDS:
        raise UsageError(
            f"{text[:40]!r} … is no name: {len(text)} characters",
            remedy=f"give up to {MOST_NAME} characters and {_MOST_WORDS} words",
        )
    return text


def name_key(name: str) -> str:
    """Return the key by which names are compared: without case, punctuation, the @ of a handle and
    a form of address."""
    words = re.sub(_APART, " ", fold(name).removeprefix("@")).split()
    if len(words) > 1 and words[0] in _TITLES:
        words = words[1:]
    return " ".join(words)


def bare_key(name: str) -> str:
    """Return the key of a company's name without its legal form."""
    words = name_key(name).split()
    while len(words) > 1 and words[-1] in _FORMS:
        words.pop()
    return " ".join(words)


def has_form(name: str) -> bool:
    """Whether a name ends in the legal form of a company."""
    return bare_key(name) != name_key(name)


def first_name(name: str) -> str:
    """Return the key of a name's first word, "" if it is the only one, an initial or an address."""
    words = name_key(name).split()
    return words[0] if len(words) > 1 and len(words[0]) > 1 and "@" not in name else ""


def is_said_by(name: str, names: Sequence[str]) -> bool:
    """Whether a name is one of `names`, however it is written."""
    key = name_key(name)
    return any(name_key(other) == key for other in names)


KIND = ENTITY
FOLDER = "Memory/entities"
ITEMS = "items.json"
SUMMARY = "summary.md"
INDEX = f"{FOLDER}/index.json"
FACTS = "facts"
"""The key, among the entry's own fields, of the bookkeeping of its facts."""

OPERATOR_NAME = "operator.name"
"""The setting with the name of the person whose memory this is."""
OPERATOR_ENTITY = "operator"
"""The entity of facts about the operator if that setting is empty."""

_MOST_TITLE = 200


@dataclass(slots=True, eq=False)
class Entity:
    """One subject: its name, type, aliases, and its facts in the order in which they came. Unknown
    keys of its document (`rest`) and items that are no facts (`odd`) are preserved."""

    name: str
    type: str = ""
    aliases: Sequence[str] = ()
    facts: Sequence[Fact] = ()
    rest: Mapping[str, Any] = field(default_factory=dict)
    odd: Sequence[Any] = ()

    def __post_init__(self) -> None:
        self.aliases, self.facts, self.odd = map(tuple, (self.aliases, self.facts, self.odd))

    @property
    def names(self) -> tuple[str, ...]:
        """Its name and aliases."""
        return self.name, *self.aliases

    @property
    def active(self) -> list[Fact]:
        """The facts that hold now."""
        return [fact for fact in self.facts if fact.active]

    @property
    def historical(self) -> list[Fact]:
        """The facts that no longer hold."""
        return [fact for fact in self.facts if not fact.active]

    def held_at(self, at: float) -> list[Fact]:
        """Return the facts that held at a moment (epoch seconds), as known now: from `valid_from`,
        else from when they were said, until they ended. Undated facts are left out."""
        ends = find_ends(self.facts)
        return [
            fact
            for fact in self.facts
            if fact.since is not None
            and fact.since <= at
            and ((end := ends[fact.id]) is None or at < end)
        ]

    def find(self, id_: str) -> Fact | None:
        """Return a fact by its id, None for none."""
        return next((fact for fact in self.facts if fact.id == id_), None)

    def replace(self, **changes: Any) -> Entity:
        """Return the same entity with some values changed."""
        return replace(self, **changes)

    def document(self) -> dict[str, Any]:
        """Return the document of `items.json`, without the entry's own fields."""
        return {
            "name": self.name,
            "entityType": self.type,
            "aliases": list(self.aliases),
            **self.rest,
            "items": [*(fact.document() for fact in self.facts), *self.odd],
        }

    def bookkeeping(self) -> dict[str, Any]:
        """Return the bookkeeping of its facts, by their ids."""
        return {fact.id: beside for fact in self.facts if (beside := fact.bookkeeping())}


def place_of(slug: str) -> str:
    """Return the place of an entity's facts."""
    return f"{FOLDER}/{slug}/{ITEMS}"


def slug_at(path: str) -> str:
    """Return the slug of the entity in whose folder a path lies."""
    return path.rpartition("/")[0].rpartition("/")[2]


def is_entity_place(path: str) -> bool:
    """Whether a path is that of an entity's facts."""
    return path == place_of(slug_at(path))


def read_entity(document: Mapping[str, Any], own: Mapping[str, Any], slug: str = "") -> Entity:
    """Read the entity in a document that anybody may have written: an item that is no fact, or has
    the id of another, is `odd`. An entity without a name is called by its slug."""
    beside = object_of(own.get(FACTS))
    # An undated historical fact was historical when its file was written.
    written = text_of(own.get("updated") or own.get("created")) or None
    facts: dict[str, Fact] = {}
    odd: list[Any] = []
    for item in list_of(document.get("items")):
        item_fields = object_of(item)
        fact = read_fact(item_fields, object_of(beside.get(text_of(item_fields.get("id")))))
        if fact is None or fact.id in facts:
            odd.append(item)
            continue
        if not fact.active and fact.until is None and not fact.turned:
            fact = fact.replace(turned=written)
        facts[fact.id] = fact
    said = ("name", "entityType", "aliases", "items")
    return Entity(
        trimmed(document.get("name")) or slug.replace("-", " ").title(),
        trimmed(document.get("entityType")),
        list(dict.fromkeys(trimmed_texts(document.get("aliases")))),
        [*facts.values()],
        {key: value for key, value in document.items() if key not in said},
        odd,
    )


def entity_fields(document: Mapping[str, Any]) -> dict[str, Value]:
    """Return an entity's fields as an entry: its aliases, its type as a tag, and the beginning of
    its earliest fact as `valid_from`."""
    fields: dict[str, Value] = {}
    if aliases := trimmed_texts(document.get("aliases")):
        fields["aliases"] = list(aliases)
    if type_ := trimmed(document.get("entityType")):
        fields["tags"] = [type_]
    facts = read_entity(document, {}).facts
    if begun := [fact.since for fact in facts if fact.since is not None]:
        fields["valid_from"] = format_instant(min(begun))
    return fields


def render_entity(document: Mapping[str, Any]) -> tuple[str, str]:
    """Return an entity as a title and the text under it: the facts that hold, the newest first,
    then the former ones with their ends. The text of facts is no markup."""
    entity = read_entity(document, {})
    title = shorten(entity.name or "nobody", _MOST_TITLE)
    return title, "\n".join(_lines(entity)) + "\n"


def _lines(entity: Entity) -> Iterator[str]:
    said = [entity.type[:1].upper() + entity.type[1:]] if entity.type else []
    if entity.aliases:
        said.append("also known as " + ", ".join(map(quote_links, entity.aliases)))
    if said:
        yield ", ".join(said) + "."
        yield ""
    for fact in reversed(entity.active):
        began, stated = fact.since, read_instant(fact.created_at)
        # A fact that was stated before it began may not have begun yet.
        later = began is not None and stated is not None and began > stated
        when = f" (from {(fact.valid_from or '')[:10]})" if later else ""
        yield f"- {quote_links(shorten(fact.content, 500))}{when}"
    if entity.historical:
        yield ""
        yield "## No longer so"
        yield ""
    for fact in reversed(entity.historical):
        until = f" (until {fact.valid_to[:10]})" if fact.valid_to else ""
        yield f"- {quote_links(shorten(fact.content, 500))}{until}"


RECORD = RecordKind(render_entity, entity_fields)
