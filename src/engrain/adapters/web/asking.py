"""Requests and answers of pages as plain values, so that no page knows the web framework."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TypeAlias

from engrain.adapters.web.working import ConsoleWork
from engrain.api.memory import Memory
from engrain.model.errors import UsageError

PREFIX = "/console"
"""The path under which all pages are."""


@dataclass(slots=True, eq=False)
class StatusLine:
    """A line about the memory's surroundings: a hook, a host, the server. `level` is "", "good",
    "warning" or "bad", `at` its time (epoch seconds)."""

    subject: str
    text: str
    level: str = ""
    at: float | None = None


@dataclass(slots=True, eq=False)
class Around:
    """What pages show of this device beside the memory, computed when it is shown.

    `status` is short, `check` as thorough as `engrain doctor`; `paces` are the times of hooks by
    event, `losses` their failures since a moment. An erasure calls `forget_losses` first and does
    not reach the places of `unreachable`.
    """

    status: Callable[[], Sequence[StatusLine]] = tuple
    paces: Callable[[], Sequence[object]] = tuple
    losses: Callable[[float], Sequence[StatusLine]] = lambda _: ()
    check: Callable[[Memory], Sequence[StatusLine]] = lambda _: ()
    forget_losses: Callable[[Callable[[str], bool]], None] = lambda _: None
    unreachable: Callable[[], Sequence[str]] = tuple


@dataclass(slots=True, eq=False)
class Ask:
    """A request: the memory, the parameters of its address (`query`) and of its form, each with a
    list of values."""

    memory: Memory
    query: Mapping[str, Sequence[str]]
    form: Mapping[str, Sequence[str]] = field(default_factory=dict)
    _: KW_ONLY
    around: Around = field(default_factory=Around)
    work: ConsoleWork = field(default_factory=ConsoleWork)

    def get(self, name: str) -> str:
        """Return the last value of a parameter of the address, "" for none."""
        return (self.query.get(name) or ("",))[-1].strip()

    def sent(self, name: str) -> str:
        """Return the last value of a field of the form, "" for none."""
        return (self.form.get(name) or ("",))[-1]

    def number(self, name: str, default: int, most: int) -> int:
        """Return a whole number of the address, at most `most`. Raises UsageError."""
        given = self.get(name)
        if given and not (given.isdecimal() and len(given) < 10):
            raise UsageError(f"{name} is not a number")
        return min(int(given) if given else default, most)

    def choice(self, name: str, among: Collection[str]) -> str | None:
        """Return a word of the address that is among some words, None for none. Raises
        UsageError."""
        given = self.get(name)
        if given and given not in among:
            raise UsageError(f"{given[:40]!r} is no {name}", remedy=", ".join(among))
        return given or None


@dataclass(slots=True, eq=False)
class Page:
    """A page: a template with its values."""

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    status: int = 200


@dataclass(slots=True, eq=False)
class Moved:
    """A redirection to another page, under `PREFIX`, which shows `notice` once."""

    to: str
    notice: str = ""


Answer: TypeAlias = Page | Moved
