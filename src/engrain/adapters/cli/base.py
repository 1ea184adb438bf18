"""What every command is made of: a dataclass whose fields are its arguments.

The type of a field says how its argument is read: `str`, `int`, `float`, a `Literal` of choices, a
list for one that is repeated. A field without a default is required. The docstring of the class is
the help of the command.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from importlib import import_module
from inspect import get_annotations
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.reading import read_moment, read_when
from engrain.adapters.hooks.waiting import has_events
from engrain.engine.core.scope import Scope
from engrain.model.note.tiers import ORIGINS
from engrain.resolution.selector import Resolution, resolve
from engrain.resolution.settings import absolute_state_dir, check_folder, load_settings
from engrain.wiring import open_memory

if TYPE_CHECKING:
    from engrain.api.memory import Memory

Answer: TypeAlias = """(
    Mapping[str, object]
    | tuple[Mapping[str, object], Iterable[str]]
    | tuple[Mapping[str, object], Iterable[str], int]
)"""
"""What a command answers: data for a program, lines for a person, and an exit code if it is not
0. True stands for 1. A person gets an outline of data without lines."""

ENTRY = "an id, a slug, a title or the beginning of one; or a path"
_FILTERS = "filters"
_INTAKE = "engrain.adapters.hooks.intake"
"""Loaded by its name, as a command is: few lines find an event to carry out."""
_AGENTS = (
    "AGENT", "AI_AGENT", "CLAUDECODE", "CODEX_CI", "CODEX_SANDBOX", "CODEX_THREAD_ID",
    "COPILOT_AGENT", "CURSOR_AGENT", "ENGRAIN_AGENT", "ENGRAIN_SESSION", "GEMINI_CLI", "OPENCODE",
    "QWEN_CODE",
)  # fmt: skip
"""Environment variables that agents set in what they run, also where they run it in a terminal."""


def argument(help: str, metavar: str, **more: Any) -> Any:  # noqa: A002
    """Declare a word of the command line. Keywords: `default`, and those of `_Details`."""
    return _declare(help, metavar, is_word=True, **more)


def arguments(help: str, metavar: str, **more: Any) -> Any:  # noqa: A002
    """Declare any number of words, with `required=True` at least one."""
    return _declare(help, metavar, is_word=True, default_factory=list, **more)


def option(help: str, metavar: str = "", **more: Any) -> Any:  # noqa: A002
    """Declare an option with a value; None if it is not given, unless it is `required`."""
    given = more if more.get("required") else {"default": None, **more}
    return _declare(help, metavar, **given)


def options(help: str, metavar: str = "", **more: Any) -> Any:  # noqa: A002
    """Declare an option that may be repeated."""
    return _declare(help, metavar, default_factory=list, **more)


def flag(help: str, **more: Any) -> Any:  # noqa: A002
    """Declare an option without a value; with `default=None` one with a `--no-` form."""
    return _declare(help, "", is_flag=True, **{"default": False, **more})


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What the help and the parser know of a field beyond its name, type and default.

    `name` and `short` are other names of an option; `group` is its heading in the help. Of the
    options with the same `rivals` one may be given. `type` reads a value and raises ValueError.
    """

    help: str
    metavar: str
    is_word: bool = False
    is_flag: bool = False
    name: str = ""
    short: str = ""
    group: str = ""
    rivals: str = ""
    choices: Sequence[str] = ()
    type: Callable[[str], object] | None = None
    required: bool = False


def _declare(text: str, metavar: str, **more: Any) -> Any:
    default = {name: more.pop(name) for name in ("default", "default_factory") if name in more}
    details = Details(help=text, metavar=metavar, **more)
    return field(**default, metadata={"details": details})


def list_arguments(command: type[BaseCommand]) -> list[Field[Any]]:
    """List the fields of a command that are arguments: its own before those it inherits."""
    found = {one.name: one for one in fields(command) if "details" in one.metadata}
    order = (name for base in command.__mro__ for name in get_annotations(base))
    return [found.pop(name) for name in order if name in found]


def count(text: str) -> int:
    """Read a whole number from 1 up. Raises ValueError."""
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


def port(text: str) -> int:
    """Read a port, 0 for any that is free. Raises ValueError."""
    if not 0 <= int(text) <= 65535:
        raise ValueError(text)
    return int(text)


_WHERE = "where and how"


@dataclass(kw_only=True)
class BaseCommand:
    """A command with the arguments that every command has."""

    examples: ClassVar[str] = ""
    console: Console = field(init=False)
    trust: str | None = None
    """The origin of what is written; an argument of those commands that declare it."""
    fresh: bool = False

    vault: str | None = option("the vault's folder", "DIR", group=_WHERE)
    state_dir: str | None = option("where this device keeps its index", "DIR", group=_WHERE)
    backend: str | None = option("the backend, by name", "NAME", group=_WHERE)
    project: str | None = option("the current project", "NAME", group=_WHERE)
    agent: str | None = option("who is acting", "NAME", group=_WHERE)
    json: bool = flag("answer with one JSON envelope", group=_WHERE)

    def check(self) -> None:
        """Raise UsageError for arguments that exclude each other, before anything is opened."""

    def run(self) -> Answer | int:
        """Do what the command is for; return its answer, or an exit code if it has answered."""
        raise NotImplementedError

    def flags(self) -> dict[str, str | None]:
        """Return the options that say which memory is meant."""
        names = ("vault", "state_dir", "backend", "project")
        return {name: getattr(self, name) for name in names}

    def resolve(self) -> Resolution:
        """Find the store that is meant, and why; nothing is opened."""
        return resolve(self.flags(), os.environ, os.getcwd())

    def open(self, *, create: bool = False, served: bool = False) -> Memory:
        """Open the memory that is meant, after what hooks left for it is carried out."""
        self._process_spool()
        memory = open_memory(
            self.vault,
            state_dir=self.state_dir,
            backend=self.backend,
            project=self.project,
            agent=self.agent or "",
            trust=self.trust or "agent",
            create=create,
            served=served,
        )
        if self.fresh:
            memory.scan()
        return memory

    def _process_spool(self) -> None:
        settings = load_settings({"state_dir": self.state_dir}, os.environ, os.getcwd())
        state_dir = absolute_state_dir(settings["state_dir"].value, os.environ)
        if has_events(state_dir):
            import_module(_INTAKE).process_spool_here(state_dir)

    def warn_of_others(self, memory: Memory, reference: str, *meant: str) -> None:
        """Warn that other entries have a reference for a name too, unless it is an id; the command
        meant the entries with the ids `meant`."""
        if meant[0].startswith(reference):
            return
        for row in memory.also_named(reference, *meant):
            self.console.write_error(
                f"engrain: {reference!r} is also a name of {row.id} ({row.title}); this took"
                f" {meant[0]}, since a slug comes before a title, and a title before an alias"
            )


@dataclass(kw_only=True)
class MemoryCommand(BaseCommand):
    """A command that works on an open memory."""

    def run(self) -> Answer | int:
        with self.open() as memory:
            return self.run_in(memory)

    def run_in(self, memory: Memory) -> Answer | int:
        """Do what the command is for; return its answer, or an exit code if it has answered."""
        raise NotImplementedError


@dataclass(kw_only=True)
class HereCommand(MemoryCommand):
    """A command about the current folder, which fails where memory is off."""

    def open(self, *, create: bool = False, served: bool = False) -> Memory:
        check_folder(self.flags(), os.environ, os.getcwd())
        return super().open(create=create, served=served)


@dataclass(kw_only=True)
class TypedCommand(MemoryCommand):
    """A command whose words are the operator's if a person types it."""

    trust: str | None = option(
        "its origin; else operator if you type it at a terminal, agent if an agent or another"
        " program runs it",
        choices=ORIGINS,
    )

    def open(self, *, create: bool = False, served: bool = False) -> Memory:
        if self.trust is None and self._is_typed():
            self.trust = "operator"
        return super().open(create=create, served=served)

    def _is_typed(self) -> bool:
        """Return whether a person types the command at a terminal: nothing is piped in or out, no
        agent runs it, and no agent is named."""
        if self.agent or any(map(os.environ.get, _AGENTS)):
            return False
        return sys.stdin.isatty() and sys.stdout.isatty()


@dataclass(kw_only=True)
class Fresh:
    """The option to compare the files with the index first."""

    fresh: bool = flag("compare every file with the index first")


@dataclass(kw_only=True)
class InSession:
    """The option that names the session."""

    session: str | None = option(
        "the current session; else ENGRAIN_SESSION, else the session begun last", "ID"
    )

    def find_session(self, current: str | None = None) -> str | None:
        """Return the session that is named, else the `current` one."""
        return self.session or os.environ.get("ENGRAIN_SESSION") or current


@dataclass(kw_only=True)
class AllProjects:
    """The option not to look at the current project only."""

    all_projects: bool = flag("of all projects")


@dataclass(kw_only=True)
class Filtered:
    """The filters of entries."""

    kind: list[str] = options("only this kind", "K", group=_FILTERS)
    tag: list[str] = options("having this tag", "T", group=_FILTERS)
    status: list[str] = options("of this status", "S", group=_FILTERS)
    tier: list[str] = options(
        "T2: shared with the operator, T3: the agent's own", choices=("T2", "T3"), group=_FILTERS
    )
    since: str | None = option("created since: a date, or 7d, 12h, 2w", "WHEN", group=_FILTERS)
    until: str | None = option("created before: a date, or 90d ago", "WHEN", group=_FILTERS)
    as_of: str | None = option(
        "what was valid on that date, even if superseded since", "D", group=_FILTERS
    )
    known_at: str | None = option("use only what was recorded up to that date", "D", group=_FILTERS)
    all_projects: bool = flag("of all projects", group=_FILTERS)
    include_archive: bool = flag("include archived entries", group=_FILTERS)
    include_superseded: bool = flag(
        "include superseded entries, and in a recall those whose end has passed", group=_FILTERS
    )
    include_inbox: bool = flag("include the inbox", group=_FILTERS)

    def scope(self) -> Scope:
        """Return the filters. Raises UsageError for a time that is none."""
        return Scope(
            kinds=self.kind,
            tags=self.tag,
            statuses=self.status,
            tiers=self.tier,
            all_projects=self.all_projects,
            include_archive=self.include_archive,
            include_superseded=self.include_superseded,
            include_inbox=self.include_inbox,
            since=read_when(self.since),
            until=read_when(self.until),
            as_of=read_moment(self.as_of),
            known_at=read_moment(self.known_at),
        )
