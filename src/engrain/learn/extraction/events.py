"""What happens in people's lives, as they tell one another: the wider table."""

from __future__ import annotations

from engrain.learn.extraction.event_words import (
    ALONG,
    DONE,
    ED,
    EVENT,
    OPEN,
    PASSING,
    STARTED,
    VAIN,
    A,
)
from engrain.learn.extraction.patterns import Pattern
from engrain.learn.extraction.vocabulary import NAME, NUMBER, PET

EVENTS = (
    Pattern(
        "went",
        r"(?:have )?(?:went|gone|travell?ed|flew|drove|returned|headed|been|moved"
        r"|took a (?:\w+ )?trip|took a (?:\w+ )?vacation) (?:back |all the way "
        r"|over |up |down |out |on (?:a|an|my) (?:\w+ )*?(?:trip|hike|date|vacation"
        r"|holiday|tour|cruise|walk|retreat|run|ride|adventure) ?)*(?:(?:to|through"
        r"|around|across|on|for|with|in) )(?!(?:the (?:gym|doctor|dentist|store"
        r"|grocery|market|supermarket|bed|bathroom)|a lot|through|for it"
        rf"|home)\b){A}",
        "I went to a concert in Lyon yesterday",
    ),
    Pattern(
        "outing",
        r"went (?:\w+ )?(?!(?:something|anything|everything|nothing"
        r"|amazing)\b)\w+ing\b|went on (?:an?|my|our|some|two|three) (?!(?:and"
        r"|about)\b)\w+",
        "I went camping with my family",
    ),
    Pattern(
        "done",
        rf"(?:have )?(?:{DONE}) {VAIN}(?:up |out |down |off |back |together )?(?:with |for |from "
        rf"|at )?(?:(?:all|both|one) (?:of )?)?{A}"
        rf"|(?:have )?(?:{OPEN}) {VAIN}(?!(?:it|this|that|these|those|them|you|him"
        r"|her|something)\b)[a-z]",
        "I finished a painting last week",
        sure=0.8,
    ),
    Pattern(
        "was once",
        r"(?:was|were) (?:an? |the )?(?!(?:bit|little|lot|great|good|big|huge|hard"
        r"|tough|blast|mess|kid|child|wreck"
        r"|time)\b)[\w -]+? (?:for (?:\w+ )?(?:years?|months?)|in (?:high school"
        r"|college|middle school|university)|as a (?:kid|child)|when I was)\b",
        "I was a banker for five years",
    ),
    Pattern(
        "finished",
        r"(?:finished|completed|stopped|quit|gave up|tried|have tried|have finished"
        r"|have stopped) (?!(?:feel|think|car|worry)ing\b)\w+ing\b",
        "I finished rereading The Alchemist",
    ),
    Pattern(
        "chance",
        r"(?:had|got) (?:the|an|a) (?:\w+ )?(?:opportunity|chance) to (?:meet"
        r"|perform|play|attend|visit|work|record|collaborate|speak|tour|see|travel"
        r"|volunteer|interview|compete|study) ",
        "I had the chance to meet my idol",
    ),
    Pattern(
        "took",
        r"took (?:(?:an?|my|our|some|the) (?:[\w-]+ ){0,4}(?:trip|vacation|class"
        r"|classes|course|courses|lesson|lessons|workshop|cruise|tour|exam|test|job"
        r"|family|kids|kid|fam|son|daughter|dog|dogs|puppy|pup|mom|dad|parents"
        r"|students|road trip|sabbatical)\b|first place|second place|home first)",
        "I took a pottery class",
    ),
    Pattern(
        "spent",
        r"spent (?:the |my |last |a |two |three |\d+ |all )(?:whole |entire )?(?:day"
        r"|days|week|weeks|weekend|month|months|summer|winter|year|years|afternoon"
        r"|evening|morning|vacation|holiday|holidays|christmas"
        r"|thanksgiving)\b.* (?:in|at|with|on|volunteering|\w+ing) ",
        "I spent the weekend in Rome",
    ),
    Pattern(
        "got",
        rf"(?:have )?(?:got|gotten) (?:{VAIN}(?:an?|my|our|two|three|some|another"
        rf"|the (?=tattoo)|\d+) (?:[\w-]+ ){{0,3}}(?:{PET}s?|{NAME}|tattoo|job|gig"
        r"|offer|deal|contract|scholarship|degree|certificate|license|award|prize"
        r"|trophy|medal|car|bike|guitar|piano|keyboard|drum kit|camera|laptop"
        r"|computer|phone|house|apartment|promotion|internship|role|part|haircut"
        r"|piercing|ticket|tickets|plant|plants|book|books|gift|present|necklace"
        r"|ring|bracelet|painting|endorsement|sponsorship|mentor|loan|grant|visa"
        r"|passport|interview)\b"
        r"|hired|fired|promoted|laid off|accepted|married|engaged|divorced|certified"
        r"|hurt|injured|mentored|selected|drafted|invited|published|nominated|robbed"
        r"|evicted|noticed by|picked|recruited|signed|approached by|lost (?:in|on)"
        r"|stuck in)",
        "I got a new guitar",
    ),
    Pattern(
        "was",
        r"(?:was|have been) (?:hired|fired|promoted|laid off|accepted|admitted"
        r"|certified|injured|selected|drafted|invited|published|nominated|asked to"
        r"|elected|awarded|given|offered|chosen|picked|hospitalized|featured"
        r"|interviewed|recruited|born|raised|taught)\b",
        "I was invited to a conference",
    ),
    Pattern(
        "had",
        rf"(?:have )?had (?:{NUMBER}|my|our|some|the) (?:[\w'-]+ ){{0,4}}{EVENT}s?\b",
        "I had an interview yesterday",
    ),
    Pattern(
        "gave",
        r"gave (?:an?|my|our|the|two|some) (?:[\w-]+ ){0,3}(?:talk|speech"
        r"|presentation|lecture|concert|class|workshop|lesson|performance|toast|tour"
        r"|interview|birth)\b|gave birth|gave up \w+",
        "I gave a talk at my school",
    ),
    Pattern(
        "began",
        rf"(?:have )?(?:started|began|begun|resumed) (?:{STARTED}\w+ing\b"
        rf"|to {STARTED}\w+|{VAIN}{A})",
        "I started learning the piano",
    ),
    Pattern(
        "learned",
        r"(?:learned|learnt|have learned|taught myself) (?:how )?to (?!(?:be|accept"
        r"|love|appreciate|trust|let|live|embrace|not)\b)\w+|taught myself \w+",
        "I learned to sail",
    ),
    Pattern(
        "event",
        rf"(?:have )?(?!{PASSING}){ED} (?:{ALONG} )?(?:(?:all|both"
        rf"|one) (?:of )?)?{VAIN}{A}(?: \S+){{2}}",
        "I invited an old friend to my show",
        sure=0.7,
    ),
    Pattern(
        "had to",
        r"had to (?:move|quit|leave|cancel|sell|close|shut|give up|stop|take a break"
        r"|start|get|undergo|drop|put|cut|end|say goodbye|rebuild|replace"
        r"|repair) \S+ \S+",
        "I had to shut down my bank account",
    ),
)
"""Read where people tell one another of themselves."""
