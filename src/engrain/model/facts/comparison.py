"""How one fact stands to another of the same entity, and how the judge is to see either."""

from __future__ import annotations

from engrain.language.statements.predicates import TYPES, find_predicate
from engrain.language.text.folding import fold
from engrain.language.text.instants import format_instant, read_instant
from engrain.language.text.slugs import slugify
from engrain.model.facts.fact import ACTIVE, Edge, Fact
from engrain.model.note.note import hash_bytes
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ORIGINS

FORGOTTEN = "forgotten"
"""The key, among an entity's own fields, of digests of statements that were taken out of it, so
that reading their source again does not bring them back."""

_DIGITS = 16


def digest_of(content: str) -> str:
    """What a statement that was taken out is known by."""
    return hash_bytes(statement_key(content).encode())[:_DIGITS]


def statement_key(content: str) -> str:
    """What two ways to write one statement share: case, blanks and the point at its end."""
    return " ".join(fold(content).split()).strip(" .!…\"'“”")


def met_there(fact: Fact, new: Fact, dated: bool) -> bool:
    """Whether a fact of the same words was met in the very place that `new` comes from."""
    if new.source_ref is not None:
        return new.source_ref in (fact.source_ref, *fact.refs)
    return dated and fact.source_ref is None and new.created_at in (fact.created_at, fact.met)


def said_within(new: Fact, fact: Fact) -> bool:
    """Whether `new` was said while a fact that holds no longer did."""
    since, until = new.since, fact.until
    return not fact.active and until is not None and since is not None and since < until


def outranks(one: Fact, other: Fact) -> bool:
    """Whether the source of one is trusted more than that of another."""
    return ORIGINS.index(one.trust) < ORIGINS.index(other.trust)


def last_said(fact: Fact) -> float | None:
    """When it was said last, in epoch seconds."""
    met = read_instant(fact.met)
    return fact.since if met is None else max(met, fact.since or met)


def as_last_said(fact: Fact) -> Fact:
    """A known fact as the judge is to see it: it was true when it was said last."""
    at = last_said(fact)
    if fact.met is None or at is None or at == fact.since:
        return fact
    return fact.replace(created_at=format_instant(at), valid_from=None)


def by_name(fact: Fact) -> Fact:
    """A fact as the judge is to see it: its edge names the object, instead of the slug, so that it
    compares with what a text says."""
    edge = fact.edge
    row = None if edge is None else find_predicate(edge.predicate)
    if edge is None or row is None or row.range not in TYPES:
        return fact
    if edge.object != slugify(edge.object, ""):
        return fact
    name = edge.object.replace("-", " ").title()
    return fact.replace(edge=Edge(edge.subject, edge.predicate, name))


def put_before(fact: Fact, new: Fact) -> Fact:
    """A known fact as what is stated at this moment comes after, if only by a moment; the clock by
    which it is dated may be a little ahead."""
    at, since = fact.since, new.since
    if at is None or since is None or not since - DAY < at < since + DAY:
        return fact
    return fact.replace(created_at=format_instant(since - DAY), valid_from=None)


def revived(fact: Fact) -> Fact:
    """A fact that held once, as it was then."""
    return fact.replace(status=ACTIVE, valid_to=None)


def moments_of(fact: Fact, new: Fact) -> dict[str, str | None]:
    """When a fact was said first and last, after it was said again."""
    first, again = read_instant(fact.created_at), read_instant(new.created_at)
    if again is None:
        return {}
    if first is None or again < first:
        return {"created_at": new.created_at, "met": fact.met or fact.created_at}
    last = read_instant(fact.met)
    if again > (first if last is None else max(first, last)):
        return {"met": new.created_at}
    return {}
