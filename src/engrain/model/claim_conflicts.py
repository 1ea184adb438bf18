"""Whether a later statement about the same subject means that an earlier one holds no longer.

What is not understood is let stand: to hide what is true is worse than to keep what is old.
"""

from __future__ import annotations

import re

from engrain.model.claim_aspect import is_denied
from engrain.model.claim_changes import carried, find_over, is_carrier
from engrain.model.claim_lexicon import PEOPLE, ROLES
from engrain.model.claim_parts import ENDED, HOLDS, Claim, Clause, is_event, is_past, read_clauses
from engrain.model.claim_swaps import VAGUE, find_swap, takes_back
from engrain.model.claim_values import OTHER, SAME, compare_values
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import content_words, fold_word
from engrain.model.claims import read_claims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from engrain.model.claim_changes import Over

    Edge: TypeAlias = tuple[str, str] | None


class Statement:
    """A statement as it is compared: its clauses and claims."""

    __slots__ = ("claims", "clauses")

    def __init__(self, content: str, names: tuple[str, ...], edge: Edge = None) -> None:
        self.clauses: Sequence[Clause] = read_clauses(content, names)
        self.claims: Sequence[Claim] = read_claims(content, names, edge)


class Conflict:
    """That two can't both hold: why, and whether the later one says itself that the other is over
    (`told`), so that it came after it whatever their dates say."""

    __slots__ = ("reason", "told")

    def __init__(self, reason: str, told: bool) -> None:
        self.reason = reason
        self.told = told


def find_conflict(later: Statement, earlier: Statement) -> Conflict | None:
    """Why `earlier` holds no longer once `later` is known; None where it may still hold."""
    found = (
        *_between_claims(later.claims, earlier.claims),
        *_between_words(later.clauses, earlier.clauses, _agree(later.claims, earlier.claims)),
    )
    return max(found, key=lambda one: one.told, default=None)


_STARTED_OVER = frozenset(("works_at", "lives_in", "partner"))
_NAMED = _STARTED_OVER | {"job_title"}
_DATES = frozenset(("release_date", "deadline", "start_date", "date", "meeting"))
_IDLE = frozenset(("retired", "unemployed"))
_APART = frozenset(("single", "divorced", "separated"))


def _between_claims(later: Sequence[Claim], earlier: Sequence[Claim]) -> Iterator[Conflict]:
    for new in later:
        if not new.own or new.mode not in (HOLDS, ENDED):
            continue
        for old in earlier:
            if not old.own or old.mode not in (HOLDS, ENDED):
                continue
            if found := _between(new, old):
                yield found


def _between(new: Claim, old: Claim) -> Conflict | None:
    if new.predicate == old.predicate or (
        "date" in (new.predicate, old.predicate) and {new.predicate, old.predicate} <= _DATES
    ):
        return _of_one(new, old)
    if old.mode != HOLDS or new.mode != HOLDS:
        return None
    relations = new.predicate, old.predicate
    if relations in (("employment", "works_at"), ("employment", "job_title")):
        left = new.value in _IDLE or (new.change and new.value == "self-employed")
        return Conflict(f"is {new.value} now", True) if left else None
    if relations == ("works_at", "employment"):
        back = old.value in _IDLE and (new.change or new.now)
        return Conflict(f"works at {new.value} now", False) if back else None
    if relations == ("marital_status", "partner"):
        apart = new.change and new.value in _APART
        return Conflict(f"is {new.value} now", True) if apart else None
    return None


def _of_one(new: Claim, old: Claim) -> Conflict | None:
    name = new.predicate.removeprefix("the:").replace("_", " ")
    if new.scope != old.scope:
        return None
    changed = new.change or new.now
    if new.mode == ENDED:
        if old.mode != HOLDS:
            return None
        within = new.key <= old.key or old.key <= new.key
        gone = new.value == "*" or new.key == old.key or (within and new.predicate in _NAMED)
        return Conflict(f"{name} is no longer {old.value}", True) if gone else None
    alike = compare_values(new.predicate, old.value, new.value, changed=changed)
    if old.mode == ENDED:
        again = new.predicate not in _STARTED_OVER and alike == SAME and not old.change
        return Conflict(f"{name} is {new.value} after all", False) if again else None
    one = new.functional and (old.functional or new.change)
    if not one or alike != OTHER or new.added or old.added:
        return None
    if (new.marked or old.marked) and not changed:
        return None
    return Conflict(f"{name} was {old.value} and is {new.value}", False)


_ELSE = re.compile(r"^(?:§'s ((?:[a-z-]+ ){1,3})|([A-Z][\w-]+)(?!:) )")


def _agree(later: Sequence[Claim], earlier: Sequence[Claim]) -> bool:
    """Whether some claim of both is the same."""
    return any(
        new.predicate == old.predicate
        and new.mode == old.mode
        and compare_values(new.predicate, old.value, new.value) == SAME
        for new in later
        for old in earlier
    )


def _between_words(
    later: Sequence[Clause], earlier: Sequence[Clause], agreed: bool
) -> Iterator[Conflict]:
    said = {word for new in later for word in new.words}
    for new in later:
        overs = find_over(new)
        for old in earlier:
            if not _stands(old, bool(overs)) or not old.words:
                continue
            if _is_of_another(new, old):
                continue
            denied = is_denied(old.text)
            for over in overs:
                if not denied and _is_about(old, over, said):
                    yield Conflict("says that this is over: " + " ".join(over.words), True)
            if denied and _holds(new) and not overs and takes_back(new, old):
                yield Conflict("says what was denied", False)
            alike = not (agreed or denied or is_denied(new.text)) and _holds(new)
            if alike and (swapped := find_swap(new, old)):
                yield Conflict(swapped, False)


_COPULA = re.compile(r"^(?:§'s|the|our) [a-z][\w ]{2,30}? (?:is|are|:|is at|goes to|go to) ")
_TASTE = vocabulary("""lov lik enjoy fan prefer favourit hat dislik love like fond""")
_GONE_OFF = re.compile(
    r"\boff\b|lost|stopp|gave up|given up|\bover\b|outgr|fell out|fallen "
    r"out|done with|enough|used to|quit|prefer"
)
_USING = vocabulary("""us rely run depend get use integrat""")


def _is_about(old: Clause, over: Over, said: set[str]) -> bool:
    """Whether what is over is what an earlier clause tells: its object, and no thing by the way."""
    words = frozenset(over.words)
    if all(map(str.isdigit, words)):
        return bool((said & set(old.words)) - words - VAGUE) and words <= set(old.words)
    if _TASTE & set(old.words) and not over.whole and not _GONE_OFF.search(over.how):
        return False
    if not words <= set(old.words):
        words = frozenset(word for word in words if not is_carrier(word))
        if over.whole or not words or not words <= set(old.words) or _TASTE & set(old.words):
            return False
    whole = old.words
    if match := _COPULA.match(old.text):
        rest = tuple(content_words(old.text[match.end() :]))
        whole = rest if words <= set(rest) else whole
    if over.whole and all(map(is_carrier, words)) and words != set(old.words):
        return _is_given_up(old, over)
    if words <= VAGUE:
        return False
    shared = said - words
    kept = tuple(word for word in whole if word not in shared)
    slack = 2 if old.words[0] in _USING else int(over.whole)
    return carried(kept, words, slack)


def _is_given_up(old: Clause, over: Over) -> bool:
    """Whether what one does no longer, whatever it is done to, is what was told: runs, commutes."""
    told = old.words[:1] == over.words and re.search(r"no longer|anymore", over.how) is not None
    return told and re.search(r"[A-Z]", old.text) is None


def _stands(old: Clause, told: bool) -> bool:
    """Whether an earlier clause tells of what holds, and not of what was once or may come."""
    aspect = old.aspect
    return not (
        aspect.hedged
        or aspect.held
        or (aspect.while_ and not told)
        or is_past(old.text)
        or is_event(old.text)
    )


def _holds(new: Clause) -> bool:
    aspect = new.aspect
    return not (aspect.hedged or aspect.ahead or aspect.held or aspect.while_ or aspect.added) and (
        not is_past(new.text) or aspect.now
    )


def _is_of_another(new: Clause, old: Clause) -> bool:
    """Whether the later clause tells of somebody else, and the earlier one of the subject."""
    match = _ELSE.match(new.text)
    if match is None or not old.text.startswith("§ "):
        return False
    if match[2] is not None:
        return fold_word(match[2]) not in old.words
    return any(word in PEOPLE or word in ROLES for word in match[1].split())
