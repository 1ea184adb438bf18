"""Chains of successors: steps from an older to a newer thing, put together (S1.15).

Takes time linear in the steps but for sorting, whether there are cycles among them or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from engrain.language.lexicons import read_regexes
from engrain.language.text.folding import fold
from engrain.language.text.numbers import NUMBERS


@dataclass(slots=True, eq=False)
class Step:
    """A replacement: `newer` took the place of `older`, which is `sure` from 0 to 1; the entry `by`
    says so in the words of `quote`."""

    older: str
    newer: str
    sure: float
    by: str
    quote: str = ""


@dataclass(slots=True, eq=False)
class Chain:
    """Members from the oldest to the newest, the `steps` between them, and whether they lead round
    in a circle, so that only their dates order them."""

    members: tuple[str, ...]
    steps: tuple[Step, ...]
    circular: bool


def find_chains(steps: Iterable[Step], created: Mapping[str, float | None]) -> Iterator[Chain]:
    """The chains that steps make, in order. Of several that replaced the same, the one `created`
    last continues its chain, in epoch seconds."""
    best = _surest(steps)

    def age(id_: str) -> tuple[float, str]:
        return created.get(id_) or 0.0, id_

    onward: dict[str, list[str]] = {}
    for older, newer in sorted(best):
        onward.setdefault(older, []).append(newer)
        onward.setdefault(newer, [])
    for members in _components(onward):
        order, circular = _sort(members, onward, age)
        last: dict[str, str] = {}
        chains: dict[str, list[str]] = {}
        for id_ in reversed(order):
            after = [last[newer] for newer in onward[id_] if newer in last]
            last[id_] = max(after, key=age, default=id_)
            chains.setdefault(last[id_], []).append(id_)
        for end in sorted(chains):
            chain = tuple(reversed(chains[end]))
            if len(chain) > 1:
                pairs = sorted((a, b) for a in chain for b in onward[a] if last[b] == end)
                yield Chain(chain, tuple(best[pair] for pair in pairs), circular)


def _surest(steps: Iterable[Step]) -> dict[tuple[str, str], Step]:
    """By pair the surest step; of two that contradict each other only the surer one."""
    best: dict[tuple[str, str], Step] = {}
    for step in steps:
        pair = (step.older, step.newer)
        if step.older != step.newer and (pair not in best or best[pair].sure < step.sure):
            best[pair] = step
    for pair, step in sorted(best.items()):
        back = best.get((pair[1], pair[0]))
        if back is not None and back.sure > step.sure:
            del best[pair]
    return best


def _components(onward: Mapping[str, list[str]]) -> list[list[str]]:
    """The connected components, each with its members in order."""
    beside: dict[str, list[str]] = {id_: list(newer) for id_, newer in onward.items()}
    for older, newer in onward.items():
        for id_ in newer:
            beside[id_].append(older)
    seen: set[str] = set()
    found = []
    for first in sorted(beside):
        if first in seen:
            continue
        seen.add(first)
        part, waiting = [], [first]
        while waiting:
            id_ = waiting.pop()
            part.append(id_)
            for other in beside[id_]:
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        found.append(sorted(part))
    return found


def _sort(
    members: list[str], onward: Mapping[str, list[str]], age: Callable[[str], tuple[float, str]]
) -> tuple[list[str], bool]:
    """The members, each behind those that it replaced, else by age, and whether a circle prevents
    that."""
    before = dict.fromkeys(members, 0)
    for id_ in members:
        for newer in onward[id_]:
            before[newer] += 1
    ready = [(*age(id_), id_) for id_ in members if not before[id_]]
    heapify(ready)
    order: list[str] = []
    while ready:
        id_ = heappop(ready)[-1]
        order.append(id_)
        for newer in onward[id_]:
            before[newer] -= 1
            if not before[newer]:
                heappush(ready, (*age(newer), newer))
    left = set(members).difference(order)
    return order + sorted(left, key=age), bool(left)


_PATTERNS = read_regexes("words", "version patterns")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "2nd": 2, "3rd": 3,
             "4th": 4, "5th": 5}  # fmt: skip


@dataclass(slots=True, eq=False)
class Version:
    """A title without the mark of its version, folded, and that: 0 where there is none, below it
    what is called old, above it what is called new. `plain` is whether what has versions is a text,
    and not what the text is about."""

    base: str
    number: tuple[int, ...]
    plain: bool


def read_version(title: str) -> Version:
    """The version that a title names."""
    for pattern in (_PATTERNS["version"], _PATTERNS["ordinal"]):
        if found := pattern.search(title):
            written = found["number"].lower()
            number = _ORDINALS.get(written) or NUMBERS.get(written)
            parts = (number,) if number else tuple(int(part) for part in written.split("."))
            base = title[: found.start()].strip()
            bracketed = found[0].lstrip()[:1] in ("(", "[")
            return Version(_key(base), parts, bracketed or bool(_PATTERNS["texts"].search(base)))
    if found := _PATTERNS["word"].search(title):
        base = (title[: found.start()] + title[found.end() :]).strip()
        new = found["new"] or found["new2"]
        return Version(_key(base), (_NEW,) if new else (-1,), True)
    return Version(_key(title), (0,), True)


_NEW = 1_000_000


def _key(title: str) -> str:
    return " ".join(re.findall(r"\w+", fold(title)))
