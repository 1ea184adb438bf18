"""The rules: which words say that something is to be kept, as what, and how sure that is (S1.20).

Each is a pattern that stands at the beginning of a sentence, behind words that only lead in, or
behind a comma. Its group `act` is what is said to be so. English; what no rule knows says nothing,
because a wrong memory costs more than a missing one.
"""

from __future__ import annotations

import re

PREFERENCE = "preference"
FEEDBACK = "feedback"
WORKFLOW = "workflow"
DECISION = "decision"
FIX = "fix"
IDEA = "idea"
INSIGHT = "insight"


class Rule:
    """One rule: as what kind of entry a sentence is kept and with which confidence.

    `again` is the confidence where the sentence corrects what the agent did; None for the same.
    `questions` says that it may be a question; `least` is how many words of content it needs.
    """

    __slots__ = ("again", "confidence", "kind", "least", "name", "pattern", "questions")

    def __init__(
        self,
        name: str,
        kind: str,
        confidence: float,
        pattern: str,
        *,
        again: float | None = None,
        questions: bool = False,
        least: int = 2,
    ) -> None:
        self.name = name
        self.kind = kind
        self.confidence = confidence
        self.again = confidence if again is None else again
        self.pattern = re.compile(pattern, re.IGNORECASE)
        self.questions = questions
        self.least = least


_YOU = (
    r"(?:(?:you|we) (?:should|must|need to|have to|ought to|can) |(?:I want|I need|I expect"
    r"|I'd like) you to )?"
)
_PLEASE = r"(?:please,? |kindly |just |also,? |but )*"
_AT = r"(?:^|(?<=, )|(?<=; )|(?<=: )|(?= please ) )"
_IDLE = (
    r"(?!\w+ing\b|(?:here|there|good|great|nice|fun|happy|glad|welcome|a|an|the|in|on|up|with"
    r"|love|enjoy"
    r"|hope|feel|be (?:there|here)|give up|mind|forget (?:how|that|your|the)|lose sight|hesitate"
    r"|too|been)\b)"
)
"""What people always or never do who tell nobody what to do."""
_THING = (
    r"(?:`[^`]+`|[^\s,.;:()]+)(?: (?!and\b|but\b|because\b|since\b|so\b|if\b|when\b)(?:`[^`]+`"
    r"|[^\s,.;:()]+)){0,4}"
)
_BARE = (
    r"(?:use|run|write|keep|make|check|test|add|put|avoid|commit|push|ask|show|tell|read|verify"
    r"|update"
    r"|include|start|follow|document|leave|do(?:n't| not)?(?! hesitate| worry| forget)|squash"
    r"|rebase|format|lint|name|give|wrap"
    r"|sort|mention|describe|explain|skip|think|look|call|open|create|never|always|prefer|stick"
    r"|stop"
    r"|wait|confirm|let me know|propose|review|pin|quote|list|cite|respond|answer|reply|speak|talk"
    r"|you (?:should|must|need|have to|can|may)|we (?:should|must|need|have to)|I want|I'd like)\b"
)
_PAST = (
    r"(?!\w+ed\b|(?:been|had|did|was|were|ran|saw|seen|knew|got|went|gone|thought|found|heard"
    r"|made|took|came|mind|worked)\b)"
)

_IN = r"(?:(?:in|for) (?:this|our|my|all|any) [\w-]+(?: \w+)?,? )?"

RULES = (
    Rule(
        "I always",
        PREFERENCE,
        0.9,
        r"^(?:I|we) always (?P<act>(?:want|need|use|like|expect|run|write|prefer|keep|put)\b .+)",
    ),
    Rule(
        "always",
        PREFERENCE,
        0.9,
        rf"{_AT}{_PLEASE}{_YOU}(?:always|never) {_PAST}{_IDLE}(?P<act>[a-z]\w*\b.+)",
    ),
    Rule(
        "from now on",
        FEEDBACK,
        0.9,
        rf"^{_PLEASE}(?:from now on|from here on|going forward|in (?:the )?future|next time)\b,?"
        rf" (?!.*\b(?:may|might|could|maybe|will probably)\b)(?P<act>(?:.*\b)?{_BARE}.+)",
    ),
    Rule(
        "from now on, behind",
        FEEDBACK,
        0.9,
        rf"^{_PLEASE}{_YOU}(?P<act>{_BARE}.+?),? (?:from now on|going forward|in future)$",
    ),
    Rule(
        "prefer",
        PREFERENCE,
        0.9,
        r"^(?:I|we|I'd|I would|my team)(?: (?:much|strongly|really|generally|usually|always|still"
        r"|just|do))*"
        r" (?:prefer|rather)(?! (?:the )?(?:first|second|third|last|option|former"
        r"|latter)\b) (?P<act>.+)",
    ),
    Rule(
        "preference",
        PREFERENCE,
        0.9,
        r"^(?:my preference|my preferred \w+|our convention|our policy|our standard|the convention"
        r"|the rule)(?: \w+){0,3} (?:is|are)(?: to| that)? (?P<act>.+)",
    ),
    Rule(
        "remember",
        INSIGHT,
        0.85,
        r"(?:^|(?<=\())(?:please )?(?:remember|keep in mind|bear in mind|note|for the record"
        r"|for future reference|fyi|for your information)(?: that\b|:|,|(?= (?:I|my|we|our)\b))"
        r" ?(?P<act>(?!when\b|how\b|what\b)\w.{14,})",
    ),
    Rule(
        "remember to",
        FEEDBACK,
        0.8,
        rf"^{_PLEASE}(?:always )?remember to (?P<act>(?!do (?:this|that|it)\b)\w.+)",
    ),
    Rule(
        "not again",
        FEEDBACK,
        0.9,
        rf"^{_PLEASE}(?:you )?(?:don't|do not|must not|mustn't|stop) (?P<act>\w.+?)"
        r"(?<!\btry) (?:again|ever again|any ?more|every time|all the time|unless I (?:ask|say"
        r"|tell)\b.*)$",
        least=1,
    ),
    Rule(
        "whenever",
        WORKFLOW,
        0.85,
        rf"^{_PLEASE}(?P<act>(?:whenever|every time|each time|any ?time) (?:you|we|there)\b[^,]*,"
        rf" (?:please |then )?{_BARE}.+)",
    ),
    Rule(
        "when you",
        WORKFLOW,
        0.6,
        rf"^{_PLEASE}(?P<act>when (?:you|we)(?:'re| are)? "
        rf"(?!(?:go|went|saw|did|ran|were|was|had|said|told)\b)[a-z]\w*\b[^,]*, (?:please "
        rf"|then )?{_BARE}.+)",
        again=0.85,
    ),
    Rule(
        "before each",
        WORKFLOW,
        0.85,
        rf"^{_PLEASE}(?P<act>(?:before|after)(?: (?:each|every|any)\b| \w+ing\b| you \w+\b)"
        rf"(?! (?:this|that|these|those|it)\b)[^,]*, (?:please |then )?(?:always "
        rf"|never )?{_BARE}.+)",
    ),
    Rule(
        "each behind",
        WORKFLOW,
        0.8,
        rf"^{_PLEASE}{_YOU}(?P<act>{_BARE}.*\b(?:before|after) (?:each|every|any) \w+.*)",
    ),
    Rule(
        "choice",
        FEEDBACK,
        0.85,
        rf"{_AT}{_PLEASE}{_IN}{_YOU}(?P<act>(?:use|run|write|call|keep|put|format|indent|name"
        rf"|prefer|stick (?:to|with)|do)"
        rf"\b.*?(?:,| and|)? (?:not|instead of|rather than) (?!only\b|just\b|yet\b"
        rf"|to worry\b){_THING}.*)",
    ),
    Rule(
        "we use",
        DECISION,
        0.85,
        rf"^(?P<act>{_IN}(?:we|I)(?:'re| are|'ll| will|)? (?:using|use|on|going with"
        rf"|sticking with|standardi[sz]ing on)"
        rf" {_THING},? (?:not|instead of|rather than) {_THING}.*)",
    ),
    Rule(
        "use instead",
        FEEDBACK,
        0.6,
        rf"^{_PLEASE}{_YOU}(?P<act>use .+? instead)$",
        again=0.85,
        least=1,
    ),
    Rule(
        "do not but",
        FEEDBACK,
        0.6,
        rf"^{_PLEASE}(?P<act>(?:don't|do not) (?:use|mock|write|run|put|call|add|create"
        rf"|copy) [^,;]+[,;]"
        rf" (?:but |just )?(?:use|write|run|put|call|take|move|edit) .+)",
        again=0.85,
    ),
    Rule(
        "not that",
        FEEDBACK,
        0.4,
        rf"^(?P<act>(?!.*(?:'s |\b(?:said|is|are|was|were|do|does|did|has|have|had|will|would|can"
        rf"|could|let's"
        rf"|why|I|you|we)\b))"
        rf"(?:{_THING}),? not (?!yet\b|sure\b|only\b|that\b|this\b|now\b|really\b){_THING})$",
        again=0.85,
    ),
    Rule(
        "decided",
        DECISION,
        0.85,
        r"^(?:we|I)(?:'ve| have)?(?: (?:all|now|already|just|finally))? (?:decided|agreed|settled"
        r"|opted|chose)"
        r" (?:to|on|for|that|not to|against) (?P<act>\w.+)",
    ),
    Rule("decision", DECISION, 0.9, r"^(?:the )?decision(?: is|:)(?: to| that)? (?P<act>\w.+)"),
    Rule(
        "go with",
        DECISION,
        0.8,
        r"^let's (?:just |simply )?(?:go with|switch to|stick (?:with|to)|settle on"
        r"|standardi[sz]e on|adopt"
        r"|migrate to) (?P<act>.+)",
    ),
    Rule(
        "going with",
        DECISION,
        0.8,
        r"^(?:we|I)(?:'re| are|'ll| will) (?:going with|go with|stick(?:ing)? with"
        r"|switch(?:ing)? to"
        r"|standardi[sz](?:e|ing) on) (?P<act>.+)",
    ),
    Rule(
        "cause",
        FIX,
        0.8,
        r"^(?:so )?(?:the )?(?:actual |real )?(?:fix|root cause|culprit|workaround)"
        r" (?:is|was|turned out to be)(?: to| that)? (?P<act>\w.+)",
    ),
    Rule(
        "fixed by",
        FIX,
        0.8,
        r"^(?:I|we)(?:'ve| have)? (?:fixed|solved|resolved|worked around) (?!it\b|this\b|that\b).+?"
        r" by (?P<act>\w+ing\b.+)",
    ),
    Rule(
        "dislike",
        PREFERENCE,
        0.6,
        r"^I (?:really |strongly )?(?:dislike|hate|don't like|do not like|can't stand)"
        r"(?! (?:to (?:say|admit)|how|what|where)\b) (?P<act>.+)",
    ),
    Rule(
        "I don't want",
        FEEDBACK,
        0.6,
        r"^I (?:don't|do not|never) want you to (?P<act>\w.+)",
    ),
    Rule(
        "should have",
        FEEDBACK,
        0.55,
        r"^you should(?:'ve| have) (?:also )?(?P<act>(?!noticed|realized|expected)\w+ed\b.+)",
    ),
    Rule(
        "important",
        PREFERENCE,
        0.6,
        r"^it(?:'s| is) (?:also |very |really |most )?important (?:to|that) (?P<act>\w.+)",
    ),
    Rule(
        "reasoned",
        FEEDBACK,
        0.55,
        rf"^{_PLEASE}(?:use|keep|put|avoid|name|prefer|default to|don't(?! forget)"
        rf"|do not) (?P<act>\w.+?,? (?:because|since|so that) .+)",
    ),
    Rule(
        "stop doing",
        FEEDBACK,
        0.55,
        rf"^{_PLEASE}(?:stop|quit) (?P<act>\w+ing\b.+)",
    ),
    Rule(
        "some day",
        IDEA,
        0.35,
        r"^(?:some ?day|eventually|at some point|one day|down the road|in the long run),? (?:we|I"
        r"|you|it)"
        r" (?:could|should|might|may|would|will|can|want|need) (?P<act>\w.+)",
    ),
    Rule(
        "would be nice",
        IDEA,
        0.35,
        r"^(?:I think )?(?:it )?(?:would|might|could|'d)(?:n't it)? be (?:really |very |also )?"
        r"(?:nice|cool|great|neat|awesome) (?:to|if) (?P<act>\w.+)",
    ),
    Rule(
        "maybe later",
        IDEA,
        0.3,
        r"^(?:maybe|perhaps)(?: (?:later|some ?day|eventually|one day))?,? (?:we|I|you) (?:could"
        r"|should|can|might)"
        r" (?P<act>(?=.*\b(?:later|some ?day|eventually|one day|at some point|in the future"
        r"|long run)\b).+)",
    ),
    Rule(
        "idea",
        IDEA,
        0.4,
        r"^(?:an?other |an |new |crazy )?idea(?: for (?:later|the future))?: (?P<act>\w.+)",
    ),
    Rule("what if", IDEA, 0.25, r"^what if (?:we|you|it) (?:also )?(?P<act>\w.+)", questions=True),
    Rule(
        "maybe",
        IDEA,
        0.25,
        r"^(?:maybe|perhaps) (?:we|you|I) could (?:also )?(?P<act>\w.+)",
    ),
)  # fmt: skip
"""In the order in which they are tried: the first that fits is it."""

LEAD_IN = re.compile(
    r"^(?:(?:oh|ok(?:ay)?|w8|wait(?: again)?|no(?:pe)?|nah|yes|yep|yeah|yup|well|so|and|but|also"
    r"|hey|hi|hello"
    r"|hm+|ugh|ah|actually|now|then|sorry|btw|again|argh|hell no|(?:good|great|perfect|nice|cool"
    r"|right|thanks"
    r"|first|second|finally|lastly|stop|look|listen|important)(?=[,.!:;]))"
    r"\b(?:[\s,.!:;)-]+|$))+",
    re.IGNORECASE,
)
"""Words before what is said."""
CORRECTING = re.compile(
    r"^(?:\W*(?:ok(?:ay)?|oh|hey|hm+|ugh|well)\W+)*(?:no(?:pe)?|nah|w8|wait|actually|stop|hell no"
    r"|argh|wrong|that's wrong"
    r"|not (?:that|like that|quite))\b",
    re.IGNORECASE,
)
"""How a message begins that corrects what the agent did."""
NAMES_PROJECT = re.compile(
    r"\b(?:in|for|of|on|within) (?:this|our|the current) (?:project|repo(?:sitory)?|code ?base"
    r"|code|app|package|vault"
    r"|workspace|monorepo)\b|\b(?:this|our) (?:project|repo(?:sitory)?|code ?base)\b",
    re.IGNORECASE,
)
REASON = re.compile(
    r"^(?:because|since|otherwise|that way|the reason|so that|this way|it's because"
    r"|that's because)\b",
    re.IGNORECASE,
)
POINTING = re.compile(
    r"^(?:to |on |for |with |that |using |use |do |run |be |make |keep |go |doing )*"
    r"(?:this|that|it|its|these|those|them|they|he|she|him|her|here|there|so|such|one|both|either"
    r"|what(?:ever)?"
    r"|how|which|why|where|the (?:first|second|third|last|former|latter|above|below|same|other"
    r"|rest)|option|\d+)\b"
    r"(?! (?:project|repo|repository|code ?base|machine|team|vault|app)\b)"
    r"|^\w+ (?:this|that|it|these|those|them)\b(?! (?:project|repo|repository|code ?base)\b)"
    r"|\b(?:previous(?:ly)?|earlier|just now|yet|for now|right now|at the moment|this time"
    r"|you just|the next"
    r"|the last|(?:all|any|each|both|some) of (?:this|these|those|them)|start by|above|below"
    r"|today|tonight|tomorrow|as you (?:said|proposed|suggested))\b",
    re.IGNORECASE,
)
"""An act that can't be understood without what was said before, or is about this moment."""
BARE = re.compile(rf"^{_BARE}", re.IGNORECASE)
"""How a request begins."""
