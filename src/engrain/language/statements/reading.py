"""Reads the claims of a statement about its subject by known phrases (S4.3).

Only wordings that are understood give claims; the rest of a statement is compared by its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engrain.language.lexicons import read_words
from engrain.language.statements.attributes import find_attribute, find_new, find_slots
from engrain.language.statements.claims import STATE_OF, TOOL_OF, Found
from engrain.language.statements.clauses import Clause, read_clauses
from engrain.language.statements.endings import BOUNDARY, GENERIC, named_words
from engrain.language.statements.fact_claim import FactClaim
from engrain.language.statements.measures import DATED, MONEYED, find_measures
from engrain.language.statements.phrases import STATE, TOOL, Hit, types_of_states
from engrain.language.statements.predicates import TYPES, find_predicate
from engrain.language.statements.relations import (
    find_named,
    find_places,
    find_titles,
    is_employer,
    is_said_of_subject,
)
from engrain.language.statements.scope import find_scope, own_nouns
from engrain.language.statements.statement import ENDED, HOLDS, LOOSE, Statement
from engrain.language.statements.subject import PARTNERS
from engrain.language.text.words import STOP, SUBJECT, token_at


def read_fact(
    content: str, names: Sequence[str], edge: tuple[str, str] | None = None, type_: str = ""
) -> Statement:
    """A fact about the subject called `names`, with its edge if it has one. `type_` is the type of
    the subject, "" if it is not known."""
    clauses = read_clauses(content, tuple(names))
    claims = []
    if edge is not None:
        predicate = find_predicate(edge[0])
        claims.append(FactClaim(predicate.name if predicate else edge[0], value=edge[1]))
    for clause in clauses:
        claims += (_claim(clause, found) for found in _find(clause, type_))
    words = frozenset(word for clause in clauses for word in clause.words)
    return Statement(content, _settled(claims), clauses, words)


def read_claims(
    content: str, names: Sequence[str], edge: tuple[str, str] | None = None
) -> list[FactClaim]:
    """The claims of a fact about the subject called `names`, and of its edge."""
    claims = read_fact(content, names, edge).claims
    return [claim for claim in claims if isinstance(claim, FactClaim)]


def _settled(claims: list[FactClaim]) -> list[FactClaim]:
    """The claims with what follows from them. Of several states of one aspect the last counts; who
    has a job is employed, and what shipped or was given up is late no more."""
    last = {
        claim.aspect: claim
        for claim in claims
        if claim.aspect[0] == STATE_OF and claim.mode == HOLDS
    }
    for claim in claims:
        if claim.mode == HOLDS and last.get(claim.aspect, claim).value != claim.value:
            claim.mode = LOOSE
    follows = []
    jobs = (claim for claim in claims if claim.aspect in ("works_at", "job_title"))
    job = next((claim for claim in jobs if claim.mode == HOLDS and claim.strong), None)
    if job is not None and "=employment" not in last:
        follows.append(FactClaim("=employment", value="employed", marks=job.marks))
    stage = last.get("=stage")
    if stage is not None and stage.value in ("dead", "live"):
        follows += (
            FactClaim(aspect, value="over", marks=stage.marks, scope=stage.scope)
            for aspect in ("=schedule", "=progress", "=health_flag")
        )
    return claims + follows


def _find(clause: Clause, type_: str) -> Iterator[Found]:
    titles = []
    if not clause.other:
        yield from _states(clause, type_ if type_ in TYPES else "")
        yield from _tools(clause)
        titles = list(find_titles(clause))
        yield from titles
        yield from find_places(clause)
    told = {each.aspect for each in titles}
    for found in (*find_named(clause, bool(titles)), *find_measures(clause)):
        told.add(found.aspect)
        yield found
    if not clause.other:
        if any(hit.kind == "place" for hit in clause.hits):
            told.add("lives_in")
        yield from find_slots(clause)
        yield from find_new(clause, told)
        yield from find_attribute(clause)


_WORDS = read_words("statements", "reading")
_HEADS = _WORDS["heads"]


def _states(clause: Clause, type_: str) -> Iterator[Found]:
    mode = LOOSE if clause.marks & {"hedge", "ahead"} else ""
    for hit in clause.hits:
        if hit.kind != STATE or (type_ and types_of_states()[hit.meaning] not in ("", type_)):
            continue
        owned = token_at(clause.tokens, hit.start - 1).low == "'s"
        partner = owned and clause.tokens[hit.start].low in PARTNERS
        if partner or hit.end - hit.start > 1 or _is_lone_state(clause, hit):
            plain = mode or (HOLDS if partner else "")
            yield Found(STATE_OF + hit.meaning, hit.value, hit.start, mode=plain)


def _is_lone_state(clause: Clause, hit: Hit) -> bool:
    """Whether a single word gives the subject's state."""
    if _is_compound(clause, hit.end):
        return False
    return hit.meaning == "cadence" or is_said_of_subject(clause, hit.start)


def _is_compound(clause: Clause, at: int) -> bool:
    """Whether a noun follows, so that the word before only modifies it: "divorce party"."""
    if at >= len(clause.tokens):
        return False
    low = clause.tokens[at].low
    plain = low.isalpha() and low not in _HEADS and low not in STOP | BOUNDARY
    if not plain or low.endswith(("ly", "ing", "ed")):
        return False
    return not any(at in hit.places() for hit in clause.hits)


_VERSION = re.compile(r"v?(\d+(?:\.\d+)*)")


def _tools(clause: Clause) -> Iterator[Found]:
    tokens = clause.tokens
    for hit in clause.hits:
        if hit.kind != TOOL or is_employer(tokens, hit):
            continue
        if hit.end < len(tokens) and (version := _VERSION.fullmatch(tokens[hit.end].low)):
            yield Found("version", version[1], hit.end, scope=frozenset((hit.value,)))
        yield Found(TOOL_OF + hit.meaning, hit.value, hit.start)


def _claim(clause: Clause, found: Found) -> FactClaim:
    gone = next((span for span in clause.spans if span[0] <= found.at < span[1]), (0, 0))
    before = {token.low for token in clause.tokens[: found.at]}
    mode = found.mode or _mode(clause, found)
    words = frozenset(named_words(clause.tokens[gone[0] : gone[1]])) - GENERIC
    return FactClaim(
        found.aspect,
        mode,
        value=found.value,
        marks=clause.marks,
        scope=find_scope(clause, found) | found.scope,
        strong=found.strong,
        rest=frozenset(clause.rest) - own_nouns(found.aspect),
        gone=words if mode == ENDED else frozenset(),
        definite=SUBJECT in before or clause.tokens[0].low == "the",
    )


_DENIED_NEAR = 4


def _mode(clause: Clause, found: Found) -> str:
    name = found.aspect.partition(":")[0]
    dated = name in DATED or name in MONEYED
    if "hedge" in clause.marks or ("ahead" in clause.marks and not dated):
        return LOOSE
    if any(start <= found.at < end for start, end in clause.spans):
        return ENDED
    denial = clause.denial
    if denial is None and clause.denied:
        return ENDED
    if denial is not None and denial.end <= found.at <= denial.end + _DENIED_NEAR:
        return ENDED
    return LOOSE if clause.held else HOLDS
