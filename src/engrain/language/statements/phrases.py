"""Finds the phrases of the lexicon in a sentence, and the predicates of facts by their words
(S4.3).

A predicate is functional if a second value means that the first no longer holds: one lives in one
place. Of others (likes, speaks, has visited) any number of values hold at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache

from engrain.language.lexicons import read_rows
from engrain.language.text.words import Token, fold_word, spell_out


@lru_cache(maxsize=1)
def places() -> dict[str, frozenset[str]]:
    """Return every place, with those in which it lies."""
    wider: dict[str, set[str]] = {}
    known = ("san francisco", "los angeles", "palo alto", "mountain view", "san jose",
             "san diego", "bay area", "silicon valley", "new york", "las vegas",
             "north carolina")  # fmt: skip
    for whole, parts in read_rows("places", "places").items():
        wider.setdefault(whole, set())
        for name in known:
            if name in parts:
                wider.setdefault(name, set()).add(whole)
                parts = parts.replace(name, " ")
        for part in parts.split():
            wider.setdefault(part, set()).add(whole)
    for name, areas in wider.items():
        for area in list(areas):
            wider[name] = wider[name] | wider.get(area, set())
    wider["bay area"] = wider["bay area"] | {"silicon valley"}
    return {name: frozenset(areas) for name, areas in wider.items()}


@lru_cache(maxsize=1024)
def place_in(text: str) -> str | None:
    """Return the narrowest place that a text names, in lower case."""
    lower = f" {spell_out(text)} "
    found = [name for name in places() if f" {name} " in lower]
    if not found:
        return None
    return max(found, key=lambda name: (len(places()[name]), len(name)))


def lies_in(part: str, whole: str) -> bool:
    """Return whether one place is known to lie in another."""
    return whole in places().get(part, frozenset())


MARK, END, CUE, STATE, TOOL, PLACE = "mark", "end", "cue", "state", "tool", "place"
_BREAKS = frozenset(",:;()→=?!-")
_MOST_GAP = 2


@dataclass(slots=True, eq=False)
class Hit:
    """A phrase that was found: its table, its meaning, and the places of its tokens."""

    start: int
    end: int
    kind: str
    meaning: str
    value: str

    def places(self) -> range:
        """Return the places of its tokens."""
        return range(self.start, self.end)


def find_phrases(tokens: Sequence[Token]) -> list[Hit]:
    """Return the phrases in a run of tokens; none within a longer one of the same kind."""
    table = _table()
    hits = []
    for at, token in enumerate(tokens):
        following = {"~", *_keys(tokens[at + 1])} if at + 1 < len(tokens) else set()
        for key in _keys(token):
            begun = table.get(key, {})
            hits += [Hit(at, at + 1, *fields) for _, fields in begun.get("", ())]
            for second in following & begun.keys():
                for words, fields in begun[second]:
                    if end := _reach(tokens, at + 1, words):
                        hits.append(Hit(at, end, *fields))
    return [hit for hit in hits if not any(_hides(other, hit) for other in hits)]


def _keys(token: Token) -> set[str]:
    return {token.fold, "!" + token.low, "!!" + token.text}


def places_of(hits: Sequence[Hit], *kinds: str) -> set[int]:
    """Return the places of the tokens in phrases of some kinds."""
    return {at for hit in hits if hit.kind in kinds for at in hit.places()}


def _hides(longer: Hit, hit: Hit) -> bool:
    within = longer.start <= hit.start and hit.end <= longer.end
    wider = longer.end - longer.start > hit.end - hit.start
    return within and wider and (longer.kind == hit.kind or longer.meaning == "-")


def _reach(tokens: Sequence[Token], at: int, words: Sequence[str]) -> int:
    """Return the end of a phrase whose first word is before `at`; 0 if the phrase is not there."""
    for place, word in enumerate(words):
        if word == "~":
            for gap in range(_MOST_GAP + 1):
                if any(token.text in _BREAKS for token in tokens[at : at + gap]):
                    return 0
                if end := _reach(tokens, at + gap, words[place + 1 :]):
                    return end
            return 0
        if at >= len(tokens) or word not in (tokens[at].fold, "!" + tokens[at].low):
            return 0
        at += 1
    return at


@lru_cache(maxsize=4096)
def is_phrase(word: str) -> bool:
    """Return whether a word by itself is a phrase and no name."""
    return any(
        fields[0] not in (TOOL, PLACE)
        for key in (fold_word(word), "!" + word)
        for _, fields in _table().get(key, {}).get("", ())
    )


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, list[tuple[tuple[str, ...], tuple[str, str, str]]]]]:
    """Return the phrases by their first word and their second, "" for none: what is left of each,
    and its kind, meaning and value."""
    table: dict[str, dict[str, list[tuple[tuple[str, ...], tuple[str, str, str]]]]] = {}
    for phrase, kind, meaning, value in _phrases():
        first, *rest = map(_key, phrase.split())
        begun = table.setdefault(first, {}).setdefault(rest[0] if rest else "", [])
        begun.append((tuple(rest), (kind, meaning, value)))
    return table


def _phrases() -> Iterator[tuple[str, str, str, str]]:
    tables = (
        (MARK, read_rows("phrases", "marks")),
        (END, read_rows("phrases", "ends")),
        (CUE, read_rows("phrases", "cues")),
        (TOOL, read_rows("kinds", "kinds")),
        *((STATE, rows) for rows in _states().values()),
    )
    for kind, rows in tables:
        for named, listed in rows.items():
            meaning, _, value = named.partition("=")
            for same in listed.split(","):
                first, *_ = ways = same.strip().split("|")
                for phrase in ways:
                    yield phrase, kind, meaning, first.lstrip("!") if kind == TOOL else value
    for place in places():
        yield place, PLACE, "", place


def _states() -> dict[str, dict[str, str]]:
    """Return the phrases for states, by the type of entity that may be in them; "" for any."""
    types = {"person": "person", "company": "company", "project": "project", "": "any"}
    return {type_: read_rows("states", section) for type_, section in types.items()}


@lru_cache(maxsize=1)
def _kinds() -> dict[str, frozenset[str]]:
    kinds: dict[str, frozenset[str]] = {}
    for kind, listed in read_rows("kinds", "kinds").items():
        for phrase in re.split(r"[,|]", listed):
            name = _folded(phrase.strip().lstrip("!"))
            kinds[name] = kinds.get(name, frozenset()) | {kind}
    return kinds


def kinds_of(name: str) -> frozenset[str]:
    """Return the kinds of tools that a name may be, in any case and inflection."""
    return _kinds().get(_folded(name), frozenset())


def _folded(name: str) -> str:
    return " ".join(map(fold_word, name.split()))


def _key(word: str) -> str:
    if word == "~" or word[0] == "!":
        return word if word == "~" or word[1:].islower() else "!!" + word[1:]
    return fold_word(word)


@lru_cache(maxsize=1)
def types_of_states() -> dict[str, str]:
    """Return the type of entity that each state applies to; "" for any."""
    return {named.partition("=")[0]: type_ for type_, rows in _states().items() for named in rows}


PERSON, COMPANY, PROJECT, PLACE, VALUE = "person", "company", "project", "place", "value"
TYPES = (PERSON, COMPANY, PROJECT)
"""The types of entity that the seed knows; any other word is a type too."""


@dataclass(frozen=True, slots=True, eq=False)
class Predicate:
    """A relation: its `name`, what its object is (`range`, one of the five above) and whether it is
    `functional`. The value of one that is `ahead` may lie in the future, as a deadline does."""

    name: str
    range: str = VALUE
    _: KW_ONLY
    functional: bool = True
    ahead: bool = False


@lru_cache(maxsize=1)
def _by_word() -> dict[str, Predicate]:
    found: dict[str, Predicate] = {}
    for name, row in read_rows("predicates", "predicates").items():
        head, _, words = row.partition("|")
        range_, *flags = head.split()
        predicate = Predicate(name, range_, functional="f" in flags, ahead="a" in flags)
        for word in (name, *words.split()):
            found.setdefault(word.replace("-", "_"), predicate)
    return found


def find_predicate(word: str) -> Predicate | None:
    """Return the predicate of an edge or a noun, by its name or a synonym; None if it is unknown.
    Each kind of favourite is a predicate: `favourite_film`."""
    key = "_".join(word.lower().replace("-", "_").split())
    for prefix in ("favourite_", "favorite_"):
        if key.startswith(prefix) and len(key) > len(prefix):
            return Predicate("favourite_" + key[len(prefix) :])
    tried = (key, *(key.removeprefix(lead) for lead in ("is_", "has_", "the_")))
    return next((_by_word()[word] for word in tried if word in _by_word()), None)
