"""Relations to places, people and companies, and trades, as a clause gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from engrain.language.lexicons import read_rows, read_words
from engrain.language.statements.clauses import Clause, Found
from engrain.language.statements.phrases import CUE, PLACE, STATE, TOOL, Hit, places_of
from engrain.language.text.words import STOP, SUBJECT, Token, contents_of, token_at

_SUBJECT_WORDS = read_words("statements", "relations")
_ROLES = read_words("statements", "nouns")["roles"]
_NUMBER = re.compile(r"v?\d[\d.]*")


def is_said_of_subject(clause: Clause, start: int) -> bool:
    """Whether the words from a place on are about the subject: only linking words are between."""
    tokens = clause.tokens
    marked = {at for hit in clause.hits if hit.kind in ("mark", "end") for at in hit.places()}
    for at in range(start - 1, -1, -1):
        low = tokens[at].low
        if low == SUBJECT:
            return True
        if low == "'s":
            return any(token.low in _SUBJECT_WORDS["state_nouns"] for token in tokens[at:start])
        links = (
            low in _SUBJECT_WORDS["links"]
            or at in marked
            or low.endswith("ly")
            or _NUMBER.fullmatch(low)
        )
        if not links:
            return False
    return True


def _cues_of(clause: Clause, aspect: str) -> list[Hit]:
    return [hit for hit in clause.hits if hit.kind == CUE and hit.meaning == aspect]


_NO_MODIFIERS = STOP | _SUBJECT_WORDS["no_modifiers"]
_TITLE_NOUNS = contents_of(_SUBJECT_WORDS["title_nouns"])
_MOST_MODIFIERS = 4


def find_titles(clause: Clause) -> Iterator[Found]:
    """The trade of the subject: "is a data analyst", "promoted to head of growth"."""
    tokens = clause.tokens
    cues = _cues_of(clause, "job_title")
    noun = any(tokens[hit.start].fold in _TITLE_NOUNS for hit in cues)
    for at in range(len(tokens)):
        if not _is_trade(tokens, at):
            continue
        start = at
        while start and at - start <= _MOST_MODIFIERS and _modifies(tokens[start - 1]):
            start -= 1
        if _is_of_another(tokens, start, noun):
            continue
        cued = any(hit.end in (start, start - 1) and _names_title(tokens, hit) for hit in cues)
        if cued or is_said_of_subject(clause, start):
            end = at + 3 if at + 2 < len(tokens) and tokens[at + 1].low == "of" else at + 1
            yield Found("job_title", " ".join(token.text for token in tokens[start:end]), at)


def _is_of_another(tokens: Sequence[Token], start: int, noun: bool) -> bool:
    """Whether a trade is somebody else's: "§'s doctor", "the doctor"; a noun for it is before."""
    owned = any(token.low == "'s" for token in tokens[:start])
    return (owned and not noun) or (start == 1 and tokens[0].low == "the")


def _is_trade(tokens: Sequence[Token], at: int) -> bool:
    low = tokens[at].low
    follows = token_at(tokens, at + 1).low
    if low not in _ROLES or tokens[at].fold in _SUBJECT_WORDS["no_trades"]:
        before = token_at(tokens, at - 1).low
        return low in ("lead", "head") and (follows == "of" or before in _SUBJECT_WORDS["led"])
    return follows not in _ROLES


def _modifies(token: Token) -> bool:
    if token.low in _SUBJECT_WORDS["ranks"]:
        return True
    worded = len(token.text) > 1 and (token.text.isalpha() or "-" in token.text)
    return worded and token.low not in _NO_MODIFIERS and token.text != SUBJECT and not token.name


def _names_title(tokens: Sequence[Token], hit: Hit) -> bool:
    return hit.end - hit.start > 1 or tokens[hit.start].low not in ("be", "is", "'s")


_LASTING = re.compile(r"\b(?:these days|nowadays|since|for good|anymore)\b|: |§ :")


def find_places(clause: Clause) -> Iterator[Found]:
    """Where the subject lives or has its seat. Being somewhere for now says little about that."""
    tokens, hits = clause.tokens, clause.hits
    cue = next(iter(_cues_of(clause, "lives_in")), None)
    strong = cue is not None and not _is_housing(tokens, cue)
    named = [hit for hit in hits if hit.kind == PLACE]
    for hit in named:
        if cue is not None or _is_there(clause, hit):
            place = " ".join(token.text for token in tokens[hit.start : hit.end])
            yield Found("lives_in", place, hit.start, strong=strong)
    if cue is not None and all(hit.start < cue.end for hit in named):
        tools = places_of(hits, TOOL)
        unknown = (
            at
            for at in range(cue.end, len(tokens))
            if tokens[at].name
            and at not in tools
            and tokens[at - 1].low in _SUBJECT_WORDS["before_places"]
        )
        for at in islice(unknown, 1):
            yield Found("lives_in", _run(tokens, at), at, strong=strong)


def _is_there(clause: Clause, hit: Hit) -> bool:
    if "now" in clause.marks and not _LASTING.search(clause.text):
        return False
    before = token_at(clause.tokens, hit.start - 1).low
    led = before in ("in", ":", SUBJECT) and is_said_of_subject(clause, hit.start)
    return led or (hit.start == 0 and len(clause.tokens) < 4)


_HOUSING = contents_of(_SUBJECT_WORDS["housing"])


def _is_housing(tokens: Sequence[Token], cue: Hit) -> bool:
    """Whether the clause is only about housing, of which one may have several."""
    return any(tokens[at].fold in _HOUSING for at in cue.places())


_AFTER, _BESIDE = "after", "beside"
_TAKES = {
    **dict.fromkeys(("works_at", "studies_at", "owned_by"), _AFTER),
    **dict.fromkeys(_SUBJECT_WORDS["beside_names"], _BESIDE),
}
"""Relations to somebody or a company: whether the name stands after the word for it."""
_WEAK = frozenset(read_rows("statements", "relations phrases")["weak"].split(", "))
_LEADS = contents_of(_SUBJECT_WORDS["leads"])
_ROLES_OF_OWNERS = contents_of(_SUBJECT_WORDS["roles_of_owners"])
_REACH = 6


def find_named(clause: Clause, titled: bool) -> Iterator[Found]:
    """Relations to a named person or company; `titled` is set if the clause gives the subject's
    trade."""
    for hit in clause.hits:
        if hit.kind != CUE or hit.meaning not in _TAKES:
            continue
        if clause.other and hit.meaning not in _SUBJECT_WORDS["offices"]:
            continue
        at = _name_beside(clause, hit)
        if at is None:
            continue
        phrase = " ".join(token.low for token in clause.tokens[hit.start : hit.end])
        weak = phrase in _WEAK and not (titled and hit.meaning == "works_at")
        scope = _role(clause.tokens, hit)
        yield Found(hit.meaning, _run(clause.tokens, at), at, strong=not weak, scope=scope)


def _name_beside(clause: Clause, hit: Hit) -> int | None:
    """The place of the name to which a relation leads; None if there is none."""
    tokens = clause.tokens
    end = min(len(tokens), hit.end + _REACH)
    tools = hit.meaning == "works_at"
    after = [at for at in range(hit.end, end) if _is_named(clause, at, tools)]
    before = [at for at in range(hit.start) if _is_named(clause, at, False)]
    only = _TAKES[hit.meaning] == _AFTER
    if after and (only or not before or _leads_on(tokens, hit)):
        joined = any(token.low in _SUBJECT_WORDS["joins"] for token in tokens[hit.end : after[0]])
        return None if only and joined else after[0]
    if only or not before or (hit.meaning == "owner" and _owns_part(tokens, hit)):
        return None
    return before[-1]


def _leads_on(tokens: Sequence[Token], hit: Hit) -> bool:
    return (
        tokens[hit.end - 1].low in _SUBJECT_WORDS["leading"]
        or tokens[hit.end].low in _SUBJECT_WORDS["linking"]
    )


def _owns_part(tokens: Sequence[Token], hit: Hit) -> bool:
    """Whether somebody only has a part: "Mo looks after §'s docs", "Mia leads design on §"."""
    if any(token.low == "'s" for token in tokens[hit.end : hit.end + 3]):
        return True
    lone = hit.end - hit.start == 1 and hit.end < len(tokens)
    led = any(token.text == SUBJECT for token in tokens[hit.end : hit.end + 2])
    return lone and tokens[hit.start].fold in _LEADS and not led


def _role(tokens: Sequence[Token], hit: Hit) -> frozenset[str]:
    """The role of an owner: the tech lead is not the product owner."""
    if hit.meaning != "owner":
        return frozenset()
    last, several = tokens[hit.end - 1].fold, hit.end - hit.start > 1
    if last in _ROLES_OF_OWNERS or (several and last == "owner"):
        return frozenset((" ".join(token.fold for token in tokens[hit.start : hit.end]),))
    return frozenset()


def _is_named(clause: Clause, at: int, tools: bool) -> bool:
    tokens = clause.tokens
    if not tokens[at].name or (at and tokens[at - 1].name):
        return False
    kinds = (PLACE, STATE) if tools else (PLACE, TOOL, STATE)
    return not any(hit.kind in kinds and at in hit.places() for hit in clause.hits)


def _run(tokens: Sequence[Token], at: int) -> str:
    end = at
    while end < len(tokens) and (tokens[end].name or tokens[end].text == "&"):
        end += 1
    return " ".join(token.text for token in tokens[at:end])


def is_employer(tokens: Sequence[Token], hit: Hit) -> bool:
    """Whether the name of a tool is that of an employer here."""
    before = [token.low for token in tokens[max(0, hit.start - 3) : hit.start]]
    led = bool(before) and before[-1] in ("at", "for", "by", "joined")
    return led and bool(_SUBJECT_WORDS["employing"] & set(before))
