"""The words by which a sentence says that one text took the place of another (S1.15).

What stands before the other's name is matched up to that name, what stands behind it from there on.
"""

from __future__ import annotations

import re

from engrain.language.lexicons import read_words

NOT = re.compile(
    r"\b(?:not|never|n't|(?-i:may)|might|could|would|should|will|shall|plans?|planned|planning|"
    r"propos\w+|if|when|unless|whether|maybe|perhaps|consider\w*|going to|intend\w*|someday|"
    r"eventually|once we|until|without|beside|besides|alongside|in addition|complement\w*|keeps?|"
    r"being|partly|partially|assum\w+|so that|must|want|"
    r"still (?:valid|holds|applies|current|in use|stands))\b|\w+n['’]t\b|\?",
    re.I,
)
TEXT = (
    r"(?:notes?|pages?|entry|entries|procedures?|runbooks?|guides?|documents?|docs?|memos?|"
    r"versions?|steps?|instructions?|checklists?|write-?ups?|process|policy|policies|rules?|advice|"
    r"plans?|texts?|articles?|files?|records?|editions?|revisions?|drafts?|templates?|playbooks?|"
    r"how-?tos?|conventions?|agreements?|decisions?|manuals?|descriptions?|setup|list|form|one|"
    r"copy|variant)"
)
_WORDS = read_words("copies", "replacement_words")
LEADS = _WORDS["leads"]
LEAD = re.compile(r"[\W_]*([^:.;\ue000]{1,40}):[\W_]*")
WHEN = re.compile(
    r"(?:with this|from (?:now|today|\w+ \d+|\d[\d-]*|\w+)(?: on(?:wards?)?)?|"
    r"(?:as of|since|effective|in|on) (?:now|today|\d[\w-]*|[a-z]+(?: \d+)?(?: \d{4})?)|henceforth|"
    r"now|please|sorry|hence|therefore)\b[,:]?\s*",
    re.I,
)
THE = r"(?:the |an? |our |my |its |all of |what |whatever )*"
OLD = r"(?:older |earlier |previous |former |old |first |original |prior |outdated |existing )"
NEW = (
    r"(?:new |newer |newest |updated |revised |reworked |rewritten |current |second |third |"
    r"latest |corrected |refreshed |improved |fresh )"
)
NAMED = rf"(?:{TEXT}(?: (?:in|from|under|at|of|called|named|titled|on|described|written))* )?"
WHICH = rf"\s*[:,(]?\s*{THE}{OLD}*(?:[\w-]+ ){{0,2}}?{NAMED}(?:by |in |from |under |at )?\(?$"
"""What stands between a verb and the name of a note."""
ADVERBS = (
    r"(?:now |hereby |therefore |thus |also |has |have |had |fully |completely |entirely |"
    r"officially |thereby |since |long |been |is |are |was |were |got |gets |both |all )*"
)
THIS = re.compile(
    rf"(?:this|these|it|here|the above|the below|what follows|what is (?:\w+ )?(?:here|below)) "
    rf"{ADVERBS}",
    re.I,
)
THIS_TEXT = re.compile(
    rf"(?:this|these|the (?:present|above|below|following)|what is (?:written |said )?(?:in )?this)"
    rf" {NEW}*(?:[\w-]+ )?{TEXT},? {ADVERBS}(?:in it |here |below |above )?{ADVERBS}",
    re.I,
)
ELLIPSIS = re.compile(ADVERBS, re.I)
REPLACES = re.compile(
    r"\b(?:replac(?:es?|ed|ing)|supersed(?:es?|ed|ing)|obsolet(?:es?|ed)|overrid(?:es?|ing)|"
    r"overrode|deprecat(?:es?)|retir(?:es?|ed)|tak(?:es?|ing) the place of|took the place of|"
    r"tak(?:es?|ing) over (?:from|for)|took over (?:from|for)|stands? in for|supplants?|succeeds?|"
    r"updates|corrects|revises|rewrites|invalidates|voids)" + WHICH,
    re.I,
)
SUCCESSOR = re.compile(
    rf"{THE}(?:(?:successor|heir) (?:to|of)|replacement (?:for|of)|"
    r"follow-?up (?:version )?(?:of|to)|"
    rf"{NEW}+{TEXT} (?:of|for|to|on)|(?:update|rewrite|revision|correction) (?:of|to)|"
    rf"v(?:ersion )?\d+ of){WHICH}",
    re.I,
)
INSTEAD_OF = re.compile(
    rf"(?:(?:use|follow|read|apply|take|prefer) (?:this|these|it|the (?:below|following|above))"
    rf"(?: {TEXT})? )?(?:instead|in place) of{WHICH}",
    re.I,
)
IGNORE = re.compile(
    r"(?:please )?(?:ignore|disregard|forget|do not use|don['’]t use|do not follow|"
    rf"don['’]t follow|no longer use|stop using){WHICH}",
    re.I,
)
OLD_ONE = re.compile(
    rf"{THE}{OLD}+(?:{TEXT}(?: of this(?: {TEXT})?)?|procedure)(?: (?:is|was|are|stands))?"
    r"(?: (?:in|at|under))?\s*[:(]?\s*$",
    re.I,
)
NAME_OF = re.compile(rf"{THE}{OLD}*{NEW}*{NAMED}\(?$", re.I)
GONE = (
    r"(?:obsolete|outdated|deprecated|out of date|out-of-date|stale|superseded|retired|replaced|"
    r"archived|void|history|invalid|gone|withdrawn|overtaken|no longer (?:valid|current|true|used|"
    r"in use|correct|followed|maintained|right|applicable|applies|holds|counts|works|in force))"
)
GONE_AFTER = re.compile(
    rf"\)?[\s,]*(?:{TEXT}[\s,]*)?(?:\([^)]{{0,60}}\)\s*)?(?:which |that )?"
    r"(?:(?:is|are|was|has been|have been|became|becomes|counts? as|gets?|has become)\s+)?"
    rf"(?:now |thereby |hereby |therefore |thus |since |long |both |all |with this )*{GONE}\b"
    r"(?!\s+(?:by|with|in favou?r)\b)",
    re.I,
)
GONE_BY = re.compile(
    r"\)?[\s,]*(?:(?:is|are|was|has been|have been)\s+(?:now |since |hereby )*"
    r"(?:superseded|replaced|obsoleted|overridden|overtaken)) (?:by|with) "
    rf"(?:this(?: {TEXT})?|the (?:above|below|present|steps|text|rules)(?: (?:here|below))?|"
    r"what (?:is|stands|follows)\b)",
    re.I,
)
BY = re.compile(
    r"(?:replaced|superseded|obsoleted|overridden|overtaken|made obsolete|succeeded|supplanted|"
    r"retired|deprecated|dropped|withdrawn|archived)"
    rf" (?:\w+ ){{0,2}}?(?:by|with|in favou?r of){WHICH}",
    re.I,
)
GONE_SEE = re.compile(
    rf"{GONE}\b[^.\ue000]{{0,60}}?(?:[\s,:;–—(>→-]*\b(?:please )?(?:now )?(?:and )?(?:see|use|"
    r"follow|read|go to|go by|refer to|look at|lives? in|is now in|is in|are in|continued in|"
    rf"moved to|in favou?r of|prefer)|[:;–—→]|->){WHICH}",
    re.I,
)
DOES_AFTER = re.compile(
    r"\)?[\s,]*(?:which |that |has |now |have |since )*"
    r"(?:replac(?:es|ed)|supersed(?:es|ed)|obsolet(?:es|ed)|overrid(?:es|den)|overrode|"
    r"took over(?: from)?|takes over(?: from)?|takes the place of|took the place of|"
    r"is (?:the|an?) (?:current|newer|latest|updated|newest|valid|new|later) "
    rf"(?:{TEXT}) of) (?P<this>this|these|it|what is (?:here|below|above))\b(?P<text> {TEXT}\b)?",
    re.I,
)
CURRENT_IS = re.compile(
    rf"(?:the )?(?:{NEW}|up-to-date |live |present |valid )+{TEXT}"
    rf"(?: of (?P<this>this(?: {TEXT})?|it))?"
    r"\s*(?:(?:is|lives|stands|can be found|is found|are)\s*(?:now )?(?:in|at|under)?|:|in|at)"
    r"\s*(?:the )?$",
    re.I,
)
MOVED = re.compile(rf"(?:has |have |was |is |are )*(?:now )?moved to{WHICH}", re.I)
ADVICE = re.compile(
    r"(?:(?:we|i) )?(?:recommend|suggest|advise)(?: (?!not\b)[\w-]+){0,4}|please", re.I
)
SEE = re.compile(rf"\b(?:see|use|follow|read|go to|go by|refer to|prefer|go for){WHICH}", re.I)
