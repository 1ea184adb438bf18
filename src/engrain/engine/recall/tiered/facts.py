"""Rates how far a fact answers a query, and lowers that by age and doubt (S4.6, S4.7)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engrain.engine.recall.profiles import DAY, decay
from engrain.engine.recall.rejection import Candidates, rarity
from engrain.language.lexicons import read_lists
from engrain.language.statements.facts import read_claims
from engrain.language.statements.predicates import find_predicate
from engrain.language.text.instants import read_instant
from engrain.model.experience.traces import goal_words
from engrain.model.facts.fact import Fact

ENOUGH = 0.6
"""The share of what is asked from which a fact counts as an answer."""
WORTH_TELLING = 0.3
"""The share of what is asked below which a fact is not shown, since it is about something else."""
BY_PREDICATE = 0.9
"""The least share for a fact that states a relation asked for, whatever its words."""
_ASKING = frozenset(
    goal_words(
        "anyone current currently day days ever exactly happen kind know lately long many much"
        " name named nowadays often old right somebody someone tell thing think today type yet"
    )
)
"""Words of questions that answers do not repeat."""
STAYS = 0.5
"""The share of its score that a fact keeps at any age. Age doesn't make a fact less true; it only
puts the later of two similar facts first."""
NO_LONGER = 0.4
"""The factor for a fact that holds no longer, or not yet, unless another time is asked for."""
DISPUTED = 0.9
OUTRANKED = 0.4
"""The factor for a fact that a more trusted source contradicts: a later date can't outweigh it."""
DENIED = 0.5
"""The factor for a fact that denies something, unless the query asks for a denial."""
_DENIES = re.compile(
    r"\b(?:no longer|any ?more|used to|formerly|never|not"
    r"|(?:do|does|is|are|was|has|have|can)n['’]t)\b",
    re.IGNORECASE,
)


class AskedFacts:
    """What a query asks for besides names: its `words` without endings, each with its worth, their
    `total` worth, and the `predicates` that they may mean. `denied` says that the query contains a
    denial."""

    __slots__ = ("denied", "predicates", "total", "words")

    def __init__(self, query: str, names: Collection[str], candidates: Candidates) -> None:
        counted = dict(candidates.words)
        passages = max([*counted.values(), 1]) * 4
        worth = {
            stem: rarity(count, passages)
            for word, count in counted.items()
            for stem in goal_words(word)
        }
        self.words = {
            stem: worth.get(stem, 1.0)
            for stem in goal_words(query)
            if stem not in names and stem not in _ASKING
        }
        self.total = sum(self.words.values())
        self.denied = bool(_DENIES.search(query))
        self.predicates = find_predicates(query) if self.words else frozenset()


@dataclass(slots=True, eq=False)
class Rating:
    """The rating of a fact: `answers`, from 0 to 1, is how far it says what is asked; `score` is
    that lowered by age and doubt."""

    answers: float
    score: float


def rate_fact(
    fact: Fact,
    asked: AskedFacts,
    *,
    now: float,
    half_life: float,
    as_of: bool,
    names: Sequence[str] = (),
    about: Collection[str] = (),
    outranked: bool = False,
) -> Rating:
    """Rate a fact against a query. `names` are those of its entity, if relations may be read from
    its words. `as_of` says that the query asks for the moment `now`, at which the fact held. If
    `about` is given, the fact must contain one of these words. `outranked` says that a more trusted
    source disputes it. `half_life` is in days."""
    said = goal_words(fact.content)
    if not asked.words or (about and not set(about).intersection(said)):
        return Rating(0.0, 0.0)
    answers = sum(asked.words.get(word, 0.0) for word in said) / asked.total
    if asked.predicates and fact_predicates(fact, names) & asked.predicates:
        answers = max(answers, BY_PREDICATE)
    recorded = read_instant(fact.created_at)
    age = 0.0 if recorded is None else (now - recorded) / DAY
    score = answers * (STAYS + (1 - STAYS) * decay(age, half_life))
    if not as_of and not fact.holds_at(now):
        score *= NO_LONGER
    if not asked.denied and _DENIES.search(fact.content):
        score *= DENIED
    return Rating(answers, score * _certainty(fact, outranked=outranked))


def _certainty(fact: Fact, *, outranked: bool) -> float:
    """Return the factor for disputes about a fact and for its confidence."""
    disputed = (OUTRANKED if outranked else DISPUTED) if fact.disputes else 1.0
    return disputed if fact.confidence is None else disputed * (0.5 + fact.confidence / 2)


def describe_fact(fact: Fact) -> str:
    """Return a fact in one line, with the dates between which it held, as far as known."""
    ends = [
        f"{word} {value[:10]}"
        for word, value in (("since", fact.valid_from), ("until", fact.valid_to))
        if value
    ]
    if not fact.active and not fact.valid_to:
        ends.append("no longer so")
    if fact.disputes:
        ends.append("disputed: another fact says otherwise")
    return fact.content + (f" ({', '.join(ends)})" if ends else "") + "\n"


_VERBS = read_lists("search", "verbs")
"""The predicates that verbs of questions ask for; nouns are listed with the predicates."""
_WORD = re.compile(r"[\w-]+")


def find_predicates(query: str) -> frozenset[str]:
    """Return the predicates that a query may ask for: "where does she work", "his employer"."""
    words = _WORD.findall(query.casefold())
    asked: set[str] = set()
    for word in words:
        asked.update(_VERBS.get(word, ()), _VERBS.get(word.removesuffix("s"), ()))
    for said in (*words, *map(" ".join, pairwise(words))):
        if (found := find_predicate(said)) is not None:
            asked.add(found.name)
    return frozenset(asked)


def fact_predicates(fact: Fact, names: Sequence[str] = ()) -> frozenset[str]:
    """Return the predicates that a fact states of its subject: by its edge, or else by its words if
    `names` of the subject are given."""
    if fact.edge is not None:
        found = find_predicate(fact.edge.predicate)
        return frozenset([found.name if found else fact.edge.predicate])
    if not names:
        return frozenset()
    claims = read_claims(fact.content, names)
    return frozenset(claim.predicate for claim in claims if not claim.denied)
