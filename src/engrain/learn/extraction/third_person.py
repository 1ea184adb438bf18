"""Turns sentences of the first person into the third: names for pronouns, and verbs that agree."""

from __future__ import annotations

import re

from engrain.language.lexicons import read_words

_WORDS = read_words("extraction", "words")
PRESENT = _WORDS["present"]

_ADVERBS = _WORDS["adverbs"]
_CLEAR = _WORDS["clear"]
_BE = {"am": "is", "have": "has", "do": "does", "are": "is", "was": "was", "were": "was"}
_ARE = {"am": "are", "was": "were"}
_SPOKEN = re.compile(
    r"(?<![-'])\b(?:I am|I was|I have|I|me|my|mine|myself|we|us|our|ours"
    r"|ourselves)\b(?![-'])",
    re.IGNORECASE,
)
_THEY = {
    "i am": "they are", "i was": "they were", "i have": "they have", "i": "they", "me": "them",
    "my": "their", "mine": "theirs", "myself": "themselves", "we": "they", "us": "them",
    "our": "their", "ours": "theirs", "ourselves": "themselves",
}  # fmt: skip
_JOINED = re.compile(r"\b(and|or) (\w+)\b")


def inflect(verb: str) -> str:
    """The third person of a present verb."""
    if verb in _BE:
        return _BE[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


_OF_BE = {"is": "am", "are": "am", "were": "was", "has": "have", "does": "do"}
_BASE = {inflect(verb): verb for verb in PRESENT} | _OF_BE


def to_third(predicate: str) -> str:
    """A predicate of the first person as one of the third: "love my dog" → "loves their dog"."""
    verb, _, rest = predicate.partition(" ")
    adverb = ""
    while verb.lower() in _ADVERBS:
        adverb += verb.lower() + " "
        verb, _, rest = rest.partition(" ")
    present = verb in PRESENT or verb in ("am", "have", "do")
    told = inflect(verb) if present else verb
    if verb == "do" and rest.startswith("not "):
        return f"{adverb}does {to_they(rest)}"
    if present:
        if rest.startswith("and "):
            second, _, rest = rest[4:].partition(" ")
            told = f"{told} and {inflect(second) if second in PRESENT else second}"
        rest = _JOINED.sub(_joined, rest, count=2)
    return f"{adverb}{told} {to_they(rest)}".rstrip()


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


def keep_pronoun(told: str, said: str) -> str:
    """A sentence with the pronoun of the original in place of "their": "their job" → "her job"."""
    whose = set(_THEIR.findall(said))
    return re.sub(r"\btheir\b", whose.pop(), told) if len(whose) == 1 else told


def possessive(name: str) -> str:
    """Whose: "Jon's", "James's"."""
    return f"{name}'s"


def _joined(found: re.Match[str]) -> str:
    verb = found[2]
    # Nouns that are verbs too are left alone: what is joined to a noun is one.
    clear = verb in _CLEAR
    return f"{found[1]} {inflect(verb) if clear else verb}"
