"""What a statement is taken apart into: clauses that say one thing each, and the claims in them."""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.model.claim_aspect import Aspect
from engrain.model.claim_plain import plain_sentences
from engrain.model.claim_words import content_words, value_key

ENDED, HOLDS, HELD, PLANNED, UNSURE = "ended", "holds", "held", "planned", "unsure"


class Claim:
    """One relation of the subject to a value.

    `key` are the folded words of the value, `scope` those that narrow the relation (a favourite
    *film*, the *staging* database). `mode` is one of `HOLDS`, `ENDED` (denied, or over), `HELD`,
    `PLANNED` and `UNSURE` (thought of, asked, or for a while). `functional`: one value at a time;
    `marked`: another value says something only with a word of change. `change`: told as one;
    `now`: told as what holds by now; `added`: told as one more. `own`: said of the subject, and
    not of somebody else in the sentence.
    """

    __slots__ = (
        "added", "change", "functional", "key", "marked", "mode", "now", "own", "predicate",
        "scope", "value",
    )  # fmt: skip

    def __init__(
        self,
        predicate: str,
        value: str,
        *,
        mode: str = HOLDS,
        scope: frozenset[str] = frozenset(),
        functional: bool = True,
        marked: bool = False,
        change: bool = False,
        now: bool = False,
        added: bool = False,
        own: bool = True,
    ) -> None:
        self.predicate = predicate
        self.value = value
        self.key = value_key(value) or frozenset((value.lower(),))
        self.mode = mode
        self.scope = scope
        self.functional = functional
        self.marked = marked
        self.change = change
        self.now = now
        self.added = added
        self.own = own

    def __repr__(self) -> str:
        return f"<{self.predicate}{sorted(self.scope) or ''}={self.value!r} {self.mode}>"


class Clause:
    """A part of a sentence that says one thing: its plain text and how it is meant."""

    __slots__ = ("aspect", "text", "words")

    def __init__(self, text: str, aspect: Aspect) -> None:
        self.text = text
        self.aspect = aspect
        self.words = tuple(content_words(text))


_CUTS = re.compile(
    r"\s*[;()]\s*|\s+-\s+|,\s+(?=[a-z§])|\s+(?=(?:but|while|although|though|because|whereas|which|"
    r"so that|even though|and then|and now|and is|and has|and was|and §|(?:after|before|when) "
    r"(?:§|\w+ing)|and "
    r"(?:[a-z]+s (?:in|at|on|for|with|to|the|an?) |moved|joined|left|quit|became|started|"
    r"switched|sold|bought|got|took|went|lives|works|uses|"
    r"runs|drives|eats|likes|loves|hates|no longer|does not|did not|just|never)) )"
)


@lru_cache(maxsize=8192)
def read_clauses(content: str, names: tuple[str, ...]) -> tuple[Clause, ...]:
    """The clauses of a statement about who goes by `names`."""
    clauses = []
    for sentence in plain_sentences(content, names):
        for part in _CUTS.split(sentence.text):
            text = (part or "").strip(" ,.!?\"'")
            if text:
                clauses.append(Clause(text, Aspect(text, sentence.asks)))
    return tuple(clauses)


_PAST = re.compile(
    r"(?<![\w'-])(?:worked|lived|was|were|had|resided|based|stayed|drove|used|spoke|ran|served|"
    r"liked|"
    r"loved|enjoyed|hated|preferred|reported|owned|led|smoked|drank|ate|studied|attended|majored|"
    r"trained|dated|cost|charged|employed|adored|disliked|banked|managed|did)(?![\w-])"
)


def is_past(text: str) -> bool:
    """Whether a clause, in its first words, tells of what was."""
    return is_past_near("", " ".join(text.split()[:6]))


_EVENT = re.compile(
    r"^§ (?:also |just |then |once |recently )?(?:(?!(?:joined|moved|started|adopted|switched|"
    r"subscribed|signed|hired|leased|rented|"
    r"purchased|enrolled|acquired|used|decided|agreed|need)\b)[a-z]+ed|lost|went|had|met|saw|"
    r"made|gave|told|said|came|felt|"
    r"found|heard|thought|knew|ran|won|sold|left|quit|wrote|read|drew|flew|ate|drank|slept|did|"
    r"broke|fell|sent|"
    r"spent|taught|brought|kept|paid|put|hit|cut) (?!by|in|at|on|from)"
)


def is_event(text: str) -> bool:
    """Whether a clause tells what happened, and not what it led to."""
    return _EVENT.match(text) is not None


def is_past_near(before: str, matched: str) -> bool:
    told = " ".join((*before.split()[-3:], *matched.split()[:4]))
    if re.search(r"(?<![\w'])(?:has|have|is|are|'s|am|does|do|will)(?![\w'])", told):
        return False
    return bool(_PAST.search(told))
