"""Relations to places, people and companies, and trades, as a clause gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engrain.language.lexicons import read_rows, read_words
from engrain.language.statements.clauses import Clause, ClauseFinding
from engrain.language.statements.phrases import CUE, END, MARK, PLACE, STATE, TOOL, Hit, places_of
from engrain.language.text.words import STOP, SUBJECT, Token, contents_of, token_at

_SUBJECT_WORDS = read_words("statements", "relations")
_ROLES = read_words("statements", "nouns")["roles"]
_NUMBER = re.compile(r"v?\d[\d.]*")


def is_said_of_subject(clause: Clause, start: int) -> bool:
    """Return whether words from a place on are about the subject: only links are between."""
    tokens = clause.tokens
    marked = places_of(clause.hits, MARK, END)
    for at in range(start - 1, -1, -1):
        low = tokens[at].low
        if low == SUBJECT:
            return True
        if low == "'s":
            return any(token.low in _SUBJECT_WORDS["state_nouns"] for token in tokens[at:start])
        links = low in _SUBJECT_WORDS["links"] or low.endswith("ly") or _NUMBER.fullmatch(low)
        if not links and at not in marked:
            return False
    return True


def _cues_of(clause: Clause, aspect: str) -> list[Hit]:
    return [hit for hit in clause.hits if hit.kind == CUE and hit.meaning == aspect]


_NO_MODIFIERS = STOP | _SUBJECT_WORDS["no_modifiers"]
_TITLE_NOUNS = contents_of(_SUBJECT_WORDS["title_nouns"])
_MOST_MODIFIERS = 4


def find_titles(clause: Clause) -> Iterator[ClauseFinding]:
    """Yield the trade of the subject: "is a data analyst", "promoted to head of growth"."""
    tokens = clause.tokens
    cues = _cues_of(clause, "job_title")
    noun = any(tokens[hit.start].fold in _TITLE_NOUNS for hit in cues)
    naming = {
        place
        for hit in cues
        if hit.end - hit.start > 1 or tokens[hit.start].low not in ("be", "is", "'s")
        for place in (hit.end, hit.end + 1)
    }
    for at in range(len(tokens)):
        if not _is_trade(tokens, at):
            continue
        start = at
        while start and at - start <= _MOST_MODIFIERS and _modifies(tokens[start - 1]):
            start -= 1
        if _is_of_another(tokens, start, noun):
            continue
        if start in naming or is_said_of_subject(clause, start):
            end = at + 3 if at + 2 < len(tokens) and tokens[at + 1].low == "of" else at + 1
            yield ClauseFinding(
                "job_title", " ".join(token.text for token in tokens[start:end]), at
            )


def _is_of_another(tokens: Sequence[Token], start: int, noun: bool) -> bool:
    """Return whether a trade is somebody else's: "§'s doctor", unless a `noun` is before."""
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


_LASTING = re.compile(r"\b(?:these days|nowadays|since|for good|anymore)\b|: |§ :")


def find_places(clause: Clause) -> Iterator[ClauseFinding]:
    """Yield where the subject lives or has its seat. Being somewhere for now says little."""
    tokens, hits = clause.tokens, clause.hits
    cue = next(iter(_cues_of(clause, "lives_in")), None)
    # Of housing one may have several.
    strong = cue is not None and not any(tokens[at].fold in _HOUSING for at in cue.places())
    named = [hit for hit in hits if hit.kind == PLACE]
    for hit in named:
        if cue is not None or _is_there(clause, hit):
            place = " ".join(token.text for token in tokens[hit.start : hit.end])
            yield ClauseFinding("lives_in", place, hit.start, strong=strong)
    if cue is None or any(hit.start >= cue.end for hit in named):
        return
    tools = places_of(hits, TOOL)
    for at in range(cue.end, len(tokens)):
        led = tokens[at - 1].low in _SUBJECT_WORDS["before_places"]
        if led and tokens[at].name and at not in tools:
            yield ClauseFinding("lives_in", _run(tokens, at), at, strong=strong)
            return


def _is_there(clause: Clause, hit: Hit) -> bool:
    if "now" in clause.marks and not _LASTING.search(clause.text):
        return False
    before = token_at(clause.tokens, hit.start - 1).low
    led = before in ("in", ":", SUBJECT) and is_said_of_subject(clause, hit.start)
    return led or (hit.start == 0 and len(clause.tokens) < 4)


_HOUSING = contents_of(_SUBJECT_WORDS["housing"])


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


def find_named(clause: Clause, titled: bool) -> Iterator[ClauseFinding]:
    """Yield relations to named people and companies; `titled`: the clause gives a trade."""
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
        yield ClauseFinding(hit.meaning, _run(clause.tokens, at), at, strong=not weak, scope=scope)


def _name_beside(clause: Clause, hit: Hit) -> int | None:
    """Return the place of the name to which a relation leads; None if there is none."""
    tokens = clause.tokens
    end = min(len(tokens), hit.end + _REACH)
    tools = hit.meaning == "works_at"
    after = next((at for at in range(hit.end, end) if _is_named(clause, at, tools)), None)
    before = [at for at in range(hit.start) if _is_named(clause, at, False)]
    only = _TAKES[hit.meaning] == _AFTER
    if only or not before:
        between = {token.low for token in tokens[hit.end : after]}
        return None if only and between & _SUBJECT_WORDS["joins"] else after
    leading = tokens[hit.end - 1].low in _SUBJECT_WORDS["leading"]
    if after is not None and (leading or tokens[hit.end].low in _SUBJECT_WORDS["linking"]):
        return after
    return None if hit.meaning == "owner" and _owns_part(tokens, hit) else before[-1]


def _owns_part(tokens: Sequence[Token], hit: Hit) -> bool:
    """Return whether somebody only has a part: "Mo looks after §'s docs"."""
    if any(token.low == "'s" for token in tokens[hit.end : hit.end + 3]):
        return True
    lone = hit.end - hit.start == 1 and hit.end < len(tokens)
    led = any(token.text == SUBJECT for token in tokens[hit.end : hit.end + 2])
    return lone and tokens[hit.start].fold in _LEADS and not led


def _role(tokens: Sequence[Token], hit: Hit) -> frozenset[str]:
    """Return the role of an owner: the tech lead is not the product owner."""
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
    """Return whether the name of a tool is that of an employer here."""
    before = [token.low for token in tokens[max(0, hit.start - 3) : hit.start]]
    led = bool(before) and before[-1] in ("at", "for", "by", "joined")
    return led and bool(_SUBJECT_WORDS["employing"] & set(before))
