"""What a new fact means for the known facts of the same entity (S4.3, S4.9).

Deterministic, and by words alone: what is not understood stands beside what is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engrain.language.statements.judging import Conflict, find_conflict, is_said_by, same_words
from engrain.language.statements.reading import Statement
from engrain.language.text.instants import read_instant
from engrain.model.facts.fact import Fact

NEW = "new"
DUPLICATE = "duplicate"
SUPERSEDES = "supersedes"
DISPUTED = "disputed"
OUTDATED = "outdated"


@dataclass(slots=True, eq=False)
class Verdict:
    """What a new fact is to the known: `kind`, the `facts` it concerns, and the `reason` in words.

    NEW: it stands beside them. DUPLICATE: it says what the one of `facts` says. SUPERSEDES: those
    of `facts` hold no longer. DISPUTED: it and those can't both hold, and nothing tells which does.
    OUTDATED: those of `facts` came after it and say otherwise, so it held once.
    """

    kind: str
    facts: Sequence[Fact] = ()
    reason: str = ""


def same_statement(a: str, b: str) -> bool:
    """Whether two sentences say the same in nearly the same words: they differ in no number, name,
    negation or time."""
    return same_words(a, b)


def judge(new: Fact, known: Sequence[Fact], names: Sequence[str] = ()) -> Verdict:
    """What `new` means for the `known` facts of the same entity, which goes by `names`.

    Of two that exclude one another the later holds: that from whose `valid_from`, else when it was
    said, is later. Where these are equal or unknown they are disputed, unless the new one says
    itself that the other is over. A historical one is only met again, by what was said while it
    held.
    """
    called = tuple(sorted(names))
    statement = _read(new, called)
    for fact in known:
        other = _read(fact, called)
        same = _meets_again(new, fact) and is_said_by(statement, other)
        if same and find_conflict(statement, other) is None:
            return Verdict(DUPLICATE, (fact,), "says the same")
    found: dict[str, list[tuple[Fact, str]]] = {SUPERSEDES: [], DISPUTED: [], OUTDATED: []}
    for fact in known:
        if fact.active:
            kind, conflict = _weigh(new, statement, fact, _read(fact, called))
            if conflict is not None:
                found[kind].append((fact, conflict.reason))
    for kind in (OUTDATED, DISPUTED, SUPERSEDES):
        if found[kind]:
            facts, reasons = zip(*found[kind], strict=True)
            return Verdict(kind, facts, "; ".join(dict.fromkeys(reasons)))
    return Verdict(NEW)


def _weigh(
    new: Fact, statement: Statement, fact: Fact, other: Statement
) -> tuple[str, Conflict | None]:
    if _apart(new, fact) or _apart(fact, new):
        return SUPERSEDES, None
    order = _order(new, fact)
    if order is not None and order < 0:
        return OUTDATED, find_conflict(other, statement)
    conflict = find_conflict(statement, other)
    if order is not None:
        return SUPERSEDES, conflict
    if conflict is not None and conflict.told:
        return SUPERSEDES, conflict
    return DISPUTED, conflict or find_conflict(other, statement)


def _apart(one: Fact, other: Fact) -> bool:
    """Whether the one had ceased to hold before the other began."""
    until, since = one.until, other.since
    return until is not None and since is not None and until <= since


def _order(new: Fact, fact: Fact) -> int | None:
    """1 where the new one is later, -1 where it is earlier, None where nothing tells."""
    one, other = new.since, fact.since
    if one is None or other is None or one == other:
        return None
    return 1 if one > other else -1


def _meets_again(new: Fact, fact: Fact) -> bool:
    """Whether a fact that says the same is that of `new`: it holds, or did when that was said."""
    if fact.active:
        return True
    said, until = read_instant(new.created_at), fact.until
    return until is None or said is None or said < until


def _read(fact: Fact, names: tuple[str, ...]) -> Statement:
    edge = (fact.edge.predicate, fact.edge.object) if fact.edge else None
    return _statement(fact.content, names, edge, fact.entity_type)


@lru_cache(maxsize=4096)
def _statement(
    content: str, names: tuple[str, ...], edge: tuple[str, str] | None, type_: str
) -> Statement:
    return Statement(content, names, edge, type_)
