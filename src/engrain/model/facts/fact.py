"""Atomic facts, each with the seed's fields (S4.8) and the time in which it held.

What is written of a fact in `items.json` are exactly those fields; what Engrain knows besides
(whom it comes from, how often it was met) stands beside them, by the fact's id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import Any

from engrain.language.text.instants import read_instant
from engrain.model.note.documents import count_of, object_of, trimmed, trimmed_texts
from engrain.model.note.tiers import ORIGINS

ACTIVE = "active"
HISTORICAL = "historical"

CONVERSATION = "conversation"
MEETING = "meeting"
TRANSCRIPT = "transcript"
MANUAL = "manual"
SOURCES = (CONVERSATION, MEETING, TRANSCRIPT, MANUAL)
"""What a fact may be drawn from."""

MOST_CONTENT = 500
"""Characters of a fact: it is one statement."""
MOST_REFS = 8
"""Of the further places where a fact was met so many are kept."""


@dataclass(slots=True, eq=False)
class Edge:
    """What a fact says as a relation: the slug of its subject, a predicate in words joined by `_`,
    and the slug of another entity or a value as it is written."""

    subject: str
    predicate: str
    object: str

    def document(self) -> dict[str, str]:
        """The seed's object."""
        return {"subject": self.subject, "predicate": self.predicate, "object": self.object}


@dataclass(slots=True, eq=False)
class Fact:
    """One statement about one entity.

    `created_at` is when it was said, `valid_from` and `valid_to` when it began and ceased to hold
    in the world, all ISO-8601 as written, None where it is not known. `supersedes` is the id of the
    fact it replaced. Beside the seed's fields: `trust` is the origin of its source, `confidence`
    from 0 to 1, `seen` how often it was met again, `refs` where, `met` when it was said last where
    that is after `created_at`, `disputes` the ids of facts that say otherwise without it being
    clear which holds, `of` the slug under which it was said where that is another entity's now,
    `truncated` whether its text was cut for its age, and `turned` by when it was known to be
    historical, where nobody said until when it held.
    """

    id: str
    content: str
    _: KW_ONLY
    source: str = MANUAL
    source_ref: str | None = None
    entity_type: str = ""
    created_at: str | None = None
    status: str = ACTIVE
    supersedes: str | None = None
    edge: Edge | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    trust: str = "external"
    confidence: float | None = None
    seen: int = 0
    refs: Sequence[str] = ()
    met: str | None = None
    disputes: Sequence[str] = ()
    of: str = ""
    truncated: bool = False
    turned: str | None = None

    def __post_init__(self) -> None:
        self.refs = tuple(self.refs)
        self.disputes = tuple(self.disputes)

    @property
    def active(self) -> bool:
        """Whether it holds, as far as is known."""
        return self.status == ACTIVE

    @property
    def since(self) -> float | None:
        """From when on it held, in epoch seconds: else when it was said."""
        begun = _instant(self.valid_from)
        return _instant(self.created_at) if begun is None else begun

    @property
    def until(self) -> float | None:
        """When it ceased to hold, None where it holds or nobody knows."""
        return _instant(self.valid_to)

    def holds_at(self, at: float) -> bool:
        """Whether the fact holds at a moment: it is active, has begun and is not over. A fact
        without a date has begun."""
        since, until = self.since, self.until
        begun = since is None or since <= at
        return self.active and begun and (until is None or at < until)

    def replace(self, **changes: Any) -> Fact:
        """The same fact with some values changed."""
        values = {slot: getattr(self, slot) for slot in self.__slots__ if slot != "id"}
        return Fact(self.id, **{**values, **changes})

    def document(self) -> dict[str, Any]:
        """The seed's object, its keys in the seed's order, and the two of validity."""
        return {
            "id": self.id,
            "content": self.content,
            "source": self.source,
            "sourceRef": self.source_ref,
            "entityType": self.entity_type,
            "createdAt": self.created_at,
            "status": self.status,
            "supersedes": self.supersedes,
            "edge": None if self.edge is None else self.edge.document(),
            "valid_from": self.valid_from,
            "valid_to": self.valid_to,
        }

    def bookkeeping(self) -> dict[str, Any]:
        """What stands beside it, less what says nothing."""
        kept = {
            "trust": self.trust,
            "confidence": self.confidence,
            "seen": self.seen,
            "refs": list(self.refs),
            "met": self.met,
            "disputes": list(self.disputes),
            "of": self.of,
            "truncated": self.truncated,
            "turned": self.turned,
        }
        return {key: value for key, value in kept.items() if value not in (None, 0, "", [], False)}


@lru_cache(maxsize=8192)
def _instant(written: str | None) -> float | None:
    """Each time that is judged is read again for every fact that comes."""
    return read_instant(written)


def read_fact(document: Mapping[str, Any], beside: Mapping[str, Any]) -> Fact | None:
    """The fact in an object that anybody may have written; None for one that says nothing or has no
    id. A value that is none counts as not given."""
    id_, content = trimmed(document.get("id")), " ".join(trimmed(document.get("content")).split())
    if not id_ or not content:
        return None
    edge = object_of(document.get("edge"))
    parts = [trimmed(edge.get(key)) for key in ("subject", "predicate", "object")]
    trust = trimmed(beside.get("trust"))
    given = {
        field: trimmed(place.get(key)) or None
        for place, keys in ((document, _DATES_AND_PLACES), (beside, _BESIDE))
        for field, key in keys.items()
    }
    return Fact(
        id_,
        content,
        source=trimmed(document.get("source")) or MANUAL,
        entity_type=trimmed(document.get("entityType")),
        status=HISTORICAL if trimmed(document.get("status")) == HISTORICAL else ACTIVE,
        edge=Edge(*parts) if all(parts) else None,
        trust=trust if trust in ORIGINS else "external",
        confidence=_share(beside.get("confidence")),
        seen=count_of(beside.get("seen")),
        refs=trimmed_texts(beside.get("refs")),
        disputes=trimmed_texts(beside.get("disputes")),
        of=trimmed(beside.get("of")),
        truncated=beside.get("truncated") is True,
        **given,
    )


_DATES_AND_PLACES = {
    "source_ref": "sourceRef", "created_at": "createdAt", "supersedes": "supersedes",
    "valid_from": "valid_from", "valid_to": "valid_to",
}  # fmt: skip
_BESIDE = {"met": "met", "turned": "turned"}
"""Fields of a fact, None where they are not given, and their names in the file."""


def _share(value: object) -> float | None:
    """A number from 0 to 1; None for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return min(1.0, max(0.0, float(value)))


def find_ends(facts: Iterable[Fact]) -> dict[str, float | None]:
    """When each fact ceased to hold, by its id; None for one that holds. Where nobody said it, a
    historical one held until its successor began, else until it was known to be historical (DESIGN
    section 6), at the latest when the last of them began."""
    facts = list(facts)
    last = max((fact.since for fact in facts if fact.since is not None), default=None)
    followed: dict[str, list[float]] = {}
    for fact in facts:
        if fact.supersedes and fact.since is not None:
            followed.setdefault(fact.supersedes, []).append(fact.since)
    ends: dict[str, float | None] = {}
    for fact in facts:
        end = fact.until
        if end is None and not fact.active:
            turned = _instant(fact.turned)
            end = min(followed.get(fact.id, ()), default=last if turned is None else turned)
        ends[fact.id] = end
    return ends


@dataclass(slots=True, eq=False)
class FactDraft:
    """A fact as somebody gives it to be added.

    `entity` is its subject by any name, `entity_type` "" where that is not known; `content` is one
    statement that can be read by itself; `edge` is a predicate and the name of the object. `at` is
    when it was said, `valid_from` and `valid_to` when it held, in epoch seconds. `source` is one of
    `SOURCES` and `ref` says which. `trust` is the origin of that source, "" for the caller's.
    """

    entity: str
    content: str
    _: KW_ONLY
    entity_type: str = ""
    edge: tuple[str, str] | None = None
    source: str = MANUAL
    ref: str | None = None
    at: float | None = None
    valid_from: float | None = None
    valid_to: float | None = None
    confidence: float | None = None
    trust: str = ""


OPERATOR = "operator"
AGENT = "agent"
OTHER = "other"
DOCUMENT = "document"


@dataclass(slots=True, eq=False)
class Turn:
    """One utterance, or one paragraph of a text that nobody in particular says.

    `speaker` is a name, "" where none is known; `role` is `operator` for the person whose memory
    this is, `agent` for their assistant, `other` for anyone else, `document` for written text. `at`
    is when it was said, in epoch seconds, None if the source does not say; `key` is what the
    source calls it, "" for nothing.
    """

    speaker: str
    role: str
    text: str
    at: float | None = None
    key: str = ""


@dataclass(slots=True, eq=False)
class Conversation:
    """One session, meeting or document of a source.

    `ref` names it for good (a session's id, a file's name) and `kind` is what its facts are drawn
    from, one of `model.facts.SOURCES`. `turns` are read once, in order. `at` is when it took place,
    for turns that do not say. `cwd` is the folder an agent's session ran in, "" where it is none.
    """

    ref: str
    kind: str
    turns: Iterable[Turn]
    at: float | None = None
    cwd: str = ""
