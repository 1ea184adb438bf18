"""The clauses of a statement: what each speaks of, and how it is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engrain.language.lexicons import read_words
from engrain.language.statements.endings import BOUNDARY, CUTS, find_gone, named_words
from engrain.language.statements.phrases import MARK, Hit, find_phrases, places_of
from engrain.language.statements.subject import find_topic, is_of_another
from engrain.language.statements.tokens import read_sentences
from engrain.language.text.vocabulary import vocabulary
from engrain.language.text.words import SUBJECT, Token, content_of

_SPLIT = frozenset(",;()!?")
_CONJUNCTIONS = vocabulary("but so whereas although though because while when")
_KEPT = vocabulary("but so whereas although though because while")
_SUBORDINATE = vocabulary("after before since from despite following")
_SHORT = 6


class Clause:
    """A part of a sentence.

    `words` are those that say something, `core` these without the marks, `rest` these without all
    that a phrase tells. `marks` say how it is meant, `held` that it tells of what was, `turned`
    that it says so of now, `other` that it speaks of somebody else, and `topic` of what of the
    subject. `gone` is what it says is over, each as words, and `spans` where that stands, `denied`
    what it denies and `pending` what it says is still wanted.
    """

    __slots__ = (
        "core", "denial", "denied", "gone", "held", "hits", "marks", "other", "pending", "rest",
        "spans", "text", "tokens", "topic", "turned", "words",
    )  # fmt: skip

    def __init__(self, tokens: list[Token]) -> None:
        lows = [token.low for token in tokens]
        self.tokens = tokens
        self.text = " ".join(token.text for token in tokens)
        self.hits = hits = find_phrases(tokens)
        self.turned = bool(_TURNED.search(" ".join(lows)))
        now = frozenset(("now",)) if self.turned else frozenset()
        self.marks = now | {hit.meaning for hit in hits if hit.kind == MARK}
        self.words = self._without(set())
        self.core = self._without(places_of(hits, MARK))
        self.rest = self._without(
            {at for hit in hits if hit.meaning not in _OPEN_MARKS for at in hit.places()}
        )
        self.spans = find_gone(tokens, hits)
        self.gone = tuple(filter(None, (named_words(tokens[a:b]) for a, b in self.spans)))
        self.denial = _denial(tokens, hits)
        self.denied = _denied(tokens, self.denial)
        self.pending = _pending(tokens, hits, self.words)
        self.topic = find_topic(tokens, hits)
        self.other = is_of_another(tokens, hits)
        self.held = "past" in self.marks or _is_past(tokens, hits)

    def _without(self, places: set[int]) -> tuple[str, ...]:
        return tuple(
            word
            for at, token in enumerate(self.tokens)
            if at not in places
            for word in (
                (token.low,) if at and token.text in _LETTERS else content_of(token.low).split()
            )
        )


_LETTERS = ("A", "S")
"""Letters that name one of several, and small are no words by themselves."""
_OPEN_MARKS = ("pending", "settled")
_TURNED = re.compile(
    r"\b(?:now|nowadays|these days|currently|switched|moved|changed|renamed|since|as of|back to|"
    r"back on|down to|up to|went to|went from|transferred|converted|turned|became|anymore|cut over|"
    r"replaced|from (?:this|now|next|january|monday|today))\b|→"
)


def read_clauses(content: str, names: tuple[str, ...]) -> list[Clause]:
    """The clauses of a statement about the subject that goes by `names`."""
    clauses: list[Clause] = []
    for sentence in read_sentences(content, names):
        other = False
        parts = []
        for part in _split(sentence.tokens):
            clause = Clause(part)
            # Who is spoken of first is spoken of till the subject is named again.
            other = clause.other = clause.other or (other and not _names_subject(part))
            parts.append(clause)
        if sentence.asks or any("hedge" in clause.marks for clause in parts):
            for clause in parts:
                clause.marks |= {"hedge"}
        clauses += parts
    return clauses


def _names_subject(tokens: Sequence[Token]) -> bool:
    return any(token.text == SUBJECT for token in tokens)


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    part: list[Token] = []
    for at, token in enumerate(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        splits = token.text in _SPLIT or token.low in _CONJUNCTIONS
        if token.text == "," and after is not None and after.low[0].isdigit():
            splits = len(tokens) > at + 3  # a date that is told again: "by two weeks, 28th"
        kept = token.low in _KEPT
        if token.text == "-":
            # After the subject or what it has a dash stands for a colon.
            texts = [each.text for each in part]
            splits = len(part) > 2 and not (
                len(part) < _SHORT and SUBJECT in texts and "'s" in texts
            )
            if not splits:
                part.append(Token(":"))
                continue
        elif at and after and token.low in _SUBORDINATE and after.low.endswith("ing"):
            splits = kept = True
        elif token.low == "and" and after is not None:
            verbal = after.low in ("now", "is", "has", "was") or after.low.endswith("ed")
            splits = after.text == SUBJECT or verbal
        if not splits:
            part.append(token)
            continue
        if part:
            yield part
        part = [token] if kept else []
    if part:
        yield part


def _denial(tokens: list[Token], hits: list[Hit]) -> Hit | None:
    for hit in hits:
        after = tokens[hit.end].low if hit.end < len(tokens) else ""
        # "Has never been to" and "hates not being" deny nothing that holds.
        if hit.meaning == "deny" and after != "been" and not after.endswith("ing"):
            return hit
    return None


def _denied(tokens: list[Token], denial: Hit | None) -> tuple[str, ...]:
    lows = [token.low for token in tokens]
    if denial is None:
        return named_words(tokens) if "anymore" in lows else ()
    cuts = BOUNDARY if "anymore" in lows else CUTS
    stop = next((at for at in range(denial.end + 1, len(lows)) if lows[at] in cuts), len(lows))
    return named_words(tokens[denial.end : stop])


def _pending(tokens: list[Token], hits: list[Hit], words: tuple[str, ...]) -> tuple[str, ...]:
    told = next((hit for hit in hits if hit.meaning == "pending"), None)
    if told is None:
        return ()
    saying = {tokens[at].fold for at in told.places()}
    return tuple(word for word in words if word not in saying)


_WORDS = read_words("statements", "clauses")
_PAST_VERBS = _WORDS["past_verbs"]
_ONCE_VERBS = _WORDS["once_verbs"]
_PARTICIPLES = vocabulary("built written sold bought killed made let put cut held rewritten on")
_IN_YEAR = re.compile(r"\bin (?:19|20)\d\d\b")
_DATED = re.compile(
    r"\b(?:was|were|had|did) .*\bin (?:[a-z]+ )?(?:19|20)\d\d$|"
    r"\bhad .*\bin (?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december)$"
)


def _is_past(tokens: list[Token], hits: list[Hit]) -> bool:
    """Whether it tells of what was, or of what somebody did once."""
    lows = [token.low for token in tokens]
    text = " ".join(lows)
    if len(lows) > 1 and lows[0] in _SUBORDINATE and lows[1].endswith("ing"):
        return True
    if _DATED.search(text) or (_IN_YEAR.search(text) and _ONCE_VERBS & set(lows)):
        return True
    for at, low in enumerate(lows):
        follows = lows[at + 1] if at + 1 < len(lows) else ""
        passive = low in ("was", "were") and (follows.endswith("ed") or follows in _PARTICIPLES)
        done = at and tokens[at - 1].fold in ("be", "have", "get")
        if low in _PAST_VERBS and not done and not passive:
            return True
    return _is_event(tokens, hits)


def _is_event(tokens: list[Token], hits: list[Hit]) -> bool:
    """Whether its verb is one in the past that no phrase has."""
    known = {at for hit in hits for at in hit.places()}
    for at, token in enumerate(tokens):
        if token.low.endswith("ed") and len(token.low) > 4 and at not in known:
            before = tokens[at - 1] if at else token
            return before.text == SUBJECT or before.low.endswith("ly") or before.name
    return False
