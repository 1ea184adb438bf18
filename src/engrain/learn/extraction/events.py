"""What happens in people's lives and what they do, as they tell one another: the wider table."""

from __future__ import annotations

from engrain.learn.extraction.patterns import KIN, NAME, NUMBER, PET, Pattern

_A = rf"(?:an?|the|my|our|some|two|three|four|five|several|another|\d+|his|her|first|second|third|this year's|last year's|new|{NAME})\b"
_VAIN = (
    r"(?!(?:an?|the|my|some) (?:\w+ )?(?:lot|bit|ton|bunch|while|break|look|chance|risk|moment|minute|second|step|nap"
    r"|breath|leap|few|kick|feeling|boost|sense|taste|glimpse|rush|text|pic|pics|photo|photos|picture|pictures"
    r"|snapshot|selfie|blast|ball|fun|idea|ideas|point|(?:good|great|amazing|awesome|wonderful|fantastic|hard|rough|tough|new|nice|wild)"
    r"(?: (?:time|day|experience|feeling|moment|job|way|view|memory|memorie|idea|reminder|vibe|atmosphere|work|one|place|thing|pic|photo"
    r"|shot|advice|chance|opportunity|feedback|spot)s?\b| and\b|$)"
    r"|difference|mistake|decision|choice|vibe|vibes|progress|time|way|effort|success|impact|mind|temper|touch|track"
    r"|advice|message|call|feel|hang|gist|thought|plan|plans|goal|goals|change|changes|support|help|power|mess"
    r"|impression|effect|strength|memories|memory|kind|most|best|part|more|best of|view|views|confidence|courage)\b)"
)
_DONE = (
    "attended|visited|joined|hosted|organized|organised|completed|finished|won|ran|painted|wrote|published|released"
    "|recorded|built|restored|renovated|opened|launched|donated|received|earned|bought|purchased|sold|created"
    "|designed|planted|broke|injured|sprained|twisted|hurt|celebrated|performed|directed|produced|filmed|read|watched"
    "|explored|climbed|toured|set up|repaired|fixed up|acquired|developed|baked|cooked|hiked|lost|adopted|rescued"
    "|fostered|met up with|met back up with|caught up with|met|scored|signed|passed|failed|quit|left|named|booked|taught|led|coached|mentored|photographed"
    "|discovered|found|composed|knitted|sewed|crafted|carved|sculpted|cleaned|decorated|redecorated|remodeled"
    "|contacted|hired|researched|emailed|drew|grew|tried|threw|kicked off|started up|took up|picked up|put together|shot|made|submitted|presented|reunited with"
    "|teamed up with|collaborated with|worked with|partnered with|spoke at|volunteered at|volunteered for"
    "|volunteered with|competed in|participated in|took part in|helped out at|played at|played in|sang at"
    "|signed up for|enrolled in|registered for|applied to|applied for|got into|got back from|came back from"
    "|returned from|got home from|got involved with|got involved in|signed with|broke up with|hung out with"
    "|went through|camped in|camped at|stayed at|stayed in|interviewed with|auditioned for|rehearsed with|shut down"
)
_OPEN = (
    "applied to|applied for|signed up for|enrolled in|volunteered at|volunteered for|volunteered with|participated in"
    "|took part in|competed in|performed at|struggled with|researched|interviewed with|collaborated with|dealt with"
    "|visited|joined|attended|painted|played|donated|majored in|broke up with"
)
"""What may have an object without an article too."""
_PASSING = (
    r"(?:loved|liked|wanted|needed|tried|hoped|decided|realized|realised|noticed|looked|seemed|missed|enjoyed|used|stayed"
    r"|asked|agreed|called|helped|wished|thanked|believed|kept|remembered|listened|waited|appreciated|reminded|learned"
    r"|figured|guessed|pushed|handled|worried|cared|managed|ended|turned|happened|showed|experienced|faced|laughed|talked"
    r"|chatted|texted|messaged|clicked|checked|guided|encouraged|supported|relied|doubted|hated|expected|imagined|need"
    r"|changed|reached|wondered|mentioned|shared|connected|received|relived|scored|captured|snapped|posted)\b"
)
"""What passes, or is known from what was said around it."""
_ED = r"(?:[a-z]{2,}[^e\W]ed|caught up|took|drew|wore|hung|spoke|sang|caught|swam|rode|flew|sent|brought|built|chose|shot)"
_ALONG = r"(?:up|out|off|over|in|on|at|to|for|with|by|from|into|through|around|along|down|about|back)"
_STARTED = (
    r"(?!(?:to )?(?:feel|feeling|think|thinking|realiz\w+|realis\w+|see|seeing|understand\w*|wonder\w*|get|getting|have"
    r"|having|be|being|car\w+|appreciat\w+|notic\w+|question\w*|believ\w+|want\w*|do|doing)\b)"
)
_EVENT = (
    r"(?:surgery|operation|baby|accident|interview|injury|party|birthday|wedding|meeting|gig|show|concert|exhibition"
    r"|miscarriage|picnic|barbecue|bbq|performance|date|ceremony|appointment|game|match|tournament|class|lesson|reunion"
    r"|dinner|breakup|stroke|heart attack|check-up|checkup|jam session|session|audition|exam|test|trip|vacation"
    r"|holiday|playdate|festival|workshop|chat|conversation|career-high|card[- ]night|night out|get-together|photoshoot|shoot|visitor|guest|sleepover|movie night|game night|flat tire)"
)
_GOING = (
    "working on|focusing on|teaming up with|heading to|looking forward to my|looking forward to our|searching for|looking for|looking into|getting ready for|prepping for|turning|having|learning|studying|training for|writing|reading|building|taking|teaching|volunteering|starting|running"
    "|saving up for|saving for|expecting|preparing for|organizing|hosting|opening|launching|expanding|restoring|moving"
    "|collaborating with|offering|attending|designing|creating|directing|producing|recording|practicing|taking up"
    "|mentoring|coaching|raising|fostering|renovating|applying to|applying for|majoring|planning|setting up"
    "|going to|visiting|performing|competing|developing|wrapping up|putting together|training|playing"
)
_HABIT = "play|teach|mentor|coach|volunteer|collect|practice|follow|attend|host|foster|breed|compete|perform|lead|run|support|organize|garden|meditate|journal"

ELLIPTIC = rf"{_DONE}|been (?=\w+ing)|got|went|started|took|moved|had|gave|learned|spent|working on|studying|learning"
"""With what a clause begins whose \"I\" is left out."""

EVENTS = (
    Pattern("went", rf"(?:have )?(?:went|gone|travell?ed|flew|drove|returned|headed|been|moved|took a (?:\w+ )?trip|took a (?:\w+ )?vacation) (?:back |all the way |over |up |down |out |on (?:a|an|my) (?:\w+ )*?(?:trip|hike|date|vacation|holiday|tour|cruise|walk|retreat|run|ride|adventure) ?)*(?:(?:to|through|around|across|on|for|with|in) )(?!(?:the (?:gym|doctor|dentist|store|grocery|market|supermarket|bed|bathroom)|a lot|through|for it|home)\b){_A}",
            "I went to a concert in Lyon yesterday"),
    Pattern("outing", r"went (?:\w+ )?(?!(?:something|anything|everything|nothing|amazing)\b)\w+ing\b|went on (?:an?|my|our|some|two|three) (?!(?:and|about)\b)\w+", "I went camping with my family"),
    Pattern("done", rf"(?:have )?(?:{_DONE}) {_VAIN}(?:up |out )?(?:with |for |from |at )?(?:(?:all|both|one) (?:of )?)?{_A}"
            rf"|(?:have )?(?:{_OPEN}) {_VAIN}(?!(?:it|this|that|these|those|them|you|him|her|something)\b)[a-z]", "I finished a painting last week", sure=0.8),
    Pattern("was once", r"(?:was|were) (?:an? |the )?(?!(?:bit|little|lot|great|good|big|huge|hard|tough|blast|mess|kid|child|wreck|time)\b)[\w -]+? (?:for (?:\w+ )?(?:years?|months?)|in (?:high school|college|middle school|university)|as a (?:kid|child)|when I was)\b", "I was a banker for five years"),
    Pattern("finished", r"(?:finished|completed|stopped|quit|gave up|have finished|have stopped) (?!(?:feel|think|car|worry)ing\b)\w+ing\b", "I finished rereading The Alchemist"),
    Pattern("chance", r"(?:had|got) (?:the|an|a) (?:\w+ )?(?:opportunity|chance) to (?:meet|perform|play|attend|visit|work|record|collaborate|speak|tour|see|travel|volunteer|interview|compete|study) ", "I had the chance to meet my idol"),
    Pattern("took", rf"took (?:(?:an?|my|our|some|the) (?:[\w-]+ ){{0,4}}(?:trip|vacation|class|classes|course|courses|lesson|lessons|workshop|cruise|tour|exam|test|job|family|kids|kid|fam|son|daughter|dog|dogs|puppy|pup|mom|dad|parents|students|road trip|sabbatical)\b|first place|second place|home first)", "I took a pottery class"),
    Pattern("spent", r"spent (?:the |my |last |a |two |three |\d+ |all )(?:whole |entire )?(?:day|days|week|weeks|weekend|month|months|summer|winter|year|years|afternoon|evening|morning|vacation|holiday|holidays|christmas|thanksgiving)\b.* (?:in|at|with|on|volunteering|\w+ing) ", "I spent the weekend in Rome"),
    Pattern("got", rf"(?:have )?(?:got|gotten) (?:{_VAIN}(?:an?|my|our|two|three|some|another|\d+) (?:[\w-]+ ){{0,3}}(?:{PET}s?|{NAME}|tattoo|job|gig|offer|deal|contract|scholarship|degree|certificate|license|award|prize|trophy|medal|car|bike|guitar|piano|keyboard|drum kit|camera|laptop|computer|phone|house|apartment|promotion|internship|role|part|haircut|piercing|ticket|tickets|plant|plants|book|books|gift|present|necklace|ring|bracelet|painting|endorsement|sponsorship|mentor|loan|grant|visa|passport|interview)\b"
            r"|hired|fired|promoted|laid off|accepted|married|engaged|divorced|certified|hurt|injured|mentored|selected|drafted|invited|published|nominated|robbed|evicted|noticed by|picked|recruited|signed|approached by|lost (?:in|on)|stuck in)", "I got a new guitar"),
    Pattern("was", r"(?:was|have been) (?:hired|fired|promoted|laid off|accepted|admitted|certified|injured|selected|drafted|invited|published|nominated|asked to|elected|awarded|given|offered|chosen|picked|hospitalized|featured|interviewed|recruited|born|raised|taught)\b", "I was invited to a conference"),
    Pattern("had", rf"(?:have )?had (?:{NUMBER}|my|our|some|the) (?:[\w'-]+ ){{0,4}}{_EVENT}\b", "I had an interview yesterday"),
    Pattern("gave", r"gave (?:an?|my|our|the|two|some) (?:[\w-]+ ){0,3}(?:talk|speech|presentation|lecture|concert|class|workshop|lesson|performance|toast|tour|interview|birth)\b|gave birth|gave up \w+", "I gave a talk at my school"),
    Pattern("began", rf"(?:have )?(?:started|began|begun|resumed) (?:{_STARTED}\w+ing\b|to {_STARTED}\w+|{_VAIN}{_A})", "I started learning the piano"),
    Pattern("learned", rf"(?:learned|learnt|have learned|taught myself) (?:how )?to (?!(?:be|accept|love|appreciate|trust|let|live|embrace|not)\b)\w+|taught myself \w+", "I learned to sail"),
    Pattern("perfect", r"have (?:been to|seen|visited|read|watched|played|written|won|run|climbed|known|had (?:an?|my|two|three|them|him|her)|owned|published|worn|collected|loved|lived|played|worked|danced|painted|coached|taught) (?!(?:it|this|that|them|you|so|such|a lot|many|much|lots|some great|hard|on it)\b)\w.*\b(?:for|since|in|at|times|twice|once|\d+)\b", "I've known these friends for 4 years", lasting=True),
    Pattern("since", r"have been (?!(?:playing|doing|using|going|reading|writing|making) (?:for|since))(?:\w+ing\b(?! longer| farther| harder| more| better)|(?:into|in|with|on|at|an?|married|friends|together|sober|vegan|vegetarian|a fan) ).*\b(?:since|for)\b (?!(?:our|we|then|a while|so long|ages|some time|a long|quite|the|sure|me|my|fun|it|this)\b)", "I've been painting for seven years", lasting=True),
    Pattern("busy", r"have been (?:discussing|dealing with|experimenting with|getting into|spending|working on|working with|learning|studying|training|practicing|teaching|volunteering|taking|writing|reading|building|researching|exploring|organizing|restoring|collaborating|running|playing|mentoring|looking into|watching|dating|seeing a|making|designing|creating|preparing|planning) (?!(?:longer|farther|harder|better|it|this|that|hard|so|a lot|too|more|on it|on this|on that)\b)\w", "I've been learning the piano"),
    Pattern("going", rf"am (?:{_GOING}) {_VAIN}(?!(?:it|this|that|things?|hard|on it|on this|on that|for it|my best|care|steps|time|trouble|issues|problems|fun|to (?:realize|think|feel|see|understand|get|be)|progress|forward|a (?:break|step|look|risk|chance|bit)|be|keep|make|do|try|get|give|start|have|ask|see|check|continue|show|share|take|go|use|work|help|my butt|everything|all|with it|on|really)\b)(?:{_A}|\w+)", "I'm working on a new book"),
    Pattern("passion", rf"am (?:a (?:big |huge |massive |total |lifelong )?fan of|passionate about|obsessed with|fascinated by|afraid of|scared of|terrified of|addicted to|(?:more |mostly |really )?into|in talks with|good at|a member of|part of|a part of|in charge of|responsible for|interested in) (?!(?:it|this|that|these|those|them|you|your|how|what|the way|all (?:of )?(?:this|that|it)|seeing|making a|getting|helping people|sharing|something)\b)\w", "I'm a big fan of jazz"),
    Pattern("liking", rf"(?:love|enjoy|adore|like|have always loved|have always enjoyed|am fond of|do not like) (?!(?:it|this|that|these|those|them|you|your|how|when|what|the|to|being|seeing|having|knowing|him|her|their|his|our|hearing|sharing|that's|all|everything|where|a|an|going back|doing|making|giving)\b)(?:getting lost in|\w+ing\b(?! (?:you|it|this|that|them|to see|the)\b)|(?:(?!(?:my|our|your|the|seeing|some|most|what)\b)[a-z-]+ ){0,2}(?:[a-z]+[^s\W]s\b|music|art|books|food|games|movies)|(?:{NAME})|reading|music|jazz|art|nature|pottery|coffee|tea|food|basketball|football|soccer|tennis|poetry|fantasy|photography|yoga|history|science|fashion|dance)", "I love hiking in the mountains", sure=0.8),
    Pattern("habit", rf"(?:(?:usually|often|always|sometimes|mostly) )?(?:{_HABIT}) (?!(?:it|this|that|them|you|your|with it|my best|on|to|by|out|into|up|a part|a role|a big|a huge)\b)(?:{_A}|\w+)", "I play the violin", sure=0.8),
    Pattern("regular", r"(?:go|do|make|cook|bake|walk|swim|jog|run|hike|meet|visit|read|paint|write|take|get|spend|have)\b .*\b(?:every|each|once a|twice a|three times a|a lot$|on weekends|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b(?! other's)", "I swim every morning", sure=0.8),
    Pattern("once loved", rf"(?:loved|enjoyed) (?:(?:\w+ing\b.*|.*)(?:when I was|as a (?:kid|child|teen)|growing up)|reading \"|\"\w)|have always (?:had a (?:love|passion|thing) for|dreamed of|been (?:into|fascinated by|fascinated with|interested in|a fan of|passionate about)|have been (?:fascinated (?:by|with)|interested in|passionate about)|have always (?:liked|loved|enjoyed)) (?!(?:it|this|that)\b)", "I loved reading as a kid"),
    Pattern("means", r"use (?!(?:it|this|that|these|those|them|my|the|to|you)\b)(?:a |an )?\w+(?: \w+)? (?:to|for|as) \w", "I use a whiteboard to stay on track", sure=0.8),
    Pattern("event", rf"(?:have )?(?!{_PASSING}){_ED} (?:{_ALONG} )?(?:(?:all|both|one) (?:of )?)?{_VAIN}{_A}(?: \S+){{2}}", "I invited an old friend to my show", sure=0.7),
    Pattern("doing", rf"have been (?!(?:being|having|getting|feeling|trying|going|doing|thinking|putting|keeping|staying|pushing|having|hearing|missing)\b)\w+ing (?:{_ALONG} )?{_VAIN}{_A}(?: \S+)", "I've been renovating our kitchen", sure=0.7),
    Pattern("had to", r"had to (?:move|quit|leave|cancel|sell|close|shut|give up|stop|take|start|get|undergo|drop|put|cut|end|say goodbye|rebuild|replace|repair) \S+ \S+", "I had to shut down my bank account"),
    Pattern("past", r"used to (?!(?:think|feel|be (?:so|really|very|scared|afraid|like|more|less)|it|that|this|love how)\b)\w+ ", "I used to compete in dance shows"),
    Pattern("having", rf"have (?:{NUMBER}|some|my own|our own) (?:[\w-]+ ){{0,3}}(?:{PET}s?|{KIN}s?|tattoos?|degree|guitars?|pianos?|bikes?|cars?|shop|store|studio|business|company|blog|channel|podcast|collection|garden|house|flat|apartment|cabin|team|band|book club|library|bookcase)\b(?! (?:idea|fever|lover))", "I have a big record collection"),
)  # fmt: skip
"""Read where people tell one another of themselves."""
