"""Whether two clauses are the same but for one place, or but for a denial."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from engrain.model.claim_changes import is_carrier
from engrain.model.claim_lexicon import OPPOSITES
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import fold_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.claim_parts import Clause


_DENIALS = vocabulary("""not never no longer nor without neither hardly barely anymore""")
_DENIED = re.compile(r"§ (?:does not|do not|is not|are not|can not|never (?!been)|no longer)")


_HAVING = frozenset(("own", "hav", "have"))
_GOT = re.compile(r"(?<![\w'-])(?:bought|got|has|owns|adopted|acquired|picked up)(?![\w'-])")


def takes_back(new: Clause, old: Clause) -> bool:
    denied = {word for word in old.words if word not in _DENIALS}
    said = set(new.words)
    if denied & _HAVING and _GOT.search(new.text):
        denied -= _HAVING
        said -= {"buy", "get", "adopt"}
    if not _DENIED.match(old.text) or not re.match(r"§ (?!is going|will|would|gonna)", new.text):
        return False
    return (
        denied <= said and len(said) - len(denied) <= (2 if len(denied) > 1 else 0) and bool(denied)
    )


VAGUE = vocabulary(
    """great good nic bad sur easy much lot fun cool thing someth anyth way bit right tru ready
    different new tim fin happy sad busy excit tired able"""
)
_TURN = re.compile(
    r"(?<![\w'-])(?:(?<!right )now|nowadays|these days|switched|changed|instead|as of|from now "
    r"on|moved to|swapped|"
    r"became|has become|upgraded|downgraded|going forward|updated|revised|correction|converted|"
    r"by now|no longer)(?![\w-])"
)
_TURN_WORDS = vocabulary(
    """switch chang mov instead new swap becom turn upgrad downgrad go gon went updat revis
    correction convert tak current mean meanwhil bump rais"""
)
_SWITCHED = re.compile(
    r"^§ (?:has |have |is )?(?:now )?(?:switched|moved|changed|gone|went|"
    r"upgraded)(?: over)? to "
)
_MOST_SWAPPED = 3
_MANY = vocabulary(
    """lik lov enjoy speak know hav have love like own learn sell mak offer support play visit
    interest hat use us read watch collect need want see teach"""
)
"""Verbs whose object may be one of several."""


def _same_start(one: str, other: str) -> bool:
    """Whether two clauses have one subject: `§`, or something of it or of all of them."""
    starts = [
        re.sub(r"^(?:as of [\w ]{2,16}|now|so|and|the|our),? ", "", text).split()[0]
        for text in (one, other)
    ]
    return fold_word(starts[0]) == fold_word(starts[1])


def _is_count(word: str) -> bool:
    """Whether a word is a number, and no year."""
    return word.isdigit() and not (len(word) == 4 and word[:2] in ("19", "20"))


def find_swap(new: Clause, old: Clause) -> str:
    """What stands in the place of what, where two clauses are alike but for one place."""
    fresh = [word for word in new.words if word not in _TURN_WORDS]
    known = list(old.words)
    if _SWITCHED.match(new.text) and known and is_carrier(known[0]):
        known = known[1:]
    turned = bool(_TURN.search(new.text))
    same = SequenceMatcher(None, known, fresh, autojunk=False)
    swaps = [op for op in same.get_opcodes() if op[0] != "equal"]
    kept = sum(op[2] - op[1] for op in same.get_opcodes() if op[0] == "equal")
    if len(swaps) != 1 or swaps[0][0] != "replace":
        return ""
    was, now = known[swaps[0][1] : swaps[0][2]], fresh[swaps[0][3] : swaps[0][4]]
    if len(was) == len(now) == 1 and frozenset((was[0], now[0])) in OPPOSITES:
        return f"{was[0]} is {now[0]}" if kept or new.text.startswith("§ is ") else ""
    counted = len(was) == len(now) == 1 and _is_count(was[0]) and _is_count(now[0])
    if counted and kept > 1 and known[swaps[0][2] :] and _same_start(new.text, old.text):
        return f"{was[0]} is {now[0]}"
    if (
        not (kept and turned)
        or len(was) > _MOST_SWAPPED
        or len(now) > _MOST_SWAPPED
        or old.aspect.added
    ):
        return ""
    if any(map(str.isdigit, "".join(was))) != any(map(str.isdigit, "".join(now))):
        return ""
    short = kept == 1 and max(len(known), len(fresh)) <= 3 and not _MANY & {known[0], fresh[0]}
    if (kept < 2 and not short) or not _same_start(new.text, old.text):
        return ""
    if (len(was) > 2 and kept < 3) or set(was) & VAGUE or set(now) & VAGUE or set(known) & VAGUE:
        return ""
    return f"{' '.join(was)} is {' '.join(now)} now"
