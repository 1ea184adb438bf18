"""What a statement claims about its subject: relations, each with a value and how it is meant.

Only wordings that are understood give claims; the rest of a statement is compared by its words
(`engrain.model.fact_judging`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.model.claim_aspect import Aspect, is_denied
from engrain.model.claim_lexicon import LOOSE, PEOPLE, kind_of_tool, state_words
from engrain.model.claim_patterns import CHANGE, END, STATE, wordings
from engrain.model.claim_words import (
    SUBJECT,
    WEEKDAYS,
    content_words,
    fold_word,
    plain_sentences,
    value_key,
    words_of,
)
from engrain.model.predicates import COMPANY, PERSON, find_predicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ENDED, HOLDS, HELD, PLANNED, UNSURE = "ended", "holds", "held", "planned", "unsure"

_SAME_RELATION = {"headquarters": "lives_in", "dislikes": "likes"}
_AHEAD = ("deadline", "release_date", "date", "start_date", "price", "budget", "meeting", "venue")


class Claim:
    """One relation of the subject to a value.

    `key` are the folded words of the value, `scope` those that narrow the relation (a favourite
    *film*, the *staging* database). `mode` is one of `HOLDS`, `ENDED` (denied, or over), `HELD`,
    `PLANNED` and `UNSURE` (thought of, asked, or for a while). `functional`: one value at a time;
    `marked`: another value says something only with a word of change. `change`: told as one;
    `now`: told as what holds by now; `added`: told as one more. `own`: said of the subject, and
    not of somebody else in the sentence.
    """

    __slots__ = (
        "added", "change", "functional", "key", "marked", "mode", "now", "own", "predicate",
        "scope", "value",
    )  # fmt: skip

    def __init__(
        self,
        predicate: str,
        value: str,
        *,
        mode: str = HOLDS,
        scope: frozenset[str] = frozenset(),
        functional: bool = True,
        marked: bool = False,
        change: bool = False,
        now: bool = False,
        added: bool = False,
        own: bool = True,
    ) -> None:
        self.predicate = predicate
        self.value = value
        self.key = value_key(value) or frozenset((value.lower(),))
        self.mode = mode
        self.scope = scope
        self.functional = functional
        self.marked = marked
        self.change = change
        self.now = now
        self.added = added
        self.own = own

    def __repr__(self) -> str:
        return f"<{self.predicate}{sorted(self.scope) or ''}={self.value!r} {self.mode}>"


class Clause:
    """A part of a sentence that says one thing: its plain text and how it is meant."""

    __slots__ = ("aspect", "text", "words")

    def __init__(self, text: str, aspect: Aspect) -> None:
        self.text = text
        self.aspect = aspect
        self.words = tuple(content_words(text))


_CUTS = re.compile(
    r"\s*[;()]\s*|\s+-\s+|,\s+(?=[a-z§])|\s+(?=(?:but|while|although|though|because|whereas|which|"
    r"so that|even though|and then|and now|and is|and has|and was|and §|(?:after|before|when) (?:§|\w+ing)|and "
    r"(?:[a-z]+s (?:in|at|on|for|with|to|the|an?) |moved|joined|left|quit|became|started|switched|sold|bought|got|took|went|lives|works|uses|"
    r"runs|drives|eats|likes|loves|hates|no longer|does not|did not|just|never)) )"
)


@lru_cache(maxsize=8192)
def read_clauses(content: str, names: tuple[str, ...]) -> tuple[Clause, ...]:
    """The clauses of a statement about who goes by `names`."""
    clauses = []
    for sentence in plain_sentences(content, names):
        for part in _CUTS.split(sentence.text):
            text = (part or "").strip(" ,.!?\"'")
            if text:
                clauses.append(Clause(text, Aspect(text, sentence.asks)))
    return tuple(clauses)


def read_claims(
    content: str, subject_names: Sequence[str], edge: tuple[str, str] | None = None
) -> tuple[Claim, ...]:
    """The claims of one statement about who goes by `subject_names`; `edge` is a predicate and an
    object that are given with it, and the surest of all."""
    names = tuple(sorted(subject_names))
    return _read(content, names, edge)


@lru_cache(maxsize=8192)
def _read(
    content: str, names: tuple[str, ...], edge: tuple[str, str] | None
) -> tuple[Claim, ...]:
    found: dict[tuple[object, ...], Claim] = {}
    clauses = read_clauses(content, names)
    if edge is not None:
        claim = _edge_claim(edge, clauses)
        found[claim.predicate, claim.scope, claim.key] = claim
    for clause in clauses:
        for claim in (*_worded(clause), *_attributes(clause), *_states(clause), *_tools(clause)):
            if edge is not None and claim.predicate in {kept.predicate for kept in found.values()}:
                if not any(kept.predicate == claim.predicate and kept.mode == claim.mode
                           and kept.key != claim.key for kept in found.values()):  # fmt: skip
                    found.setdefault((claim.predicate, claim.scope, claim.key), claim)
                continue
            found.setdefault((claim.predicate, claim.scope, claim.key), claim)
    return tuple(found.values())


def _edge_claim(edge: tuple[str, str], clauses: Sequence[Clause]) -> Claim:
    predicate = find_predicate(edge[0])
    name = predicate.name if predicate else "_".join(edge[0].lower().replace("-", "_").split())
    asides = any(c.aspect.added for c in clauses)
    mode = HOLDS
    if clauses and all(c.aspect.held and not c.aspect.now for c in clauses):
        mode = HELD
    elif clauses and all(c.aspect.hedged for c in clauses):
        mode = UNSURE
    elif clauses and all(is_denied(c.text) for c in clauses):
        mode = ENDED
    return Claim(
        _SAME_RELATION.get(name, name),
        edge[1].replace("-", " "),
        mode=mode,
        functional=predicate is not None and predicate.functional,
        change=any(c.aspect.now for c in clauses),
        now=any(c.aspect.now for c in clauses),
        added=asides,
    )


_PAST = re.compile(
    r"(?<![\w'-])(?:worked|lived|was|were|had|resided|based|stayed|drove|used|spoke|ran|served|liked|"
    r"loved|enjoyed|hated|preferred|reported|owned|led|smoked|drank|ate|studied|attended|majored|"
    r"trained|dated|cost|charged|employed|adored|disliked|banked|managed|did)(?![\w-])"
)
_PERFECT = re.compile(r"(?:has|have|is|are|be|been|being|s)(?: \w+ly| now| just| also| always)* (?=\S+$)")


def _worded(clause: Clause) -> Iterator[Claim]:
    text = clause.text
    for wording in wordings():
        match = wording.pattern.search(text)
        if match is None:
            continue
        value = wording.value or (match["v"] if "v" in match.re.groupindex else "")
        value = _TAIL.sub("", value).strip(" ,.'\"").removesuffix("'s")
        if not _fits(wording.predicate, value, match, text):
            continue
        predicate = find_predicate(wording.predicate)
        before = text[: match.start()]
        mode = _mode(wording.predicate, wording.how, clause, before, match.group())
        name = _SAME_RELATION.get(wording.predicate, wording.predicate)
        if wording.predicate == "dislikes":
            mode = {HOLDS: ENDED, ENDED: UNSURE}.get(mode, mode)
        if wording.predicate == "marital_status" and mode == ENDED:
            continue
        yield Claim(
            name,
            value or "*",
            mode=mode,
            scope=_scope(name, before, text[match.end() :]),
            functional=predicate.functional if predicate else name in _EXCLUSIVE,
            marked=bool(predicate and predicate.marked) or _is_bare_role(name, match.group()),
            change=wording.how == CHANGE,
            now=clause.aspect.now,
            added=clause.aspect.added,
            own=_is_own(name, before),
        )


_EXCLUSIVE = frozenset(
    "marital_status diet smokes drinks employment wake date version office supports listing source switch "
    "opening health".split()
)
_PERSONAL = frozenset(
    "works_at lives_in job_title reports_to partner marital_status diet smokes drinks employment age "
    "birthday studies_at studies car bank gym nickname likes prefers allergic_to speaks wake "
    "supports born_in status hours work_mode chronotype health opening listing name".split()
)


def _is_bare_role(predicate: str, matched: str) -> bool:
    """Whether a trade is only said of somebody by the way, as one of several may be."""
    return predicate == "job_title" and matched.startswith(SUBJECT)


_POINTING = frozenset("that this it them something anything one these those all so there here".split())
_SITES = frozenset(
    "strava facebook instagram twitter linkedin tiktok mastodon bluesky reddit whatsapp youtube pinterest "
    "discord slack zoom github telegram signal goodreads letterboxd duolingo".split()
)


def _fits(predicate: str, value: str, match: re.Match[str], text: str) -> bool:
    from engrain.model.claim_lexicon import ROLES, place_in
    from engrain.model.claim_words import read_clock, read_day, read_number

    if value.lower() in _POINTING:
        return False
    if predicate == "works_at":
        head = value.partition(" ")[0].lower()
        if not value:
            return True
        if re.search(r"(?:some|any|of|freelance|charity|extra|pro bono|the|more|§'s|volunteer) $", text[: match.start()]) and (
            match.group().startswith("work")
        ):
            return False
        if head in _SITES and "join" in match.group():
            return False
        month = read_day(value)
        return not (value[:1].isdigit() or head in WEEKDAYS or (month and month.month)
                    or (place_in(value) and value_key(value) == value_key(place_in(value) or "")
                        and not re.search(r"employ|hired|poached", match.group()))
                    or value.startswith(SUBJECT) or head in ("home", "i", "hq", "nhs ward"))  # fmt: skip
    if predicate == "lives_in":
        if re.match(r" (?:district|area|neighbou?rhood|quarter|region|suburb|borough|part)", text[match.end() :]):
            return False
        if kind_of_tool().get(value.lower().replace(" ", "_")) and not place_in(value):
            return False
        return not value[:1].isdigit() and not (read_day(value) and not place_in(value))
    if predicate == "job_title":
        return value.lower() not in ("partner", "partners", "owner", "fellow", "head", "lead", "pilot")
    if predicate in ("release_date", "deadline", "date", "birthday"):
        return read_day(value) is not None or read_clock(value) is not None
    if predicate == "wake":
        return read_clock(value) is not None or read_number(value) is not None
    if predicate == "age":
        number = read_number(value)
        return bool(number and 0 < number < 120 and re.fullmatch(r"\D{0,8}\d{1,3}\D{0,3}", value))
    if predicate in ("reports_to", "partner", "ceo", "cto", "owner"):
        head = value.lower().split()[-1] if value else ""
        return bool(value) and head not in ROLES and not value[:1].isdigit()
    if predicate == "owned_by":
        return bool(value)
    if predicate == "speaks":
        return value[:1].isupper()
    if predicate == "version":
        return re.search(r"[A-Za-z.]+ v?\d|v\d|version|\d\.\d", value) is not None and not re.search(
            r"(?i)\b(?:am|pm|january|february|march|april|may|june|july|august|september|october|"
            r"november|december|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|at|on|in|to|with)\b", value)
    return True


def _mode(predicate: str, how: str, clause: Clause, before: str, matched: str) -> str:
    aspect = clause.aspect
    known = find_predicate(predicate)
    schedule = predicate in _AHEAD or bool(known and known.ahead)
    near = " ".join(before.split()[-4:])
    denied = is_denied(near) or (
        is_denied(matched) and predicate not in ("smokes", "drinks", "diet", "employment")
        and how != END
    ) or bool(re.search(r"(?<![\w'-])anymore(?![\w'-])", clause.text))  # fmt: skip
    if aspect.hedged:
        return UNSURE
    if aspect.ahead and not schedule:
        return PLANNED
    if how == END:
        return UNSURE if denied else (UNSURE if aspect.while_ else ENDED)
    if denied:
        return ENDED
    if re.search(r"\bused to $", before) or re.search(r"\bused to\b", before[-14:]):
        return ENDED if not aspect.now else HELD
    if aspect.while_ and predicate not in ("release_date", "deadline", "date"):
        return UNSURE
    if aspect.held:
        return HELD
    if how == STATE and not schedule and _is_past(before, matched):
        return HELD
    return HOLDS


def is_past(text: str) -> bool:
    """Whether a clause, in its first words, tells of what was."""
    return _is_past("", " ".join(text.split()[:6]))


_EVENT = re.compile(
    r"^§ (?:also |just |then |once |recently )?(?:(?!(?:joined|moved|started|adopted|switched|subscribed|signed|hired|leased|rented|"
    r"purchased|enrolled|acquired|used|decided|agreed|need)\b)[a-z]+ed|lost|went|had|met|saw|made|gave|told|said|came|felt|"
    r"found|heard|thought|knew|ran|won|sold|left|quit|wrote|read|drew|flew|ate|drank|slept|did|broke|fell|sent|"
    r"spent|taught|brought|kept|paid|put|hit|cut) (?!by|in|at|on|from)"
)


def is_event(text: str) -> bool:
    """Whether a clause tells what happened, and not what it led to."""
    return _EVENT.match(text) is not None


def _is_past(before: str, matched: str) -> bool:
    told = " ".join((*before.split()[-3:], *matched.split()[:4]))
    if re.search(r"(?<![\w'])(?:has|have|is|are|'s|am|does|do|will)(?![\w'])", told):
        return False
    return bool(_PAST.search(told))


_SCOPED = re.compile(
    r"(?<![\w'-])(?:for|in|on|at) (?:the |§'s |its |our )?((?:[a-z][\w-]* ?){1,3})", re.I
)
_SCOPES = frozenset(
    """test tests testing staging production development local ci analytics search cache caching
    queue queues session sessions mobile ios android web desktop frontend backend api admin
    billing reporting prototype demo internal public customer marketing docs website landing
    evening morning afternoon breakfast lunch dinner weekend weekends weekday weekdays summer
    winter night personal work office private home side logs metrics jobs scripts scripting
    infra infrastructure ml data batch legacy free pro enterprise basic team premium engineering
    sales support design europe us asia london berlin emea apac annual annually yearly monthly
    engineer seed series beta alpha rc pilot""".split()
)


def _scope(predicate: str, before: str, after: str) -> frozenset[str]:
    """What narrows a relation to a part of the subject."""
    if predicate in ("status", "works_at", "lives_in", "job_title", "partner", "reports_to", "owner", "ceo",
                     "marital_status", "diet", "age", "name", "cto", "owned_by"):  # fmt: skip
        return frozenset()
    if predicate == "price":
        return frozenset(content_words(before)) - {"price", "plan"}
    near = words_of(before)[-6:] + words_of(after)[:6]
    return frozenset(word.lower() for word in near if word.lower() in _SCOPES)


def _is_own(predicate: str, before: str) -> bool:
    """Whether what follows `before` in a clause is said of the subject."""
    if predicate not in _PERSONAL:
        return not re.search(r"(?i)\b(?:competitor|rival|client|customer|supplier)s?\b", before)
    last = True
    for found in re.finditer(r"§('s)?|[A-Z][\w-]+(?:'s)?|[a-z][\w-]+", before):
        word = found.group()
        if word == SUBJECT:
            last = True
        elif word == SUBJECT + "'s":
            rest = found.end()
            last = not re.search(r"[a-z]", before[rest:])
        elif word[0].isupper() and word.lower() not in WEEKDAYS:
            following = before[found.end() :][:12]
            # A name with a preposition before it is no subject.
            led = re.search(r"(?:in|at|from|of|off|to|for|with|by|on|after|before|since|§ and) (?:the )?(?:[A-Z]\S* )*$",
                            before[: found.start()])  # fmt: skip
            if not led and not following.startswith(":"):
                last = False
        elif word.removesuffix("s") in PEOPLE or word in PEOPLE:
            led = re.search(r"(?:with|for|to|from|of|after|by|and) (?:§'s |a |an |the |[a-z]+ )*$",
                            before[: found.start()])  # fmt: skip
            if not led:
                last = False
    return last


_QUALIFIER = r"(?:new |current |latest |main |primary |brand-new |updated |revised |actual |old |present |now )*"
_LINK = (
    r"(?:is|are|remains|became|becomes|has become|will be|has been|was|stands at|sits at|"
    r"stays at|falls on|landed on|goes to|lands on|(?:is |are )?(?:planned|scheduled|slated|expected|"
    r"due|pencilled in|set) (?:for|on|in|at))"
)
_SHIFT = (
    r"(?:(?:has |have |got |is |was |were |been |has now |now |will be |just |gets )*(?:mov|chang|switch|"
    r"push|shift|slip|postpon|reschedul|rais|increas|reduc|extend|bump|upgrad|updat|lower|"
    r"delay|transferr|migrat|relocat|cut|grow|grew|rose|fell|go|went|gone|drop|shr[aiu]nk|doubl|trim|"
    r"brought|pull|reset|revis|adjust|set|pass|hand|reassign|expand|land|slid|slash|hik|climb|jump|"
    r"narrow|swapp|flipp|turn)(?:e?d|p?ed|es|e|s|ing|ped|t)?(?: (?:back|up|out|down|forward|ahead|"
    r"over|earlier|later|again|a (?:day|week|month)|all the way|now|by [\w$€£.%]+(?: \w+)?))*"
    r"(?: from [^,;]{1,30}?)?(?: to| until| till| for| at| into| by))"
)
_ATTRIBUTE = re.compile(
    rf"(?<![\w'-])(?:the |our |this |that )?(?:§'s |§ )?{_QUALIFIER}(?P<attr>[a-z][\w/-]*(?: [a-z][\w/-]*){{0,3}}?)"
    rf"(?: (?:of|for|on|at|in) (?:the )?(?:§|[a-z]+(?: [a-z]+)?))?(?P<link> {_SHIFT}| {_LINK}| ?[:=→])"
    r"(?: (?:now|currently|still|set (?:to|for|at)|at|on|in|about|around|roughly|only|just|called|"
    r"named|down to|up to|scheduled for|officially|actually|being|due|planned for|every))*"
    r" ?(?:the |an? |§'s )?(?P<v>[^;]{1,60})$"
)
_INVERSE = re.compile(
    r"^(?P<v>[A-Z0-9][\w.&+/-]*(?: [A-Z][\w.&+/-]*){0,3}) (?P<link>is|are|became|becomes|has become|was|takes over as|took over as|"
    rf"will be|steps in as|stepped in as|serves as|has been) (?:(?:now|currently|also|still|named|made|"
    rf"appointed) )*(?:the |our |§'s |an? ){_QUALIFIER}(?P<attr>[a-z][\w/-]*(?: [a-z][\w/-]*){{0,3}}?)"
    rf"(?: (?:of|for|on|at) (?:the )?§)?(?: (?:now|these days|as of .*|since .*|from .*))?$"
)
_ACTIVE = re.compile(
    r"^(?:(?:§|we|they|[A-Z]\w+(?: [A-Z]\w+)?) )?(?:has |have )?(?:just |now |recently |finally )*(?P<link>(?:rais|cut|lower|increas|reduc|"
    r"mov|chang|push|postpon|set|bump|extend|shorten|switch|dropp|hik|slash|updat|reschedul|delay|shift|"
    r"brought|trimm|doubl|upp|narrow|expand|trimm)(?:ed)?(?: back| out| up| forward| down)?) (?:the |§'s |its |our )+"
    rf"{_QUALIFIER}(?P<attr>[a-z][\w/-]*(?: [a-z][\w/-]*){{0,2}}?)(?: (?:of|for) (?:the )?§)?(?: from [^,;]{{1,30}}?)? "
    r"(?:to|until|till|back to|down to|up to) (?P<v>[^;]{1,40})$"
)
_HAVING = re.compile(
    rf"^§ (?:(?:now|currently) )?(?P<link>has|have|had) (?:now |currently )?an? {_QUALIFIER}(?P<attr>[a-z][\w/-]*(?: [a-z][\w/-]*){{0,2}}?) of (?P<v>[^;]{{1,40}})$"
)
_FOUND = re.compile(
    r"^§ (?:has |have |is )?(?:just |now |recently |finally )*(?P<link>found|has|have|got|picked|hired|chose|chosen|"
    r"switched to|moved to|signed with|seeing|gets) (?:an? |the |§'s )new (?P<attr>[a-z][\w/-]*(?: [a-z][\w/-]*)?)"
    r"(?:,|:| called| named| is)? (?P<v>[A-Z][^;,]{1,40})$"
)
_NAMED = re.compile(
    r"^(?:§ |they |we |the board )?(?:has |have )?(?:just |now |recently |finally )*(?P<link>appointed|named|hired|promoted|brought in|installed|"
    r"elected|made|tapped|chose|picked) (?P<v>[A-Z][\w.-]*(?: [A-Z][\w.-]*){0,3}) (?:as|to be|to)? ?(?:the |its |§'s |our |their )?"
    rf"{_QUALIFIER}(?P<attr>[a-z][\w/-]*(?: [a-z][\w/-]*){{0,2}}?)(?: (?:of|for) (?:the )?§)?$"
)
_LEADING = re.compile(r"^(?:now |as of [\w ,]{2,20} |so |and |then |update:? |fyi:? |today |§ )+")
_NO_ATTRIBUTE = frozenset(
    """there that this what which who it § here he she they everyone someone nobody one all both
    team§ you i we me us update reason result truth plan idea problem rule""".split()
)


_SHIFTED = re.compile(
    r"^(?:(?:was |now |is |been |has )*(?:moved|pushed|slipped|changed|shifted|switched|postponed|delayed|extended|cut|raised|"
    r"bumped|up|down|from)(?: \w+)?? (?:from )?[^,;]{0,30}?(?:to|until|→) |[^→]+→ )(?P<v>.+)$"
)
_ONCE = re.compile(r"(?<![\w'-])(?:today|tonight|tomorrow|yesterday|this (?:week|morning|afternoon|time|once|sprint))(?![\w'-])")
_TAIL = re.compile(r"(?: |^)(?:now|these days|nowadays|currently|again|instead|as of .*|since .*|from now on|going forward|anymore|rather than .*|instead of .*|not .*)$")


def _attributes(clause: Clause) -> Iterator[Claim]:
    """`the X of § is V`, `§'s X: V`, `the X moved to V`, `V is §'s X`."""
    text = clause.text
    said = re.sub(r" (?:these days|nowadays|currently|at the moment|at present),? (?=is|are)", " ", text)
    said = _LEADING.sub("", said.removeprefix(f"{SUBJECT}: "))
    for pattern in (_INVERSE, _ACTIVE, _HAVING, _FOUND, _NAMED, _ATTRIBUTE):
        match = pattern.match(text if pattern in (_HAVING, _FOUND) else said)
        if match is None:
            continue
        words = [word for word in words_of(match["attr"]) if word not in ("the", "of", "s")]
        if not words or words[-1] in _NO_ATTRIBUTE or any(
            word in ("who", "that", "which", "not", "has", "have", "had", "been", "to") for word in words
        ):  # fmt: skip
            continue
        if words[0] in PEOPLE or (len(words) > 1 and words[-1] in PEOPLE - {"manager", "boss", "wife",
                                  "husband", "partner", "spouse", "girlfriend", "boyfriend"}):  # fmt: skip
            if words[-1] not in ("manager", "boss", "wife", "husband", "partner", "spouse",
                                 "girlfriend", "boyfriend", "fiance", "fiancee", "landlord"):  # fmt: skip
                continue
        value = _TAIL.sub("", match["v"]).strip(" .,")
        name, scope, functional = _relation(words)
        said = text if pattern in (_HAVING, _FOUND) else said
        if not value or not content_words(value) and not re.search(r"\d", value):
            continue
        link = match["link"].strip()
        moved = re.match(r"(?:[:=→]|is|are|remains|will be|was|has be|has$|have$|had$|planned|scheduled|slated|"
                         r"set |expected|due|pencilled|stands|sits|stays|falls)", link) is None  # fmt: skip
        if shifted := _SHIFTED.search(value):
            value, moved = shifted["v"], True
        if pattern is _INVERSE and name.startswith("the:"):
            continue
        if name.startswith("the:") and not _is_plain_value(value, moved):
            continue
        known = find_predicate(name)
        if known is not None and known.range in (PERSON, COMPANY):
            lead = said[match.end("link") : match.start("v")]
            if re.search(r"(?<![\w-])(?:in|on|at|from|to)(?![\w-])", lead) or (
                moved and pattern is _ATTRIBUTE and not re.search(r"chang|switch|hand|pass|reassign|goes|went|[:=→]", link)
            ) or not _is_name(value):
                continue
        yield Claim(
            _SAME_RELATION.get(name, name),
            value,
            mode=_attribute_mode(clause, name, match["link"].strip(), said[: match.start("v")]),
            scope=scope,
            marked=name.startswith("the:") and not _is_sharp(value) and "favourit" not in scope,
            functional=functional or re.match(r"(?:about |around |~)?[$€£]? ?\d", value) is not None,
            change=moved,
            now=clause.aspect.now or moved,
            added=clause.aspect.added,
        )
        return


_NATIONS = frozenset(
    "dutch french german swiss greek czech danish british american english irish scottish welsh spanish".split()
)


def _is_name(value: str) -> bool:
    """Whether a value may be the name of a person or company."""
    head = value.split()[0]
    nation = head.lower() in _NATIONS or head.lower().endswith(("ish", "ese"))
    return head[:1].isupper() and not (nation and len(value.split()) == 1)


def _is_sharp(value: str) -> bool:
    """Whether a value is a name or an amount, of which another excludes it, and no judgement."""
    return value[:1].isupper() or re.search(r"\d", value) is not None


def _is_plain_value(value: str, moved: bool) -> bool:
    """Whether what is said of an attribute that is not in the table is a value, and no remark."""
    if re.search(r"\d", value):
        return True
    words = value.split()
    if len(words) > (4 if moved else 3):
        return False
    return value[:1].isupper() or moved or not words[0].endswith(("ing", "ed", "ly"))


def _attribute_mode(clause: Clause, name: str, link: str, before: str) -> str:
    aspect = clause.aspect
    if aspect.hedged and not (link and name in _AHEAD and not re.search(r"\b(?:might|may|could|would|if|propos|discuss|want|consider|suggest|try|tried|trying|should|maybe|perhaps|probabl|whether)", clause.text)):
        return UNSURE
    if name in ("meeting", "the:call", "venue") and _ONCE.search(clause.text):
        return UNSURE
    known = find_predicate(name)
    if aspect.ahead and not (name in _AHEAD or (known and known.ahead)):
        return PLANNED
    if is_denied(before) or re.search(r"\banymore\b", clause.text):
        return ENDED
    if (aspect.held and not aspect.now) or re.match(r"(?:was|were)$", link) or re.search(r"\b(?:old|previous|former|first|original)\b", before):
        return HELD
    return HOLDS


def _relation(words: Sequence[str]) -> tuple[str, frozenset[str], bool]:
    """The predicate that a noun phrase names, what narrows it, and whether it has one value."""
    for size in (3, 2, 1):
        if len(words) >= size:
            known = find_predicate("_".join(words[-size:]))
            if known is not None and not known.name.startswith("favourite_"):
                rest = words[:-size]
                if "favourite" in rest or "favorite" in rest:
                    break
                scope = frozenset(
                    word for word in map(fold_word, rest)
                    if word not in ("the", "new", "project", "team", "company", "offici", "current")
                )  # fmt: skip
                return known.name, scope, known.functional
    head = fold_word(words[-1])
    scope = frozenset(fold_word(word) for word in words[:-1])
    plural = words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is"))
    favourite = bool({"favourit", "favorit", "favourite", "favorite"} & scope)
    return "the:" + head, scope, favourite or not (plural or head in LOOSE or words[-1] in LOOSE)


@lru_cache(maxsize=1)
def _state_pattern() -> re.Pattern[str]:
    words = "|".join(re.escape(word) for word in sorted(state_words(), key=len, reverse=True))
    return re.compile(
        r"(?<![\w'-])(?P<link>is|are|am|was|were|been|be|became|become|becomes|went|gone|goes|turned|turns|"
        r"stays|follows|following|follow|identifies as|sticks to|sticking to|on|converted to|eats|adopted|fully|"
        r"works|working|work|got|gets|diet|status|:|→|has|switched to|put|now|=|marked|moved to|going)"
        r"(?P<adv>(?: (?:now|currently|still|officially|fully|back|to|being|strictly|strict|completely|happily|"
        r"not|no longer|all|a|an|the|again|as|very|more of|mostly|really|finally|just|never|since|gone|"
        r"totally|100%|permanently|entirely|been|put|set))*)"
        rf":? (?P<v>{words})(?= (?:again|now|since|for|diet|anymore|by|after|from|to|in|on|at|these|because|and|"
        r"but|as|with|today|because|this|last|until|person|mode|full|company|employee|worker|because|following)\b|\s*$)",
        re.I,
    )


def _states(clause: Clause) -> Iterator[Claim]:
    """States that exclude one another: married, vegan, on hold."""
    text = clause.text
    pattern = _state_pattern()
    match = pattern.search(text)
    if match is None:
        lead = re.match(r"^§ (?:now |just |finally |officially |already |recently )*(?P<v>shipped|launched|cancelled|"
                        r"canceled|paused|shelved|scrapped|killed|discontinued|abandoned|retired)\b(?! [A-Z§]| the| a| an| \d|'s)", text)
        if lead is None:
            return
        match = lead
    word = match["v"].lower()
    if word not in state_words():
        return
    predicate, state = state_words()[word]
    before = text[: match.start()]
    link = match.groupdict().get("link") or ""
    if predicate == "diet" and text[match.end() :].lstrip().startswith(("restaurant", "cafe")):
        return
    if predicate in ("status", "opening", "switch", "health") and not re.search(
        r"(?:§|project|it|status|state|work|development|effort|initiative|build)(?:'s)?:?(?: [a-z]+){0,2} ?$|^$", before
    ):
        return
    if predicate in ("status", "opening", "health", "switch") and not re.search(r"(?:^|§|project|status)", before):
        return
    part = frozenset(
        fold_word(word) for word in words_of(before)
        if word.islower() and fold_word(word) not in ("status", "stat", "project", "work", "now", "has", "is")
        and word not in ("has", "been", "is", "the", "work", "development", "and", "so", "as", "of",
                         "was", "that", "then", "but", "s", "officially", "finally", "now")
    ) if predicate in ("status", "opening", "switch", "health", "work_mode", "source", "listing") else frozenset()  # fmt: skip
    adverbs = match.groupdict().get("adv") or ""
    mode = HOLDS
    aspect = clause.aspect
    denied = is_denied(adverbs) or is_denied(" ".join(before.split()[-3:])) or " anymore" in text
    if aspect.hedged:
        mode = UNSURE
    elif aspect.ahead:
        mode = PLANNED
    elif denied or "no longer" in text:
        mode = ENDED
    elif (aspect.held or aspect.while_) and "now" not in text.split():
        mode = HELD if aspect.held else UNSURE
    elif link in ("was", "were") and predicate != "status":
        mode = HELD
    yield Claim(
        predicate,
        state,
        mode=mode,
        scope=part,
        change=link in ("became", "become", "went", "gone", "turned", "got", "switched to"),
        now=aspect.now,
        added=aspect.added,
        own=_is_own(predicate, before),
    )


_USING = re.compile(
    r"(?<![\w'-])(?:us(?:es?|ed|ing)|runs?|running|ran|built|buil[dt]s?|written|rewritten|rewrote|hosted|hosts|"
    r"deploy(?:s|ed)?|stor(?:es?|ed|age)|backed|backs|powered|powers|moved|migrat\w+|switched|adopt\w*|standardi\w+|"
    r"stack|ported|chose|picked|went with|goes with|lives? (?:on|in)|track(?:s|ed)?|chats?|manag\w+|prefers?|"
    r"on|in|replaced|swapped|converted|is|:|=|consolidated|codes?|types?|edits?|works|daily driver|carries|"
    r"owns|has|got|bought|upgraded|relies|settled|standardised)(?![\w'-])"
)


def _tools(clause: Clause) -> Iterator[Claim]:
    """Tools of a kind that is known, where they are said to be used."""
    text = clause.text
    if not _USING.search(text):
        return
    kinds = kind_of_tool()
    folded = re.sub(r"\b(vs|github|gitlab|google|apple|bare|fly|monday) (code|actions|ci|issues|cloud|chat|meet|notes|metal|analytics)\b",
                    r"\1_\2", text, flags=re.I)  # fmt: skip
    for word in words_of(folded.replace("_", "")):
        tool = _tool_name(word)
        kind = kinds.get(tool)
        if kind is None or (word.islower() and tool in _COMMON):
            continue
        at = text.lower().find(word.lower()[:4])
        before = text[: max(at, 0)]
        if re.search(r"(?:at|for|joined|by|from|left|with|join|than|of) (?:the )?$", before):
            continue
        turned = re.search(
            r"(?:ported|converted|rewritten|rewrote|migrated|moved|switched|transitioned|swapped)(?![\w-]).* "
            r"(?:to|in|into|onto) (?:\w+ ){0,2}$", before
        ) is not None  # fmt: skip
        mode = _mode("uses", STATE, clause, before, "")
        yield Claim(
            kind,
            tool,
            mode=HOLDS if turned and mode == HELD and not clause.aspect.held else mode,
            change=turned,
            scope=_scope(kind, before, text[max(at, 0) :]),
            marked=True,
            now=clause.aspect.now,
            added=clause.aspect.added,
            own=_is_own("likes", before) if re.search(r"§'s [a-z]+|[A-Z]", before) else True,
        )


_COMMON = frozenset(
    "go rust swift next render lambda drone teams shortcut height edge brave opera arc arch mint atom cursor "
    "clerk segment bear zoom square nice spring express gin phoenix react flask rails ember solid oracle "
    "iphone windows safari galaxy pixel outlook bamboo linear signal elm helix jest split".split()
) - {"react", "flask", "rails", "iphone", "windows"}


def _tool_name(word: str) -> str:
    from engrain.model.claim_words import _ABBREVIATIONS

    lower = word.lower().removesuffix("'s")
    lower = _ABBREVIATIONS.get(lower, lower).replace(" ", "_")
    for joined, name in (("vscode", "vs_code"), ("githubactions", "github_actions"),
                         ("gitlabci", "gitlab_ci"), ("googlecloud", "google_cloud"),
                         ("googlechat", "google_chat"), ("googlemeet", "google_meet"),
                         ("baremetal", "bare_metal"), ("githubissues", "github_issues"),
                         ("googleanalytics", "google_analytics"), ("applenotes", "apple_notes")):  # fmt: skip
        if lower == joined:
            return name
    return lower
