"""How far a fact answers what is asked, and what it counts for by its age (S4.6, S4.7), as pure
functions."""

from __future__ import annotations

from engrain.engine.recall.evidence import rarity
from engrain.engine.recall.priors import DAY, decay
from engrain.model.episode_features import goal_words
from engrain.model.instants import read_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from engrain.engine.recall.candidates import Candidates
    from engrain.model.facts import Fact

ENOUGH = 0.6
"""Share of what is asked from which a fact answers it."""
WORTH_TELLING = 0.3
"""Share below which a fact is not told: it is about something else."""
BY_PREDICATE = 0.9
"""What it is worth that a fact says what was asked for, whatever its words."""
_ASKING = frozenset(
    goal_words(
        "anyone current currently day days ever exactly happen kind know lately long many much"
        " name named nowadays often old right somebody someone tell thing think today type yet"
    )
)
"""Words of questions that no answer repeats."""
STAYS = 0.5
"""Share of its worth that a fact keeps however old it is: what holds is not less true for its age,
and of two that answer alike the later one leads."""
NO_LONGER = 0.4
"""What a fact counts for that holds no longer, where nobody asks for the past."""
DISPUTED = 0.9


class Asked:
    """What a query asks for besides whom it names: `words` without endings, with what each is
    worth, and the `predicates` that they may mean."""

    __slots__ = ("predicates", "total", "words")

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
        self.predicates = find_predicates(query) if self.words else frozenset()


class Rating:
    """`answers`: from 0 to 1, how far a fact says what is asked; `score`: that by its age."""

    __slots__ = ("answers", "score")

    def __init__(self, answers: float, score: float) -> None:
        self.answers = answers
        self.score = score


def rate_fact(fact: Fact, asked: Asked, *, now: float, half_life: float, as_of: bool) -> Rating:
    """What a fact is worth to a query. With `as_of` a moment is asked about at which it held."""
    if not asked.words:
        return Rating(0.0, 0.0)
    said = goal_words(fact.content)
    answers = sum(asked.words.get(word, 0.0) for word in said) / asked.total
    if asked.predicates and fact_predicates(fact) & asked.predicates:
        answers = max(answers, BY_PREDICATE)
    told = read_instant(fact.created_at)
    age = 0.0 if told is None else (now - told) / DAY
    score = answers * (STAYS + (1 - STAYS) * decay(age, half_life))
    if not fact.active and not as_of:
        score *= NO_LONGER
    if fact.disputes:
        score *= DISPUTED
    if fact.confidence is not None:
        score *= 0.5 + fact.confidence / 2
    return Rating(answers, score)


def tell_fact(fact: Fact) -> str:
    """A fact in one line, with when it held as far as is known."""
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


def find_predicates(query: str) -> frozenset[str]:
    return frozenset()


def fact_predicates(fact: Fact) -> frozenset[str]:
    return frozenset([fact.edge.predicate] if fact.edge else [])
