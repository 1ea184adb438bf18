"""Reads the claims of a statement about its subject by known phrases (S4.3).

Only wordings that are understood give claims; the rest of a statement is compared by its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from engrain.language.lexicons import read_words
from engrain.language.statements import attributes, phrases, relations
from engrain.language.statements.clauses import (
    PARTNERS,
    STATE_OF,
    TOOL_OF,
    Clause,
    ClauseFinding,
    read_clauses,
)
from engrain.language.statements.endings import BOUNDARY, GENERIC, named_words
from engrain.language.statements.fact_claim import FactClaim
from engrain.language.statements.judge import ENDED, HOLDS, LOOSE, Statement
from engrain.language.text.words import STOP, SUBJECT, content_of, token_at

_SUBJECT_WORDS = read_words("statements", "reading")
_NARROWING = _SUBJECT_WORDS["narrowing"]
_RELEASES = frozenset(("alpha", "beta"))
_CUES = {"=cadence": "meeting", "date": "deadline"}
_OWN = read_words("statements", "own nouns")
"""By aspect, the nouns for it: they narrow it to nothing less."""
_NUMBER = re.compile(r"v?\d{1,20}\.\d[\d.]*+|v\d++")


def _find_scope(clause: Clause, found: ClauseFinding) -> frozenset[str]:
    """Return the words that narrow a claim to a part, a kind or a version of the thing."""
    aspect = found.aspect
    name = aspect.partition(":")[0]
    measured = name in attributes.DATED or name in attributes.NUMBERED
    scope: frozenset[str] = frozenset()
    if aspect[0] in "+#@^~" or measured or aspect in _SUBJECT_WORDS["of_things"]:
        taken = phrases.places_of(clause.hits, phrases.STATE, phrases.TOOL)
        scope = frozenset(
            token.fold
            for at, token in enumerate(clause.tokens)
            if (at not in taken or (measured and token.low in _RELEASES))
            and not _NARROWING.isdisjoint((token.low, token.low.rstrip("s")))
        )
    if measured:
        return scope | _words_before(clause, found.at, name)
    if aspect[0] in "@^" or (found.at <= 1 and aspect[0] not in "#~"):
        return scope
    return scope | (frozenset(clause.topic) - _nouns_in(clause, aspect) - _own_nouns(aspect))


def _nouns_in(clause: Clause, aspect: str) -> set[str]:
    """Return the words of a clause that express the aspect."""
    cues = {aspect, _CUES.get(aspect)}
    return {
        clause.tokens[at].fold
        for hit in clause.hits
        if hit.kind == phrases.STATE or (hit.kind == phrases.CUE and hit.meaning in cues)
        for at in hit.places()
    }


def _words_before(clause: Clause, at: int, aspect: str) -> frozenset[str]:
    taken = {
        place
        for hit in clause.hits
        if hit.meaning not in ("pending", "settled")
        for place in hit.places()
    }
    words = {
        word
        for place, token in enumerate(clause.tokens[:at])
        if place not in taken
        and (not token.name or not place)
        and not (token.low[0].isdigit() and aspect in attributes.NUMBERED)
        and (word := content_of(token.low))
    }
    if aspect != "version":
        words |= {token.low for token in clause.tokens if _NUMBER.fullmatch(token.low)}
    return frozenset(words)


@lru_cache(maxsize=64)
def _own_nouns(aspect: str) -> frozenset[str]:
    return frozenset(map(content_of, _OWN.get(aspect, ())))


def read_fact(
    content: str, names: Sequence[str], edge: tuple[str, str] | None = None, type_: str = ""
) -> Statement:
    """Read a fact about the subject called `names`, with its edge if it has one. `type_` is the
    type of the subject, "" if it is not known."""
    clauses = read_clauses(content, tuple(names))
    claims = []
    if edge is not None:
        predicate = phrases.find_predicate(edge[0])
        claims.append(FactClaim(predicate.name if predicate else edge[0], value=edge[1]))
    for clause in clauses:
        claims += (_claim(clause, found) for found in _find(clause, type_))
    words = frozenset(word for clause in clauses for word in clause.words)
    return Statement(content, _settled(claims), clauses, words)


def read_claims(
    content: str, names: Sequence[str], edge: tuple[str, str] | None = None
) -> list[FactClaim]:
    """Return the claims of a fact about the subject called `names`, and of its edge."""
    claims = read_fact(content, names, edge).claims
    return [claim for claim in claims if isinstance(claim, FactClaim)]


def _settled(claims: list[FactClaim]) -> list[FactClaim]:
    """Return the claims with what follows from them. Of several states of one aspect the last
    counts; who has a job is employed, and what shipped or was given up is late no more."""
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


def _find(clause: Clause, type_: str) -> Iterator[ClauseFinding]:
    titles = []
    if not clause.other:
        yield from _states(clause, type_ if type_ in phrases.TYPES else "")
        yield from _tools(clause)
        titles = list(relations.find_titles(clause))
        yield from titles
        yield from relations.find_places(clause)
    aspects = {each.aspect for each in titles}
    for found in (*relations.find_named(clause, bool(titles)), *attributes.find_measures(clause)):
        aspects.add(found.aspect)
        yield found
    if not clause.other:
        if any(hit.kind == "place" for hit in clause.hits):
            aspects.add("lives_in")
        yield from attributes.find_slots(clause)
        yield from attributes.find_new(clause, aspects)
        yield from attributes.find_attribute(clause)


def _states(clause: Clause, type_: str) -> Iterator[ClauseFinding]:
    mode = LOOSE if clause.marks & {"hedge", "ahead"} else ""
    for hit in clause.hits:
        if hit.kind != phrases.STATE or (
            type_ and phrases.types_of_states()[hit.meaning] not in ("", type_)
        ):
            continue
        owned = token_at(clause.tokens, hit.start - 1).low == "'s"
        partner = owned and clause.tokens[hit.start].low in PARTNERS
        if partner or hit.end - hit.start > 1 or _is_lone_state(clause, hit):
            plain = mode or (HOLDS if partner else "")
            yield ClauseFinding(STATE_OF + hit.meaning, hit.value, hit.start, mode=plain)


def _is_lone_state(clause: Clause, hit: phrases.Hit) -> bool:
    """Return whether a single word gives the subject's state."""
    if _is_compound(clause, hit.end):
        return False
    return hit.meaning == "cadence" or relations.is_said_of_subject(clause, hit.start)


def _is_compound(clause: Clause, at: int) -> bool:
    """Return whether a noun follows, so that the word before only modifies it: "divorce party"."""
    if at >= len(clause.tokens):
        return False
    low = clause.tokens[at].low
    plain = low.isalpha() and low not in _SUBJECT_WORDS["heads"] and low not in STOP | BOUNDARY
    if not plain or low.endswith(("ly", "ing", "ed")):
        return False
    return not any(at in hit.places() for hit in clause.hits)


_VERSION = re.compile(r"v?(\d+(?:\.\d+)*)")


def _tools(clause: Clause) -> Iterator[ClauseFinding]:
    tokens = clause.tokens
    for hit in clause.hits:
        if hit.kind != phrases.TOOL or relations.is_employer(tokens, hit):
            continue
        if hit.end < len(tokens) and (version := _VERSION.fullmatch(tokens[hit.end].low)):
            yield ClauseFinding("version", version[1], hit.end, scope=frozenset((hit.value,)))
        yield ClauseFinding(TOOL_OF + hit.meaning, hit.value, hit.start)


def _claim(clause: Clause, found: ClauseFinding) -> FactClaim:
    gone = next((span for span in clause.spans if span[0] <= found.at < span[1]), (0, 0))
    before = {token.low for token in clause.tokens[: found.at]}
    mode = found.mode or _mode(clause, found)
    words = frozenset(named_words(clause.tokens[gone[0] : gone[1]])) - GENERIC
    return FactClaim(
        found.aspect,
        mode,
        value=found.value,
        marks=clause.marks,
        scope=_find_scope(clause, found) | found.scope,
        strong=found.strong,
        rest=frozenset(clause.rest) - _own_nouns(found.aspect),
        gone=words if mode == ENDED else frozenset(),
        definite=SUBJECT in before or clause.tokens[0].low == "the",
    )


_DENIED_NEAR = 4


def _mode(clause: Clause, found: ClauseFinding) -> str:
    name = found.aspect.partition(":")[0]
    dated = name in attributes.DATED or name in attributes.MONEYED
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
