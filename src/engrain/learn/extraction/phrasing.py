"""Clauses as people say them, brought into one shape: what leads to a statement and what trails
behind it is dropped, and contractions are written out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.language.lexicons import read_regexes, read_rows, read_words

_WORDS = read_words("extraction", "words")
_PRESENT = _WORDS["present"]

_BE = {"am": "is", "have": "has", "do": "does", "are": "is", "was": "was", "were": "was"}
_ARE = {"am": "are", "was": "were"}
_SPOKEN = re.compile(
    r"(?<![-'])\b(?:I am|I was|I have|I|me|my|mine|myself|we|us|our|ours"
    r"|ourselves)\b(?![-'])",
    re.IGNORECASE,
)
_THEY = read_rows("extraction", "they")
_JOINED = re.compile(r"\b(and|or) (\w+)\b")


def _inflect(verb: str) -> str:
    """The third person of a present verb."""
    if verb in _BE:
        return _BE[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


_OF_BE = {"is": "am", "are": "am", "were": "was", "has": "have", "does": "do"}
_BASE = {_inflect(verb): verb for verb in _PRESENT} | _OF_BE


def to_third(predicate: str) -> str:
    """A predicate of the first person as one of the third: "love my dog" → "loves their dog"."""
    verb, _, rest = predicate.partition(" ")
    adverb = ""
    while verb.lower() in _WORDS["adverbs"]:
        adverb += verb.lower() + " "
        verb, _, rest = rest.partition(" ")
    present = verb in _PRESENT or verb in ("am", "have", "do")
    inflected = _inflect(verb) if present else verb
    if verb == "do" and rest.startswith("not "):
        return f"{adverb}does {to_they(rest)}"
    if present:
        if rest.startswith("and "):
            second, _, rest = rest[4:].partition(" ")
            inflected = f"{inflected} and {_inflect(second) if second in _PRESENT else second}"
        rest = _JOINED.sub(_joined, rest, count=2)
    return f"{adverb}{inflected} {to_they(rest)}".rstrip()


def to_plural(predicate: str) -> str:
    """A predicate of the first person as one of several: "am in Oslo" → "are in Oslo"."""
    verb, _, rest = predicate.partition(" ")
    return f"{_ARE.get(verb, verb)} {to_they(rest)}".rstrip()


def to_they(text: str) -> str:
    """The text with a speaker's pronouns as those of somebody who was named."""
    return _SPOKEN.sub(lambda found: _THEY[found[0].lower()], text)


_THEIR = re.compile(
    r"\b(?:her|his|their|its)\b(?= [a-z])"
    r"(?! (?:about|after|and|as|at|because|before|but|by|for|from|if|in|into|of|on|or|so|that|to"
    r"|when|where|while|who|with)\b)"
)
"""Whose something is; "her" that is followed by another word than a noun is a person."""


def to_first(predicate: str) -> str | None:
    """A predicate of the third person as one of the first, by which patterns are read: "started her
    job" → "started my job"."""
    verb, _, rest = predicate.partition(" ")
    return f"{_BASE.get(verb, verb)} {_THEIR.sub('my', rest)}" if verb else None


def keep_pronoun(sentence: str, said: str) -> str:
    """A sentence with the pronoun of the original in place of "their": "their job" → "her job"."""
    whose = set(_THEIR.findall(said))
    return re.sub(r"\btheir\b", whose.pop(), sentence) if len(whose) == 1 else sentence


def possessive(name: str) -> str:
    """Whose: "Jon's", "James's"."""
    return f"{name}'s"


def _joined(found: re.Match[str]) -> str:
    verb = found[2]
    # Nouns that are verbs too are left alone: what is joined to a noun is one.
    clear = verb in _WORDS["clear"]
    return f"{found[1]} {_inflect(verb) if clear else verb}"


_PATTERNS = read_regexes("extraction", "phrasing")
_TIME_LEAD = _PATTERNS["time_lead"]
_CONTRACTED = (
    (re.compile(r"\b([Ii])'m\b|\b[Ii]m\b(?= \w+ing)"), "I am"),
    (re.compile(r"\b[Ii]'ve\b"), "I have"),
    (re.compile(r"\b(we|they)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(we|they)'ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\bcan't\b"), "cannot"),
    (
        re.compile(
            r"(?:^|(?<=, )|(?<=day )|(?<=week )|(?<=weekend )|(?<=month )|(?<=year )"
            r"|(?<=night ))[Mm]y [\w-]+(?: [\w-]+)? and I\b"
        ),
        "we",
    ),
    (re.compile(r"\band just\b"), "and"),
    (re.compile(r"(?<!me) too(?= and\b|,| but\b)"), ""),
    (re.compile(r"^[Aa]lways been\b"), "I have always been"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"(\w{2,})in'(?=\s|$)"), r"\1ing"),
    (re.compile(r"\bfave?\b"), "favorite"),
    (re.compile(r"\bhave got\b"), "have"),
    (re.compile(r"\s+&\s+(?=[a-z])"), " and "),
)
_IDLE = (
    "just|also|really|actually|finally|recently|currently|now|already|even"
    "|simply|totally|absolutely"
    "|definitely|honestly|especially|kinda|officially|truly|literally|basically"
    "|personally|generally|super"
    "|typically|normally|only|both|lately|then|so|very|pretty|quite|fully"
    "|completely|still|randomly|somehow"
    "|eventually|happily|proudly|initially|originally|suddenly|briefly"
    "|previously|certainly|particularly|deeply"
)
_DROPPED = re.compile(
    rf"^((?:I|[Mm]y [\w' ]+?) )?((?:am|have|is|has|are|was|were|have been) )?(?:(?:{_IDLE})\s+)+"
)
_JOINT = re.compile(r"\s(?:and (?:we|they|I)|where|who|which|that)\b")
_BRACKETS = re.compile(r"\s*\([^)]*\)?")
_NAMED_TAIL = re.compile(r",\s*[A-Z][a-z]+$")


def clauses_of(sentence: str) -> Iterator[str]:
    """The clauses of a sentence that may state something, contractions written out. A time that
    leads one stands behind it."""
    for pattern, written in _CONTRACTED:
        sentence = pattern.sub(written, sentence)
    sentence = _PATTERNS["aside"].sub("", sentence)
    sentence = _PATTERNS["shown"].sub(lambda found: f"{found[1]} {article(found[2])}", sentence)
    sentence = _PATTERNS["this"].sub(lambda found: article(found[1]), sentence)
    sentence = strip_openers(sentence)
    if led := _TIME_LEAD.match(sentence):  # its comma parts no clauses
        sentence = f"{led[1]} {sentence[led.end() :]}"
    for number, clause in enumerate(_PATTERNS["clauses"].split(sentence)):
        if number:
            clause = strip_openers(clause)
        clause = _PATTERNS["dropped_lead"].sub("", clause)
        if found := _TIME_LEAD.match(clause):
            rest = clause[found.end() :].strip(" ,")
            clause = _with_time(rest, found[1].lower())
        clause = drop_adverbs(clause.strip(" ,:-"))
        if clause:
            yield clause


def article(word: str) -> str:
    """The indefinite article that stands before a word, with a space."""
    return "an " if word[0] in "aeio" else "a "


def strip_openers(text: str) -> str:
    """The text without the words with which talk begins."""
    while True:
        shorter = _PATTERNS["vocative"].sub("", _PATTERNS["opener"].sub("", text, count=1), count=1)
        if shorter == text or not shorter:
            return text
        text = shorter


def drop_adverbs(clause: str) -> str:
    """The clause without the adverbs that say nothing lasting before its verb."""
    return _DROPPED.sub(lambda found: (found[1] or "") + (found[2] or ""), clause)


def trim_tail(text: str) -> str:
    """The text up to where chatter begins."""
    text = _BRACKETS.sub("", text)
    while True:
        shorter = _NAMED_TAIL.sub("", _PATTERNS["tail"].sub("", text)).rstrip(" ,-")
        if shorter == text:
            return text
        text = shorter


def _with_time(rest: str, time: str) -> str:
    rest = trim_tail(rest)
    found = _JOINT.search(rest)
    return f"{rest[: found.start()]} {time}{rest[found.start() :]}" if found else f"{rest} {time}"
