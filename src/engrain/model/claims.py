"""What a statement claims about its subject: relations, each with a value and how it is meant.

Only wordings that are understood give claims; the rest of a statement is compared by its words
(`engrain.model.claim_conflicts`).
"""

from __future__ import annotations

from functools import lru_cache

from engrain.model.claim_aspect import is_denied
from engrain.model.claim_attributes import attribute_claims
from engrain.model.claim_parts import ENDED, HELD, HOLDS, UNSURE, Claim, Clause, read_clauses
from engrain.model.claim_states import state_claims, tool_claims
from engrain.model.claim_wordings import SAME_RELATION, worded_claims
from engrain.model.predicates import VALUE, find_predicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engrain.model.predicates import Predicate


def read_claims(
    content: str, subject_names: Sequence[str], edge: tuple[str, str] | None = None
) -> tuple[Claim, ...]:
    """The claims of one statement about who goes by `subject_names`; `edge` is a predicate and an
    object that are given with it, and the surest of all."""
    names = tuple(sorted(subject_names))
    return _read(content, names, edge)


@lru_cache(maxsize=8192)
def _read(content: str, names: tuple[str, ...], edge: tuple[str, str] | None) -> tuple[Claim, ...]:
    clauses = read_clauses(content, names)
    given = [] if edge is None else [_edge_claim(edge, clauses)]
    told = (claim for clause in clauses for claim in _claims_in(clause))
    known = {claim.predicate for claim in given}
    every = (*given, *(claim for claim in told if claim.predicate not in known))
    found: dict[tuple[object, ...], Claim] = {}
    for claim in every:
        found.setdefault((claim.predicate, claim.scope, claim.key), claim)
    return tuple(found.values())


def _claims_in(clause: Clause) -> Iterator[Claim]:
    for read in (worded_claims, attribute_claims, state_claims, tool_claims):
        yield from read(clause)


def _edge_claim(edge: tuple[str, str], clauses: Sequence[Clause]) -> Claim:
    predicate = find_predicate(edge[0])
    name = predicate.name if predicate else "_".join(edge[0].lower().replace("-", "_").split())
    asides = any(c.aspect.added for c in clauses)
    mode = HOLDS
    if clauses and all(c.aspect.held and not c.aspect.now for c in clauses):
        mode = HELD
    elif clauses and all(c.aspect.hedged for c in clauses):
        mode = UNSURE
    elif clauses and all(is_denied(c.text) for c in clauses):
        mode = ENDED
    return Claim(
        SAME_RELATION.get(name, name),
        _object(edge[1], predicate),
        mode=mode,
        functional=predicate is not None and predicate.functional,
        marked=predicate is not None and predicate.marked,
        change=any(c.aspect.now for c in clauses) or name in ("lives_in", "headquarters"),
        now=any(c.aspect.now for c in clauses),
        added=asides,
    )


def _object(value: str, predicate: Predicate | None) -> str:
    """The object of an edge as a value: the slug of somebody is their name again."""
    named = predicate is not None and predicate.range != VALUE and "@" not in value
    return value.replace("-", " ").title() if named and value.islower() else value
