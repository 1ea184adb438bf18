"""How sentences say that something is over: patterns with what it is as the group `gone`."""

from __future__ import annotations

import re

_UNTIL = (
    r"(?=$|[,.;:!?()→]| (?:for|to|into|onto|in favou?r of|and|because|after|last|this|since|when|"
    r"so|with|by|as|"
    r"now|entirely|completely|altogether|anymore|months?|years?|weeks?|due|over|but|once|while|"
    r"during|"
    r"following|back|at the|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|in "
    r"(?:19|20)\d\d|"
    r"in (?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"january|february|april|june|july|august|september|october|november|december)|until|then|"
    r"for good|"
    r"a (?:week|month|year|while|few)|earlier|yesterday|two|three|out|off|already|was|were|is|"
    r"are|has|have|"
    r"got|gets|instead|last)(?![\w-]))"
)
_BONDS = "partnership|contract|relationship|cooperation|deal|agreement|collaboration|subscription"
_THING = (
    rf"(?P<gone>(?:[a-z]+ing to |(?:{_BONDS}) (?:with|for|to) )?"
    rf"[^,.;:!?()→]{{2,60}}?){_UNTIL}"
)
_VERBS = (
    r"left(?! [^,;]{2,30} (?:at \d|early|by (?:train|car|bus)|this morning|to (?:catch|visit|"
    r"see|meet|pick|attend)))|quit|quits|dropped|drops|ditched|ditches|abandoned|gave up(?: "
    r"on)?|given up(?: on)?|gives up|stopped|"
    r"ceased|discontinued|cancell?ed|scrapped|axed|killed(?: off)?|sold(?: off)?|traded in|"
    r"traded|swapped(?: out)?|"
    r"got rid of|gotten rid of|getting rid of|moved (?:off(?: of)?|away from|out of|on from)|"
    r"migrated (?:off(?: of)?|"
    r"away from|from|out of)|switched (?:off(?: of)?|away from|from)|(?:moved|migrated|ported|"
    r"switched) (?:§|[a-z ]{2,20}?) off(?: of)?|came off|come off|retired|"
    r"sunset|sunsetted|"
    r"decommissioned|deprecated|removed|ripped out|tore out|torn out|shut down|shuttered|"
    r"closed(?: down)?|resigned(?: from| as)?|"
    r"stepped (?:down|back|away)(?: as| from)?|departed|parted ways with|parted company with|"
    r"broke up with|split (?:up )?(?:from|with)|"
    r"divorced|unsubscribed from|(?:took|taken) § off(?: of)?|deleted|uninstalled|wiped|"
    r"replaced|replaces|outgrew|outgrown|lost "
    r"(?:interest in|§'s|the|§'s taste for)|"
    r"gone off|went off|sworn off|swore off|cut out|kicked|done with|through with|finished "
    r"with|phased out|"
    r"dumped|binned|let go of|donated|gave away|given away|wrecked|totall?ed|returned|shelved|"
    r"backed out of|"
    r"pulled out of|pulled the plug on|walked away from|bid farewell to|said goodbye to|waved "
    r"goodbye to|"
    r"weaned §self off|wound down|ended|terminated|dissolved|revoked|lifted|withdrew from|"
    r"withdrawn from|"
    r"dropped out of|rolled back|reverted|backed away from|put down|rehomed?|lost(?= (?:§'s|"
    r"the|its|all|an?) )|handed over|handed off|handed back|handed(?= (?:the|§'s) )|"
    r"fell out with|fallen out with|fell out of love with|called off|called time on|hung up|"
    r"packed in|jacked in|chucked|"
    r"has had it with|had enough of|cured of|recovered from|rid of|"
    r"(?:(?<=is )|(?<=are )|(?<=am )|(?<=got )|(?<=been )|(?<=now )|(?<=finally ))over(?! "
    r"(?:at|to|in|from|on|with|and|the (?:weekend|phone|summer|years|holidays|past|last|"
    r"next))(?![\w-]))|stopped using|eliminated|tossed|"
    r"threw out|thrown out|disbanded|laid down|sunset|turned off|switched off|disabled|opted "
    r"out of|overturned|"
    r"scaled back from|relinquished|renounced|vacated|checked out of|deserted|forsook|forsaken|"
    r"sacked|fired"
)
GIVEN_UP = re.compile(
    rf"(?<![\w'-])(?:{_VERBS}|(?:is|are|been|gone|went|now|stays) (?:now )?off|no longer (?:at|"
    rf"with|in|on|under)) (?:(?:the|an?|§'s|all|its|any|old|that|both|"
    rf"our|entire|whole|§|beloved|trusty|completely|entirely) )*{_THING}"
)
FROM_TO = re.compile(
    r"(?<![\w'-])(?:switch|mov|migrat|chang|went|go|gone|port|convert|transition|upgrad|jump|"
    r"shift|push|slip|rewr|"
    r"renam|bump|rais|cut|drop|grew|grow|rose|fell|fall|relocat|transfer|swap|back|trad|"
    r"increas|reduc|lower|"
    r"climb|pivot|graduat|promot|flipp|extend|doubl|shr[aiu]nk|evolv|cross|defect|reschedul|"
    r"expand|step|hop|"
    r"traded|came|turn|"
    r"(?!travel|return|head|walk|cycl|sail|commut|ship|deliver|hik|sent)[a-z-]+ed(?= ))\w*"
    r"(?: [\w§']+){0,5}? from (?:being )?(?:an? |the |§'s |its "
    r")?(?P<gone>[^,;()]{1,40}?) "
    r"(?:to|into|over to|onto|up to|down to|back to|across to|→) (?P<new>[^,;()]{1,50})"
)
_ARROW = re.compile(
    r"(?:^|: |\bfrom )(?:[a-z ]{1,24}[:=] ?)?(?P<gone>[^→,;:]{1,40}?) → "
    r"(?P<new>[^,;]{1,40})"
)
INSTEAD = re.compile(
    r"(?<![\w'-])(?:instead of|rather than|in place of|in lieu of|as opposed to|replacing|"
    r"ousting|succeeding|succeeds|"
    r"succeeded|taking over from|took over from|takes over from|displacing|displaced|"
    r"supplanted|supersedes|"
    r"superseded|superseding|prefers? [\w' ]{2,30}? (?:over|to|than)|(?:chose|picked|chooses|"
    r"picks) [\w' ]{2,30}? over|ditching|dropping|leaving behind|goodbye|bye|rip|farewell|and "
    r"not|(?<=, )not|(?<=\bis )not(?= [\w ]+ but )) "
    rf"(?:(?:the|an?|§'s|its|old|at|in|with|on|for) )*{_THING}"
)
_FOR = re.compile(
    r"(?<![\w'-])(?:swapped|traded|exchanged|swaps|trades)(?: in)? (?:(?:the|an?|§'s|its|old) "
    r")*(?P<gone>[^,;]{2,40}?)"
    r"(?: in)? for (?P<new>[^,;]{2,40})"
)
PASSIVE = re.compile(
    r"^(?:so |and |then |now |the |§'s |our |an? |that |those |old )*(?P<gone>[^,;:]{2,40}?) "
    r"(?:was|is|were|are|"
    r"has been|have been|got|gets|has (?:now|finally|long|officially) been)(?: (?:been|being|"
    r"now|finally|all|officially|just|recently|"
    r"already|long|so|quietly|last \w+))* (?:gone|"
    r"out(?! (?:of|for|on|until|sick|at|to|with|in)(?![\w-]))|"
    r"over(?! (?:to|at)(?![\w-]))|history|dead|done|finished|kaput|"
    r"toast|no more|no longer "
    r"(?:a thing|used|needed|in use|around|there|the case|true|valid|current|happening)|past|"
    r"behind §|in the past|"
    r"old news|water under the bridge|ancient history|closed|obsolete|dropped|"
    r"ditched|abandoned|discontinued|cancell?ed|scrapped|axed|killed|sold|traded|swapped|"
    r"removed|ripped out|retired|"
    r"decommissioned|deprecated|shut down|shuttered|replaced|phased out|dumped|binned|ended|"
    r"terminated|dissolved|"
    r"revoked|lifted|rolled back|reverted|called off|wound down|turned off|switched off|"
    r"superseded|sunset|"
    r"expired|lapsed|cleared up|healed|outgrown|disbanded|laid off|fired|let go|overturned|"
    r"stopped|died|passed away|"
    r"left behind|kicked)(?![\w-])"
)
_DIED = re.compile(
    r"^(?:the |§'s |our )*(?P<gone>[^,;:]{2,40}?) (?:has |have |just |recently )*(?:died|passed "
    r"away|folded|went under|"
    r"expired|lapsed|ended|ceased to exist|broke up|collapsed|fell apart|fell through)(?![\w-])"
)
_MADE_WAY = re.compile(
    r"(?:^|, )(?:the |§'s |our )*(?P<gone>[^,;:]{2,40}?) (?:made way for|makes way for|gave "
    r"way to|gives way to|"
    r"has given way to|handed over to|handed the reins to|ceded to|lost out to)"
)
_LET = re.compile(
    r"(?<![\w'-])let (?:the |§'s )?(?P<gone>[^,;]{2,40}?) (?:lapse|go|expire|"
    r"slide|die)(?![\w-])"
)
_NOW = re.compile(
    r"(?<![\w'-])(?:used to be|was|were|formerly|previously|had been|once)(?: an?| the)? "
    r"(?P<gone>[^,;]{2,40}?)"
    r"(?:,| but| and|;)(?: §)?(?: is| has| are)? (?:now|these days|not anymore|no longer|"
    r"today)(?![\w'-])"
)
_USED_TO = re.compile(r"(?<![\w'-])used to (?P<gone>(?!be\b)[^,;]{3,50})")
_TOOK_OVER = re.compile(
    r"(?<![\w'-])(?:replac(?:ed|es|ing)|displac(?:ed|es)) (?:the |an? |§'s "
    r")?(?P<gone>[^,;]{2,30}?) (?:with|by)"
)
_LEFT = re.compile(
    r"^(?P<gone>[A-Z]\w+(?: [A-Z]\w+)?) (?:has )?(?:left|quit|resigned|departed|moved on)(?: from)?"
    r"(?: (?:§|the (?:project|team|company)))?(?: (?:in|last|on|this) .*)?$"
)
TELLING = (
    FROM_TO, _LEFT, _ARROW, _FOR, _LET, _DIED, _TOOK_OVER, _NOW, _MADE_WAY, PASSIVE, _USED_TO,
)  # fmt: skip
