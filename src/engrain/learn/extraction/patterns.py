"""What is worth keeping of what people say of themselves: a table of predicates.

Each is read behind "I", with its contractions written out and its adverbs dropped: of "I've just
moved to Berlin" it reads `have moved to Berlin`. The group `o` is the object of its relation. Those
of `STATES` are read of anyone; those of `events` and `habits` where people talk with one another,
because "I started the server" is no event of a life.
"""

from __future__ import annotations

import re

from engrain.learn.extraction.vocabulary import (
    ILLNESS,
    JOB,
    KIN,
    LANGUAGE,
    LIKED,
    NAME,
    NUMBER,
    PET,
)

_MY = re.compile(r"\bmy\b")
"""Whose something is: what is read as mine is read as ours."""


class Pattern:
    """One predicate: its `name`, an `example` of what it reads, the `predicate` of its relation, ""
    for none, and whether it says since when something lasts."""

    __slots__ = ("example", "lasting", "name", "predicate", "read", "sure")

    def __init__(
        self,
        name: str,
        expression: str,
        example: str,
        predicate: str = "",
        *,
        lasting: bool = False,
        sure: float = 0.9,
    ) -> None:
        self.name = name
        self.read = re.compile(_MY.sub("(?:my|our)", expression))
        self.example = example
        self.predicate = predicate
        self.lasting = lasting
        self.sure = sure


STATES = (
    Pattern(
        "employer",
        rf"(?:work|am working|have worked|have been working) (?:at|for) (?P<o>{NAME})",
        "I work at Harbor House",
        "works_at",
        lasting=True,
    ),
    Pattern(
        "left",
        r"(?:quit|left|resigned from|have left|have quit) (?:my (?:\w+ )?job"
        rf"|{NAME}(?= (?:in|last|to|after|for|this|on|at|because|when)\b"
        r"| and (?:am|have|now|started|joined|moved)\b|,|$))",
        "I quit my job at Acme",
    ),
    Pattern(
        "no more",
        rf"do not (?:live|work|study) (?:in|at|for) {NAME} any ?more\b",
        "I don't live in Berlin anymore",
    ),
    Pattern(
        "lost",
        r"(?:lost my (?:\w+ )?job|got (?:laid off|fired)|was (?:laid off|fired))",
        "I lost my job last month",
    ),
    Pattern(
        "new job",
        r"(?:started|have started|got|landed|accepted) (?:an?|my"
        rf"|the) (?:\w+ ){{0,3}}(?:job|role|position|internship)\b"
        rf"(?: (?:at|with) (?P<o>{NAME}))?"
        r"|(?:started|starting|am starting|have started) (?:working )?(?:at"
        rf"|with) (?P<p>{NAME})|joined {NAME}\b(?! (?:and|with|to|by|into|using)\b)",
        "I started a new job at Acme",
        "works_at",
    ),
    Pattern(
        "work as",
        r"(?:work|am working|have worked|have been working|started working|was hired"
        rf"|got hired|started) as (?:an?|the) (?P<o>{JOB})\b",
        "I work as a nurse",
        "job_title",
        lasting=True,
    ),
    Pattern(
        "profession",
        r"am (?:an?|the) (?P<o>(?!(?:big|huge|great|terrible|bad"
        rf"|good) ){JOB})\b(?!'s|-)",
        "I'm a teacher",
        "job_title",
    ),
    Pattern(
        "office",
        r"am (?:the )?(?P<o>CEO|CTO|CFO|COO|VP|head|director|founder|co-founder"
        r"|owner|manager|lead)(?: \w+)? (?:of|at|for) (?:the )?[A-Z]",
        "I'm the CTO of Acme",
    ),
    Pattern(
        "home",
        r"(?:live|am living|am based|reside|have lived|have been living) (?:in|near"
        rf"|at|outside|just outside) (?:(?P<o>{NAME})|(?:an?|my) (?!\w*\s*(?:bubble"
        r"|world|dream|simulation|fantasy|cave)\b))",
        "I live in Lisbon",
        "lives_in",
        lasting=True,
    ),
    Pattern(
        "moved",
        r"(?:moved|have moved|relocated|am moving|am relocating|moved back"
        rf"|moved here) (?:in )?(?:to|into|from|in with) (?:(?:from )?(?P<o>{NAME})"
        r"|(?:an?|my|the) )",
        "I moved to Berlin last month",
        "lives_in",
    ),
    Pattern(
        "origin",
        rf"(?:am|come|am originally) (?:originally )?from (?P<o>{NAME})|(?:grew up"
        r"|was born|was raised) (?:in|on|near|at) ",
        "I'm from Sweden",
    ),
    Pattern(
        "allergy",
        r"am (?:severely |deathly )?(?:allergic|intolerant) to (?P<o>[\w ,]+)",
        "I'm allergic to peanuts",
        "allergic_to",
    ),
    Pattern(
        "health",
        r"(?:have|suffer from|live with|have had|got|was diagnosed with"
        rf"|have been diagnosed with|was just diagnosed with) {ILLNESS}\b"
        r"|(?:was|have been|got) diagnosed with ",
        "I was diagnosed with asthma",
    ),
    Pattern(
        "diet",
        r"am (?:no longer |not )?(?:(?:a|an) )?(?:vegan|vegetarian|pescatarian"
        r"|lactose[- ]intolerant"
        r"|gluten[- ]free|teetotal|left-handed|right-handed|colou?r-?blind|dyslexic"
        r"|deaf|diabetic|asthmatic|transgender|trans|gay|lesbian|bisexual|queer"
        r"|straight|non-?binary)\b"
        r"|(?:do not|cannot|never) (?:eat|drink|smoke|drive) (?!(?:it|this|that"
        r"|there|here|anything)\b)\w+|do not (?:drink|smoke|drive|surf"
        r"|cook|dance|swim|ski|drink alcohol)$|no longer (?:work|live|use|drink|eat"
        r"|smoke|play|drive)\b",
        "I don't eat meat",
    ),
    Pattern(
        "marriage",
        r"(?:am|have been|got|was) (?:happily )?(?:married|engaged|divorced|widowed"
        rf"|separated)\b(?! (?:in|with|from)\b| to (?!{NAME}))(?: to (?P<o>{NAME}))?"
        r"|am (?:single|pregnant)(?!-| [a-z]*ly"
        r"| and (?:ready|loving))\b|am a single (?:mom|mum|dad|parent|mother|father)"
        rf"|married (?:my|{NAME})|proposed to my|am getting (?:married|divorced)"
        r"|am expecting (?:a|my|our|twins)",
        "I got engaged in May",
        "partner",
        lasting=True,
    ),
    Pattern(
        "family",
        rf"have {NUMBER} (?:\w+ ){{0,2}}(?:kids|children|sons?|daughters?|brothers?"
        r"|sisters?|siblings|grandchildren|nieces?|nephews?|twins)\b"
        r"(?= (?:and|in|from|with|who|that|at|of|aged|ages|together|now|to|named"
        r"|called|already)\b|,|$)",
        "I have three kids",
    ),
    Pattern(
        "pets",
        rf"have {NUMBER} (?:\w+ ){{0,3}}{PET}s?\b(?! in mind)|(?:adopted|got|rescued"
        rf"|have adopted|am fostering) (?:{NUMBER}|some) (?:\w+ ){{0,3}}{PET}s?\b",
        "I have a dog named Max",
    ),
    Pattern(
        "named",
        rf"have (?:an?|my) (?:\w+ )?(?:{KIN}|{PET}),? (?:named|called"
        rf"|whose name is) (?P<o>{NAME})",
        "I have a sister called Anna",
    ),
    Pattern(
        "preference",
        rf"prefer {LIKED}\w+|(?:cannot stand|detest) {LIKED}\w+$"
        rf"|(?:hate|dislike|cannot stand|detest"
        rf"|avoid) {LIKED}(?:\w+ing\b|[a-z]+s\b|coffee|tea|meat|fish|cheese|milk"
        rf"|alcohol|{NAME})",
        "I prefer tea to coffee",
    ),
    Pattern(
        "language",
        rf"(?:speak|am fluent in) (?:fluent |some |a (?:bit|little) of )?(?P<o>{LANGUAGE})\b",
        "I speak Portuguese",
        "speaks",
    ),
    Pattern(
        "learning a language",
        rf"(?:am learning|have been learning|started learning|learned) (?:some )?{LANGUAGE}\b",
        "I'm learning Japanese",
        lasting=True,
    ),
    Pattern(
        "car",
        rf"drive an? (?P<o>(?:[a-z]+ ){{0,2}}{NAME})",
        "I drive a blue Volvo",
        "car",
    ),
    Pattern(
        "studies",
        r"(?:graduated|have graduated|dropped out) (?:from|in|with|of|last|this)\b"
        r"|(?:got|earned|received|have|finished|completed|am doing|am finishing"
        rf"|am pursuing) (?:an?|my) (?:\w+'?s? ){{0,3}}(?:degree|diploma|PhD"
        r"|doctorate|master's|bachelor's|certificate|certification"
        r"|MBA)\b(?! (?:error|file|chain|issue|request))"
        r"|(?:study|studied|am studying|majored in|am majoring in) (?:at )?(?!(?:for"
        rf"|hard|a lot|the|this|how)\b)[\w ]+|go to (?P<o>{NAME}) (?:University"
        r"|College|School)",
        "I graduated from Leeds in 2019",
    ),
    Pattern(
        "birthday",
        r"turned (?:\d{1,3}|eighteen|twenty|thirty|forty|fifty|sixty|seventy"
        r"|eighty)\b(?= (?:in|last|on|this|years)\b|$|,)|was born on "
        r"|am \d{1,3}(?: years old\b|$|,)"
        r"|was born in (?:19|20)\d\d",
        "I turned 40 in March",
    ),
    Pattern(
        "house",
        r"(?:bought|have bought|sold|have sold|inherited|rented|closed on"
        r"|own) (?:an?|my|our|the) (?:\w+ ){0,3}(?:house|home|flat|apartment|condo"
        r"|car|boat|van|motorbike|motorcycle|bike|farm|land|cottage|cabin|mansion"
        r"|shop|store|restaurant|company|business|studio|bakery|cafe|gym"
        r"|franchise)\b",
        "I bought a house in Porto",
    ),
    Pattern(
        "founded",
        r"(?:started|founded|co-founded|opened|launched|have started|have opened"
        r"|have founded|run|am running|own|am opening|am starting) (?:an?|my|our"
        r"|my own|our own) (?:own )?(?:\w+ ){0,3}(?:business|company|startup"
        r"|start-up|shop|store|studio|restaurant|cafe|bakery|agency|firm|practice"
        r"|non-?profit|charity|podcast|blog|(?:YouTube|Twitch|TikTok"
        r"|Telegram) channel|newsletter|band|farm|gym"
        r"|brand)\b",
        "I started my own company",
    ),
    Pattern(
        "retired",
        r"(?:retired|have retired|am retired|got promoted|was promoted"
        r"|have been promoted|enlisted|was drafted)\b",
        "I got promoted in June",
    ),
    Pattern(
        "tools",
        r"(?:switched|have switched|moved|migrated"
        rf"|am switching) (?:over )?(?:from {NAME} )?to (?P<o>{NAME})(?! (?:Street"
        rf"|Road))|use (?P<p>{NAME}) (?:as|for|every day|daily|at work|on my)\b",
        "I switched to Linux",
    ),
)
"""Read of anyone, wherever they say it."""
