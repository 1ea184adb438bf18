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
from engrain.model.predicates import find_predicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def read_claims(
    content: str, subject_names: Sequence[str], edge: tuple[str, str] | None = None
) -> tuple[Claim, ...]:
    """The claims of one statement about who goes by `subject_names`; `edge` is a predicate and an
    object that are given with it, and the surest of all."""
    names = tuple(sorted(subject_names))
    return _read(content, names, edge)


@lru_cache(maxsize=8192)
def _read(content: str, names: tuple[str, ...], edge: tuple[str, str] | None) -> tuple[Claim, ...]:
    found: dict[tuple[object, ...], Claim] = {}
    clauses = read_clauses(content, names)
    if edge is not None:
        claim = _edge_claim(edge, clauses)
        found[claim.predicate, claim.scope, claim.key] = claim
    for clause in clauses:
        for claim in (
            *worded_claims(clause),
            *attribute_claims(clause),
            *state_claims(clause),
            *tool_claims(clause),
        ):
            if edge is not None and claim.predicate in {kept.predicate for kept in found.values()}:
                if not any(kept.predicate == claim.predicate and kept.mode == claim.mode
                           and kept.key != claim.key for kept in found.values()):  # fmt: skip
                    found.setdefault((claim.predicate, claim.scope, claim.key), claim)
                continue
            found.setdefault((claim.predicate, claim.scope, claim.key), claim)
    return tuple(found.values())


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
        edge[1].replace("-", " "),
        mode=mode,
        functional=predicate is not None and predicate.functional,
        change=any(c.aspect.now for c in clauses),
        now=any(c.aspect.now for c in clauses),
        added=asides,
    )
