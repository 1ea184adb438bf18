"""The forms of patterns, anti-patterns and facts in the loki layout: their fields, and the
conversion to and from notes (loki's "Semantic Memory Schema")."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from engrain.language.text.fences import shorten
from engrain.model.experience.patterns import (
    AntiPattern,
    Pattern,
    compose_anti_pattern,
    compose_pattern,
    make_anti_pattern,
    make_pattern,
    read_anti_pattern,
    read_pattern,
)
from engrain.model.interchange.documents import fraction_in
from engrain.model.links.link import MADE, MIRRORED
from engrain.model.note.documents import list_of, text_of, texts_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import compose_note

Flat: TypeAlias = "dict[str, Any]"
"""A document with loki's fields and our own side by side."""

_MAX_TITLE = 200
_PATTERN = (
    "id", "pattern", "category", "conditions", "correct_approach", "incorrect_approach",
    "confidence", "source_episodes", "usage_count", "last_used", "links",
)  # fmt: skip
_ANTI_PATTERN = ("id", "what_fails", "why", "prevention", "source")
_ANTI_PATTERN_ADDED = (
    "sources", "confidence", "actions", "signature", "usage_count", "last_used", "links",
)  # fmt: skip


@dataclass(slots=True, eq=False)
class Form:
    """The form of one kind: loki's `fields` in their order, our `added` ones (which are stored
    under `engrain`), and functions that `compose` a note's fields and body, `read` a note, and list
    the episodes that a document cites (`sources`)."""

    fields: Sequence[str]
    added: Sequence[str]
    compose: Callable[[Flat, Sequence[str]], tuple[dict[str, Value], str]]
    read: Callable[[Entry], Flat]
    sources: Callable[[Flat], Sequence[str]]


def as_entry(fields: Mapping[str, Value], body: str) -> Entry:
    """Return the entry of a note that has no place yet."""
    return Entry("Memory/note.md", compose_note(fields, body), "")


def _compose_pattern(flat: Flat, derived_from: Sequence[str]) -> tuple[dict[str, Value], str]:
    pattern = make_pattern(text_of(flat["id"]), flat, _fraction(flat.get("confidence")))
    fields, body = compose_pattern(pattern, derived_from)
    return fields | _links(flat.get("links")), body


def _compose_anti_pattern(flat: Flat, derived_from: Sequence[str]) -> tuple[dict[str, Value], str]:
    said = {**flat, "sources": _anti_sources(flat)}
    anti = make_anti_pattern(text_of(flat["id"]), said, _fraction(flat.get("confidence")))
    fields, body = compose_anti_pattern(anti, derived_from)
    return fields | _links(flat.get("links")), body


def _read_anti_pattern(entry: Entry) -> Flat:
    anti = read_anti_pattern(entry)
    flat = _said(anti, _ANTI_PATTERN[:-1], entry)
    flat["source"] = anti.sources[0] if anti.sources else ""
    added = _said(anti, _ANTI_PATTERN_ADDED, entry)
    if len(anti.sources) == 1:
        del added["sources"]
    doubted = ("confidence",) if anti.confidence is not None else ()
    return flat | {key: value for key, value in added.items() if value or key in doubted}


def _said(one: Pattern | AntiPattern, names: Sequence[str], entry: Entry) -> Flat:
    """Return fields as a document has them, links as they are written."""
    said = {name: _read_links(entry) if name == "links" else getattr(one, name) for name in names}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in said.items()
    }


def _anti_sources(flat: Flat) -> list[str]:
    """Return loki's one source and our further ones."""
    source = flat.get("source")
    first = texts_of(source) if isinstance(source, list) else [text_of(source)]
    return list(dict.fromkeys(text for text in (*first, *texts_of(flat.get("sources"))) if text))


def _compose_fact(flat: Flat, derived_from: Sequence[str]) -> tuple[dict[str, Value], str]:
    fact = text_of(flat.get("fact"))
    title, _, rest = fact.partition("\n")
    whole = f"# {title}\n{rest}\n" if rest else f"# {title}\n"
    fields: dict[str, Value] = {
        "id": text_of(flat["id"]), "kind": "domain-reference", "status": "active",
    }  # fmt: skip
    if len(title) > _MAX_TITLE or _read_fact_body(as_entry(fields, whole)) != fact:
        words = shorten(fact, _MAX_TITLE) or text_of(flat["id"])
        fields["fact"] = fact
        whole = f"# {words}\n"
    if category := text_of(flat.get("category")):
        fields["category"] = category
    if (confidence := _fraction(flat.get("confidence"))) is not None:
        fields["confidence"] = confidence
    if derived_from:
        fields["derived_from"] = list(derived_from)
    if sources := texts_of(flat.get("source_episodes")):
        fields["source_episodes"] = list(sources)
    return fields | _links(flat.get("links")), whole


def _read_fact(entry: Entry) -> Flat:
    fact, sources = entry.fields.get("fact"), entry.fields.get("source_episodes")
    flat: Flat = {
        "id": entry.id,
        "fact": fact if isinstance(fact, str) else _read_fact_body(entry),
        "category": text_of(entry.fields.get("category")),
        "confidence": entry.confidence,
        "source_episodes": texts_of(sources) if sources is not None else list(entry.derived_from),
    }
    links = _read_links(entry)
    return {**flat, "links": links} if links else flat


def _read_fact_body(entry: Entry) -> str:
    text = entry.text.rstrip("\n")
    if text.startswith(entry.title):
        return text  # it was saved without a title, and the title is its beginning
    return f"{entry.title}\n{text}" if text else entry.title


def plain_links(given: object) -> list[dict[str, Any]]:
    """Return the links that a note's field can hold, with all their values."""
    return [
        dict(link)
        for link in list_of(given)
        if isinstance(link, dict)
        and link.get("to")
        and all(isinstance(part, str) for part in link.values())
    ]


def _links(given: object) -> dict[str, Value]:
    links: list[Value] = [*plain_links(given)]
    return {"links": links} if links else {}


def _read_links(entry: Entry) -> list[Any]:
    written = entry.fields.get("links")
    if isinstance(written, list) and all(isinstance(link, dict) for link in written):
        return [link for link in written if link.get(MADE) != MIRRORED]  # type: ignore[union-attr]
    return [{"to": to, "relation": relation} for to, relation in entry.links]


def _fraction(value: object) -> float | None:
    """Return a number from 0 to 1, None for any other value."""
    fraction = fraction_in(value)
    return None if fraction is None else float(fraction)


FORMS: dict[str, Form] = {
    "pattern": Form(
        _PATTERN,
        (),
        _compose_pattern,
        lambda entry: _said(read_pattern(entry), _PATTERN, entry),
        lambda flat: texts_of(flat.get("source_episodes")),
    ),
    "anti-pattern": Form(
        _ANTI_PATTERN,
        _ANTI_PATTERN_ADDED,
        _compose_anti_pattern,
        _read_anti_pattern,
        _anti_sources,
    ),
    "domain-reference": Form(
        ("id", "fact", "category", "confidence", "source_episodes"),
        ("links",),
        _compose_fact,
        _read_fact,
        lambda flat: texts_of(flat.get("source_episodes")),
    ),
}  # fmt: skip
"""By kind."""
