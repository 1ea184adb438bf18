"""The clauses of a statement: what each speaks of, and how it is meant."""

from __future__ import annotations

import re

from engrain.model.claim_endings import BOUNDARY, CUTS, find_gone, named_words
from engrain.model.claim_kinds import PEOPLE
from engrain.model.claim_phrases import CUE, END, MARK, PLACE, STATE, TOOL, find_phrases
from engrain.model.claim_tokens import read_sentences
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import SUBJECT, Token, content_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engrain.model.claim_phrases import Hit

PREPOSITIONS = vocabulary("of for on at in to from with by about under")
COPULAS = vocabulary("is are was were : = remains becomes became")
VERBS = vocabulary(
    """take took takes run runs ran go goes went gone has have had get gets got use uses need needs
    come comes came cost costs live lives sit sits stand stands start starts end ends moved
    changed extended"""
)
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

    def __init__(self, tokens: list[Token], inherited: frozenset[str]) -> None:
        lows = [token.low for token in tokens]
        self.tokens = tokens
        self.text = " ".join(token.text for token in tokens)
        self.hits = hits = find_phrases(tokens)
        self.turned = bool(_TURNED.search(" ".join(lows)))
        now = frozenset(("now",)) if self.turned else frozenset()
        self.marks = inherited | now | {hit.meaning for hit in hits if hit.kind == MARK}
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
        self.topic = _topic(tokens, hits)
        self.other = _is_of_another(tokens, hits)
        self.held = "past" in self.marks or _is_past(tokens, hits)

    def _without(self, places: set[int]) -> tuple[str, ...]:
        return tuple(
            word
            for at, token in enumerate(self.tokens)
            if at not in places
            for word in content_of(token.low).split()
        )


_OPEN_MARKS = ("pending", "settled")
_TURNED = re.compile(
    r"\b(?:now|nowadays|these days|currently|switched|moved|changed|renamed|since|as of|back to|"
    r"back on|down to|up to|went to|went from|transferred|converted|turned|became|anymore|cut over|"
    r"replaced|from (?:this|now|next|january|monday|today))\b|→"
)


def places_of(hits: Sequence[Hit], *kinds: str) -> set[int]:
    """Where the tokens stand that phrases of some kinds have."""
    return {at for hit in hits if hit.kind in kinds for at in hit.places()}


def read_clauses(content: str, names: tuple[str, ...]) -> list[Clause]:
    """The clauses of a statement about the subject that goes by `names`."""
    clauses = []
    for sentence in read_sentences(content, names):
        hits = find_phrases(sentence.tokens)
        hedged = sentence.asks or any(hit.kind == MARK and hit.meaning == "hedge" for hit in hits)
        inherited = frozenset(("hedge",)) if hedged else frozenset()
        other = False
        for part in _split(sentence.tokens):
            clause = Clause(part, inherited)
            # Who is spoken of first is spoken of till the subject is named again.
            other = clause.other = clause.other or (other and not _names_subject(part))
            clauses.append(clause)
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


def _topic(tokens: list[Token], hits: list[Hit]) -> tuple[str, ...]:
    """The words of what is the subject's, where that and not the subject is spoken of."""
    start = next(
        (
            at + 2
            for at in range(len(tokens) - 1)
            if tokens[at].text == SUBJECT
            and tokens[at + 1].text == "'s"
            and not (at and tokens[at - 1].low in PREPOSITIONS)
        ),
        0,
    )
    if not start:
        return _topic_beside(tokens, hits)
    marked = {
        hit.start for hit in hits if hit.kind in (MARK, END) and hit.meaning != "-"
    }  # fmt: skip
    words: list[str] = []
    for at in range(start, min(start + 4, len(tokens))):
        low = tokens[at].low
        if low in COPULAS or low in VERBS or (any(words) and at in marked):
            break
        verbal = low.endswith("ed") or (low.endswith("s") and not low.endswith("ss"))
        follows = tokens[at + 1].low if at + 1 < len(tokens) else "is"
        if at > start and (low in PREPOSITIONS or (verbal and follows not in COPULAS)):
            break
        words.append(content_of(low) if low != "new" else "")
    return tuple(filter(None, words))


def _topic_beside(tokens: list[Token], hits: list[Hit]) -> tuple[str, ...]:
    """The topic in "the § offsite is": nouns between the subject and a copula."""
    marked = places_of([hit for hit in hits if hit.meaning != "while"], MARK, END)
    for at, token in enumerate(tokens[:3]):
        for end in (at + 2, at + 3) if token.text == SUBJECT else ():
            inner = range(at + 1, end)
            if (
                end < len(tokens)
                and tokens[end].low in COPULAS - {":", "="}
                and not marked & set(inner)
                and all(_is_noun(tokens[place].low) for place in inner)
            ):
                return tuple(content_of(tokens[place].low) for place in inner)
    return ()


def _is_noun(low: str) -> bool:
    return low.isalpha() and bool(content_of(low)) and not low.endswith(("ed", "ly"))


_PAST_VERBS = vocabulary(
    """worked lived studied was were met visited played used drove attended taught managed founded
    spoke"""
)
_ONCE_VERBS = vocabulary(
    """met visited spent raised founded born attended spoke gave ran won joined came"""
)
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


PARTNERS = vocabulary(
    """husband wife girlfriend boyfriend partner fiancé fiancée fiance fiancee spouse ex manager
    boss"""
)
_PEOPLE = frozenset(content_of(word) or word for word in PEOPLE)
_NAMING = vocabulary("now called named currently")
_NEAR = 6


def _is_of_another(tokens: list[Token], hits: list[Hit]) -> bool:
    """Whether the clause tells of somebody else than the subject: its sister, a name that stands
    first. That somebody is the subject's partner tells of the subject."""
    lows = [token.low for token in tokens]
    for at in range(1, min(_NEAR, len(tokens))):
        owned = lows[at - 1] in ("'s", "the") or (at > 1 and lows[at - 2] == "'s")
        if tokens[at].fold not in _PEOPLE or not owned:
            continue
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        second = tokens[at + 2] if at + 2 < len(tokens) else None
        if after is not None and after.low == "is" and second and second.low in _NAMING:
            return False
        told = after is None or after.low in (":", "=")
        if told or (after is not None and after.low == "is" and (second is None or second.name)):
            continue
        partner = lows[at] in PARTNERS
        return not partner or (after is not None and after.low != "is" and not after.name)
    known = any(hit.start == 0 and hit.kind in (TOOL, PLACE, CUE, STATE) for hit in hits)
    return SUBJECT not in lows and tokens[0].name and not known
