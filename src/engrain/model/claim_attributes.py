"""Claims of the form "the X of S is V": as a sentence, a note, an appointment, a shift."""

from __future__ import annotations

import re

from engrain.model.claim_aspect import is_denied
from engrain.model.claim_lexicon import LOOSE, PEOPLE
from engrain.model.claim_meaning import SCHEDULED
from engrain.model.claim_parts import ENDED, HELD, HOLDS, PLANNED, UNSURE, Claim, Clause
from engrain.model.claim_places import place_in
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_wordings import SAME_RELATION, TAIL
from engrain.model.claim_words import SUBJECT, content_words, fold_word, words_of
from engrain.model.predicates import COMPANY, PERSON, PLACE, find_predicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_QUALIFIER = (
    r"(?:new |current |latest |main |primary |brand-new |updated |revised |actual |old |present |"
    r"now )*"
)
_LINK = (
    r"(?:is|are|remains|became|becomes|has become|will be|has been|was|stands at|sits at|"
    r"stays at|falls on|landed on|goes to|lands on|(?:is |are )?(?:planned|scheduled|slated|"
    r"expected|"
    r"due|pencilled in|set) (?:for|on|in|at))"
)
_SHIFT = (
    r"(?:(?:has |have |got |is |was |were |been |has now |now |will be |just |gets )*(?:mov|"
    r"chang|switch|"
    r"push|shift|slip|postpon|reschedul|rais|increas|reduc|extend|bump|upgrad|updat|lower|"
    r"delay|transferr|migrat|relocat|cut|grow|grew|rose|fell|go|went|gone|drop|shr[aiu]nk|"
    r"doubl|trim|"
    r"brought|pull|reset|revis|adjust|set|pass|hand|reassign|expand|land|slid|slash|hik|climb|jump|"
    r"crash|plung|tumbl|soar|surg|sank|halv|tripl|dipp|narrow|swapp|flipp|turn)"
    r"(?:e?d|p?ed|es|e|s|ing|ped|t)?(?: (?:back|up|out|down|forward|ahead|"
    r"over|earlier|later|again|a (?:day|week|month)|all the way|now|by [\w$€£.%]+(?: \w+)?))*"
    r"(?: from [^,;]{1,30}?)?(?: to| until| till| for| at| into| by))"
)
_ATTRIBUTE = re.compile(
    rf"(?<![\w'-])(?:the |our |this |that )?(?:§'s |§ )?{_QUALIFIER}"
    rf"(?P<attr>(?:[a-z][\w/-]*|[A-Z]{{2,5}})(?: [a-z][\w/-]*){{0,3}}?)"
    rf"(?: (?:of|for|on|at|in) (?:the )?(?:§|[a-z]+(?: [a-z]+)?))?(?P<link> {_SHIFT}| {_LINK}| "
    rf"?[:=→])"
    r"(?: (?:now|currently|still|set (?:to|for|at)|at|on|in|about|around|roughly|only|just|called|"
    r"named|down to|up to|scheduled for|officially|actually|being|due|planned for|every))*"
    r" ?(?:the |an? |§'s )?(?P<v>[^;]{1,60})$"
)
_INVERSE = re.compile(
    r"^(?P<v>[A-Z0-9][\w.&+/-]*(?: [A-Z][\w.&+/-]*){0,3}) (?P<link>is|are|became|becomes|has "
    r"become|was|takes over as|took over as|"
    rf"will be|steps in as|stepped in as|serves as|has been) (?:(?:now|currently|also|still|"
    rf"named|made|"
    rf"appointed) )*(?:the |our |§'s |an? ){_QUALIFIER}(?P<attr>[a-z][\w/-]*(?: "
    rf"[a-z][\w/-]*){{0,3}}?)"
    rf"(?: (?:of|for|on|at) (?:the )?§)?(?: (?:now|these days|as of .*|since .*|from .*))?$"
)
_ACTIVE = re.compile(
    r"^(?:(?:§|we|they|[A-Z]\w+(?: [A-Z]\w+)?) )?(?:has |have )?(?:just |now |recently |"
    r"finally )*(?P<link>(?:rais|cut|lower|increas|reduc|"
    r"mov|chang|push|postpon|set|bump|extend|shorten|switch|dropp|hik|slash|updat|reschedul|"
    r"delay|shift|"
    r"brought|trimm|doubl|upp|narrow|expand|trimm)(?:ed)?(?: back| out| up| forward| down)?) "
    r"(?:the |§'s |its |our )+"
    rf"{_QUALIFIER}(?P<attr>[a-z][\w/-]*(?: [a-z][\w/-]*){{0,2}}?)(?: (?:of|for) (?:the "
    rf")?§)?(?: from [^,;]{{1,30}}?)? "
    r"(?:to|until|till|back to|down to|up to) (?P<v>[^;]{1,40})$"
)
_HAVING = re.compile(
    rf"^§ (?:(?:now|currently) )?(?P<link>has|have|had) (?:now |currently )?an? "
    rf"{_QUALIFIER}(?P<attr>[a-z][\w/-]*(?: [a-z][\w/-]*){{0,2}}?) of (?P<v>[^;]{{1,40}})$"
)
_FOUND = re.compile(
    r"^§ (?:has |have |is )?(?:just |now |recently |finally )*(?P<link>found|has|have|got|"
    r"picked|hired|chose|chosen|"
    r"switched to|moved to|signed with|seeing|gets) (?:an? |the |§'s )new "
    r"(?P<attr>[a-z][\w/-]*(?: [a-z][\w/-]*)?)"
    r"(?:,|:| called| named| is)? (?P<v>[A-Z][^;,]{1,40})$"
)
_NAMED = re.compile(
    r"^(?:§ |they |we |the board )?(?:has |have )?(?:just |now |recently |finally "
    r")*(?P<link>appointed|named|hired|promoted|brought in|installed|"
    r"elected|made|tapped|chose|picked) (?P<v>[A-Z][\w.-]*(?: [A-Z][\w.-]*){0,3}) (?:as|to be|"
    r"to)? ?(?:the |its |§'s |our |their )?"
    rf"{_QUALIFIER}(?P<attr>[a-z][\w/-]*(?: [a-z][\w/-]*){{0,2}}?)(?: (?:of|for) (?:the )?§)?$"
)
_LEADING = re.compile(r"^(?:now |as of [\w ,]{2,20} |so |and |then |update:? |fyi:? |today |§ )+")
_NO_ATTRIBUTE = vocabulary(
    """there that this what which who it § here he she they everyone someone nobody one all
    both you i we me us update reason result truth plan idea problem rule"""
)
_SHIFTED = re.compile(
    r"^(?:(?:was |now |is |been |has )*(?:moved|pushed|slipped|changed|shifted|switched|"
    r"postponed|delayed|extended|cut|raised|"
    r"bumped|up|down|from)(?: \w+)?? (?:from )?[^,;]{0,30}?(?:to|until|→) |[^→]+→ )(?P<v>.+)$"
)
_ONCE = re.compile(
    r"(?<![\w'-])(?:today|tonight|tomorrow|yesterday|this (?:week|morning|"
    r"afternoon|time|once|sprint))(?![\w'-])"
)


_NO_NOUN = vocabulary("who that which not has have had been to")
_RELATED = vocabulary(
    """manager boss wife husband partner spouse girlfriend boyfriend fiance fiancee landlord
    client customer supplier vendor competitor"""
)
"""People of whom one has one, or whom the table knows."""


def attribute_claims(clause: Clause) -> Iterator[Claim]:
    """`the X of § is V`, `§'s X: V`, `the X moved to V`, `V is §'s X`."""
    text = clause.text
    said = re.sub(
        r" (?:these days|nowadays|currently|at the moment|at present),? (?=is|"
        r"are)",
        " ",
        text,
    )
    said = _LEADING.sub("", said.removeprefix(f"{SUBJECT}: "))
    for pattern in (_INVERSE, _ACTIVE, _HAVING, _FOUND, _NAMED, _ATTRIBUTE):
        match = pattern.match(text if pattern in (_HAVING, _FOUND) else said)
        if match is None:
            continue
        words = [word for word in words_of(match["attr"]) if word not in ("the", "of", "s")]
        if not words or words[-1] in _NO_ATTRIBUTE or _NO_NOUN & set(words):
            continue
        if (words[0] in PEOPLE or words[-1] in PEOPLE) and words[-1] not in _RELATED:
            continue
        value = TAIL.sub("", match["v"]).strip(" .,")
        name, scope, functional = _relation(words)
        said = text if pattern in (_HAVING, _FOUND) else said
        if not value or (not content_words(value) and not re.search(r"\d", value)):
            continue
        link = match["link"].strip()
        moved = re.match(r"(?:[:=→]|is|are|remains|will be|was|has be|has$|have$|had$|planned|"
                         r"scheduled|slated|"
                         r"set |expected|due|pencilled|stands|sits|stays|"
                         r"falls)", link) is None  # fmt: skip
        if shifted := _SHIFTED.search(value):
            value, moved = shifted["v"], True
        if pattern is _INVERSE and name.startswith("the:"):
            continue
        if name.startswith("the:") and not _is_plain_value(value, moved):
            continue
        known = find_predicate(name)
        if known is not None and known.range == PLACE and not (_is_sharp(value) or place_in(value)):
            continue
        if known is not None and known.range in (PERSON, COMPANY):
            lead = said[match.end("link") : match.start("v")]
            if (
                re.search(r"(?<![\w-])(?:in|on|at|from|to)(?![\w-])", lead)
                or (
                    moved
                    and pattern is _ATTRIBUTE
                    and not re.search(r"chang|switch|hand|pass|reassign|goes|went|[:=→]", link)
                )
                or not _is_name(value)
            ):
                continue
        yield Claim(
            SAME_RELATION.get(name, name),
            value,
            mode=_attribute_mode(clause, name, match["link"].strip(), said[: match.start("v")]),
            scope=scope,
            marked=name.startswith("the:") and not _is_sharp(value) and "favourit" not in scope,
            functional=functional
            or (moved and words[-1] not in LOOSE)
            or re.match(
                r"(?:about |around |~)?[$€£]? "
                r"?\d",
                value,
            )
            is not None,
            change=moved,
            now=clause.aspect.now or moved,
            added=clause.aspect.added,
        )
        return


_NATIONS = vocabulary(
    """dutch french german swiss greek czech danish british american english irish scottish
    welsh spanish"""
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
    if aspect.hedged and not (
        link
        and name in SCHEDULED
        and not re.search(
            r"\b(?:might|may|could|would|if|propos|discuss|want|consider|suggest|try|tried|"
            r"trying|should|maybe|perhaps|probabl|whether)",
            clause.text,
        )
    ):
        return UNSURE
    if name in ("meeting", "the:call", "venue") and _ONCE.search(clause.text):
        return UNSURE
    known = find_predicate(name)
    if aspect.ahead and not (name in SCHEDULED or (known and known.ahead)):
        return PLANNED
    if is_denied(before) or re.search(r"\banymore\b", clause.text):
        return ENDED
    if (
        (aspect.held and not aspect.now)
        or re.match(r"(?:was|were)$", link)
        or re.search(r"\b(?:old|previous|former|first|original)\b", before)
    ):
        return HELD
    return HOLDS


_SEVERAL = frozenset(("meeting", "doctor", "owner", "chair"))
"""Relations whose nouns are no synonyms: a dentist is no therapist, a retro no standup."""
_LEADS = frozenset(map(fold_word, ("owner", "lead", "dri", "project", "point", "person")))
_GENERAL = vocabulary("contact main usual the new project team company offici current")


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
                    if word not in _GENERAL
                )  # fmt: skip
                if known.name in _SEVERAL:
                    scope |= frozenset(map(fold_word, words[-size:])) - _LEADS
                return known.name, scope, known.functional
    head = fold_word(words[-1])
    scope = frozenset(fold_word(word) for word in words[:-1])
    plural = words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is"))
    favourite = bool({"favourit", "favorit", "favourite", "favorite"} & scope)
    return "the:" + head, scope, favourite or not (plural or head in LOOSE or words[-1] in LOOSE)
