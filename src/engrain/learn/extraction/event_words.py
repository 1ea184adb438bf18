"""The words of which the patterns of events are made."""

from __future__ import annotations

from engrain.learn.extraction.vocabulary import NAME

A = (
    r"(?:an?|the|my|our|some|two|three|four|five|several|another|\d+|his|her"
    rf"|first|second|third|this year's|last year's|new|{NAME})\b"
)
VAIN = (
    r"(?!(?:an?|the|my|some) (?:\w+ )?(?:trial|hints?|habit|lot|bit|ton|bunch|while"
    r"|break|look|chance|risk|moment|minute|second|step|nap"
    r"|breath|leap|few|kick|feeling|boost|sense|taste|glimpse|rush|text|pic|pics"
    r"|photo|photos|picture|pictures"
    r"|snapshot|selfie|blast|ball|fun|idea|ideas|point|(?:good|great|amazing"
    r"|awesome|wonderful|fantastic|hard|rough|tough|new|nice|wild)"
    r"(?: (?:time|day|experience|feeling|moment|job|way|view|memory|memorie|idea"
    r"|reminder|vibe|atmosphere|work|one|place|thing|pic|photo"
    r"|shot|advice|chance|opportunity|feedback|spot)s?\b| and\b|$)"
    r"|difference|mistake|decision|choice|vibe|vibes|progress|time|way|effort"
    r"|success|impact|mind|temper|touch|track"
    r"|advice|message|call|feel|hang|gist|thought|plan|plans|goal|goals|change"
    r"|changes|support|help|power|mess"
    r"|impression|effect|strength|memories|memory|kind|most|best|part|more"
    r"|best of|view|views|confidence|courage)\b)"
)
DONE = (
    "taken part in|written|drawn|grown|worn|broken|given up|seen|driven|built up|"
    "talked to|talked with|spoke to|spoke with|skyped with|chatted with|did|"
    "attended|visited|joined|hosted|organized|organised|completed|finished|won"
    "|ran|painted|wrote|published|released"
    "|recorded|built|restored|renovated|opened|launched|donated|received|earned"
    "|bought|purchased|sold|created"
    "|designed|planted|broke|injured|sprained|twisted|hurt|celebrated|performed"
    "|directed|produced|filmed|read|watched"
    "|explored|climbed|toured|set up|repaired|fixed up|acquired|developed|baked"
    "|cooked|hiked|lost|adopted|rescued"
    "|fostered|met up with|met back up with|caught up with|met|scored|signed"
    "|passed|failed|quit|left|named|booked|taught|led|coached|mentored"
    "|photographed"
    "|discovered|found|composed|knitted|sewed|crafted|carved|sculpted|cleaned"
    "|decorated|redecorated|remodeled"
    "|contacted|hired|researched|emailed|drew|grew|tried|threw|kicked off"
    "|started up|took up|picked up|put together|shot|made|submitted|presented"
    "|reunited with"
    "|teamed up with|collaborated with|worked with|partnered with|spoke at"
    "|volunteered at|volunteered for"
    "|volunteered with|competed in|participated in|took part in|helped out at"
    "|played at|played in|sang at"
    "|signed up for|enrolled in|registered for|applied to|applied for|got into"
    "|got back from|came back from"
    "|returned from|got home from|got involved with|got involved in|signed with"
    "|broke up with|hung out with"
    "|went through|camped in|camped at|stayed at|stayed in|interviewed with"
    "|auditioned for|rehearsed with|shut down"
)
OPEN = (
    "took up|taken up|"
    "applied to|applied for|signed up for|enrolled in|volunteered at"
    "|volunteered for|volunteered with|participated in"
    "|took part in|competed in|performed at|struggled with|researched"
    "|interviewed with|collaborated with|dealt with"
    "|visited|joined|attended|painted|played|donated|majored in|broke up with"
)
"""What may have an object without an article too."""
PASSING = (
    r"(?:loved|liked|wanted|needed|tried|hoped|decided|realized|realised|noticed"
    r"|looked|seemed|missed|enjoyed|used|stayed"
    r"|asked|agreed|called|helped|wished|thanked|believed|kept|remembered"
    r"|listened|waited|appreciated|reminded|learned"
    r"|figured|guessed|pushed|handled|worried|cared|managed|ended|turned"
    r"|happened|showed|experienced|faced|laughed|talked"
    r"|chatted|texted|messaged|clicked|checked|guided|encouraged|supported"
    r"|relied|doubted|hated|expected|imagined|need"
    r"|changed|reached|wondered|mentioned|shared|connected|received|relived"
    r"|scored|captured|snapped|posted)\b"
)
"""What passes, or is known from what was said around it."""
ED = (
    r"(?:[a-z]{2,}[^e\W]ed|caught up|took|drew|wore|hung|spoke|sang|caught|swam"
    r"|rode|flew|sent|brought|built|chose|shot)"
)
ALONG = (
    r"(?:up|out|off|over|in|on|at|to|for|with|by|from|into|through|around|along"
    r"|down|about|back)"
)
STARTED = (
    r"(?!(?:to )?(?:feel|feeling|think|thinking|realiz\w+|realis\w+|see|seeing"
    r"|understand\w*|wonder\w*|get|getting|have"
    r"|having|be|being|car\w+|appreciat\w+|notic\w+|question\w*|believ\w+|want\w*|do|doing)\b)"
)
EVENT = (
    r"(?:surgery|operation|baby|accident|interview|injury|party|birthday|wedding"
    r"|meeting|gig|show|concert|exhibition"
    r"|miscarriage|picnic|barbecue|bbq|performance|date|ceremony|appointment"
    r"|game|match|tournament|class|lesson|reunion"
    r"|dinner|breakup|stroke|heart attack|check-up|checkup|jam session|session"
    r"|audition|exam|test|trip|vacation"
    r"|holiday|playdate|festival|workshop|chat|conversation|career-high"
    r"|card[- ]night|night out|get-together|photoshoot|summer|shoot|visitor|guest"
    r"|mentor|dog|cat|tutor|nanny|internship|sleepover|movie night|game night"
    r"|flat tire)"
)
GOING = (
    "working on|focusing on|teaming up with|heading to|looking forward to my"
    "|looking forward to our|searching for|looking for|looking into"
    "|getting ready for|prepping for|turning|having|learning|studying"
    "|training for|writing|reading|building|taking|teaching|volunteering"
    "|starting|running"
    "|saving up for|saving for|expecting|preparing for|organizing|hosting"
    "|opening|launching|expanding|restoring|moving"
    "|collaborating with|offering|attending|designing|creating|directing"
    "|producing|recording|practicing|taking up"
    "|mentoring|coaching|raising|fostering|renovating|applying to|applying for"
    "|majoring|planning|setting up"
    "|going to|visiting|performing|competing|developing|wrapping up"
    "|putting together|training|playing"
)
HABIT = (
    "play|teach|mentor|coach|volunteer|collect|practice|follow|attend|host"
    "|foster|breed|compete|perform|lead|run|support|organize|garden|meditate"
    "|journal"
)

ELLIPTIC = (
    rf"{DONE}|been (?=\w+ing)|got|went|started|took|moved|had|gave|learned|spent"
    r"|working on|studying|learning"
)
"""With what a clause begins whose \"I\" is left out."""
