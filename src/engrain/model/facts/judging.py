"""What a new fact means for the known facts of the same entity (S4.3, S4.9).

Deterministic, and by words alone: what is not understood stands beside what is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engrain.language.statements.judge import CONTRADICT, REPEAT, compare
from engrain.language.statements.judge import Verdict as Compared
from engrain.language.statements.reading import read_fact
from engrain.language.statements.statement import Statement
from engrain.language.text.instants import read_instant
from engrain.model.facts.fact import Fact

_read_fact = lru_cache(maxsize=4096)(read_fact)

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


def judge(new: Fact, known: Sequence[Fact], names: Sequence[str] = ()) -> Verdict:
    """What `new` means for the `known` facts of the same entity, which goes by `names`.

    Of two that exclude one another the later holds: that from whose `valid_from`, else when it was
    said, is later. Where these are equal or unknown they are disputed, unless the new one says
    itself that the other is over. A historical one is only met again, by what was said while it
    held.
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
            return Verdict(DUPLICATE, (fact,), "says the same")
        if fact.active and not _apart(new, fact) and not _apart(fact, new):
            kind, conflict = _place(_order(new, fact), verdict, statement, other)
            if conflict.relation == CONTRADICT:
                found[kind].append((fact, conflict.reason))
    for kind, conflicts in found.items():
        if conflicts:
            facts, reasons = zip(*conflicts, strict=True)
            return Verdict(kind, facts, "; ".join(dict.fromkeys(reasons)))
    return Verdict(NEW)


def _place(
    order: int | None, verdict: Compared, new: Statement, known: Statement
) -> tuple[str, Compared]:
    """What a new fact may be to a known one by their order, and the verdict that decides it."""
    if order is not None and order < 0:
        return OUTDATED, compare(known, new)
    if order is not None or verdict.ends:
        return SUPERSEDES, verdict
    return DISPUTED, verdict if verdict.relation == CONTRADICT else compare(known, new)


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
    return _read_fact(fact.content, names, edge, fact.entity_type)
