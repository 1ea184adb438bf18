"""What a page is asked and answers: plain values, so that no page knows the web framework."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TypeAlias

from engrain.api.memory import Memory
from engrain.model.errors import UsageError

PREFIX = "/console"
"""The path under which all pages are."""


@dataclass(slots=True, eq=False)
class Fact:
    """A line about what lies around the memory: a hook, a host, the server. `level` is "", "good",
    "warning" or "bad", `at` when it happened (epoch seconds)."""

    subject: str
    text: str
    level: str = ""
    at: float | None = None


@dataclass(slots=True, eq=False)
class Around:
    """What of this device a page shows that the memory itself does not know, asked for when it is
    shown: `status` in a few lines, `losses` of hooks since a moment, `check` as thorough as
    `engrain doctor`, `settings` by name with value, origin, meaning and default. `forget_losses`
    is what an erasure does first, and `unreachable` are places that it does not reach."""

    status: Callable[[], Sequence[Fact]] = tuple
    losses: Callable[[float], Sequence[Fact]] = lambda _: ()
    check: Callable[[Memory], Sequence[Fact]] = lambda _: ()
    settings: Callable[[], Sequence[tuple[str, str, str, str, str]]] = tuple
    forget_losses: Callable[[Callable[[str], bool]], None] = lambda _: None
    unreachable: Callable[[], Sequence[str]] = tuple


@dataclass(slots=True, eq=False)
class Ask:
    """A request: the memory, what is asked of it (`query`) and what is sent (`form`), each name
    with its values."""

    memory: Memory
    query: Mapping[str, Sequence[str]]
    form: Mapping[str, Sequence[str]] = field(default_factory=dict)
    _: KW_ONLY
    around: Around = field(default_factory=Around)

    def get(self, name: str) -> str:
        """The last value that is asked for under a name, "" for none."""
        return (self.query.get(name) or ("",))[-1].strip()

    def sent(self, name: str) -> str:
        """The last value that was sent under a name, "" for none."""
        return (self.form.get(name) or ("",))[-1]

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number that is asked for, from 0 to `most`. Raises UsageError."""
        given = self.get(name)
        if given and not (given.isdecimal() and len(given) < 10):
            raise UsageError(f"{name} is not a number")
        return min(int(given) if given else default, most)

    def choice(self, name: str, among: Collection[str]) -> str | None:
        """One of some words, None for none given. Raises UsageError."""
        given = self.get(name)
        if given and given not in among:
            raise UsageError(f"{given[:40]!r} is no {name}", remedy=", ".join(among))
        return given or None


@dataclass(slots=True, eq=False)
class Page:
    """An answer to look at: a template with its values."""

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    status: int = 200


@dataclass(slots=True, eq=False)
class Moved:
    """An answer that leads to another page, under `PREFIX`, which says `notice` once."""

    to: str
    notice: str = ""


Answer: TypeAlias = Page | Moved
