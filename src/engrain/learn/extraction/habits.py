"""What people do and like and have been doing, as they tell one another."""

from __future__ import annotations

from engrain.learn.extraction.event_words import ALONG, GOING, HABIT, VAIN, A
from engrain.learn.extraction.patterns import Pattern
from engrain.learn.extraction.vocabulary import KIN, NAME, NUMBER, PET

HABITS = (
    Pattern(
        "perfect",
        r"have (?:been to|seen|visited|read|watched|played|written|won|run|climbed"
        r"|known|had (?:an?|my|two|three|them|him|her)|owned|published|worn"
        r"|collected|loved|lived|played|worked|danced|painted|coached"
        r"|taught) (?!(?:it|this|that|them|you|so|such|a lot|many|much|lots"
        r"|some great|hard|on it)\b)\w.*\b(?:for|since|in|at|times|twice|once|\d+)\b",
        "I've known Tom for four years",
        lasting=True,
    ),
    Pattern(
        "since",
        r"have been (?!(?:playing|doing|using|going|reading|writing|making) (?:for"
        r"|since))(?:\w+ing\b(?! longer| farther| harder| more| better)|(?:into|in"
        r"|with|on|at|an?|married|friends|together|sober|vegan|vegetarian"
        r"|a fan) ).*\b(?:since|for)\b (?!(?:our|we|then|a while|so long|ages"
        r"|some time|a long|quite|the|sure|me|my|fun|it|this)\b)",
        "I've been painting for seven years",
        lasting=True,
    ),
    Pattern(
        "busy",
        r"have been (?:discussing|dealing with|experimenting with|getting into"
        r"|spending|working on|working with|learning|studying|training|practicing"
        r"|teaching|volunteering|taking|writing|reading|building|researching"
        r"|exploring|organizing|restoring|collaborating|running|playing|mentoring"
        r"|looking into|watching|dating|seeing a|making|designing|creating|preparing"
        r"|planning) (?!(?:for|since|ever|as|longer|farther|harder|better|it|this"
        r"|that|hard|so|a lot|too|more|on it|on this|on that)\b)\w",
        "I've been learning the piano",
    ),
    Pattern(
        "going",
        rf"am (?:{GOING}) {VAIN}(?!(?:it|this|that|things?|hard|on it|on this"
        r"|on that|for it|my best|care|steps|time|trouble|issues|problems|fun"
        r"|to (?:realize|think|feel|see|understand|get|be)|progress|forward"
        r"|a (?:break|step|look|risk|chance|bit)|be|keep|make|do|try|get|give|start"
        r"|have|ask|see|check|continue|show|share|take|go|use|work|help|my butt"
        rf"|everything|all|with it|on|really)\b)(?:{A}|\w+)",
        "I'm working on a book about whales",
    ),
    Pattern(
        "passion",
        r"am (?:on the hunt for|keen on|a (?:big |huge |massive |total |lifelong )?fan of"
        r"|passionate about|obsessed with|fascinated by|afraid of|scared of"
        r"|terrified of|addicted to|(?:more |mostly |really )?into|in talks with"
        r"|good at|a member of|part of|a part of|in charge of|responsible for"
        r"|interested in) (?!(?:it|this|that|these|those|them|you|your|how|what"
        r"|the way|all (?:of )?(?:this|that|it)|seeing|making a|getting"
        r"|helping people|sharing|something)\b)\w",
        "I'm a big fan of jazz",
    ),
    Pattern(
        "liking",
        r"(?:love|enjoy|adore|like|have always loved|have always enjoyed|am fond of"
        r"|do not like) (?!(?:it|this|that|these|those|them|you|your|how|when|what"
        r"|the|to|being|seeing|having|knowing|him|her|their|his|our|hearing|sharing"
        r"|that's|all|everything|where|a|an|going back|doing|making"
        r"|giving|getting(?! lost in))\b)(?:\w+ing\b(?! (?:you|it|this|that|them|to see"
        r"|the)\b)|(?:(?!(?:my|our|your|the|seeing|some|most"
        rf"|what)\b)[a-z-]+ ){0, 2}(?:[a-z]+[^s\W]s\b|music|art|books|food|games"
        rf"|movies)|(?:{NAME})|reading|music|jazz|art|nature|pottery|coffee|tea|food"
        r"|basketball|football|soccer|tennis|poetry|fantasy|photography|yoga|history"
        r"|science|fashion|dance)",
        "I love hiking in the mountains",
        sure=0.8,
    ),
    Pattern(
        "habit",
        rf"(?:(?:usually|often|always|sometimes|mostly) )?(?:{HABIT}) (?!(?:it|this"
        r"|that|them|you|your|with it|my best|on|to|by|out|into|up|a part|a role"
        rf"|a big|a huge)\b)(?:{A}|\w+)",
        "I play the violin",
        sure=0.8,
    ),
    Pattern(
        "regular",
        r"(?:go|do|make|cook|bake|walk|swim|jog|run|hike|meet|visit|read|paint|write"
        r"|take|get|spend|have)\b .*\b(?:every|each|once a|twice a|three times a"
        r"|a lot$|on weekends|(?:on )?(?:mon|tues|wednes|thurs|fri|satur"
        r"|sun)days)\b(?! other's)",
        "I swim every morning",
        sure=0.8,
    ),
    Pattern(
        "once loved",
        r"(?:loved|enjoyed) (?:(?:\w+ing\b.*|.*)(?:when I was|as a (?:kid|child"
        r"|teen)|growing up)|reading \"|\"\w)|have always (?:had a (?:love|passion"
        r"|thing) for|dreamed of|been (?:into|fascinated by|fascinated with"
        r"|interested in|a fan of|passionate about)|have been (?:fascinated (?:by"
        r"|with)|interested in|passionate about)|have always (?:liked|loved"
        r"|enjoyed)) (?!(?:it|this|that)\b)",
        "I loved reading as a kid",
    ),
    Pattern(
        "means",
        r"use (?!(?:it|this|that|these|those|them|my|the|to|you)\b)(?:a "
        r"|an )?\w+(?: \w+)? (?:to|for|as) \w",
        "I use a whiteboard to stay on track",
        sure=0.8,
    ),
    Pattern(
        "doing",
        r"have been (?!(?:being|having|getting|feeling|trying|going|doing|thinking"
        r"|putting|keeping|staying|pushing|having|hearing"
        rf"|missing)\b)\w+ing (?:{ALONG} )?{VAIN}{A}(?: \S+)",
        "I've been renovating our kitchen",
        sure=0.7,
    ),
    Pattern(
        "under way",
        r"am (?!(?:having|getting|being|feeling|trying|going|doing|thinking|keeping"
        r"|staying|putting|giving|looking|loving|enjoying|living|holding|sending"
        r"|asking|calling|hoping|seeing|hearing|showing|talking|telling|saying|dying"
        r"|missing|pushing|facing|sharing|wondering|planning|considering|taking"
        r"|making|bringing|sending|attaching|rooting"
        rf"|cheering)\b)\w+ing (?:{ALONG} )?{VAIN}(?:an?|my|our|two|three"
        rf"|some)\b(?: \S+){{1,}}",
        "I'm refitting our old boat",
        sure=0.7,
    ),
    Pattern(
        "family at hand",
        r"am (?:so |really )?(?:lucky|blessed|grateful|thankful) to have (?:my|an?"
        rf"|two|three) (?:\w+ )?(?:{KIN}|{PET}|kids|children)\b",
        "I'm lucky to have my husband and kids",
    ),
    Pattern(
        "skill",
        r"can (?:play|speak|dance|swim|cook|bake|sing|code|draw|juggle|drive|ski"
        r"|surf|knit)\b(?! (?:with|it|you|to|my)\b)",
        "I can play the guitar",
    ),
    Pattern(
        "past",
        r"used to (?!(?:the|their|my|our|an?|its|that|think|feel|be (?:so|really"
        r"|very|scared|afraid|like|more"
        r"|less)|it|that|this|love how)\b)\w+ ",
        "I used to compete in dance shows",
    ),
    Pattern(
        "having",
        rf"have (?:{NUMBER}|some|my own|our own) (?:[\w-]+ ){{0,3}}(?:{PET}s?|{KIN}s?"
        r"|tattoos?|degree|guitars?|pianos?|bikes?|cars?|shop|store|studio|business"
        r"|company|blog|channel|podcast|collection|garden|house|flat|apartment|cabin"
        r"|team|band|book club|library|bookcase)\b(?! (?:idea|fever|lover))",
        "I have a big record collection",
    ),
)
"""Read where people tell one another of themselves."""
