"""A statement as an action and what limits it, so that two can be held against each other.

"On Mondays, use drive D for backups" is the action `use drive d` with `on monday` and `for backup`.
Code is kept as it is written: a flag, a version, a path and a single letter are words like others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from engrain.language.statements.instructions.slots import (
    ADDING,
    CHOOSING,
    DEFINITE,
    FILLERS,
    GENERAL,
    LAST,
    LIMITS,
    LINKS,
    NAME,
    OBJECT,
    PURPOSES,
    SOFT,
    are_apart,
    are_flags,
    are_quantities,
    are_rivals,
    value_places,
)
from engrain.language.text.folding import fold
from engrain.language.text.words import fold_word

Words: TypeAlias = "tuple[str, ...]"


_OPENING, _CLOSING = "([{<\"'“‘", ".,;:!?)]}>\"'”’"
_PAUSES = frozenset(",;:")
_NAME = re.compile(r"(?<=\s)[A-Z][\w-]+")
_MOST = 3
"""Words of a value: what differs in more is another statement."""
_LEAST_TOLD, _PAIR = 2, 2
"""Words before a name, by which it is told whose it is; and of two names of one word."""
_ACTION = ""


class Frame:
    """`parts`: the words of the action, under "", and of each phrase under the word that begins it;
    with `+` for one that repeats the word, or stands before the action and may tell its place or a
    limit. `adds`: it says itself that it stands beside others. `names`: words within it that are
    written with a capital, `general`: such as are any of a sort,
    `definite`: such as say which one is meant."""

    __slots__ = ("adds", "definite", "general", "names", "parts")

    def __init__(self, text: str) -> None:
        self.adds = bool(ADDING.search(text))
        self.parts: Mapping[str, Words] = _read(text)
        self.names = frozenset(map(fold_word, _NAME.findall(text)))
        self.definite = frozenset(map(fold_word, DEFINITE.findall(text)))
        sorts = (one or other for one, other in GENERAL.findall(text))
        self.general = frozenset(map(fold_word, sorts))

    @property
    def words(self) -> frozenset[str]:
        """All words but those that begin a phrase."""
        return frozenset(word for words in self.parts.values() for word in words)

    @property
    def key(self) -> str:
        """The same for two statements of the same action under the same limits: "avoid tabs" denies
        "use tabs"."""
        parts = {
            link: [word for word in words if word != "use"] for link, words in self.parts.items()
        }
        return "; ".join(" ".join((link, *words)) for link, words in sorted(parts.items()) if words)


class Difference:
    """The one phrase in which two statements differ: the word that begins it, "" for the action;
    its new and its former value, and the words of it before and behind those."""

    __slots__ = ("before", "behind", "former", "link", "value")

    def __init__(self, link: str, new: Words, old: Words) -> None:
        start = _shared(new, old)
        end = _shared(new[start:][::-1], old[start:][::-1])
        self.link = link
        self.before = new[:start]
        self.behind = new[len(new) - end :]
        self.value, self.former = (words[start : len(words) - end] for words in (new, old))


def is_change(new: Frame, old: Frame) -> bool:
    """Whether a statement gives the one value of an old one's action another: all else is the same.
    Where a limit differs both hold."""
    links = new.parts.keys() | old.parts.keys()
    differing = [link for link in links if new.parts.get(link) != old.parts.get(link)]
    if len(differing) != 1 or new.adds or old.adds:
        return False
    (link,) = differing
    found = Difference(link, new.parts.get(link, ()), old.parts.get(link, ()))
    if not (0 < len(found.value) <= _MOST and 0 < len(found.former) <= _MOST):
        return False
    if are_quantities(found.value, found.former, found.behind):
        return True
    if found.before and link not in LIMITS and are_flags(found.value, found.former):
        return True
    verbs = value_places()
    action = new.parts.get(_ACTION, ())
    places = [verbs[word] for word in action if word in verbs]
    if not places:  # "drive D for backups"
        alone = link == _ACTION and len(found.before) == 1 and not found.behind
        return alone and are_rivals(found.value, found.former)
    if link == _ACTION and not verbs.keys() & {*found.before}:
        return False  # what is told of is another
    return _is_replaced(found, frozenset[str]().union(*places), new, old)


def _is_replaced(found: Difference, places: frozenset[str], new: Frame, old: Frame) -> bool:
    """Whether the values exclude each other in what stands in these places of the action."""
    value, former = found.value, found.former
    place = found.link or OBJECT
    if are_rivals(value, former):
        return bool(places & {place, place + "?"})
    if are_apart(value, former):
        return False
    if found.link:
        return place in places
    if OBJECT in places:
        definite = new.definite >= {*value[:1]} and old.definite >= {*former[:1]}
        named = not (new.general | old.general) & {*value, *former}
        return (bool(found.behind) and definite) or (
            named and any(link in PURPOSES for link in new.parts)
        )
    if found.behind or len(found.before) < _LEAST_TOLD or len(value) + len(former) > _PAIR:
        return False
    named = new.names >= {*value} and old.names >= {*former}
    return LAST in places or (NAME in places and named)


def _shared(one: Words, other: Words) -> int:
    """How many words two runs have in common from their beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _read(text: str) -> dict[str, Words]:
    plain = CHOOSING.sub("use", SOFT.sub(" ", text.replace("`", " ").replace("’", "'")))
    parts: dict[str, list[str]] = {_ACTION: []}
    link, before = _ACTION, False
    for word, ends in _words(plain):
        if word in LINKS and not (word in ("every", "each") and link and not parts[link]):
            before = not parts[_ACTION]
            link = word + "+" if word in parts or (before and word not in LIMITS) else word
            parts.setdefault(link, [])
        elif word and word not in FILLERS:
            said = fold_word(word) if word.isalpha() else word
            if before and parts[link] and said in value_places():
                link, before = _ACTION, False
            parts[link].append(said)
        if ends and before and parts[link]:
            link, before = _ACTION, False
    return {link: tuple(words) for link, words in parts.items() if words}


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Each word, in lower case unless it is code, and whether the phrase ends behind it."""
    for at, written in enumerate(text.split()):
        word = written.lstrip(_OPENING).rstrip(_CLOSING)
        ends = bool(_PAUSES & set(written[len(written.rstrip(_CLOSING)) :]))
        plain = word.replace("'", "").replace("-", "").isalpha() and not word.startswith("-")
        # Small they are an article and a pronoun.
        letter = at and (word == "A" or (len(word) > 1 and word.isupper()))
        yield (fold(word) if plain and not letter else word), ends
