"""Clauses as people say them, brought into one shape: what leads to a statement and what trails
behind it is dropped, and contractions are written out."""

from __future__ import annotations

import re
from collections.abc import Iterator

_OPENER = re.compile(
    r"^(?:(?:oh|ah|aw|hey|hi|hello|yeah|yea|yes|yep|yup|no|nope|well|wow|woah"
    r"|whoa|so|and|but|also|plus|ok"
    r"|okay|sure|sure thing|cool|nice|awesome|great|right|totally|definitely"
    r"|absolutely|exactly|agreed"
    r"|actually|anyway|anyways|btw|by the way|honestly|frankly|fyi|of course"
    r"|haha|hah|ha|lol|yay|ugh|oof"
    r"|man|dude|guys|guess what|you know|you know what|i mean|to be honest|tbh"
    r"|in fact|as a matter of fact"
    r"|unfortunately|sadly|luckily|fortunately|thankfully|as for me|for me|personally|then|besides"
    r"|thanks|thank you|thanks a lot|thanks so much|same here|me too|besides that|in other news"
    r"|good news|big news|no worries|believe it or not|funny enough|to be fair|speaking of which"
    r"|on top of that|additionally|moreover|i remember"
    r"|(?:i )?just wanted to (?:say|tell you|share)(?: that)?"
    r"|(?:i )?wanted to (?:tell you|share|let you know)(?: that)?|i am (?:so |really |very )?"
    r"(?:happy|excited|glad|proud|thrilled|sad|sorry|pleased) (?:to say|to share"
    r"|to announce)(?: that)?"
    r"|let me tell you|i almost forgot|that is why|that's why|no joke"
    r"|ever since)(?:\s+[A-Z][a-z]+)?\s*[,:!.-]*\s+(?!(?:and|is|are|was|were|of"
    r"|to)\b))",
    re.IGNORECASE,
)
_VOCATIVE = re.compile(
    r"^(?!(?:Last|Next|This|Yesterday|Today|Tomorrow|On|In|Since|After|When|Two"
    r"|Three|Recently|Lately|Growing)\b)(?:[A-Z][\w'-]+ ?){1,2},\s+(?=I\b"
    r"|[Mm]y\b)"
)
_TIME_LEAD = re.compile(
    r"^((?:just )?(?:yesterday|today|(?:the )?(?:last|this|this past|next) \w+"
    r"|on \w+day|tomorrow|in [A-Z]\w+"
    r"(?: \d{4})?|in (?:19|20)\d\d|(?:a few|several|a couple of|an?|one|two"
    r"|three|four|five|six|\d+) \w+s? ago"
    r"|earlier this \w+|the other day|recently|lately|these days|nowadays"
    r"|currently|right now|growing up)),?"
    r"\s+(?=I\b|my\b|we\b)",
    re.IGNORECASE,
)
_DROPPED_LEAD = re.compile(
    r"^(?:since (?:we|our|i|my)|after|when|while|as|before|during|every time"
    r"|whenever|even though|although"
    r"|though|because|with|apart from|aside from|other than|in addition|besides"
    r"|not only|at first|at the end"
    r"|for the (?:first|last)|on the)\b[^,]{2,80},\s+(?=(?:I|my|we)\b)",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r"\s+[-\u2013\u2014]+\s+|\s*\u2014\s*|;\s+|--+\s*|:\s+(?=I\b)"
    r"|,?\s+(?:and|but|so|plus|because|'cause|cause|cuz|cos)\s+(?=(?:now\s+"
    r"|then\s+)?(?:I|I'm|I've|my)\b)"
    r"|,\s+(?:but|so|yet)\s+|,\s+(?=(?:I|I'm|I've)\s)"
)
_CONTRACTED = (
    (re.compile(r"\b([Ii])'m\b|\b[Ii]m\b(?= \w+ing)"), "I am"),
    (re.compile(r"\b[Ii]'ve\b"), "I have"),
    (re.compile(r"\b(we|they)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(we|they)'ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\bcan't\b"), "cannot"),
    (
        re.compile(
            r"(?:^|(?<=, )|(?<=day )|(?<=week )|(?<=weekend )|(?<=month )|(?<=year )"
            r"|(?<=night ))[Mm]y [\w-]+(?: [\w-]+)? and I\b"
        ),
        "we",
    ),
    (re.compile(r"\band just\b"), "and"),
    (re.compile(r"(?<!me) too(?= and\b|,| but\b)"), ""),
    (re.compile(r"^[Aa]lways been\b"), "I have always been"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"(\w{2,})in'(?=\s|$)"), r"\1ing"),
    (re.compile(r"\bfave?\b"), "favorite"),
    (re.compile(r"\bhave got\b"), "have"),
    (re.compile(r"\s+&\s+(?=[a-z])"), " and "),
)
_THIS = re.compile(
    r"\bthis (?=((?:really |super |pretty )?(?:awesome|amazing|cool|great"
    r"|beautiful|incredible|new|local|nice|huge|big|small|old|wonderful"
    r"|fun|interesting|fantastic|crazy|gorgeous|epic|lovely|yummy|delicious)) )"
)
"""As people say it for "a": "I attended this awesome event"."""
_SHOWN = re.compile(
    r"\b((?:I|we) (?:just |recently |finally )?(?:made|painted|drew|built|wrote"
    r"|bought|got|baked|knitted|cooked"
    r"|designed|created|sewed|restored|finished|carved|adopted)) (?:this|that) (?=([a-z]+)\b)"
    r"(?!(?:is|was|one|for|to|with|in|on|at|and|last|week|year|month|summer|from"
    r"|when|after|because|all|up|too"
    r"|myself|way|thing|stuff|feeling|idea)\b)"
)
"""What is shown in a picture: "I made this bowl"."""
_ASIDE = re.compile(
    r",?\s*\b(?:like|as) (?:I|we) (?:said|mentioned|told you)(?: (?:before"
    r"|earlier))?,?",
    re.IGNORECASE,
)
_ADVERBS = (
    "just|also|really|actually|finally|recently|currently|now|already|even"
    "|simply|totally|absolutely"
    "|definitely|honestly|especially|kinda|officially|truly|literally|basically"
    "|personally|generally|super"
    "|typically|normally|only|both|lately|then|so|very|pretty|quite|fully"
    "|completely|still|randomly|somehow"
    "|eventually|happily|proudly|initially|originally|suddenly|briefly"
    "|previously|certainly|particularly|deeply"
)
_DROPPED = re.compile(
    rf"^((?:I|[Mm]y [\w' ]+?) )?((?:am|have|is|has|are|was|were|have been) )?(?:(?:{_ADVERBS})\s+)+"
)
_TAIL = re.compile(
    r"(?:,\s*|\s+)(?:(?:and|but|so|which|'cause|cause|cuz|cos|because|since|as"
    r"|where|while|though|although)\s+)"
    r"(?:(?:also|now|then|even|just|really)\s+)?"
    r"(?:it|it's|one|that|that's|he|she|they|you|this|there|these|those|was|is"
    r"|has been|have been|felt|asked|said|told|got me|gave me"
    r"|made me|makes me|helps me|brings|really|had a|have a (?:blast|good|great)"
    r"|can|am (?:so|really)|so|love it"
    r"|loved it|loving (?:it|every)|feel|feeling|everyone|everything|everybody|let me tell"
    r"|hope\w*|wow|pretty|honestly|helps"
    r"|allows|reminds|means|makes|made|keeps?|gives?)\b.*$"
    r"|,\s*(?:and )?(?:had a|it was|hanging out|having fun|feeling|loving|kinda"
    r"|kind of|pretty|super|really|very|no big deal)\b.*$"
    r"|,\s*(?:which|it|that|this|you|he|she|they|we|I|so|but|because|however|right"
    r"|huh|man|dude|tho|though|too"
    r"|actually|honestly|lol|haha|ha|etc|thanks\w*|as you|like (?:you|I)|let me"
    r"|how|what|isn't|don't)\b.*$"
    r"|,?\s+speaking(?: of.*)?$|\s+(?:so that|so much that|and stuff"
    r"|and all(?: that)?|or something|or whatever|and so on|and so forth"
    r"|you know|lol|haha|hehe|tho|though|anyway|as well|too|btw|fyi|after all"
    r"|in hopes? of.*|for sure|of course"
    r"|and more|tbh|imo|to be honest|in the end|(?:so |really |super "
    r"|very )(?:much|badly)|a (?:little|bit)|more|just like me|even more"
    r"|more than ever|as usual|as always|and everything)$"
    r"|,?\s+and (?:our|my) \w+(?: \w+)? (?:is|are|was)\b.*$"
    r"|\s+(?:so|but|because|'cause|cause|cuz|cos)\s+.*$|\s+\($|,?\s+(?:as|like) (?:you|we|I)\b.*$",
    re.IGNORECASE,
)
_JOINT = re.compile(r"\s(?:and (?:we|they|I)|where|who|which|that)\b")
_BRACKETS = re.compile(r"\s*\([^)]*\)?")
_NAMED_TAIL = re.compile(r",\s*[A-Z][a-z]+$")


def clauses_of(sentence: str) -> Iterator[str]:
    """The clauses of a sentence that may state something, contractions written out. A time that
    leads one stands behind it."""
    for pattern, written in _CONTRACTED:
        sentence = pattern.sub(written, sentence)
    sentence = _ASIDE.sub("", sentence)
    sentence = _SHOWN.sub(lambda found: f"{found[1]} {article(found[2])}", sentence)
    sentence = _THIS.sub(lambda found: article(found[1]), sentence)
    sentence = strip_openers(sentence)
    if led := _TIME_LEAD.match(sentence):  # its comma parts no clauses
        sentence = f"{led[1]} {sentence[led.end() :]}"
    for number, clause in enumerate(_CLAUSES.split(sentence)):
        if number:
            clause = strip_openers(clause)
        clause = _DROPPED_LEAD.sub("", clause)
        if found := _TIME_LEAD.match(clause):
            rest = clause[found.end() :].strip(" ,")
            clause = _with_time(rest, found[1].lower())
        clause = drop_adverbs(clause.strip(" ,:-"))
        if clause:
            yield clause


def article(word: str) -> str:
    """The indefinite article that stands before a word, with a space."""
    return "an " if word[0] in "aeio" else "a "


def strip_openers(text: str) -> str:
    """The text without the words with which talk begins."""
    while True:
        shorter = _VOCATIVE.sub("", _OPENER.sub("", text, count=1), count=1)
        if shorter == text or not shorter:
            return text
        text = shorter


def drop_adverbs(clause: str) -> str:
    """The clause without the adverbs that say nothing lasting before its verb."""
    return _DROPPED.sub(lambda found: (found[1] or "") + (found[2] or ""), clause)


def trim_tail(text: str) -> str:
    """The text up to where chatter begins."""
    text = _BRACKETS.sub("", text)
    while True:
        shorter = _NAMED_TAIL.sub("", _TAIL.sub("", text)).rstrip(" ,-")
        if shorter == text:
            return text
        text = shorter


def _with_time(rest: str, time: str) -> str:
    rest = trim_tail(rest)
    found = _JOINT.search(rest)
    return f"{rest[: found.start()]} {time}{rest[found.start() :]}" if found else f"{rest} {time}"
