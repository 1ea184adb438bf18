"""Entities: a person, a company, a project, or anything else facts are about (S4.1).

Each has a folder with `items.json`, its facts; a summary and the index of all are generated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from unicodedata import normalize

from engrain.language.text.folding import drop_invisible, fold
from engrain.language.text.instants import format_instant, read_instant
from engrain.language.text.lines import quote_links, shorten
from engrain.model.errors import UsageError
from engrain.model.facts.fact import Fact, find_ends, read_fact
from engrain.model.note.documents import list_of, object_of, text_of, trimmed, trimmed_texts
from engrain.model.note.field import Value
from engrain.model.note.json_note import RecordKind

MOST_NAME = 100
"""Characters of a name."""
_MOST_WORDS = 12
_LINK = re.compile(r"!?\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]|!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"[\[\]<>`*|{}\\/\"“”«»\x00-\x1f\x7f-\x9f]+")
_APART = re.compile(r"[\s_\-.,'’()]+")
_TITLES = frozenset(("mr", "mrs", "ms", "miss", "mx", "dr", "prof", "sir", "herr", "frau"))
# Legal forms, as they end the name of a company.
_FORMS = frozenset(
    ("ab", "ag", "aps", "as", "asa", "bv", "co", "company", "corp", "corporation", "gmbh", "inc",
     "incorporated", "kg", "limited", "llc", "llp", "ltd", "lp", "nv", "oy", "oyj", "plc", "pty",
     "sa", "sarl", "sas", "se", "spa", "srl")
)  # fmt: skip


def clean_entity_name(name: str) -> str:
    """A name as it may stand in a document: without links, markup and control characters, on one
    line. Raises UsageError for what names nobody."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UsageError("a name is not valid Unicode", remedy="give it in UTF-8") from None
    text = _LINK.sub(lambda found: found[1] or found[2] or "", normalize("NFC", name))
    if "://" in text:
        raise UsageError(
            f"{name[:40]!a} is an address, not a name", remedy="name the person, company or project"
        )
    text = " ".join(drop_invisible(_MARKUP.sub(" ", text)).split()).strip(" -_.,;:#'’")
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
    """What two ways to write one name share: case, blanks and points make no difference, nor does
    the @ of a handle or how somebody is addressed."""
    words = [word for word in _APART.sub(" ", fold(name).removeprefix("@")).split() if word]
    if len(words) > 1 and words[0] in _TITLES:
        words = words[1:]
    return " ".join(words)


def bare_key(name: str) -> str:
    """The key of a company's name without its legal form."""
    words = name_key(name).split()
    while len(words) > 1 and words[-1] in _FORMS:
        words.pop()
    return " ".join(words)


def has_form(name: str) -> bool:
    """Whether a name ends in a legal form, as only companies' do."""
    return bare_key(name) != name_key(name)


def first_name(name: str) -> str:
    """The key of the first of several words of a name, "" where it is one word, an initial or an
    address."""
    words = name_key(name).split()
    return words[0] if len(words) > 1 and len(words[0]) > 1 and "@" not in name else ""


def is_said_by(name: str, names: Sequence[str]) -> bool:
    """Whether a name is one of some, however it is written."""
    key = name_key(name)
    return any(name_key(other) == key for other in names)


KIND = "entity"
FOLDER = "Memory/entities"
ITEMS = "items.json"
SUMMARY = "summary.md"
INDEX = f"{FOLDER}/index.json"
FACTS = "facts"
"""The key, among the entry's own fields, of what stands beside each fact."""
MERGED = "merged"
"""The key of what was merged into it, so that it can be split again."""

OPERATOR_NAME = "operator.name"
"""The setting with the name of the person whose memory this is."""
OPERATOR_ENTITY = "operator"
"""The entity that their facts are about where it is not set."""

_MOST_TITLE = 200


class Entity:
    """One subject: its `name`, type, `aliases` and facts in the order in which they came.

    `rest` are keys of its document that are not Engrain's, and `odd` what stands among its facts
    and is none: they stay.
    """

    def __init__(
        self,
        name: str,
        type_: str = "",
        aliases: Sequence[str] = (),
        facts: Iterable[Fact] = (),
        rest: Mapping[str, Any] | None = None,
        odd: Sequence[Any] = (),
    ) -> None:
        self.name = name
        self.type = type_
        self.aliases = tuple(aliases)
        self.facts = tuple(facts)
        self.rest = dict(rest or {})
        self.odd = tuple(odd)

    @property
    def names(self) -> tuple[str, ...]:
        """What it goes by, its name first."""
        return self.name, *self.aliases

    @property
    def active(self) -> list[Fact]:
        """The facts that hold."""
        return [fact for fact in self.facts if fact.active]

    @property
    def historical(self) -> list[Fact]:
        """The facts that held once."""
        return [fact for fact in self.facts if not fact.active]

    def held_at(self, at: float) -> list[Fact]:
        """The facts that held at a moment, in epoch seconds, as is known now: from valid_from, else
        from when they were said, until they ended. Of what nobody dated it is not known."""
        ends = find_ends(self.facts)
        return [
            fact
            for fact in self.facts
            if fact.since is not None
            and fact.since <= at
            and ((end := ends[fact.id]) is None or at < end)
        ]

    def find(self, id_: str) -> Fact | None:
        """A fact by its id."""
        return next((fact for fact in self.facts if fact.id == id_), None)

    def replace(self, **changes: Any) -> Entity:
        """The same entity with some values changed."""
        values = {"name": self.name, "type_": self.type, "aliases": self.aliases}
        kept = {"facts": self.facts, "rest": self.rest, "odd": self.odd}
        return Entity(**{**values, **kept, **changes})

    def document(self) -> dict[str, Any]:
        """What stands in `items.json`, but for the entry's own fields."""
        return {
            "name": self.name,
            "entityType": self.type,
            "aliases": list(self.aliases),
            **self.rest,
            "items": [*(fact.document() for fact in self.facts), *self.odd],
        }

    def bookkeeping(self) -> dict[str, Any]:
        """What stands beside its facts, by their ids."""
        kept = ((fact.id, fact.bookkeeping()) for fact in self.facts)
        return {id_: beside for id_, beside in kept if beside}


def place_of(slug: str) -> str:
    """Where an entity's facts stand."""
    return f"{FOLDER}/{slug}/{ITEMS}"


def slug_at(path: str) -> str:
    """The slug of the entity whose folder a path lies in."""
    return path.rpartition("/")[0].rpartition("/")[2]


def is_entity_place(path: str) -> bool:
    """Whether an entity's facts stand at a path: a note about one may stand elsewhere."""
    return path == place_of(slug_at(path))


def read_entity(document: Mapping[str, Any], own: Mapping[str, Any], slug: str = "") -> Entity:
    """The entity in a document that anybody may have written: what is no fact in it is `odd`, a
    second one of an id too. One without a name goes by its slug."""
    beside = object_of(own.get(FACTS))
    # A historical fact was so at the latest when its file was written.
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
        facts.values(),
        {key: value for key, value in document.items() if key not in said},
        odd,
    )


def entity_fields(document: Mapping[str, Any]) -> dict[str, Value]:
    """What an entity says of the fields of every entry: its aliases, its type as a tag, and from
    when on anything is known of it, which may be long before its file was made."""
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
    """An entity as a title and the text under it: what holds, the newest first, then what held and
    until when. What facts say is no markup."""
    entity = read_entity(document, {})
    title = " ".join((entity.name or "nobody").split())[:_MOST_TITLE]
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
        # What was said before it began may not have begun yet.
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
