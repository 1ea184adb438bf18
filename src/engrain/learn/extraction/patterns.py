"""What is worth keeping of what people say of themselves: a table of predicates.

Each is read behind "I", with its contractions written out and its adverbs dropped: of "I've just
moved to Berlin" it reads `have moved to Berlin`. The group `o` is the object of its relation. Those
of `STATES` are read of anyone; those of `engrain.learn.extraction.events` where people talk with
one another, because "I started the server" is no event of a life.
"""

from __future__ import annotations

import re

NAME = r"(?:[A-Z][\w&'.-]*[\w&])(?: (?:(?:of|the|and|de|la|&) )?(?:[A-Z0-9][\w&'.-]*[\w&]|[A-Z]))*"
NUMBER = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,3})"
KIN = (
    r"(?:(?:older|younger|big|little|eldest|oldest|youngest|twin|step|half|ex|late|best|close|good|old|great)[ -]?)*"
    r"(?:sister|brother|wife|husband|son|daughter|mother|father|mom|mum|dad|parents|partner|fianc[ée]e?|girlfriend"
    r"|boyfriend|spouse|kid|child|baby|uncle|aunt|auntie|cousin|nephew|niece|grand(?:ma|pa|mother|father|son|daughter)"
    r"|friend|roommate|flatmate|boss|manager|colleague|coworker|mentor|neighbou?r|teammate|mother-in-law|father-in-law)"
)
PET = r"(?:dog|cat|puppy|pup|kitten|rabbit|hamster|parrot|bird|turtle|tortoise|snake|gecko|horse|guinea pig|ferret)"
_JOB = (
    r"(?:(?:\w+[ -]){0,4}?(?:teacher|nurse|doctor|engineer|developer|programmer|designer|lawyer|chef|cook|writer"
    r"|author|artist|musician|singer|dancer|actor|actress|pilot|mechanic|electrician|plumber|carpenter|architect"
    r"|accountant|banker|analyst|scientist|researcher|professor|lecturer|student|manager|director|consultant"
    r"|photographer|journalist|editor|librarian|therapist|counsell?or|psychologist|dentist|veterinarian|vet"
    r"|pharmacist|surgeon|paramedic|firefighter|officer|soldier|veteran|driver|farmer|baker|barista|bartender|waiter"
    r"|waitress|salesperson|realtor|agent|entrepreneur|founder|co-founder|owner|freelancer|translator|coach|trainer"
    r"|technician|administrator|assistant|secretary|receptionist|producer|filmmaker|animator|blogger|streamer|gamer"
    r"|physicist|chemist|biologist|economist|statistician|data scientist|ceo|cto|cfo|coo|vp|intern|apprentice"
    r"|social worker|midwife|tailor|potter|painter|sculptor|tutor|instructor|player|athlete|guard|striker|goalkeeper|quarterback|captain|mom|mum|dad|parent|widow"
    r"|widower|vegan|vegetarian|pescatarian|pescetarian|christian|muslim|jew|hindu|buddhist|atheist|citizen))"
)
_LANGUAGE = (
    r"(?:English|German|French|Spanish|Italian|Portuguese|Dutch|Polish|Russian|Ukrainian|Czech|Swedish|Danish"
    r"|Norwegian|Finnish|Greek|Turkish|Arabic|Hebrew|Hindi|Urdu|Bengali|Japanese|Korean|Mandarin|Cantonese|Chinese"
    r"|Vietnamese|Thai|Latin|Swahili|sign language)"
)
_ILLNESS = (
    r"(?:asthma|diabetes|epilepsy|ADHD|autism|arthritis|migraines?|depression|anxiety|cancer|celiac(?: disease)?|dyslexia"
    r"|insomnia|PTSD|gastritis|hypertension|high blood pressure|an? \w+ (?:allergy|intolerance|condition|disorder|disease))"
)
_NOT_POINTING = r"(?!(?:it|this|that|these|those|them|you|your|how|when|what|the way|seeing|being|having|getting|him|her|to)\b)"
_LIKED = rf"{_NOT_POINTING}(?!the (?:idea|first|second|third|former|latter|other|last|one|option|current|new|old|way)\b)"


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
        self.read = re.compile(expression)
        self.example = example
        self.predicate = predicate
        self.lasting = lasting
        self.sure = sure


STATES = (
    Pattern("employer", rf"(?:work|am working|have worked|have been working) (?:at|for) (?P<o>{NAME})",
            "I work at Harbor House", "works_at", lasting=True),
    Pattern("left", rf"(?:quit|left|resigned from|have left|have quit) (?:my (?:\w+ )?job|(?:{NAME}))",
            "I quit my job at Acme"),
    Pattern("lost", r"(?:lost my (?:\w+ )?job|got (?:laid off|fired)|was (?:laid off|fired))",
            "I lost my job last month"),
    Pattern("new job", rf"(?:started|have started|got|landed|accepted) (?:an?|my|the) (?:\w+ ){{0,3}}(?:job|role|position|internship)"
            rf"|(?:started|starting|am starting|have started) (?:working )?(?:at|with) {NAME}|joined (?!the (?:meeting|call))(?P<o>{NAME})",
            "I started a new job at Acme"),
    Pattern("work as", rf"(?:work|am working|have worked|have been working|started working|was hired|got hired|started) as (?:an?|the) (?P<o>{_JOB})\b",
            "I work as a nurse", "job_title", lasting=True),
    Pattern("profession", rf"am (?:an?|the) (?P<o>(?!(?:big|huge|great|terrible|bad|good) ){_JOB})\b(?!'s)",
            "I'm a teacher", "job_title"),
    Pattern("office", rf"am (?:the )?(?P<o>CEO|CTO|CFO|COO|VP|head|director|founder|co-founder|owner|manager|lead)(?: \w+)? (?:of|at|for) \w",
            "I'm the CTO of Acme"),
    Pattern("home", rf"(?:live|am living|am based|reside|have lived|have been living) (?:in|near|at|outside|just outside) (?:(?P<o>{NAME})|(?:an?|my) )",
            "I live in Lisbon", "lives_in", lasting=True),
    Pattern("moved", rf"(?:moved|have moved|relocated|am moving|am relocating|moved back|moved here) (?:in )?(?:to|into|from|in with) (?:(?:from )?(?P<o>{NAME})|(?:an?|my|the) )",
            "I moved to Berlin last month", "lives_in"),
    Pattern("origin", rf"(?:am|come|am originally) (?:originally )?from (?P<o>{NAME})|(?:grew up|was born|was raised) (?:in|on|near|at) ",
            "I'm from Sweden"),
    Pattern("allergy", r"am (?:severely |deathly )?(?:allergic|intolerant) to (?P<o>[\w ,]+)",
            "I'm allergic to peanuts", "allergic_to"),
    Pattern("health", rf"(?:have|suffer from|live with|have had|got|was diagnosed with|have been diagnosed with|was just diagnosed with) {_ILLNESS}\b"
            r"|(?:was|have been|got) diagnosed with ", "I was diagnosed with asthma"),
    Pattern("diet", r"am (?:(?:a|an) )?(?:vegan|vegetarian|pescatarian|lactose[- ]intolerant|gluten[- ]free|teetotal|left-handed|right-handed|colou?r-?blind|dyslexic|deaf|diabetic|asthmatic|transgender|trans|gay|lesbian|bisexual|queer|straight|non-?binary)\b"
            r"|do not (?:eat|drink|smoke|drive) \w+|do not (?:drink|smoke|drive|surf|cook|dance|swim|ski|drink alcohol)$|no longer (?:work|live|use|drink|eat|smoke|play|drive)\b", "I don't eat meat"),
    Pattern("marriage", rf"(?:am|have been|got|was) (?:happily )?(?:married|engaged|divorced|widowed|separated)\b(?: to (?P<o>{NAME}))?|am (?:single|pregnant)(?!-| [a-z]*ly| and (?:ready|loving))\b|am a single (?:mom|mum|dad|parent|mother|father)"
            rf"|married (?:my|{NAME})|proposed to my|am getting (?:married|divorced)|am expecting (?:a|my|our|twins)", "I got engaged in May", "partner", lasting=True),
    Pattern("family", rf"have {NUMBER} (?:\w+ ){{0,2}}(?:kids|children|sons?|daughters?|brothers?|sisters?|siblings|grandchildren|nieces?|nephews?|twins)\b",
            "I have three kids"),
    Pattern("pets", rf"have {NUMBER} (?:\w+ ){{0,3}}{PET}s?\b(?! in mind)|(?:adopted|got|rescued|have adopted|am fostering) (?:{NUMBER}|some) (?:\w+ ){{0,3}}{PET}s?\b",
            "I have a dog named Max"),
    Pattern("named", rf"have (?:an?|my) (?:\w+ )?(?:{KIN}|{PET}),? (?:named|called|whose name is) (?P<o>{NAME})",
            "I have a sister called Anna"),
    Pattern("preference", rf"prefer {_LIKED}\w+|(?:hate|dislike|cannot stand|detest|avoid) {_LIKED}(?:\w+ing\b|[a-z]+s\b|coffee|tea|meat|fish|cheese|milk|alcohol|{NAME})",
            "I prefer tea to coffee"),
    Pattern("language", rf"(?:speak|am fluent in|am learning|have been learning|started learning|learned) (?:fluent |some |a (?:bit|little) of )?(?P<o>{_LANGUAGE})\b",
            "I speak Portuguese", "speaks", lasting=True),
    Pattern("studies", rf"(?:graduated|have graduated|dropped out) (?:from|in|with|of|last|this)\b|(?:got|earned|received|have|finished|completed|am doing|am finishing|am pursuing) (?:an?|my) (?:\w+'?s? ){{0,3}}(?:degree|diploma|PhD|doctorate|master's|bachelor's|certificate|certification|MBA)\b"
            rf"|(?:study|studied|am studying|majored in|am majoring in) (?:at )?(?!(?:for|hard|a lot|the|this|how)\b)[\w ]+|go to (?P<o>{NAME}) (?:University|College|School)",
            "I graduated from Leeds in 2019"),
    Pattern("birthday", r"turned \d{1,3}\b|was born on |am \d{1,3}(?: years old\b|$|,)|was born in (?:19|20)\d\d",
            "I turned 40 in March"),
    Pattern("house", r"(?:bought|have bought|sold|have sold|inherited|rented|closed on|own) (?:an?|my|our|the) (?:\w+ ){0,3}(?:house|home|flat|apartment|condo|car|boat|van|motorbike|motorcycle|bike|farm|land|cottage|cabin|mansion|shop|store|restaurant|company|business|studio|bakery|cafe|gym|franchise)\b",
            "I bought a house in Porto"),
    Pattern("founded", r"(?:started|founded|co-founded|opened|launched|have started|have opened|have founded|run|am running|own|am opening|am starting) (?:an?|my|our|my own|our own) (?:own )?(?:\w+ ){0,3}(?:business|company|startup|start-up|shop|store|studio|restaurant|cafe|bakery|agency|firm|practice|non-?profit|charity|podcast|blog|channel|newsletter|band|farm|gym|brand)\b",
            "I started my own company"),
    Pattern("retired", r"(?:retired|have retired|am retired|got promoted|was promoted|have been promoted|enlisted|was drafted)\b",
            "I got promoted in June"),
    Pattern("tools", rf"(?:switched|have switched|moved|migrated|am switching) (?:over )?(?:from {NAME} )?to (?P<o>{NAME})(?! (?:Street|Road))|use (?P<p>{NAME}) (?:as|for|every day|daily|at work|on my)\b",
            "I switched to Linux"),
)  # fmt: skip
"""Read of anyone, wherever they say it."""
