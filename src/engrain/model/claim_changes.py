"""What a statement says is over, in whatever words: given up, sold, replaced, no longer so.

Of what is named so, only the words are known; whether an older statement is about just that is for
the judge to compare.
"""

from __future__ import annotations

import re

from engrain.model.claim_aspect import is_denied
from engrain.model.claim_parts import is_past
from engrain.model.claim_places import place_in
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import STOP, content_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engrain.model.claim_parts import Clause

_UNTIL = (
    r"(?=$|[,.;:!?()→]| (?:for|to|in favou?r of|and|because|after|last|this|since|when|so|with|"
    r"by|as|"
    r"now|entirely|completely|altogether|anymore|months?|years?|weeks?|due|over|but|once|while|"
    r"during|"
    r"following|back|at the|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|in "
    r"(?:19|20)\d\d|"
    r"in (?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"january|february|april|june|july|august|september|october|november|december)|until|then|"
    r"for good|"
    r"a (?:week|month|year|while|few)|earlier|yesterday|two|three|out|off|already|was|were|is|"
    r"are|has|have|"
    r"got|gets|instead|last)(?![\w-]))"
)
_BONDS = "partnership|contract|relationship|cooperation|deal|agreement|collaboration|subscription"
_THING = (
    rf"(?P<gone>(?:[a-z]+ing to |(?:{_BONDS}) (?:with|for|to) )?"
    rf"[^,.;:!?()→]{{2,60}}?){_UNTIL}"
)
_VERBS = (
    r"left(?! [^,;]{2,30} (?:at \d|early|by (?:train|car|bus)|this morning|to (?:catch|visit|"
    r"see|meet|pick|attend)))|quit|quits|dropped|drops|ditched|ditches|abandoned|gave up(?: "
    r"on)?|given up(?: on)?|gives up|stopped|"
    r"ceased|discontinued|cancell?ed|scrapped|axed|killed(?: off)?|sold(?: off)?|traded in|"
    r"traded|swapped(?: out)?|"
    r"got rid of|gotten rid of|getting rid of|moved (?:off(?: of)?|away from|out of|on from)|"
    r"migrated (?:off(?: of)?|"
    r"away from|from|out of)|switched (?:off(?: of)?|away from|from)|(?:moved|migrated|ported|"
    r"took|taken|taking|switched) (?:§|[a-z ]{2,20}?) off(?: of)?|came off|come off|retired|"
    r"sunset|sunsetted|"
    r"decommissioned|deprecated|removed|ripped out|tore out|torn out|shut down|shuttered|"
    r"closed(?: down)?|resigned(?: from| as)?|"
    r"stepped (?:down|back|away)(?: as| from)?|departed|parted ways with|parted company with|"
    r"broke up with|split (?:up )?(?:from|with)|"
    r"divorced|unsubscribed from|deleted|uninstalled|wiped|replaced|replaces|outgrew|outgrown|lost "
    r"(?:interest in|§'s|the|§'s taste for)|"
    r"gone off|went off|sworn off|swore off|cut out|kicked|done with|through with|finished "
    r"with|phased out|"
    r"dumped|binned|let go of|donated|gave away|given away|wrecked|totall?ed|returned|shelved|"
    r"backed out of|"
    r"pulled out of|pulled the plug on|walked away from|bid farewell to|said goodbye to|waved "
    r"goodbye to|"
    r"weaned §self off|wound down|ended|terminated|dissolved|revoked|lifted|withdrew from|"
    r"withdrawn from|"
    r"dropped out of|rolled back|reverted|backed away from|put down|rehomed?|lost(?= (?:§'s|"
    r"the|its|all|an?) )|handed over|handed off|handed back|"
    r"fell out with|fallen out with|fell out of love with|called off|called time on|hung up|"
    r"packed in|jacked in|chucked|"
    r"has had it with|had enough of|cured of|recovered from|rid of|"
    r"(?:(?<=is )|(?<=are )|(?<=am )|(?<=got )|(?<=been )|(?<=now )|(?<=finally ))over(?! "
    r"(?:at|to|in|from|on|with|and|the (?:weekend|phone|summer|years|holidays|past|last|"
    r"next))(?![\w-]))|stopped using|eliminated|tossed|"
    r"threw out|thrown out|disbanded|laid down|sunset|turned off|switched off|disabled|opted "
    r"out of|overturned|"
    r"scaled back from|relinquished|renounced|vacated|checked out of|deserted|forsook|forsaken|"
    r"sacked|fired"
)
_GIVEN_UP = re.compile(
    rf"(?<![\w'-])(?:{_VERBS}|(?:is|are|been|gone|went|now|stays) (?:now )?off|no longer (?:at|"
    rf"with|in|on|under)) (?:(?:the|an?|§'s|all|its|any|old|that|both|"
    rf"our|entire|whole|§|beloved|trusty|completely|entirely) )*{_THING}"
)
_FROM = re.compile(
    r"(?<![\w'-])(?:switch|mov|migrat|chang|went|go|gone|port|convert|transition|upgrad|jump|"
    r"shift|push|slip|rewr|"
    r"renam|bump|rais|cut|drop|grew|grow|rose|fell|fall|relocat|transfer|swap|back|trad|"
    r"increas|reduc|lower|"
    r"climb|pivot|graduat|promot|flipp|extend|doubl|shr[aiu]nk|evolv|cross|defect|reschedul|"
    r"expand|step|hop|"
    r"traded|came|turn)\w*(?: [\w§']+){0,5}? from (?:being )?(?:an? |the |§'s |its "
    r")?(?P<gone>[^,;()]{1,40}?) "
    r"(?:to|into|over to|onto|up to|down to|back to|across to|→) (?P<new>[^,;()]{1,50})"
)
_ARROW = re.compile(
    r"(?:^|: |\bfrom )(?:[a-z ]{1,24}[:=] ?)?(?P<gone>[^→,;:]{1,40}?) → "
    r"(?P<new>[^,;]{1,40})"
)
_INSTEAD = re.compile(
    r"(?<![\w'-])(?:instead of|rather than|in place of|in lieu of|as opposed to|replacing|"
    r"ousting|succeeding|succeeds|"
    r"succeeded|taking over from|took over from|takes over from|displacing|displaced|"
    r"supplanted|supersedes|"
    r"superseded|superseding|prefers? [\w' ]{2,30}? (?:over|to|than)|(?:chose|picked|chooses|"
    r"picks) [\w' ]{2,30}? over|ditching|dropping|leaving behind|goodbye|bye|rip|farewell|and "
    r"not|(?<=, )not|(?<=\bis )not(?= [\w ]+ but )) "
    rf"(?:(?:the|an?|§'s|its|old|at|in|with|on|for) )*{_THING}"
)
_FOR = re.compile(
    r"(?<![\w'-])(?:swapped|traded|exchanged|swaps|trades)(?: in)? (?:(?:the|an?|§'s|its|old) "
    r")*(?P<gone>[^,;]{2,40}?)"
    r"(?: in)? for (?P<new>[^,;]{2,40})"
)
_PASSIVE = re.compile(
    r"^(?:so |and |then |now |the |§'s |our |an? |that |those |old )*(?P<gone>[^,;:]{2,40}?) "
    r"(?:was|is|were|are|"
    r"has been|have been|got|gets|has (?:now|finally|long|officially) been)(?: (?:been|being|"
    r"now|finally|all|officially|just|recently|"
    r"already|long|so|quietly|last \w+))* (?:gone|out|over|history|dead|done|finished|kaput|"
    r"toast|no more|no longer "
    r"(?:a thing|used|needed|in use|around|there|the case|true|valid|current|happening)|past|"
    r"behind §|in the past|"
    r"old news|water under the bridge|ancient history|closed|obsolete|dropped|"
    r"ditched|abandoned|discontinued|cancell?ed|scrapped|axed|killed|sold|traded|swapped|"
    r"removed|ripped out|retired|"
    r"decommissioned|deprecated|shut down|shuttered|replaced|phased out|dumped|binned|ended|"
    r"terminated|dissolved|"
    r"revoked|lifted|rolled back|reverted|called off|wound down|turned off|switched off|"
    r"superseded|sunset|"
    r"expired|lapsed|cleared up|healed|outgrown|disbanded|laid off|fired|let go|overturned|"
    r"stopped|died|passed away|"
    r"left behind|kicked)(?![\w-])"
)
_DIED = re.compile(
    r"^(?:the |§'s |our )*(?P<gone>[^,;:]{2,40}?) (?:has |have |just |recently )*(?:died|passed "
    r"away|folded|went under|"
    r"expired|lapsed|ended|ceased to exist|broke up|fell through)(?![\w-])"
)
_MADE_WAY = re.compile(
    r"(?:^|, )(?:the |§'s |our )*(?P<gone>[^,;:]{2,40}?) (?:made way for|makes way for|gave "
    r"way to|gives way to|"
    r"has given way to|handed over to|handed the reins to|ceded to|lost out to)"
)
_LET = re.compile(
    r"(?<![\w'-])let (?:the |§'s )?(?P<gone>[^,;]{2,40}?) (?:lapse|go|expire|"
    r"slide|die)(?![\w-])"
)
_NOW = re.compile(
    r"(?<![\w'-])(?:used to be|was|were|formerly|previously|had been|once)(?: an?| the)? "
    r"(?P<gone>[^,;]{2,40}?)"
    r"(?:,| but| and|;)(?: §)?(?: is| has| are)? (?:now|these days|not anymore|no longer|"
    r"today)(?![\w'-])"
)
_USED_TO = re.compile(r"(?<![\w'-])used to (?P<gone>(?!be\b)[^,;]{3,50})")
_TOOK_OVER = re.compile(
    r"(?<![\w'-])(?:replac(?:ed|es|ing)|displac(?:ed|es)) (?:the |an? |§'s "
    r")?(?P<gone>[^,;]{2,30}?) (?:with|by)"
)


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


_TELLING = (
    _FROM, _ARROW, _FOR, _LET, _DIED, _TOOK_OVER, _NOW, _MADE_WAY, _PASSIVE, _USED_TO,
)  # fmt: skip


def _named(text: str, passing: bool) -> Iterator[tuple[str, str]]:
    once = re.search(
        r"(?<![\w'-])(?:today|tonight|tomorrow|yesterday|this (?:week|morning|"
        r"afternoon|time))(?![\w'-])",
        text,
    )
    for pattern in (
        _FROM,
        _ARROW,
        _FOR,
        _LET,
        _DIED,
        _TOOK_OVER,
        _NOW,
        _MADE_WAY,
        _PASSIVE,
        _USED_TO,
    ):
        for match in pattern.finditer(text):
            if _OCCASION.search(match["gone"]) and re.search(
                "cancel|called off|skip", match.group()
            ):
                continue
            if once and re.search("cancel|called off|mov|shift|push|out|off|skip", match.group()):
                continue
            if not is_denied(" ".join(text[: match.start()].split()[-3:])):
                if pattern is _FROM and _is_travel(match):
                    continue
                yield match["gone"], match.group()
    if passing:
        return
    for pattern in (_GIVEN_UP, _INSTEAD):
        for match in pattern.finditer(text):
            before = text[: match.start()].split()[-3:]
            if not (is_denied(" ".join(before)) or "before" in before or "never" in before):
                if pattern is _FROM and _is_travel(match):
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
