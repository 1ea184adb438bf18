"""The rules: which words say that something is to be kept, as what, and how sure that is (S1.20).

Each is a pattern that stands at the beginning of a sentence, behind words that only lead in, or
behind a comma. Its group `act` is what is said to be so. English; what no rule knows says nothing,
because a wrong memory costs more than a missing one.
"""

from __future__ import annotations

import re

from engrain.learn.reflection.cues import AT, BIDDING, IDLE, IN, PAST, PLEASE, THING, YOU

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
        rf"{AT}{PLEASE}{YOU}(?:always|never) {PAST}{IDLE}(?P<act>[a-z]\w*\b.+)",
    ),
    Rule(
        "from now on",
        FEEDBACK,
        0.9,
        rf"^{PLEASE}(?:from now on|from here on|going forward|in (?:the )?future|next time)\b,?"
        rf" (?!.*\b(?:may|might|could|maybe|will probably)\b)(?P<act>(?:.*\b)?{BIDDING}.+)",
    ),
    Rule(
        "from now on, behind",
        FEEDBACK,
        0.9,
        rf"^{PLEASE}{YOU}(?P<act>{BIDDING}.+?),? (?:from now on|going forward|in future)$",
    ),
    Rule(
        "prefer",
        PREFERENCE,
        0.9,
        r"^(?:I|we|I'd|I would|my team)(?: (?:much|strongly|really|generally|usually|always"
        r"|still|just|do))* (?:prefer|rather)(?! (?:the )?(?:first|second|third|last|option"
        r"|former|latter)\b) (?P<act>.+)",
    ),
    Rule(
        "preference",
        PREFERENCE,
        0.9,
        r"^(?:my preference|my preferred \w+|our convention|our policy|our standard|the"
        r" convention|the rule)(?: \w+){0,3} (?:is|are)(?: to| that)? (?P<act>.+)",
    ),
    Rule(
        "remember",
        INSIGHT,
        0.85,
        r"(?:^|(?<=\())(?:please )?(?:remember|keep in mind|bear in mind|note|for the record|for"
        r" future reference|fyi|for your information)(?: that\b|:|,|(?= (?:I|my|we|our)\b))"
        r" ?(?P<act>(?!when\b|how\b|what\b)\w.{14,})",
    ),
    Rule(
        "remember to",
        FEEDBACK,
        0.8,
        rf"^{PLEASE}(?:always )?remember to (?P<act>(?!do (?:this|that|it)\b)\w.+)",
    ),
    Rule(
        "not again",
        FEEDBACK,
        0.9,
        rf"^{PLEASE}(?:you )?(?:don't|do not|must not|mustn't|stop) (?P<act>\w.+?)"
        r"(?<!\btry) (?:again|ever again|any ?more|every time|all the time|unless I (?:ask|say"
        r"|tell)\b.*)$",
        least=1,
    ),
    Rule(
        "whenever",
        WORKFLOW,
        0.85,
        rf"^{PLEASE}(?P<act>(?:whenever|every time|each time|any ?time) (?:you|we"
        rf"|there)\b[^,]*, (?:please |then )?{BIDDING}.+)",
    ),
    Rule(
        "when you",
        WORKFLOW,
        0.6,
        rf"^{PLEASE}(?P<act>when (?:you|we)(?:'re| are)? (?!(?:go|went|saw|did|ran|were|was|had"
        rf"|said|told)\b)[a-z]\w*\b[^,]*, (?:please |then )?{BIDDING}.+)",
        again=0.85,
    ),
    Rule(
        "before each",
        WORKFLOW,
        0.85,
        rf"^{PLEASE}(?P<act>(?:before|after)(?: (?:each|every|any)\b| \w+ing\b| you \w+\b)"
        r"(?! (?:this|that|these|those|it)\b)[^,]*,"
        rf" (?:please |then )?(?:always |never )?{BIDDING}.+)",
    ),
    Rule(
        "each behind",
        WORKFLOW,
        0.8,
        rf"^{PLEASE}{YOU}(?P<act>{BIDDING}.*\b(?:before|after) (?:each|every|any) \w+.*)",
    ),
    Rule(
        "choice",
        FEEDBACK,
        0.85,
        rf"{AT}{PLEASE}{IN}{YOU}(?P<act>(?:use|run|write|call|keep|put|format|indent|name"
        rf"|prefer|stick (?:to|with)|do)\b.*?(?:,| and|)? (?:not|instead of|rather than)"
        rf" (?!only\b|just\b|yet\b|to worry\b){THING}.*)",
    ),
    Rule(
        "we use",
        DECISION,
        0.85,
        rf"^(?P<act>{IN}(?:we|I)(?:'re| are|'ll| will|)? (?:using|use|on|going with|sticking"
        rf" with|standardi[sz]ing on) {THING},? (?:not|instead of|rather than) {THING}.*)",
    ),
    Rule(
        "use instead",
        FEEDBACK,
        0.6,
        rf"^{PLEASE}{YOU}(?P<act>use .+? instead)$",
        again=0.85,
        least=1,
    ),
    Rule(
        "do not but",
        FEEDBACK,
        0.6,
        rf"^{PLEASE}(?P<act>(?:don't|do not) (?:use|mock|write|run|put|call|add|create|copy)"
        rf" [^,;]+[,;] (?:but |just )?(?:use|write|run|put|call|take|move|edit) .+)",
        again=0.85,
    ),
    Rule(
        "not that",
        FEEDBACK,
        0.4,
        rf"^(?P<act>(?!.*(?:'s |\b(?:said|is|are|was|were|do|does|did|has|have|had|will|would"
        rf"|can|could|let's|why|I|you|we)\b))(?:{THING}),? not (?!yet\b|sure\b|only\b|that\b"
        rf"|this\b|now\b|really\b){THING})$",
        again=0.85,
    ),
    Rule(
        "decided",
        DECISION,
        0.85,
        r"^(?:we|I)(?:'ve| have)?(?: (?:all|now|already|just|finally))? (?:decided|agreed"
        r"|settled|opted|chose) (?:to|on|for|that|not to|against) (?P<act>\w.+)",
    ),
    Rule("decision", DECISION, 0.9, r"^(?:the )?decision(?: is|:)(?: to| that)? (?P<act>\w.+)"),
    Rule(
        "go with",
        DECISION,
        0.8,
        r"^let's (?:just |simply )?(?:go with|switch to|stick (?:with|to)|settle on"
        r"|standardi[sz]e on|adopt|migrate to) (?P<act>.+)",
    ),
    Rule(
        "going with",
        DECISION,
        0.8,
        r"^(?:we|I)(?:'re| are|'ll| will) (?:going with|go with|stick(?:ing)? with"
        r"|switch(?:ing)? to|standardi[sz](?:e|ing) on) (?P<act>.+)",
    ),
    Rule(
        "cause",
        FIX,
        0.8,
        r"^(?:so )?(?:the )?(?:actual |real )?(?:fix|root cause|culprit|workaround) (?:is|was"
        r"|turned out to be)(?: to| that)? (?P<act>\w.+)",
    ),
    Rule(
        "fixed by",
        FIX,
        0.8,
        r"^(?:I|we)(?:'ve| have)? (?:fixed|solved|resolved|worked around) (?!it\b|this\b"
        r"|that\b).+? by (?P<act>\w+ing\b.+)",
    ),
    Rule(
        "dislike",
        PREFERENCE,
        0.6,
        r"^I (?:really |strongly )?(?:dislike|hate|don't like|do not like|can't stand)(?! (?:to"
        r" (?:say|admit)|how|what|where)\b) (?P<act>.+)",
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
        rf"^{PLEASE}(?:use|keep|put|avoid|name|prefer|default to|don't(?! forget)|do not)"
        rf" (?P<act>\w.+?,? (?:because|since|so that) .+)",
    ),
    Rule(
        "stop doing",
        FEEDBACK,
        0.55,
        rf"^{PLEASE}(?:stop|quit) (?P<act>\w+ing\b.+)",
    ),
    Rule(
        "some day",
        IDEA,
        0.35,
        r"^(?:some ?day|eventually|at some point|one day|down the road|in the long run),? (?:we"
        r"|I|you|it) (?:could|should|might|may|would|will|can|want|need) (?P<act>\w.+)",
    ),
    Rule(
        "would be nice",
        IDEA,
        0.35,
        r"^(?:I think )?(?:it )?(?:would|might|could|'d)(?:n't it)? be (?:really |very |also"
        r" )?(?:nice|cool|great|neat|awesome) (?:to|if) (?P<act>\w.+)",
    ),
    Rule(
        "maybe later",
        IDEA,
        0.3,
        r"^(?:maybe|perhaps)(?: (?:later|some ?day|eventually|one day))?,? (?:we|I|you) (?:could"
        r"|should|can|might) (?P<act>(?=.*\b(?:later|some ?day|eventually|one day|at some point"
        r"|in the future|long run)\b).+)",
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
