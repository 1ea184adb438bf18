"""What a page is asked and answers: plain values, so that no page knows the web framework."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TypeAlias

from engrain.adapters.web.working import Work
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
class Pace:
    """How fast the hooks of one event were lately: how many, the milliseconds of the median and the
    95th percentile and those that it may take, and how many a server answered."""

    event: str
    count: int
    median: int
    p95: int
    budget: int
    warm: int


@dataclass(slots=True, eq=False)
class Setting:
    """A setting with its value, where that comes from, what it means and its default. `lasting` is
    False where what is written into the user's file does not count, because something stronger
    says otherwise."""

    name: str
    value: str
    origin: str
    meaning: str
    default: str
    lasting: bool = True


@dataclass(slots=True, eq=False)
class Around:
    """What of this device a page shows that the memory itself does not know, asked for when it is
    shown: `status` in a few lines, how fast hooks were (`paces`), `losses` of hooks since a moment,
    `check` as thorough as `engrain doctor`. `settings` are all, with the version of the user's
    file; `set_value(name, value, version)` writes one there as `engrain config set` does, None to
    unset it, if the file still has that version, and says what was done. `can_copy` says
    whether the vault is a folder, which can be downloaded. `forget_losses` is what an erasure does
    first, and `unreachable` are places that it does not reach."""

    status: Callable[[], Sequence[Fact]] = tuple
    paces: Callable[[], Sequence[Pace]] = tuple
    losses: Callable[[float], Sequence[Fact]] = lambda _: ()
    check: Callable[[Memory], Sequence[Fact]] = lambda _: ()
    settings: Callable[[], tuple[str, Sequence[Setting]]] = lambda: ("", ())
    set_value: Callable[[str, str | None, str], str] = lambda *_: ""
    can_copy: bool = False
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
    work: Work = field(default_factory=Work)

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


@dataclass(slots=True, eq=False)
class Download:
    """An answer to keep as a file."""

    name: str
    parts: Iterator[bytes]


Answer: TypeAlias = Page | Moved | Download
