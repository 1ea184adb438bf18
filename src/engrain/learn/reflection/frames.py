"""A statement as an action and what limits it, so that two can be held against each other.

"On Mondays, use drive D for backups" is the action `use drive d` with `on monday` and `for backup`.
Code is kept as it is written: a flag, a version, a path and a single letter are words like others.
"""

from __future__ import annotations

import re

from engrain.learn.reflection.slots import (
    ADDING,
    CHOOSING,
    FILLERS,
    LAST,
    LIMITS,
    LINKS,
    NAME,
    OBJECT,
    PURPOSES,
    SOFT,
    are_apart,
    are_flags,
    are_rivals,
    value_places,
)
from engrain.model.claim_words import fold_word
from engrain.model.folding import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    Words: TypeAlias = tuple[str, ...]

_OPENING, _CLOSING = "([{<\"'“‘", ".,;:!?)]}>\"'”’"
_PAUSES = frozenset(",;:")
_NAME = re.compile(r"(?<=\s)[A-Z][\w-]+")
_MOST = 3
"""Words of a value: what differs in more is another statement."""
_ACTION = ""


class Frame:
    """`parts`: the words of the action, under "", and of each phrase under the word that begins it;
    with `+` for one that repeats the word, or stands before the action and may tell its place or a
    limit. `adds`: it says itself that it stands beside others. `names`: words within it that are
    written with a capital."""

    __slots__ = ("adds", "names", "parts")

    def __init__(self, text: str) -> None:
        self.adds = bool(ADDING.search(text))
        self.parts: Mapping[str, Words] = _read(text)
        self.names = frozenset(map(fold_word, _NAME.findall(text)))

    @property
    def words(self) -> frozenset[str]:
        """All words but those that begin a phrase."""
        return frozenset(word for words in self.parts.values() for word in words)

    @property
    def key(self) -> str:
        """The same for two statements of the same action under the same limits."""
        return "; ".join(" ".join((link, *words)) for link, words in sorted(self.parts.items()))


def is_change(new: Frame, old: Frame) -> bool:
    """Whether a statement gives the one value of an old one's action another: all else is the same.
    Where a limit differs both hold."""
    links = new.parts.keys() | old.parts.keys()
    differing = [link for link in links if new.parts.get(link) != old.parts.get(link)]
    if len(differing) != 1 or new.adds or old.adds:
        return False
    (link,) = differing
    ours, theirs = new.parts.get(link, ()), old.parts.get(link, ())
    before = _shared(ours, theirs)
    behind = _shared(ours[before:][::-1], theirs[before:][::-1])
    value, former = (words[before : len(words) - behind] for words in (ours, theirs))
    if not 0 < len(value) <= _MOST or not 0 < len(former) <= _MOST:
        return False
    if before and link not in LIMITS and are_flags(value, former):
        return True
    verbs = value_places()
    told = [word for word in new.parts.get(_ACTION, ()) if word in verbs]
    if not told:  # "drive D for backups"
        return link == _ACTION and (before, behind) == (1, 0) and are_rivals(value, former)
    if link == _ACTION and not verbs.keys() & {*ours[:before]}:
        return False
    places = frozenset[str]().union(*(verbs[word] for word in told))
    if are_rivals(value, former):
        return link == _ACTION or bool(places & {link, link + "?"})
    if are_apart(value, former):
        return False
    if link != _ACTION:
        return link in places
    alone = not behind and before > 1 and len(value) == len(former) == 1
    named = new.names >= {*value} and old.names >= {*former}
    chosen = OBJECT in places and any(purpose in PURPOSES for purpose in new.parts)
    return chosen or (alone and (LAST in places or (NAME in places and named)))


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
        letter = word == "A" and at  # of several; small it is the article
        yield (fold(word) if plain and not letter else word), ends
