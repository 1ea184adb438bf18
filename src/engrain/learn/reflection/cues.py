"""What the rules are made of, and how words are told that lead in, correct, reason or point."""

from __future__ import annotations

import re

YOU = (
    r"(?:(?:you|we) (?:should|must|need to|have to|ought to|can) |(?:I want|I need|I expect|I'd"
    r" like) you to )?"
)
"""Who is to do it."""
PLEASE = r"(?:please,? |kindly |just |also,? |but )*"
AT = r"(?:^|(?<=, )|(?<=; )|(?<=: )|(?= please ) )"
"""Where a statement begins that need not be all of a sentence."""
IDLE = (
    r"(?!\w+ing\b|(?:here|there|good|great|nice|fun|happy|glad|welcome|a|an|the|in|on|up|with"
    r"|love|enjoy|hope|feel|be (?:there|here)|give up|mind|forget (?:how|that|your|the)|lose"
    r" sight|hesitate|too|been)\b)"
)
"""What people always or never do who tell nobody what to do."""
THING = (
    r"(?:`[^`]+`|[^\s,.;:()]+)(?: (?!and\b|but\b|because\b|since\b|so\b|if\b|when\b)(?:`[^`]+`"
    r"|[^\s,.;:()]+)){0,4}"
)
"""A name, in code or not, of few words."""
BIDDING = (
    r"(?:use|run|write|keep|make|check|test|add|put|avoid|commit|push|ask|show|tell|read|verify"
    r"|update|include|start|follow|document|leave|do(?:n't| not)?(?! hesitate| worry| forget)"
    r"|squash|rebase|format|lint|name|give|wrap|sort|mention|describe|explain|skip|think|look"
    r"|call|open|create|never|always|prefer|stick|stop|wait|confirm|let me know|propose|review"
    r"|pin|quote|list|cite|respond|answer|reply|speak|talk|you (?:should|must|need|have to|can"
    r"|may)|we (?:should|must|need|have to)|I want|I'd like)\b"
)
"""How a clause begins that tells somebody what to do."""
PAST = (
    r"(?!\w+ed\b|(?:been|had|did|was|were|ran|saw|seen|knew|got|went|gone|thought|found|heard"
    r"|made|took|came|mind|worked)\b)"
)
"""What tells of what was and asks for nothing."""
IN = r"(?:(?:in|for) (?:this|our|my|all|any) [\w-]+(?: \w+)?,? )?"
"""For what it holds."""

LEAD_IN = re.compile(
    r"^(?:(?:oh|ok(?:ay)?|w8|wait(?: again)?|no(?:pe)?|nah|yes|yep|yeah|yup|well|so|and|but|also"
    r"|hey|hi|hello|hm+|ugh|ah|actually|now|then|sorry|btw|again|argh|hell no|(?:good|great"
    r"|perfect|nice|cool|right|thanks|first|second|finally|lastly|stop|look|listen"
    r"|important)(?=[,.!:;]))\b(?:[\s,.!:;)-]+|$))+",
    re.IGNORECASE,
)
"""Words before what is said."""
CORRECTING = re.compile(
    r"^(?:\W*(?:ok(?:ay)?|oh|hey|hm+|ugh|well)\W+)*(?:no(?:pe)?|nah|w8|wait|actually|stop|hell"
    r" no|argh|wrong|that's wrong|not (?:that|like that|quite))\b",
    re.IGNORECASE,
)
"""How a message begins that corrects what the agent did."""
NAMES_PROJECT = re.compile(
    r"\b(?:in|for|of|on|within) (?:this|our|the current) (?:project|repo(?:sitory)?|code ?base"
    r"|code|app|package|vault|workspace|monorepo)\b|\b(?:this|our) (?:project|repo(?:sitory)?"
    r"|code ?base)\b",
    re.IGNORECASE,
)
REASON = re.compile(
    r"^(?:because|since|otherwise|that way|the reason|so that|this way|it's because|that's"
    r" because)\b",
    re.IGNORECASE,
)
POINTING = re.compile(
    r"^(?:to |on |for |with |that |using |use |do |run |be |make |keep |go |doing )*(?:this|that"
    r"|it|its|these|those|them|they|he|she|him|her|here|there|so|such|one|both|either"
    r"|what(?:ever)?|how|which|why|where|the (?:first|second|third|last|former|latter|above"
    r"|below|same|other|rest)|option|\d+)\b(?! (?:project|repo|repository|code ?base|machine"
    r"|team|vault|app)\b)|^\w+ (?:this|that|it|these|those|them)\b(?! (?:project|repo|repository"
    r"|code ?base)\b)|\b(?:previous(?:ly)?|earlier|just now|yet|for now|right now|at the moment"
    r"|this time|you just|the next|the last|(?:all|any|each|both|some) of (?:this|these|those"
    r"|them)|start by|above|below|today|tonight|tomorrow|as you (?:said|proposed|suggested))\b",
    re.IGNORECASE,
)
"""An act that can't be understood without what was said before, or is about this moment."""
BARE = re.compile(rf"^{BIDDING}", re.IGNORECASE)
"""How a request begins."""
