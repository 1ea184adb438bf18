"""Secrets in a text: found by what they look like, replaced by a placeholder that can be seen.

The rules are data (`rules`). A rule is tried only where one of its keywords stands, and keywords
are searched for only in words that were not seen before; so ordinary text costs little. A rule's
pattern is compiled on first use.
Every pattern takes time linear in the text: what repeats without bound stands last in it, or begins
where nothing of its own kind stands before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from operator import add
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from engrain.language.secrets.rules import IN_OTHER_LETTERS, IN_TEXT, IN_WORDS, LONG_WORD, RULES
from engrain.language.secrets.sentences import (
    AT,
    MAX_VALUE,
    NAMED,
    SEARCH,
    compile_assigned,
    end_of_name,
    find_before,
    find_behind,
    is_linked,
    is_outcome,
)
from engrain.language.secrets.values import WEIGHTS, is_anothers, is_apart, weigh_near, weigh_told

if TYPE_CHECKING:
    from engrain.language.secrets.sentences import Rule

T = TypeVar("T")

Keyword: TypeAlias = "tuple[str, str, tuple[int, ...]]"
"""A keyword of `rules.IN_TEXT`."""

_JUDGED = 96  # characters of a value by which it is judged
_PASSES = 8  # a placeholder may lay bare what it stood against; text that needs more is an attack
_MOST_SEEN = 20_000
_PLAIN: set[str] = set()
"""Words that have no part of a keyword: the same ones come in text after text."""
_TELLING: dict[str, list[Keyword]] = {}
"""Other words that were seen before, and the keywords of which they have a part."""
_ASCII = bytes(range(128))
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_REST = re.compile(r"""[^\s"'`<>|,;\\]*""")


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """Return `text` with every secret replaced by `[redacted: <rule>]`, and the rules that hit, in
    order. Text that is redacted already, placeholders (`<your-key>`, `xxxx`, `${TOKEN}`), the keys
    of AWS's documentation, which end in EXAMPLE, and hashes and ids that no key or prefix marks
    stay."""
    hit: list[str] = []
    for _ in range(_PASSES):
        found = _merge(_find(text))
        if not found:
            break
        parts, at = [], 0
        for start, end, rule in found:
            parts += [text[at:start], f"[redacted: {rule}]"]
            at = end
        hit += [rule for _, _, rule in found]
        text = "".join(parts) + text[at:]
    return text, tuple(hit)


def _find(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield where a secret begins and ends, the place of the rule in the table and its name."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text.translate(_ASCII_LOWER)  # Some capitals have two small letters.
    for order in sorted(_find_rules(lowered)):
        rule = RULES[order]
        for start, end in _WAYS[rule.form](rule, text, lowered):
            yield start, end, order, rule.name


def _find_rules(lowered: str) -> set[int]:
    """Return the places in the table of the rules that have a keyword in a text."""
    words = {word for word in lowered.split() if word not in _PLAIN}
    new, there = list[str](), set["Keyword"]()
    for word in words:
        if (known := _TELLING.get(word)) is None:
            new.append(word)
        else:
            there.update(known)
    together = " ".join(new)
    # Few words are new, so that it is cheaper to look at their pairs of characters.
    begun = {*together, *map(add, together, together[1:])}
    there.update(_learn(new, together, _find_begun(IN_TEXT, begun)))
    orders = {
        order
        for keyword, part, orders in there
        if keyword == part or keyword in lowered
        for order in orders
    }
    if not lowered.isascii() and any(map(str.isalpha, _drop_ascii(lowered))):
        orders |= {
            order for word, orders in IN_OTHER_LETTERS if word in lowered for order in orders
        }
    if long := " ".join(word for word in new if len(word) >= LONG_WORD):
        found = _find_begun(IN_WORDS, begun)
        orders |= {order for keyword, orders in found if keyword in long for order in orders}
    return orders


def _find_begun(keywords: Mapping[str, Sequence[T]], begun: Set[str]) -> Iterator[T]:
    """Yield those of `keywords`, which are sorted by their first two characters, that may have
    `begun` in a text with these characters and pairs of them."""
    for beginning in keywords.keys() & begun:
        yield from keywords[beginning]


def _drop_ascii(text: str) -> str:
    """Return a text's characters beyond ASCII."""
    raw = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return raw.decode("utf-8", "surrogatepass")


def _learn(words: Sequence[str], together: str, begun: Iterable[Keyword]) -> list[Keyword]:
    """Return the keywords of those that may have `begun` in some words of which the words,
    `together`, have a part, and note them for each word. Long words are not noted, as they may be
    tokens."""
    if len(_PLAIN) + len(_TELLING) >= _MOST_SEEN:
        _PLAIN.clear()
        _TELLING.clear()
    there = [found for found in begun if found[1] in together]
    for word in words:
        if len(word) < LONG_WORD:
            parts = [found for found in there if found[1] in word]
            if parts:
                _TELLING[word] = parts
            else:
                _PLAIN.add(word)
    return there


def _match_at(rule: Rule, text: str, lowered: str) -> Iterator[tuple[int, int]]:
    pattern, behind = rule.compiled, 0
    for place in _find_places(rule, lowered):
        if place >= behind and (match := pattern.match(text, place)):
            start, end, behind = _judge(rule.weigh, text, match, match.start())
            if end:
                yield start, end


def _find_places(rule: Rule, lowered: str) -> list[int]:
    places: set[int] = set()
    for keyword in rule.keywords:
        place = lowered.find(keyword)
        while place >= 0:
            places.add(place)
            place = lowered.find(keyword, place + 1)
    return sorted(places)


def _match_named(rule: Rule, text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Yield the value that a mark assigns to each name; else the one in the sentence around it."""
    name, behind = rule.compiled, 0
    for place in _find_places(rule, lowered):
        match = name.match(text, place) if place >= behind else None
        if not match:
            continue
        end = 0
        assigned = compile_assigned().match(text, match.end())
        if assigned and not is_apart(
            text, place, match.end(), assigned.start(assigned.lastindex or 0)
        ):
            weigh = "outcome" if is_outcome(text, place, match.end()) else rule.weigh
            start, end, behind = _judge(weigh, text, assigned, place)
            if end:
                yield start, end
        if not end:
            for start, end in _find_told(rule, text, place, match.end()):
                behind = max(behind, end)
                yield start, end


def _find_told(rule: Rule, text: str, place: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the words by a name that look like its value: a sentence may say much between."""
    end = end_of_name(text, place, end)
    if not end:
        return
    if before := find_before(text, place, end):
        start, value = before
        if kept := weigh_told(rule.weigh, value[:_JUDGED]):
            yield start, start + (kept if kept < _JUDGED else len(value))
    for start, value, between in find_behind(text, end):
        if is_anothers(text, place, between):
            continue
        if kept := weigh_near(rule.weigh, value[:_JUDGED], is_linked, between):
            yield start, start + (kept if kept < _JUDGED else len(value))
            return


def _search(rule: Rule, text: str, _lowered: str) -> Iterator[tuple[int, int]]:
    pattern, behind = rule.compiled, 0
    while match := pattern.search(text, behind):
        start, end, behind = _judge(rule.weigh, text, match, match.start())
        if end:
            yield start, end


_WAYS = {AT: _match_at, SEARCH: _search, NAMED: _match_named}


def _judge(weigh: str, text: str, match: re.Match[str], begin: int) -> tuple[int, int, int]:
    """Return where the secret begins and ends (0: it is none), and where the next may begin; the
    match begins at `begin`."""
    group = match.lastindex or 0
    start, end = match.span(group)
    kept = WEIGHTS[weigh](text[start : min(end, start + _JUDGED)], text[begin:start])
    if not kept:
        # A value that is none may have one in it: `token: password=…`.
        return start, 0, max(start if group else end, begin + 1)
    if kept < _JUDGED:
        end = start + kept
    elif end - start == MAX_VALUE and (rest := _REST.match(text, end)):
        end = rest.end()
    return start, end, end


def _merge(found: Iterator[tuple[int, int, int, str]]) -> list[tuple[int, int, str]]:
    """Return the findings in order; of two that overlap the earlier rule gives the name."""
    merged: list[tuple[int, int, int, str]] = []
    for start, end, order, name in sorted(found):
        if merged and start < merged[-1][1]:
            before = merged[-1]
            order, name = min((order, name), before[2:])
            merged[-1] = (before[0], max(end, before[1]), order, name)
        else:
            merged.append((start, end, order, name))
    return [(start, end, name) for start, end, _, name in merged]
