"""How a relation that a clause tells is meant: of whom, of which part, and whether it holds."""

from __future__ import annotations

import re

from engrain.model.claim_amounts import WEEKDAYS
from engrain.model.claim_aspect import is_denied
from engrain.model.claim_lexicon import PEOPLE
from engrain.model.claim_parts import ENDED, HELD, HOLDS, PLANNED, UNSURE, Clause, is_past_near
from engrain.model.claim_patterns import END, STATE
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import SUBJECT, content_words, words_of
from engrain.model.predicates import find_predicate

SCHEDULED = (
    "deadline",
    "release_date",
    "date",
    "start_date",
    "price",
    "budget",
    "meeting",
    "venue",
)
EXCLUSIVE = vocabulary(
    """marital_status diet smokes drinks employment wake date version office supports listing
    source switch opening health"""
)
_PERSONAL = vocabulary(
    """works_at lives_in job_title reports_to partner marital_status diet smokes drinks
    employment age birthday studies_at studies car bank gym nickname likes prefers
    allergic_to speaks wake supports born_in status hours work_mode chronotype health
    opening listing name"""
)
_SCOPES = vocabulary(
    """test tests testing staging production development local ci analytics search cache
    caching queue queues session sessions mobile ios android web desktop frontend backend
    api admin billing reporting prototype demo internal public customer marketing docs
    website landing evening morning afternoon breakfast lunch dinner weekend weekends
    weekday weekdays summer winter night personal work office private home side logs metrics
    jobs scripts scripting infra infrastructure ml data batch legacy free pro enterprise
    basic team premium engineering sales support design europe us asia london berlin emea
    apac annual annually yearly monthly engineer seed series beta alpha rc pilot"""
)


_UNSCOPED = vocabulary(
    """status works_at lives_in job_title partner reports_to owner ceo marital_status diet age name
    cto owned_by"""
)


_PLAIN = vocabulary(
    """price plan plann launch releas deadlin due schedul slat set expect not only project ship
    delivery go-live rollout deliver by version run us requir"""
)


def scope_of(predicate: str, before: str, after: str) -> frozenset[str]:
    """What narrows a relation to a part of the subject."""
    if predicate in _UNSCOPED:
        return frozenset()
    if predicate in ("price", "deadline", "release_date", "date", "version"):
        return frozenset(content_words(before)) - _PLAIN
    near = words_of(before)[-6:] + words_of(after)[:6]
    return frozenset(word.lower() for word in near if word.lower() in _SCOPES)


def is_own(predicate: str, before: str) -> bool:
    """Whether what follows `before` in a clause is said of the subject."""
    if predicate not in _PERSONAL:
        return not re.search(r"(?i)\b(?:competitor|rival|client|customer|supplier)s?\b", before)
    last = True
    for found in re.finditer(r"§('s)?|[A-Z][\w-]+(?:'s)?|[a-z][\w-]+", before):
        word = found.group()
        if word == SUBJECT:
            last = True
        elif word == SUBJECT + "'s":
            rest = found.end()
            last = not re.search(r"[a-z]", before[rest:])
        elif word[0].isupper() and word.lower() not in WEEKDAYS:
            following = before[found.end() :][:12]
            # A name with a preposition before it is no subject.
            led = re.search(r"(?:in|at|from|of|off|to|for|with|by|on|after|before|since|§ and) "
                            r"(?:the )?(?:[A-Z]\S* )*$",
                            before[: found.start()])  # fmt: skip
            if not led and not following.startswith(":"):
                last = False
        elif word.removesuffix("s") in PEOPLE or word in PEOPLE:
            led = re.search(r"(?:with|for|to|from|of|after|by|and) (?:§'s |a |an |the |[a-z]+ )*$",
                            before[: found.start()])  # fmt: skip
            if not led:
                last = False
    return last


def mode_of(predicate: str, how: str, clause: Clause, before: str, matched: str) -> str:
    aspect = clause.aspect
    known = find_predicate(predicate)
    schedule = predicate in SCHEDULED or bool(known and known.ahead)
    near = " ".join(before.split()[-4:])
    denied = is_denied(near) or (
        is_denied(matched) and predicate not in ("smokes", "drinks", "diet", "employment")
        and how != END
    ) or bool(re.search(r"(?<![\w'-])anymore(?![\w'-])", clause.text))  # fmt: skip
    if aspect.hedged:
        return UNSURE
    if aspect.ahead and not schedule:
        return PLANNED
    if how == END:
        return UNSURE if denied else (UNSURE if aspect.while_ else ENDED)
    if denied:
        return ENDED
    if re.search(r"\bused to $", before) or re.search(r"\bused to\b", before[-14:]):
        return ENDED if not aspect.now else HELD
    if aspect.while_ and predicate not in ("release_date", "deadline", "date"):
        return UNSURE
    if aspect.held:
        return HELD
    if how == STATE and not schedule and is_past_near(before, matched):
        return HELD
    return HOLDS
