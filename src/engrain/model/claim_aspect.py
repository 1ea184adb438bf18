"""How a clause is meant: as what holds, held, is planned, is only thought of, or holds for a while.

English only; what gives no sign of anything else holds.
"""

from __future__ import annotations

import re

_END = r"(?![\w'-])"


def _any(words: str) -> re.Pattern[str]:
    parts = "|".join(" ".join(words.split()).split(" | "))
    return re.compile(rf"(?<![\w'-])(?:{parts}){_END}")


_HEDGED = _any(
    """might | may(?! \\d) | maybe | perhaps | possibly | probably | could | would | should | if
    | unless | whether | wonders? | wondering | wish(?:es|ed)? | hop(?:es?|ed|ing)
    (?:to|for|that) | consider(?:s|ed|ing)? | think(?:s|ing)? (?:of|about) | thought
    (?:of|about) | thinks | dream(?:s|ed|ing|t)? (?:of|about) | rumou?red | rumou?rs? |
    supposedly | reportedly | allegedly | likely | unlikely | tempted | toy(?:s|ed|ing) with |
    mulling | mulls | weighing | weighs | would like | wants? | wanted | looking
    (?:into|at|to|for) | looks? (?:into|at|for) | looked (?:into|at|for) |
    interview(?:s|ed|ing)? (?:at|with|for|by) | appl(?:y|ies|ied|ying) (?:to|for|at) | joked?
    | jokes | joking | imagin(?:e|es|ed|ing) | pretend(?:s|ed)? | in talks |
    discuss(?:es|ed|ing)? | propos(?:al|es|ed to|ed that|ed moving|ed using|ed switching) |
    suggest(?:s|ed|ing)? | debat(?:es?|ed|ing) | evaluat(?:es?|ed|ing) | explor(?:es?|ed|ing)
    | trial(?:s|led|ling)? | tried | tries | trying | try | test(?:s|ed|ing)?
    (?:out|whether|if) | pilot(?:ed|ing) | prototyp\\w* | poc | experiment(?:s|ed|ing)? |
    not sure | unsure | unclear | uncertain | tbd | someday | one day | eventually |
    offer(?:ed)? from | turned down | declined | rejected | refused | almost | nearly | read
    about | heard (?:of|about) | asked (?:about|for|if|whether) | asks | curious | curious
    about | interested in (?:moving|switching|joining) | let us | can(?! not) |
    recommend(?:s|ed)? | threaten(?:s|ed)? | worr(?:y|ies|ied) | expects? | expected |
    believ(?:es?|ed) | guess(?:es|ed)? | assum(?:es?|ed) | argu(?:es?|ed|ing) |
    pitch(?:es|ed|ing)? | requested | aims? | aiming | goal | target(?:s|ing)? |
    ideally | potential(?:ly)? | open to | ready to | prepared to | willing to | scheduled to
    | set to(?! \\d| [$€£])"""
)
_AHEAD = _any(
    """will | (?:is|are|am|be) going to | gonna | shall | about to | plan(?:s|ned|ning)? |
    intend(?:s|ed)? | upcoming | soon | tomorrow | next
    (?:week|month|year|quarter|spring|summer|fall|autumn|winter|sprint|\\w+day|january|february|march|april|may|june|july|august|september|october|november|december)
    | later this (?:week|month|year) | in the future | in (?:a|two|three|a few|\\d+)
    (?:days?|weeks?|months?|years?) | is
    (?:moving|joining|leaving|switching|starting|becoming|selling|buying|getting|quitting|relocating|migrating|replacing|retiring|launching|stepping)
    | are
    (?:moving|joining|leaving|switching|starting|becoming|selling|buying|getting|quitting|relocating|migrating|replacing|retiring|launching|stepping)
    | (?:leaves|joins|starts|moves|retires|begins) (?:in|on|next|at the end) | preparing to |
    gearing up | slated | scheduled | by the end of | expected"""
)
_HELD = _any(
    """used to | formerly | previously | back then | back when | back in
    (?:the|\\d|college|school|\\w+ school) | once | as a
    (?:kid|child|teen|teenager|student|boy|girl) | in (?:his|her|their|§'s)
    (?:20s|30s|twenties|thirties|teens|youth|childhood) | \\d* ?years? ago | years earlier |
    grew up | raised in | at the time | in those days | originally | initially | in the past |
    in the nineties | before (?:joining|moving|that|coming|then|switching|becoming|it) | had
    been | at first | growing up | until (?:19|20)\\d\\d | from (?:19|20)\\d\\d to | between
    (?:19|20)\\d\\d | in college | in high school | in school | at university | first job | ex
    | former | (?<!years )(?<!year )old(?= \\w) | (?:last|past) (?:summer|winter|spring|year)
    (?:§|he|she|they) was"""
)
_WHILE = _any(
    """visit(?:s|ed|ing)? | trips? | vacation(?:s|ed|ing)? | holidays? | honeymoon | conference |
    offsite | for the (?:week|weekend|summer|winter|month|day|night|holidays|time
    being|moment|duration) | this week | this weekend | this morning | today only | tonight |
    last night | yesterday | last weekend | last week(?= for| to (?:visit|see|attend)) | on
    business | travel(?:s|ed|ing|led|ling)? | for (?:a|an|one|two|three|four|six|a
    few|several|\\d+) (?:days?|weeks?|months?|nights?|hours?) | for a (?:bit|while|change) |
    temporarily | temporary | until | stopover | layover | guest | keynote | speaker |
    cover(?:s|ed|ing) for | fill(?:s|ed|ing) in | stand(?:s|ing)?-?in | acting | interim | on
    loan | just for | one-off | borrow(?:s|ed|ing)? | while (?:his|her|their|the|§) | during |
    stay(?:s|ed|ing)? (?:with|at|in) | house-?sit\\w* | sublet\\w* | seconded | secondment |
    gave a talk | spoke at | talk at | attend(?:s|ed|ing)? | met | meeting with | flew | flies
    | flying | came to | on the weekend of | passing through | dropped by | stopped by | sick
    leave | parental leave | maternity leave | on leave | sabbatical | out sick | occasionally
    | sometimes | now and then | once in a while | every now and | from time to time | for
    (?:dinner|lunch|breakfast|brunch|drinks) | at (?:a|the)
    (?:party|wedding|dinner|bbq|barbecue|potluck)"""
)
_ADDED = _any(
    """also | too | as well | as well as | another | in addition(?: to)? | additionally | besides
    | on top of | alongside | on the side | side | moonlight\\w* | extra | backup | secondary
    | second home | additional | both | still | part-time job | volunteer\\w* |
    advis(?:es|or|ing|ory) | board | plus | remains | continues | keeps | keep | kept | adds |
    added | not only | occasional(?:ly)? | along with | beside | holiday home | summer house |
    weekend | weekends | mirror(?:s|ed)? | in parallel"""
)
_NOW = _any(
    """now | nowadays | these days | currently | at present | at the moment | presently | today |
    as of | since | lately | recently | just | new | newly | latest | updated? | instead |
    anymore | no longer | switched | changed | moved | became | has become | turned | went |
    gone | is back | swapped | replaced | finally | officially | from now on | going forward |
    effective | starting | correction | actually | turns out | has been | latest | meanwhile |
    by now | recent | already | ended up | got | gotten | renamed | promoted | transferred |
    this (?:year|month|quarter)"""
)
_NOT = _any(
    "not | never | no longer | nor | without | neither | hardly | barely | no | stopped | quit "
    "| anymore"
)
_NOT_ONLY = re.compile(r"\bnot (?:only|just|merely)\b|\bno (?:doubt|wonder|problem|matter)\b", re.I)


_ADDRESS = re.compile(r"\S+@\S+|https?://\S+")


class Aspect:
    """How one clause is meant."""

    __slots__ = ("added", "ahead", "hedged", "held", "now", "while_")

    def __init__(self, text: str, asks: bool = False) -> None:
        text = re.sub(
            r"no longer (?:wants?|can|tries|tests|looks?|considers?|plans?)", "no longer", text
        )
        text = _ADDRESS.sub("it", text)
        self.hedged = asks or bool(_HEDGED.search(text))
        self.ahead = bool(_AHEAD.search(text))
        self.held = bool(_HELD.search(text))
        self.while_ = bool(_WHILE.search(text))
        self.added = bool(_ADDED.search(text))
        self.now = bool(_NOW.search(text))


def is_denied(text: str) -> bool:
    """Whether a stretch of a clause has a word that denies."""
    return bool(_NOT.search(_NOT_ONLY.sub(" ", text)))
