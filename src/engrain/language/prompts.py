"""What a user's message asks: whether a person typed it, without the text that a host or a recall
inserted, which is no request and never learned (S1.20), whether it sets a task, only goes on with
one, or neither, and whether a text is about one project.
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import escape

from engrain.language.lexicons import read_regexes, read_synonyms, read_words
from engrain.language.text.fences import without_fences

_READ = 2000
"""Characters of a prompt in which a task is looked for."""
_SENTENCE = (
    r"(?<=[.!?;:…])\s+|\n\s*\n|\n(?![a-z])"
    r"|,\s+(?=(?:but|so|then|please|(?:can|could|would|will) you)\b)"
)
"""A line that begins with a small letter goes on with the one before."""
_MARKER = r"[\s\-*•>#\"'`(]*(?:\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?"
_WORD = r"[^\W_][\w'’./-]*"
_PLAIN_WORD = re.compile(r"\w+")

_ROOM = r"(?:project|repo(?:sitory)?|code[ -]?base|monorepo|workspace)"
_PLACE = rf"(?:{_ROOM}|package|app|code|vault|service|site|library|module)"
_HERE = (
    rf"(?i)\b(?:this|our|the (?:current|present)) (?:\w+ )?{_ROOM}\b"
    rf"|\b(?:in|for|of|on|within|throughout) (?:this|our|the current) (?:\w+ )?{_PLACE}\b"
    r"|\bproject[- ]wide\b"
)
_EVERYWHERE = (
    rf"(?i)\b(?:all|any|every|each|other|across|most)(?: of)?"
    rf"(?: (?:my|our|the|your|other|future)){{0,4}} {_PLACE}(?:s|ies)?\b"
    rf"|\bnot (?:just|only|merely) (?:in|for|within) (?:this|our)\b"
)


def names_project(text: str, project: str = "") -> bool:
    """Return whether a text says that it is about one project: "in this repository", or the
    `project` by its name, as "in the billing project"; and not about every project."""
    if re.search(_EVERYWHERE, text):
        return False
    if re.search(_HERE, text):
        return True
    name = " ".join(project.split()).casefold()
    said = " ".join(text.split()).casefold()
    at = said.find(f"the {name} ") if name else -1
    return at >= 0 and bool(_NAMED.match(said, at + len(name) + 5))


_NAMED = re.compile(rf"{_PLACE}\b", re.IGNORECASE)


def find_task(text: str) -> str:
    """Return the text from the first sentence on that sets a task, "" if none does."""
    place = 0
    text = text[:_READ]
    for sentence in re.split(_SENTENCE, text):
        place = text.index(sentence, place)
        if _sets_task(sentence):
            return text[place:].strip()
        place += len(sentence)
    return ""


def is_go_ahead(request: str) -> bool:
    """Return whether a request only says that the one before is to be done."""
    said = read_synonyms("requests", "replies")
    return " ".join(_PLAIN_WORD.findall(request.lower())) in said


def _sets_task(sentence: str) -> bool:
    opening, verb, words = _patterns()
    at = re.match(_MARKER, sentence).end()  # type: ignore[union-attr]  # it matches nothing, too
    said = sentence[at:].replace("’", "'")
    said = said[opening.match(said).end() :]  # type: ignore[union-attr]
    begun = verb.match(said)
    if begun is None:
        return False
    rest = re.findall(_WORD, said[begun.end() :].casefold())
    return (
        bool(rest)
        and rest[0] not in words["nouns"]
        and any(len(word) > 1 and word not in words["pointing"] for word in rest)
    )


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], dict[str, frozenset[str]]]:
    """Return what may stand before a task, its verbs, and the words after them that decide."""
    rows = read_synonyms("requests", "task")
    openings, verbs = (
        "|".join(
            escape(phrase)
            for phrase in sorted({" ".join(w.split()) for w in rows}, key=len, reverse=True)
            if rows[phrase] == name
        )
        for name in ("openings", "verbs")
    )
    return (
        re.compile(
            rf"(?:(?:{openings}|\w+ly)[\s,:.!–—-]+"
            r"|[\w ]{0,200}\b(?:goal|task|aim|job|plan)\b[\w ]{0,200} is to\s+)*+",
            re.IGNORECASE,
        ),
        re.compile(rf"(?:{verbs})(?=[\s:`\"'(@/])", re.IGNORECASE),
        read_words("requests", "task"),
    )


_ELEMENT = r"<({tags})(?:\s[^<>]*)?>"
_COMPOUND = re.compile(_ELEMENT.format(tags="[a-z]+(?:[-_][a-z]+)+"))
_AGENTS_FILE = re.compile(r"^# AGENTS\.md instructions\b.*\n?", re.MULTILINE)
_IMAGE = re.compile(r"\[Image(?: #\d+|: source: [^\]\n]*)\]")
_COMMAND = re.compile(r"<command-name>((?:[^<]++|<(?!/?command-name>))*+)</command-name>")
_ARGUMENTS = re.compile(r"<command-args>((?:[^<]++|<(?!/?command-args>))*+)</command-args>")
_BARE_COMMAND = re.compile(r"/[\w:-]+\Z")


def prompt_in(text: str) -> str:
    """Return what a person typed for the agent in a message, "" where a host or another agent wrote
    it, or where it only calls a command of the host."""
    request = request_in(text)
    return "" if _COMMAND.search(text) or _BARE_COMMAND.match(request) else request


def request_in(text: str) -> str:
    """Return what a user's message asks for, "" for nothing; of a host's command its call."""
    text = without_fences(text)
    if command := _COMMAND.search(text):
        arguments = _ARGUMENTS.search(text)
        return " ".join([command[1].strip(), *(arguments[1].split() if arguments else ())])
    inserted, opening = _harness()
    text = _IMAGE.sub("", _AGENTS_FILE.sub("", _without_elements(text, inserted))).strip()
    if opening.match(text) or not _without_elements(text, _COMPOUND, whole=True).strip():
        return ""
    return text


@lru_cache(maxsize=1)
def _harness() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the opening tags of inserted elements, and how a host's own message begins."""
    tags = "|".join(read_synonyms("requests", "harness"))
    return re.compile(_ELEMENT.format(tags=tags)), read_regexes("requests", "harness patterns")[
        "opening"
    ]


def _without_elements(text: str, element: re.Pattern[str], *, whole: bool = False) -> str:
    """Return the text less every closed element; with `whole`, only if nothing stands between."""
    kept: list[str] = []
    end = 0
    unclosed: set[str] = set()
    for opening in element.finditer(text):
        tag = opening[1]
        if opening.start() < end or tag in unclosed:
            continue
        between = text[end : opening.start()]
        closing = text.find(f"</{tag}>", opening.end())
        if whole and (closing < 0 or between.strip()):
            return text
        if closing < 0:
            unclosed.add(tag)
            continue
        kept.append(between)
        end = closing + len(tag) + 3
    return "".join([*kept, text[end:]])
