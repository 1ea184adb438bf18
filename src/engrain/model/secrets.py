"""Secrets in a text: found by what they look like, replaced by a placeholder that can be seen.

The rules are data (`model.secret_rules`). A rule is tried only where one of its keywords stands,
so that ordinary text costs a search for some words; its pattern is compiled on first use.
Every pattern takes time linear in the text: what repeats without bound stands last in it, or begins
where nothing of its own kind stands before.
"""

from __future__ import annotations

import re

from engrain.model.secret_rule import MAX_VALUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engrain.model.secret_rule import Rule

_JUDGED = 96  # characters of a value by which it is judged
_PASSES = 8  # a placeholder may lay bare what it stood against; text that needs more is an attack
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_REST = re.compile(r"""[^\s"'`<>|,;\\]*""")


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` with every secret replaced by `[redacted: <rule>]`, and the rules that hit, in order.

    What is redacted already is left alone. Placeholders (`<your-key>`, `xxxx`, `${TOKEN}`) are no
    secrets, nor are the keys of AWS's documentation, which end in EXAMPLE; so are hashes and ids
    that no key or prefix tells to be one.
    """
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
    """Where a secret begins and ends, the place of the rule in the table and its name."""
    from engrain.model.secret_rules import IN_TEXT, IN_WORDS, RULES, SHORTEST_WORD

    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text.translate(_ASCII_LOWER)  # Some capitals have two small letters.
    orders = {order for keyword, orders in IN_TEXT if keyword in lowered for order in orders}
    if max(map(len, text.split()), default=0) >= SHORTEST_WORD:
        orders |= {order for keyword, orders in IN_WORDS if keyword in lowered for order in orders}
    for order in sorted(orders):
        rule = RULES[order]
        found = _match_at(rule, text, lowered) if rule.anchored else _search(rule, text)
        for start, end in found:
            yield start, end, order, rule.name


def _match_at(rule: Rule, text: str, lowered: str) -> Iterator[tuple[int, int]]:
    places: list[int] = []
    for keyword in rule.keywords:
        place = lowered.find(keyword)
        while place >= 0:
            places.append(place)
            place = lowered.find(keyword, place + 1)
    pattern, behind = _compile(rule), 0
    for place in sorted(places):
        if place >= behind and (match := pattern.match(text, place)):
            start, end, behind = _judge(rule, text, match)
            if end:
                yield start, end


def _search(rule: Rule, text: str) -> Iterator[tuple[int, int]]:
    pattern, behind = _compile(rule), 0
    while match := pattern.search(text, behind):
        start, end, behind = _judge(rule, text, match)
        if end:
            yield start, end


def _compile(rule: Rule) -> re.Pattern[str]:
    rule.compiled = rule.compiled or re.compile(rule.pattern)
    return rule.compiled


def _judge(rule: Rule, text: str, match: re.Match[str]) -> tuple[int, int, int]:
    """Where the secret begins and ends (0: it is none), and where the next may begin."""
    from engrain.model.secret_values import WEIGHTS

    group = match.lastindex or 0
    start, end = match.span(group)
    kept = WEIGHTS[rule.weigh](text[start : min(end, start + _JUDGED)], text[match.start() : start])
    if not kept:
        # A value that is none may have one in it: `token: password=…`.
        return start, 0, max(start if group else end, match.start() + 1)
    if kept < _JUDGED:
        end = start + kept
    elif end - start == MAX_VALUE and (rest := _REST.match(text, end)):
        end = rest.end()
    return start, end, end


def _merge(found: Iterator[tuple[int, int, int, str]]) -> list[tuple[int, int, str]]:
    """What was found in order, where two overlap under the name that comes first in the table."""
    merged: list[tuple[int, int, int, str]] = []
    for start, end, order, name in sorted(found):
        if merged and start < merged[-1][1]:
            before = merged[-1]
            order, name = min((order, name), before[2:])
            merged[-1] = (before[0], max(end, before[1]), order, name)
        else:
            merged.append((start, end, order, name))
    return [(start, end, name) for start, end, _, name in merged]
