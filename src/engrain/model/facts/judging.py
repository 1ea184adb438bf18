"""Decides what a new fact means for the known facts of the same entity (S4.3, S4.9).

It is deterministic and only uses words: a fact that it does not understand is simply added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engrain.language.statements.facts import FactStatement, compare, read_fact
from engrain.language.statements.predicates import TYPES, find_predicate
from engrain.language.statements.verdicts import CONTRADICT, REPEAT
from engrain.language.statements.verdicts import StatementVerdict as Compared
from engrain.language.text.folding import fold, slugify
from engrain.language.text.instants import format_instant, read_instant
from engrain.model.facts.fact import ACTIVE, Fact, FactEdge
from engrain.model.note.note import hash_bytes
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ORIGINS

FORGOTTEN = "forgotten"
"""The key, among an entity's own fields, of digests of removed statements, so that reading their
source again does not restore them."""

_DIGITS = 16


def digest_of(content: str) -> str:
    """Return the digest by which a removed statement is recognised."""
    return hash_bytes(statement_key(content).encode())[:_DIGITS]


def statement_key(content: str) -> str:
    """Return a statement without differences of case, blanks and final punctuation."""
    return " ".join(fold(content).split()).strip(" .!…\"'“”")


def met_there(fact: Fact, new: Fact, dated: bool) -> bool:
    """Whether a fact with the same words comes from the same place as `new`."""
    if new.source_ref is not None:
        return new.source_ref in (fact.source_ref, *fact.refs)
    return dated and fact.source_ref is None and new.created_at in (fact.created_at, fact.met)


def said_within(new: Fact, fact: Fact) -> bool:
    """Whether `new` began while a former fact still held."""
    since, until = new.since, fact.until
    return not fact.active and until is not None and since is not None and since < until


def outranks(one: Fact, other: Fact) -> bool:
    """Whether the source of one fact is trusted more than that of the other."""
    return ORIGINS.index(one.trust) < ORIGINS.index(other.trust)


def last_said(fact: Fact) -> float | None:
    """Return when a fact was stated last, in epoch seconds."""
    met = read_instant(fact.met)
    return fact.since if met is None else max(met, fact.since or met)


def as_last_said(fact: Fact) -> Fact:
    """Return a known fact for the judge: it was true when it was stated last."""
    at = last_said(fact)
    if fact.met is None or at is None or at == fact.since:
        return fact
    return fact.replace(created_at=format_instant(at), valid_from=None)


def by_name(fact: Fact) -> Fact:
    """Return a fact for the judge: its edge has the object's name instead of the slug, so that it
    can be compared with a text."""
    edge = fact.edge
    row = None if edge is None else find_predicate(edge.predicate)
    if edge is None or row is None or row.range not in TYPES:
        return fact
    if edge.object != slugify(edge.object, ""):
        return fact
    name = edge.object.replace("-", " ").title()
    return fact.replace(edge=FactEdge(edge.subject, edge.predicate, name))


def put_before(fact: Fact, new: Fact) -> Fact:
    """Return a known fact as if it were before a fact that is stated now, since its clock may have
    been a little ahead."""
    at, since = fact.since, new.since
    if at is None or since is None or not since - DAY < at < since + DAY:
        return fact
    return fact.replace(created_at=format_instant(since - DAY), valid_from=None)


def revived(fact: Fact) -> Fact:
    """Return a historical fact as it was when it held."""
    return fact.replace(status=ACTIVE, valid_to=None)


def moments_of(fact: Fact, new: Fact) -> dict[str, str | None]:
    """Return the fields with the first and last time of a fact that was repeated."""
    first, again = read_instant(fact.created_at), read_instant(new.created_at)
    if again is None:
        return {}
    if first is None or again < first:
        return {"created_at": new.created_at, "met": fact.met or fact.created_at}
    last = read_instant(fact.met)
    if again > (first if last is None else max(first, last)):
        return {"met": new.created_at}
    return {}


_read_fact = lru_cache(maxsize=4096)(read_fact)

NEW = "new"
DUPLICATE = "duplicate"
SUPERSEDES = "supersedes"
DISPUTED = "disputed"
OUTDATED = "outdated"


@dataclass(slots=True, eq=False)
class FactVerdict:
    """What a new fact means for the known `facts` that it concerns, and why, in words.

    NEW: it is added. DUPLICATE: it says the same as the one of `facts`. SUPERSEDES: `facts` no
    longer hold. DISPUTED: it contradicts `facts`, and nothing shows which hold. OUTDATED: `facts`
    came after it and contradict it, so it is historical.
    """

    kind: str
    facts: Sequence[Fact] = ()
    reason: str = ""


def judge(new: Fact, known: Sequence[Fact], names: Sequence[str] = ()) -> FactVerdict:
    """Return what `new` means for the `known` facts of the same entity, which has these `names`.

    Of two contradicting facts the one with the later `valid_from` holds, else the one stated later.
    If these are equal or unknown, they are disputed, unless the new one itself says that the other
    is over. A historical fact can only be repeated, by one stated while it held.
    """
    called = tuple(sorted(names))
    statement = _read(new, called)
    found: dict[str, list[tuple[Fact, str]]] = {OUTDATED: [], DISPUTED: [], SUPERSEDES: []}
    for fact in known:
        again = _meets_again(new, fact)
        if not again and not fact.active:
            continue
        other = _read(fact, called)
        verdict = compare(statement, other)
        if again and verdict.relation == REPEAT:
            return FactVerdict(DUPLICATE, (fact,), "says the same")
        if fact.active and not _apart(new, fact) and not _apart(fact, new):
            kind, conflict = _place(_order(new, fact), verdict, statement, other)
            if conflict.relation == CONTRADICT:
                found[kind].append((fact, conflict.reason))
    for kind, conflicts in found.items():
        if conflicts:
            facts, reasons = zip(*conflicts, strict=True)
            return FactVerdict(kind, facts, "; ".join(dict.fromkeys(reasons)))
    return FactVerdict(NEW)


def _place(
    order: int | None, verdict: Compared, new: FactStatement, known: FactStatement
) -> tuple[str, Compared]:
    """Return what a new fact may be for a known one by their order, and the deciding verdict."""
    if order is not None and order < 0:
        return OUTDATED, compare(known, new)
    if order is not None or verdict.ends:
        return SUPERSEDES, verdict
    return DISPUTED, verdict if verdict.relation == CONTRADICT else compare(known, new)


def _apart(one: Fact, other: Fact) -> bool:
    """Whether one fact had ceased to hold before the other began."""
    until, since = one.until, other.since
    return until is not None and since is not None and until <= since


def _order(new: Fact, fact: Fact) -> int | None:
    """Return 1 if the new fact is later, -1 if it is earlier, None if that is unknown."""
    one, other = new.since, fact.since
    if one is None or other is None or one == other:
        return None
    return 1 if one > other else -1


def _meets_again(new: Fact, fact: Fact) -> bool:
    """Whether a fact held when `new` was stated, or still holds."""
    if fact.active:
        return True
    said, until = read_instant(new.created_at), fact.until
    return until is None or said is None or said < until


def _read(fact: Fact, names: tuple[str, ...]) -> FactStatement:
    edge = (fact.edge.predicate, fact.edge.object) if fact.edge else None
    return _read_fact(fact.content, names, edge)
