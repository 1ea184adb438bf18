"""How sentences tell the relations that are known: a table of wordings.

`<work>` is any form of a verb, `{org}` and `{name}` a name, `{place}`, `{role}`, `{thing}` and
`{when}` what follows of that sort. `how` is `state` (past tense means it held once), `change`
(past tense means it holds since), or `end` (what it names holds no longer).
"""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.model.claim_lexicon import ROLES

STATE, CHANGE, END = "state", "change", "end"

_ADV = r"(?:(?:now|currently|still|back|just|recently|officially|finally|also|already|always|" \
       r"\w+ly|these days|nowadays|at present|presently|today|actually|again) )*"  # fmt: skip
_NAME = (
    r"[A-Z0-9][\w.&+/-]*(?:'s)?(?: (?:(?:of|the|and|&|de|van|von|for) )?[A-Z][\w.&+/-]*){0,4}(?!\w)"
)
_STOPS = (
    r"(?=$|[,.;:!?()→]| (?:and|but|as|in|on|at|for|with|because|since|so|after|before|when|"
    r"while|now|"
    r"these|this|again|instead|anymore|from|to|by|over|rather|than|every|each|until|which|who|that|"
    r"where|currently|today|daily|per|about|then|is|are|was|has|will|nowadays|lately|anyway|"
    r"either)\b)"
)
_THING = rf"[\w'&+#/][\w'&+#/.-]*(?: [\w'&+#/][\w'&+#/.-]*){{0,4}}?{_STOPS}"
_DET = r"(?:an? |the |§'s |our |some |any )?"
_ROLE = "|".join(sorted(ROLES, key=len, reverse=True))
_SLOTS = {
    "org": rf"(?:the |(?:an? |the )(?:[a-z-]+ ){{1,4}}(?:called |named ))?(?P<v>{_NAME})",
    "name": rf"(?P<v>{_NAME})",
    "place": rf"(?:the |an? )?(?:(?:city|outskirts|suburbs|centre|center|heart|north|south|east|"
             rf"west) of |downtown |central )?(?P<v>{_NAME}(?:, {_NAME})?)",
    "role": rf"(?:an? |the |our |§'s |its |their )?(?P<v>(?:(?!(?:in|at|on|for|with|and|but|to|"
            rf"by|from|of|is|was|§|of|as|not|who)\b)[\w&/+.-]+ ){{0,4}}?(?i:{_ROLE})s?(?: "
            rf"(?i:{_ROLE}))*(?: of (?:the )?[\w&]+"
            rf"(?: [A-Z]\w+)?)?)(?![\w-])",
    "thing": rf"{_DET}(?P<v>{_THING})",
    "when": r"(?P<v>[^;]{1,40})",
    "adv": _ADV,
    "job": r"(?:job|role|position|gig|post|offer|internship|career|contract|work)",
    "home": r"(?:place|apartment|flat|house|home|condo|studio|loft|cottage|bungalow|townhouse)",
    "hq": r"(?:headquarters|hq|head offices?|main offices?|home base|(?<=§'s )offices?|"
          r"(?<=the )offices?)",
}  # fmt: skip
_FORMS = {
    "leave": "leaves|left|leaving", "go": "goes|went|gone|going", "take": "takes|took|taken|taking",
    "get": "gets|got|gotten|getting", "begin": "begins|began|begun|beginning",
    "find": "finds|found|finding", "drive": "drives|drove|driven|driving",
    "speak": "speaks|spoke|spoken|speaking", "be": "is|are|am|was|were|been|being",
    "have": "has|had|having", "hate": "hates|hated|hating", "buy": "buys|bought|buying",
    "run": "runs|ran|running", "become": "becomes|became|becoming", "lead": "leads|led|leading",
}  # fmt: skip

# predicate | how | wordings
_TABLE = r"""
works_at | state | <work> (?:full-time |part-time |remotely |[\w-]+ly )*(?:as {any} )?(?:over |
    now |out )?(?:for|at) {org}
works_at | state | <work> (?:in|on) {any} (?:for|at) {org}
works_at | state | <be> {adv}(?:(?:an? |the )?[\w -]{2,40}? |working |over |
    employed )?at {org}(?! (?:hq|headquarters|airport|station))
works_at | state | {rolew}s? (?:at|for|with) {org}
works_at | state | employed (?:by|at|with) {org}
works_at | state | <be> {adv}with {org}(?= (?:since|for|as|now|these days)\b|$)
works_at | state | <earn> (?:a|§'s) (?:living|paycheck|salary) at {org}
works_at | state | <be> {adv}an? {org} (?:{rolew}|employee|staffer|hire)
works_at | state | on (?:the payroll (?:at|of)|the staff of|staff at) {org}
works_at | state | {org} (?:employs §|is §'s employer|is where § works|pays §'s)
works_at | state | (?:day job|employer|workplace|new job|new gig|new role|new position|
    job) (?:is |now |: ?|= ?)+(?:at |with )?{org}
works_at | change | <join> (?:the )?(?:team at |staff at |ranks of )?{org}{after}
works_at | change | <start> (?:(?:out |over |work |working |as {any} |(?:a|the|§'s) (?:new |
    first )?{job}(?: as {any})? ))?(?:over )?(?:at|with|for) {org}
works_at | change | (?:hired|recruited|poached|headhunted|snapped up|taken on|brought on|
    scooped up)(?: away)? by {org}
works_at | change | (?:<land>|<take>|<accept>|<get>|<find>|<score>|<secure>|<begin>|
    <sign>) (?:(?!offer)[\w-]+ ){0,4}?(?:job|role|position|gig|post|internship|on)(?: as {any}|
     in {any})? (?:at|with|from|for) {org}
works_at | change | <go> (?:over )?to work (?:for|at) {org}
works_at | change | (?:<jump>|<defect>) (?:ship )?(?:over )?to {org}
works_at | change | {org} (?:hired|poached|recruited|snapped up|employed) §
works_at | end | (?:left|quit|departed|exited|resigned from|retired from|laid off (?:from|by|
    at)|let go (?:from|by)|fired (?:from|by)|sacked by|made redundant (?:at|by)|parted ways with|
    moved on from|walked out of|gone from|finished (?:up )?at|wrapped up (?:at|with)|
    no longer (?:at|with|employed (?:by|at)|working (?:at|for)|works? (?:at|for)|part of)|not (?:at|
    with) ) ?(?:(?:§'s|the|a) (?:old )?(?:job|role|position|post) (?:at|with) )?{org}{after}
works_at | end | (?:took|accepted|got|given) (?:[a-z]+ )*(?:redundancy|severance|buyout|package|
    early retirement) from {org}
works_at | end | (?:job|contract|stint|time|tenure|career|internship) (?:at|
    with) {org} (?:ended|has ended|is over|came to an end|was cut|is done|ran out|was terminated)
office | state | <work> (?:out of|from|in|at) the {place} office
office | change | (?:transferred|moved|relocated) to the {place} office
works_at | end | (?:is|are) out (?:at|of) {org}
works_at | end | last day (?:at|with) {org} (?:was|has been|is behind)
works_at | end | {org} (?:laid § off|let § go|fired §|laid off §|terminated §)
lives_in | state | (?:<live>|<reside>|<dwell>|<base>|based) (?:[a-z-]+ ){0,3}?(?:in|on|near|
    outside|out of|at) {place}
lives_in | state | (?:home base|residence|§'s home|§'s {home}|{hq}) (?:{isnow})?(?:located |
    based )?in {place}
lives_in | state | (?:home|home base|residence|{hq}) (?:{isnow}){place}
lives_in | state | <call> {place} home
lives_in | state | {place} is {adv}(?:home|§'s home|where § lives|where § is based)
lives_in | state | (?:located|headquartered|domiciled|settled) (?:[a-z]+ )?(?:in|at|
    out of) {place}
lives_in | state | {place}-based
lives_in | state | <be> {adv}in {place} (?:for good|permanently|full-time|now)
lives_in | change | (?:<move>|<relocate>|<emigrate>|<settle>|<resettle>|moved house|decamped|
    moved everything)(?: (?:back|over|down|up|out|across|away|permanently|house|in|§|full-time|
    §'s (?:family|life)|with [\w§']+(?: \w+)?|from [A-Z]\w+(?: [A-Z]\w+)*))* (?:to|into|
    in) {place}
lives_in | change | (?:<move>|<relocate>|<transfer>|<shift>) (?:§'s |the |its |our )?(?:main |
    global |entire )?{hq}(?: [a-z]+){0,3}? to {place}
lives_in | change | {hq} (?:has |have )?(?:been )?(?:moved|relocated|transferred|
    shifted)(?: [a-z]+){0,2}? to {place}
lives_in | change | (?:rents?|renting|rented|found|leased|leases|signed (?:a lease|for)|has|
    moved into) (?:[\w-]+ ){0,4}?{home} (?:in|near) {place}
lives_in | change | (?:put down roots|made a home|set up home|settled down|ended up|
    found a home|starting over) in {place}
lives_in | end | (?:left|moved (?:out of|away from|from)|said goodbye to|gone from|
    no longer (?:in|lives? in|based in|living in|resides in)) {place}(?! (?:at|on|early|by|this|
    to (?:catch|visit|see|meet|pick|attend))\b)
born_in | change | (?:born|birthplace is|birthplace:) (?:and raised )?(?:in )?{place}
job_title | state | (?:<work>|<serve>|employed|<act>) (?:\w+ )?as {role}
job_title | state | (?:job title|title|role|position|job|occupation|
    profession)(?: at [A-Z]\w+)? (?:{isnow}){role}
job_title | state | § <be> {adv}{role}
job_title | change | (?:promoted|moved(?: up)?|transitioned|stepped up|elevated|bumped(?: up)?|
    advanced|switched|transferred) (?:to|into|as) (?:the role of |being |be |an? )?{role}
job_title | change | (?:made|named|appointed|hired as|became|become|becomes|turned|joined as|
    took over as|took a job as|retrained as|works now as) {role}
job_title | change | (?:promotion to|new title:?|new role:?|new job:?|new title is|new role is|
    steps into the role of|started (?:a job )?as|takes on the role of) {role}
reports_to | state | <report> (?:\w+ly )?(?:in)?to {name}
reports_to | state | (?:managed|supervised|line-managed) by {name}
partner | state | (?:married to|engaged to|dating|seeing|going out with|in a relationship with|
    <date>|living with §'s partner) {name}
partner | change | (?:<marry>|got engaged to|got together with|started (?:dating|seeing)) {name}
partner | end | (?:broke up with|broken up with|split (?:up )?(?:with|from)|divorced|
    separated from) {name}
partner | state | (?:wife|husband|partner|girlfriend|boyfriend|fiancée?)(?: (?:{isnow})| ){name}
marital_status=married | change | (?:got married|tied the knot|got hitched|eloped|were wed|
    <marry>|said "?i do"?|exchanged vows)
marital_status=engaged | change | (?:got engaged|is engaged|popped the question|
    accepted [\w§']+ proposal)
marital_status=divorced | change | (?:got divorced|divorced|divorce (?:is|was|went|came|
    has been) (?:finali[sz]ed|final|through)|signed (?:the )?divorce papers|ended (?:the|
    §'s) marriage)
marital_status=separated | change | (?:separated from §'s|split (?:up )?(?:from|with) §'s|
    marriage (?:is|was) over|marriage ended)
marital_status=single | change | (?:broke up(?: with)?|broken up|split up|
    went (?:§'s|separate) (?:separate )?ways|parted ways$|called it quits|
    called off the (?:wedding|engagement)|single again)
marital_status=dating | state | (?:dating|seeing [A-Z]\w+|in a relationship|going out with|
    has a (?:girlfriend|boyfriend))
diet=meat | state | (?:eats|is eating|eating|started eating|back to eating|went back to eating|
    resumed eating) (?:red )?(?:meat|chicken|beef|steak|pork|bacon|burgers|poultry)(?: again| now|
     regularly|$)
diet=vegetarian | change | (?:does not eat|gave up|given up|stopped eating|no longer eats|quit|
    swore off|sworn off|cut out|off) (?:all )?(?:meat|red meat and|eating meat)
smokes=yes | state | (?:smokes|is smoking|smoking again|started smoking|took up smoking|
    an? (?:[a-z]+ )?smoker|back to smoking|back on cigarettes)
smokes=no | change | (?:quit smoking|stopped smoking|gave up (?:smoking|cigarettes)|
    kicked (?:the habit|cigarettes)|does not smoke|no longer smokes|has not smoked|
    given up (?:smoking|cigarettes)|off (?:the )?cigarettes)
drinks=yes | state | (?:drinks alcohol|drinks (?:wine|beer)|started drinking again)
drinks=no | change | (?:stopped drinking(?: alcohol|$)|gave up (?:alcohol|drinking)|
    quit drinking|does not drink(?: alcohol|$)|went sober|got sober|is sober|teetotal|
    off (?:the )?(?:alcohol|booze))
employment=retired | change | (?:retired(?! from [A-Z])|has retired|took early retirement|
    entered retirement)
employment=unemployed | change | (?:between jobs|out of work|out of a job|lost (?:§'s|the) job|
    laid off|made redundant|unemployed|got (?:fired|sacked|let go))
employment=self-employed | change | (?:went freelance|freelancing|self-employed|works for §self|
    runs §'s own (?:\w+ )?(?:business|company|studio|shop|practice)|struck out on §'s own|
    started §'s own (?:company|business|studio|firm|practice)|founded §'s own)
age | state | § (?:<be>|turned|turns|just turned|
    has turned) {adv}(?P<v>{number})(?: years?(?: old| of age)| y/o|-years?-old)?(?= (?:in|on|this|
    last)\b|$)
age | state | (?:aged|age:?|age is) (?P<v>{number})
birthday | state | (?:birthday|born)(?: is| falls| :|:)? (?:on |in )?(?:the )?{when}
studies_at | state | (?:<study>|<attend>|student|enrolled|<major>|degree|phd|masters?|
    doctorate)(?: [\w-]+){0,5}? (?:at|in) (?:the )?(?P<v>(?:[A-Z]\w+ )*(?:University|College|School|
    Institute|MIT|ETH|Stanford|Harvard|Oxford|Cambridge|Yale|Princeton|Berkeley|UCLA|
    NYU)(?: of [A-Z]\w+)?)
studies_at | change | (?:<transfer>|<enrol>|<enroll>|started) (?:\w+ )?(?:to|at|
    in) (?P<v>(?:[A-Z]\w+ )*(?:University|College|School|Institute|MIT|ETH|Stanford|Harvard|Oxford|
    Cambridge|Yale|Princeton|Berkeley|UCLA|NYU)(?: of [A-Z]\w+)?)
studies | state | (?:<major>|majoring|degree|doctorate|masters?|bachelors?) in {thing}
studies | state | (?:<study>|studying) (?!at|in|for|with|hard)(?P<v>[a-z]+(?: [a-z]+)?)(?= at|
     in|$)
studies | change | (?:switched|changed)(?: §'s)? (?:majors?|degree|field|
    course) (?:from {any} )?to {thing}
car | state | <drive> (?!to|home|back|from|for|around|in)(?:an? |§'s )?{thing}
car | change | (?:bought|got|picked up|purchased|leased|took delivery of) (?:an? )?(?:new |
    used |second-hand |electric )*(?P<v>(?:Tesla|Toyota|Honda|BMW|Volkswagen|VW|Audi|Ford|Subaru|
    Volvo|Rivian|Mazda|Hyundai|Kia|Skoda|Fiat|Renault|Peugeot|Prius|Porsche|Mercedes|Nissan|
    Polestar|Jeep|Civic|Corolla|Golf)\b(?: [\w-]+)?)
bank | state | <bank> (?:with|at) {name}
gym | state | (?:<train>|works out|<exercise>|<lift>) at {name}
nickname | state | (?:goes by|known as|prefers to be called|likes to be called|call §) {thing}
likes | state | (?:<like>|<love>|<enjoy>|<adore>|fond of|<be> {adv}into|keen on|crazy about|
    obsessed with|fan of|<relish>|partial to) {thing}
dislikes | state | (?:<hate>|<dislike>|can not stand|<detest>|<loathe>|<despise>|sick of|
    tired of|bored (?:of|with)|fed up with|gone off|lost interest in|could not stand|
    grown tired of) {thing}
prefers | state | <prefer> {thing}
allergic_to | state | (?:allergic to|intolerant (?:of|to)) {thing}
allergic_to | state | (?:has|have) an? {thing}(?= allergy)
speaks | state | <speak> (?:fluent |some |a little |good |native )?{name}
wake | state | (?:wakes|gets|<rise>)(?: up)? (?:early )?(?:around |about )?at {when}
supports | state | (?:roots for|fan of the) {name}
owned_by | change | (?:sold|sold off|spun off|divested) (?:§ )?to {org}
status=going | change | (?:§|work on §|development|work|project) (?:has |have |was |
    is )?(?:been )?(?:now )?(?:resumed|restarted|revived|picked back up|unpaused|un-paused|unfrozen|
    back in development|back on(?! track)|kicked off again|greenlit again)
works_at | state | (?:<lead>|<run>|<head>|<manage>|<teach>|<oversee>|<handle>|<design>|
    <practise>|<practice>|<build>|<code>) {any} at {org}
ceo | state | {name} (?:{isnow})(?:the |our |§'s |its )?(?:new |current )?(?:ceo|
    chief executive(?: officer)?|managing director)
ceo | change | {name} (?:took over|takes over|stepped in|was named|was appointed|
    has been appointed|has been named|became|becomes)(?: as)? (?:the |its |§'s )?(?:new )?(?:ceo|
    chief executive(?: officer)?|managing director)
ceo | change | (?:appointed|named|hired|promoted|installed|brought in) {name} (?:as|to be|
    to) (?:the |its |§'s )?(?:new )?(?:ceo|chief executive(?: officer)?|managing director)
ceo | state | (?:run|headed|led) by (?:ceo )?{name}
cto | change | (?:appointed|named|hired|promoted|brought in) {name} (?:as|to be|to) (?:the |
    its |§'s )?(?:new )?(?:cto|chief technology officer)
cto | state | {name} (?:{isnow}|became |was named |was appointed |took over as )(?:the |our |
    §'s |its )?(?:new |current )?(?:cto|chief technology officer)
owner | state | {name} (?:<own>|<lead>|<run>|<head>|<manage>|<maintain>|leads up|heads up|
    drives|is driving|is leading|is running|is heading|is in charge of|is responsible for|
    is the (?:lead|owner|pm|dri|point person|project manager) (?:on|of|for)) (?:up )?(?:the )?§
owner | state | (?:owned|led|run|headed|managed|driven|maintained|overseen)(?: up)? by {name}
owner | change | {name} (?:took over|takes over|has taken over|took on|inherited|picked up|
    assumed (?:control|ownership) of|has taken on|has picked up|is taking over) (?:ownership of |
    the lead (?:on|of) |as (?:lead|owner|pm) (?:of|on|for) |the reins of |running |
    leadership of )?(?:the )?§
owner | change | (?:handed|passed|transferred|given|reassigned|turned|signed)(?: over|
     off)? (?:§ )?(?:over )?to {name}
owned_by | change | (?:acquired|bought(?: out)?|purchased|taken over|swallowed up|
    snapped up) by {org}
owned_by | change | {org} (?:acquired|bought|purchased|took over|snapped up|completed (?:its|
    the) acquisition of) §
owned_by | state | (?:owned by|subsidiary of|part of|belongs to) {org}
headcount | state | (?:<have>|<employ>|<be>|at|to|of|with|past|now|counts?|hit|reached|up to|
    down to|numbers?|totals?) {about}(?P<v>{number}) (?:(?:full-time|people|total|staff|paid|
    person) )?(?:employees|people|staff|team members|staffers|workers|persons|heads|folks|
    souls)(?! (?:in|on|from|at) (?:the )?[a-z])
headcount | state | (?P<v>{number})-(?:person|people|strong|member|employee)\b
headcount | state | (?:team|company|staff|crew|workforce) of {about}(?P<v>{number})(?= people|
     employees| engineers|$)
headcount | state | (?:headcount|team size|staff size)[^0-9]{0,30}?(?P<v>{number})
valuation | state | (?:valued|valuation|worth)(?: [a-z]+){0,4}? (?P<v>[$€£] ?{number}.{0,9})
founded | change | (?:founded|established|incorporated|started|set up)(?: back)? in (?P<v>(?:19|
    20)\d\d)
price | state | (?:<cost>|priced at|<charge>|goes for|sells for|retails (?:for|at)|
    is available (?:for|at)|comes in at)(?: [\w§']+){0,3}? {about}(?P<v>[$€£] ?{number}.{0,20}|
    {number} ?(?:dollars|euros|pounds|usd|eur|gbp|chf|bucks).{0,12})
revenue | state | (?:revenue|arr|turnover|mrr)[^0-9$€£]{0,30}(?P<v>[$€£]? ?{number}.{0,9})
name | change | (?:renamed(?: §| to| itself| as| it)*|rebranded (?:itself )?(?:as|to)|
    changed (?:its|§'s) name to|is now called|now goes by|known now as|now known as|
    is now named) {name}
release_date | state | § {aux}(?:ship|ships|shipping|shipped|launch|launches|launching|release|
    released|releases|go live|goes live|going live|roll out|rolls out|come out|comes out|land|lands|
    deploy|deploys)(?: to [a-z]+)? (?:on |in |by |at |for |around )?{when}
deadline | state | (?:due|must be (?:done|finished|ready|delivered)|needs to be (?:done|
    finished|ready|delivered)|has to be (?:done|finished|ready|delivered|submitted)) (?:on |by |in |
    at |before )?{when}
date | change | § {aux}(?:slipped|slips|pushed(?: back| out)?|moved|postponed|delayed|
    rescheduled|shifted|brought forward|pulled in|bumped|deferred|moved up|
    moved back)(?: [a-z]+){0,2}? (?:to|until|till|into) {when}
version | change | (?:upgraded(?: from [^,;]{1,30}?)? to|updated(?: from [^,;]{1,30}?)? to|
    bumped(?: from [^,;]{1,30}?)? to|moved(?: from [^,;]{1,30}?)? to|released|rolled back to|
    downgraded(?: from [^,;]{1,30}?)? to) (?P<v>(?:[A-Za-z.]+ )?(?:version )?v?\d+(?:\.\d+)*)
version | state | (?:<be> (?:{adv})?(?:on|at)|<run>|<use>|<target>|<require>|version(?: is)?|
    latest release is|<pin>(?:ned)? (?:to|at)) (?P<v>(?:[A-Za-z.]+ )?(?:version )?v?\d+(?:\.\d+)*)
capital | state | (?:raised) (?P<v>[$€£] ?{number}.{0,9})
"""


class Wording:
    """One way in which a relation is told. `value` is what it says where that stands in no slot."""

    __slots__ = ("how", "pattern", "predicate", "value")

    def __init__(self, predicate: str, value: str, how: str, pattern: re.Pattern[str]) -> None:
        self.predicate = predicate
        self.value = value
        self.how = how
        self.pattern = pattern


@lru_cache(maxsize=1)
def wordings() -> tuple[Wording, ...]:
    """The table, compiled."""
    made = []
    for line in _TABLE.replace("\n    ", "").strip().splitlines():
        target, how, wording = line.split(" | ", 2)
        predicate, _, value = target.partition("=")
        made.append(Wording(predicate, value, how, re.compile(_compile(wording))))
    made.sort(key=lambda wording: wording.how != END)  # What is over is told with the same words.
    return tuple(made)


def _compile(wording: str) -> str:
    wording = re.sub(r"(?<!P)<(\w+)>", lambda found: _verb(found[1]), wording)
    slots = {
        **_SLOTS,
        "rolew": f"(?i:{_ROLE})",
        "any": r"[\w /&'-]{2,40}?",
        "isnow": rf"(?:(?:<be>|:|=|→|remains|became|has become|will be) ?{_ADV})",
        "aux": r"(?:(?:is|are|was|will|be|has|been|now|to|should|got|being|not|only|planned|"
               r"scheduled|slated|set|due|expected) )*",
        "after": r"(?=[,.;!?)]|$| (?:in|on|at|for|after|to|this|last|a|an|and|because|"
                 r"when|as|by|with|due|over|since|"
                 r"back|but|so|today|yesterday|two|three|\d+|just|now|while|before|following|"
                 r"earlier|amid|full-time|"
                 r"part-time|entirely|completely|altogether|recently|months?|years?|weeks?|"
                 r"where|who|which|instead)\b)",
        "about": r"(?:now |about |around |roughly |some |over |nearly |approximately |just |"
                 r"almost |only |more than |close to |~)*",
        "number": r"(?:\d[\d,.]*\d|\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
                  r"twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
                  r"hundred)\b)"
                  r"(?:k|m|bn)?",
    }  # fmt: skip
    wording = re.sub(r"\{([a-z]+)\}", lambda found: slots[found[1]], wording)
    wording = re.sub(r"(?<!P)<(\w+)>", lambda found: _verb(found[1]), wording)
    return rf"(?<![\w'-]){wording}"


def _verb(base: str) -> str:
    if base in _FORMS:
        return f"(?:{base}|{_FORMS[base]})"
    if base.endswith("e"):
        return f"(?:{base}s?|{base}d|{base[:-1]}ing)"
    if base.endswith("y") and base[-2] not in "aeiou":
        return f"(?:{base}|{base[:-1]}ies|{base[:-1]}ied|{base}ing)"
    double = base + base[-1] if base in ("pin", "enrol", "transfer") else base
    return f"(?:{base}(?:s|es)?|{double}ed|{double}ing)"
