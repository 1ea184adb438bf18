"""Circles in a graph."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def find_circles(onward: Mapping[T, Iterable[T]]) -> Iterator[list[T]]:
    """Yield the largest groups of two and more nodes in which each leads to every other (Tarjan,
    1972, in linear time and without recursion, because a chain may exceed Python's stack)."""
    order: dict[T, int] = {}
    lowest: dict[T, int] = {}
    open_: list[T] = []
    closed: set[T] = set()
    for first in onward:
        if first in order:
            continue
        path = [(first, iter(onward[first]))]
        order[first] = lowest[first] = len(order)
        open_.append(first)
        while path:
            here, rest = path[-1]
            for there in rest:
                if there not in order:
                    order[there] = lowest[there] = len(order)
                    open_.append(there)
                    path.append((there, iter(onward.get(there, ()))))
                    break
                if there not in closed:
                    lowest[here] = min(lowest[here], order[there])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[here])
                if lowest[here] == order[here]:
                    group = [open_.pop()]
                    while group[-1] != here:
                        group.append(open_.pop())
                    closed.update(group)
                    if len(group) > 1:
                        yield group
