"""What a statement says is over, in whatever words: given up, sold, replaced, no longer so.

Of what is named so, only the words are known; whether an older statement is about just that is for
the judge to compare.
"""

from __future__ import annotations

import re

from engrain.model.claim_aspect import is_denied
from engrain.model.claim_endings import FROM_TO, GIVEN_UP, INSTEAD, PASSIVE, TELLING
from engrain.model.claim_parts import is_past
from engrain.model.claim_places import place_in
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import STOP, content_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engrain.model.claim_parts import Clause


class Over:
    """What a clause says is over: the folded `words` of it, and `how` it is told, in its own words.

    `whole`: they are all that the clause says, denied, and not only what was given up.
    """

    __slots__ = ("how", "whole", "words")

    def __init__(self, words: tuple[str, ...], how: str, whole: bool = False) -> None:
        self.how = how
        self.words = words
        self.whole = whole


def find_over(clause: Clause) -> list[Over]:
    """What a clause says holds no longer; nothing for one that is thought of, asked or planned."""
    aspect = clause.aspect
    if aspect.hedged or aspect.ahead:
        return []
    found = []
    for named, how in _named(clause.text, aspect.while_):
        if words := _words(named):
            found.append(Over(words, how))
    if _denies(clause.text):
        if is_past(clause.text) and not re.search(r"no longer|anymore", clause.text):
            return found
        words = tuple(
            word for word in content_words(_without_reason(clause.text)) if word not in _DENYING
        )
        if words:
            found.append(Over(words, clause.text, whole=True))
    return found


def _without_reason(text: str) -> str:
    """A denial without why and since when: "anymore after the operation"."""
    told, sign, _ = text.partition(" anymore")
    if not sign:
        told = re.sub(
            r" (?:because|since|due to|thanks to|following|as of|for (?:months|years|"
            r"ages|now)|these days)\b.*",
            "",
            text,
        )
    return re.sub(r"^(?:as of [\w ]{2,16}|since [\w ]{2,16}|after [\w ]{2,20}) (?=§)", "", told)


_DENYING = vocabulary(
    """not never no longer nor without neither hardly barely anymor anymore anything at all
    ever even stop quit"""
)


def _is_travel(match: re.Match[str]) -> bool:
    """Whether somebody only went from one place to another."""
    went = re.match(r"(?:went|go|gone|came|cross|hop|back|jump|step)", match.group()) is not None
    return went and bool(place_in(match["gone"]) or place_in(match["new"]))


_ON_A_DAY = re.compile(
    r"on (?:[a-z]+ )?(?:\w+day)|over (?:the )?(?:holidays|easter|christmas)", re.I
)
_OCCASION = re.compile(
    r"(?<![\w'-])(?:mon|tues|wednes|thurs|fri|satur|sun)day(?!s)|\d|"
    r"tomorrow|next ",
    re.I,
)


def _denies(text: str) -> bool:
    if re.search(r"(?<![\w'-])(?:never been|has not|have not|had not|did not|never|not always|"
                 r"not have to|not mind|not only|not just|not yet|not great|not sure|not "
                 r"(?:left|quit|"
                 r"stopped|dropped|given|gone|changed|moved|switched|abandoned|cancelled)|"
                 r"never (?:left|quit|"
                 r"stopped|dropped|gave|changed|moved))(?![\w-])", text):  # fmt: skip
        return False
    return is_denied(text)


def _named(text: str, passing: bool) -> Iterator[tuple[str, str]]:
    once = re.search(
        r"(?<![\w'-])(?:today|tonight|tomorrow|yesterday|this (?:week|morning|"
        r"afternoon|time))(?![\w'-])",
        text,
    )
    for pattern in TELLING:
        for match in pattern.finditer(text):
            if pattern is PASSIVE and _ON_A_DAY.search(text, match.end()):
                continue
            if _OCCASION.search(match["gone"]) and re.search(
                "cancel|called off|skip", match.group()
            ):
                continue
            if once and re.search("cancel|called off|mov|shift|push|out|off|skip", match.group()):
                continue
            if not is_denied(" ".join(text[: match.start()].split()[-3:])):
                if pattern is FROM_TO and _is_travel(match):
                    continue
                yield match["gone"], match.group()
    if passing:
        return
    for pattern in (GIVEN_UP, INSTEAD):
        for match in pattern.finditer(text):
            before = text[: match.start()].split()[-3:]
            if not (is_denied(" ".join(before)) or "before" in before or "never" in before):
                if pattern is FROM_TO and _is_travel(match):
                    continue
                yield match["gone"], match.group()


def _words(named: str) -> tuple[str, ...]:
    words = tuple(content_words(re.sub(r"(?<![\w'-])[a-z]+ly(?![\w-])", " ", named)))
    return tuple(word for word in words if word not in _GENERIC) or words


_GENERIC = vocabulary(
    """old job rol plac thing habit whole subscription membership account position long-tim
    beloved year trusty complete entire good altogether use using setup approach previous
    former existing original every single last remain work usage current legacy ag
    self-hosted day era chapter phas time stint contract"""
)


_MOST_LEFT = 3


def is_carrier(word: str) -> bool:
    """Whether a word only leads to what is told: works, uses, goes."""
    return word in _CARRIERS


def carried(words: tuple[str, ...], over: frozenset[str], slack: int = 0) -> bool:
    """Whether what is over is what an older statement is about, and no thing named by the way."""
    at = next((place for place, word in enumerate(words) if word in over), None)
    if at is None:
        return False
    left = [
        word for word in words if word not in over and word not in _CARRIERS and word not in STOP
    ]
    before = [word for word in words[:at] if word not in _CARRIERS]
    return len(before) <= slack and len(left) <= _MOST_LEFT


_CARRIERS = vocabulary(
    """us work liv driv own hav play do tak drink eat lov lik prefer attend go subscribe
    subscrib rely run bank train practis practic study learn rent leas rid smok follow
    belong volunteer teach coach host ship buy order pay see dat sit big huge fan keen fond
    enjoy keep live use love like drive take have ride smoke date lease practise join start
    serve stay bas base reside report lead manag head build written writ write stor deploy
    power back built swear guy girl man woman call nam name regular always daily every
    morning evening week avid senior allergy member part wear mainly mostly primary speak
    hold main stack is hobby favourit exclusiv religious rais giv still passionat certifi
    sell mak produc offer provid manufactur support allow includ contain requir need accept
    ban publish distribut carri stock featur maintain fund sponsor invest partner hir employ
    collect brew bak cook watch read listen believ trust swim visit grow operat enabl track
    sync commut headquarter depend integrat get work-out lift consum enroll enrol market"""
)
