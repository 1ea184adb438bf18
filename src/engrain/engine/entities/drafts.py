"""Checks and cleans drafts of facts before they are taken in (S4.2)."""

from __future__ import annotations

import re

from engrain.engine.core.attesting import least
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Store
from engrain.language.statements.phrases import find_predicate
from engrain.language.text.instants import format_instant
from engrain.language.text.slugs import slugify
from engrain.model.errors import UsageError
from engrain.model.facts.entity import clean_entity_name
from engrain.model.facts.fact import ACTIVE, HISTORICAL, MANUAL, MOST_CONTENT, SOURCES, FactDraft
from engrain.model.note.tiers import ORIGINS

_FIRST, _LAST = -62_135_596_800, 253_402_300_799  # years 1 to 9999, as ISO-8601 writes them
_MOST_REF = 300
_MOST_OBJECT = 200
_MOST_TYPE = 40
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]+")


class Checked:
    """A draft that may be taken in: names and text cleaned, times in range, none in the future.
    `dated` tells whether the draft gave a date. Raises UsageError for a draft that can't be kept;
    secrets are replaced, and `redaction` lists the rules that hit."""

    __slots__ = (
        "at", "confidence", "content", "dated", "edge", "entity", "entity_type", "ref", "source",
        "status", "trust", "valid_from", "valid_to",
    )  # fmt: skip

    def __init__(self, store: Store, draft: FactDraft, redaction: Redaction) -> None:
        self.entity = clean_subject(redaction, draft.entity)
        self.entity_type = clean_type(redaction.clean(draft.entity_type))
        self.content = _clean_content(redaction, draft.content)
        self.source = draft.source or MANUAL
        if self.source not in SOURCES:
            raise UsageError(f"source {draft.source!r} is not one of {', '.join(SOURCES)}")
        self.ref = _clean_line(redaction, draft.ref or "", _MOST_REF) or None
        self.edge = _clean_edge(redaction, draft.edge)
        self._take_times(draft, store.clock.now())
        self.confidence = draft.confidence
        if self.confidence is not None and not 0 <= self.confidence <= 1:
            raise UsageError(f"confidence {draft.confidence} is not between 0 and 1")
        if draft.trust and draft.trust not in ORIGINS:
            raise UsageError(f"trust {draft.trust!r} is not one of {', '.join(ORIGINS)}")
        self.trust = least(store.actor.trust, draft.trust or store.actor.trust)

    def _take_times(self, draft: FactDraft, now: float) -> None:
        self.dated = draft.at is not None
        # A clock elsewhere may be ahead; nothing was said that is still to come.
        at = _in_range("its date", draft.at)
        self.at = now if at is None else min(at, now)
        begun = self.valid_from = _in_range("its beginning", draft.valid_from)
        over = self.valid_to = _in_range("its end", draft.valid_to)
        if over is not None and begun is not None and over < begun:
            raise UsageError(
                f"it ends on {format_instant(over)[:10]}, before it begins",
                remedy="give an end after its beginning",
            )
        self.status = HISTORICAL if over is not None and over <= now else ACTIVE

    @property
    def key(self) -> tuple[str, str]:
        """Whom it is about, as it is said."""
        return self.entity, self.entity_type


def clean_type(type_: str) -> str:
    """A type as one word, "" for none."""
    return slugify(type_[:_MOST_TYPE], "")


def clean_subject(redaction: Redaction, name: str) -> str:
    """A name as it may stand in a document. Raises UsageError for a name of nobody, or a secret."""
    cleaned = clean_entity_name(name)
    if redaction.clean(cleaned) != cleaned:
        raise UsageError("the name looks like a secret", remedy="say whom it is about by a name")
    return cleaned


def _clean_content(redaction: Redaction, content: str) -> str:
    text = redaction.clean(" ".join(_CONTROL.sub(" ", _valid(content)).split()))
    if not any(map(str.isalnum, text)):
        raise UsageError("the fact says nothing", remedy="give one statement, as a sentence")
    if len(text) > MOST_CONTENT:
        raise UsageError(
            f"a fact of {len(text)} characters is over {MOST_CONTENT}",
            remedy="give one statement a fact",
        )
    return text


def _clean_line(redaction: Redaction, text: str, most: int) -> str:
    return redaction.clean(" ".join(_CONTROL.sub(" ", _valid(text)).split()))[:most]


def _clean_edge(redaction: Redaction, edge: tuple[str, str] | None) -> tuple[str, str] | None:
    if edge is None:
        return None
    said, object_ = edge
    row = find_predicate(said)
    word = redaction.clean(said)[:_MOST_TYPE]
    predicate = row.name if row else slugify(word, "").replace("-", "_")
    value = _clean_line(redaction, object_, _MOST_OBJECT)
    if not predicate or not value:
        raise UsageError(
            f"{said[:40]}:{object_[:40]} is no relation",
            remedy="give a predicate and an object, such as works_at:Acme",
        )
    return predicate, value


def _valid(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("the text is not valid Unicode", remedy="give it in UTF-8") from None
    return text


def _in_range(what: str, at: float | None) -> float | None:
    if at is not None and not _FIRST <= at <= _LAST:
        raise UsageError(
            f"{what}, {at}, is in no year from 1 to 9999",
            remedy="give a date, or seconds since the epoch",
        )
    return at
