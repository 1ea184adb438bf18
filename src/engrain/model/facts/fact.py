"""Atomic facts, each with the seed's fields (S4.8) and the time in which it holds; and the turns of
conversations from which facts are drawn (S4.4).

A fact in `items.json` has exactly those fields. Its bookkeeping (its origin, how often it was
stated) is kept beside it, by the fact's id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, replace
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
"""The kinds of sources of a fact."""

MOST_CONTENT = 500
"""The most characters of a fact, which is one statement."""
MOST_REFS = 8
"""The most further references that are kept of a fact."""


@dataclass(slots=True, eq=False)
class FactEdge:
    """A fact as a relation: the slug of its subject, a predicate of words joined by `_`, and the
    slug of another entity or a value as written."""

    subject: str
    predicate: str
    object: str

    def document(self) -> dict[str, str]:
        """Return the seed's object."""
        return asdict(self)


@dataclass(slots=True, eq=False)
class Fact:
    """One statement about one entity.

    `created_at` is when it was stated, `valid_from` and `valid_to` when it began and ceased to hold
    in the world, all ISO-8601 as written, None if unknown. `supersedes` is the id of the fact it
    replaced. The bookkeeping: `trust` is the origin of its source, `confidence` from 0 to 1, `seen`
    how often it was repeated, `refs` where, `met` when it was stated last if after `created_at`,
    `disputes` the ids of contradicting facts when it is unclear which holds, `truncated` whether
    its text was cut for its age, and `turned` when it was first known to be historical, if its end
    is unknown.
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
    edge: FactEdge | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    trust: str = "external"
    confidence: float | None = None
    seen: int = 0
    refs: Sequence[str] = ()
    met: str | None = None
    disputes: Sequence[str] = ()
    truncated: bool = False
    turned: str | None = None

    def __post_init__(self) -> None:
        self.refs = tuple(self.refs)
        self.disputes = tuple(self.disputes)

    @property
    def active(self) -> bool:
        """Whether it still holds, as far as is known."""
        return self.status == ACTIVE

    @property
    def since(self) -> float | None:
        """When it began to hold, else when it was stated, in epoch seconds."""
        begun = _instant(self.valid_from)
        return _instant(self.created_at) if begun is None else begun

    @property
    def until(self) -> float | None:
        """When it ceased to hold, None if it holds or nobody knows."""
        return _instant(self.valid_to)

    def holds_at(self, at: float) -> bool:
        """Whether it is active, has begun and is not over at a moment; an undated fact has
        begun."""
        since, until = self.since, self.until
        begun = since is None or since <= at
        return self.active and begun and (until is None or at < until)

    def replace(self, **changes: Any) -> Fact:
        """Return the same fact with some values changed."""
        return replace(self, **changes)

    def document(self) -> dict[str, Any]:
        """Return the seed's object, with its keys in the seed's order, and the two of validity."""
        said = {key: getattr(self, name) for name, key in _KEYS.items()}
        return {**said, "edge": None if self.edge is None else self.edge.document()}

    def bookkeeping(self) -> dict[str, Any]:
        """Return its bookkeeping without empty values."""
        kept = {name: getattr(self, name) for name in _BOOKKEEPING}
        kept |= {name: list(kept[name]) for name in ("refs", "disputes")}
        return {key: value for key, value in kept.items() if value not in (None, 0, "", [], False)}


_KEYS = {
    "id": "id", "content": "content", "source": "source", "source_ref": "sourceRef",
    "entity_type": "entityType", "created_at": "createdAt", "status": "status",
    "supersedes": "supersedes", "edge": "edge", "valid_from": "valid_from", "valid_to": "valid_to",
}  # fmt: skip
"""The fields of a fact's document, and their keys there."""
_BOOKKEEPING = (
    "trust", "confidence", "seen", "refs", "met", "disputes", "truncated", "turned",
)  # fmt: skip


@lru_cache(maxsize=8192)
def _instant(written: str | None) -> float | None:
    """Read a time; cached, since every incoming fact is compared with all."""
    return read_instant(written)


def read_fact(document: Mapping[str, Any], beside: Mapping[str, Any]) -> Fact | None:
    """Read the fact in an object that anybody may have written; None without an id or content.
    A value of a wrong type counts as missing."""
    id_, content = trimmed(document.get("id")), " ".join(trimmed(document.get("content")).split())
    if not id_ or not content:
        return None
    edge = object_of(document.get("edge"))
    parts = [trimmed(edge.get(key)) for key in ("subject", "predicate", "object")]
    trust = trimmed(beside.get("trust"))
    texts = ("source_ref", "created_at", "supersedes", "valid_from", "valid_to")
    given = {name: trimmed(document.get(_KEYS[name])) or None for name in texts}
    given |= {name: trimmed(beside.get(name)) or None for name in ("met", "turned")}
    return Fact(
        id_,
        content,
        source=trimmed(document.get("source")) or MANUAL,
        entity_type=trimmed(document.get("entityType")),
        status=HISTORICAL if trimmed(document.get("status")) == HISTORICAL else ACTIVE,
        edge=FactEdge(*parts) if all(parts) else None,
        trust=trust if trust in ORIGINS else "external",
        confidence=_share(beside.get("confidence")),
        seen=count_of(beside.get("seen")),
        refs=trimmed_texts(beside.get("refs")),
        disputes=trimmed_texts(beside.get("disputes")),
        truncated=beside.get("truncated") is True,
        **given,
    )


def _share(value: object) -> float | None:
    """Return a number, clamped to 0 to 1; None if it is no number."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return min(1.0, max(0.0, float(value))) if number else None  # type: ignore[arg-type]


def find_ends(facts: Iterable[Fact]) -> dict[str, float | None]:
    """Return when each fact ceased to hold, by its id; None for one that holds. A historical fact
    without an end held until its successor began, else until it was known to be historical (DESIGN
    section 6), else until the last fact began."""
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
    """A fact to be added.

    `entity` is its subject by any name, `entity_type` "" if unknown; `content` is one statement
    that can be understood alone; `edge` is a predicate and the name of the object. `at` is when it
    was stated, `valid_from` and `valid_to` when it held, in epoch seconds. `source` is one of
    `SOURCES`, `ref` identifies it, and `trust` is its origin, "" for the caller's.
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
    """One utterance, or one paragraph of a written text.

    `speaker` is a name, "" if unknown; `role` is `operator` for the person whose memory this is,
    `agent` for their assistant, `other` for anyone else, `document` for written text. `at` is when
    it was said (epoch seconds), None if unknown; `key` is its id in the source, "" for none.
    """

    speaker: str
    role: str
    text: str
    at: float | None = None
    key: str = ""


@dataclass(slots=True, eq=False)
class Conversation:
    """One session, meeting or document of a source.

    `ref` identifies it (a session's id, a file's name); `kind` is one of SOURCES. `turns` are read
    once, in order. `at` is when it took place, for turns without a time. `cwd` is the folder of an
    agent's session, "" for none.
    """

    ref: str
    kind: str
    turns: Iterable[Turn]
    at: float | None = None
    cwd: str = ""
