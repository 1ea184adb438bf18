"""What commands are made of: tables of arguments, how their values are read, what is opened."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from engrain.adapters.cli.commands import MODULES, Argument, read_table
from engrain.adapters.hooks.waiting import has_events
from engrain.engine.core.scope import Scope
from engrain.language.text.instants import parse_dated, parse_end, parse_local, parse_moment
from engrain.model.errors import EngrainError, UsageError
from engrain.model.note.tiers import ORIGINS
from engrain.resolution.selector import resolve
from engrain.resolution.settings import check_folder, default_state_dir, load_settings
from engrain.wiring import list_packaged, open_memory

if TYPE_CHECKING:
    from engrain.adapters.cli.console import Console
    from engrain.api.memory import Memory
    from engrain.engine.core.scope import Scope
    from engrain.resolution.selector import Resolution

T = TypeVar("T")
Run: TypeAlias = "Callable[..., Answer | int]"

Answer: TypeAlias = """(
    tuple[Mapping[str, object], Iterable[str]] | tuple[Mapping[str, object], Iterable[str], int]
)"""
"""What a command answers: data for a program, lines for a person, an exit code if it is not
0. True stands for 1."""

ENTRY_POINTS = "engrain.commands"
"""The entry points of commands of other packages, `name = "module"`; the module has `COMMAND`."""
COMMON = """
# where and how
--vault DIR      the vault's folder
--state-dir DIR  where this device keeps its index
--backend NAME   the backend, by name
--project NAME   the current project
--agent NAME     who is acting
--json           answer with one JSON envelope
"""
SCOPE = """
# filters
--kind K*             only this kind
--tag T*              having this tag
--status S*           of this status
--tier <T2|T3>*       T2: shared with the operator, T3: the agent's own
--since WHEN          created since: a date, or 7d, 12h, 2w
--until WHEN          created before
--as-of D             what was valid on that date, even if superseded since
--known-at D          use only what was recorded up to that date
--all-projects        of all projects
--include-archive     include archived entries
--include-superseded  include superseded entries, and in a recall those whose end has passed
--include-inbox       include the inbox
"""
FRESH = "--fresh  compare every file with the index first"
SESSION = """
--session ID  the current session; else ENGRAIN_SESSION, else the session begun last
"""
TRUST = (
    f"--trust <{'|'.join(ORIGINS)}>  its origin; else operator if you type it at a terminal,"
    "\n  agent if an agent or another program runs it"
)
_AGENTS = (
    "AGENT", "AI_AGENT", "CLAUDECODE", "CODEX_CI", "CODEX_SANDBOX", "CODEX_THREAD_ID",
    "COPILOT_AGENT", "CURSOR_AGENT", "ENGRAIN_AGENT", "ENGRAIN_SESSION", "GEMINI_CLI", "OPENCODE",
    "QWEN_CODE",
)  # fmt: skip
"""Environment variables that agents set in what they run, also where they run it in a terminal."""
ENTRY = "an id, a slug, a title or the beginning of one; or a path"
RESTORE_DELETED = "restore what was deleted here; else it stays deleted and is listed"
_INTAKE = "engrain.adapters.hooks.intake"
"""Loaded by its name, as a command is: few lines find an event to carry out."""
_SPANS = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}


class Arguments:
    """The values of a command's arguments, each under its name, and the console to answer on. One
    that was not given is None, and so is one that the command does not have."""

    console: Console
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    else:

        def __getattr__(self, name):
            if name[:1] == "_":
                raise AttributeError(name)


def open_from(args: Arguments, *, create: bool = False, served: bool = False) -> Memory:
    """Open the memory that these arguments mean; `served` as `open_memory` takes it."""
    _take_spool(args)
    memory = open_memory(
        args.vault,
        state_dir=args.state_dir,
        backend=args.backend,
        project=args.project,
        agent=args.agent or "",
        trust=args.trust or "agent",
        create=create,
        served=served,
    )
    if args.fresh:
        memory.scan()
    return memory


def _take_spool(args: Arguments) -> None:
    """Carry out the events that hooks have left for the next command."""
    settings = load_settings({"state_dir": args.state_dir}, os.environ, os.getcwd())
    state_dir = settings["state_dir"].value or default_state_dir(os.environ)
    state_dir = os.path.abspath(os.path.expanduser(state_dir))
    if has_events(state_dir):
        import_module(_INTAKE).take_in_here(state_dir)


def open_here(args: Arguments) -> Memory:
    """Open the memory that these arguments mean, to give or take what belongs to this folder.
    Raises MemoryOffError if memory is off here."""
    check_folder(flags_of(args), os.environ, os.getcwd())
    return open_from(args)


def open_typed(args: Arguments, opens: Callable[[Arguments], Memory] = open_from) -> Memory:
    """Open the memory for a command whose words are the operator's where a person types it."""
    if args.trust is None and is_typed(args):
        args.trust = "operator"
    return opens(args)


def is_typed(args: Arguments) -> bool:
    """Whether a person types the command at a terminal: nothing is piped in or out, no agent runs
    it, and it is in nobody else's name."""
    if args.agent or any(map(os.environ.get, _AGENTS)):
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


def open_scratch(folder: str) -> Memory:
    """Make a vault in a folder that is thrown away, with its state and key beside it."""
    return open_memory(
        os.path.join(folder, "vault"),
        state_dir=os.path.join(folder, "state"),
        backend="device-local",
        create=True,
        keys_dir=os.path.join(folder, "state", "keys"),
    )


class Command:
    """One command: what it does, and the table of its arguments and examples.

    `run` is a function, or those of the actions, where `_list` is that of `list`, and the first is
    the default. It takes the arguments, and before them a memory, opened by `opens` unless that is
    None. It returns an exit code, or an `Answer`. `check` raises UsageError for arguments that
    exclude each other, before anything is opened. Where the command is `strict`, an argument whose
    help begins with actions is refused by other actions.

    A line of the table has the argument's form, two blanks and its help, which may go on in lines
    that begin with a blank. Forms: `name=WORD` (behind it `?` for one or none, `*` for any number,
    `+` for one or more, `!` for one or none by the action, see `Argument`), `<list|show>` for the
    action, `--flag`, `--[no-]flag`, `--option VALUE` (behind it a type, such as `/int`;
    `*` for repeated, `!` for required, `=default`; `<a|b>` for choices), `--option,-o` for two
    names, `--option>name` for another name in the program. `# ` begins a group, `| ` an option that
    excludes its neighbours, `$ ` an example.
    """

    __slots__ = ("_table", "check", "opens", "run", "strict")

    def __init__(
        self,
        run: Run | list[Run] | dict[Any, Run],
        table: str,
        *,
        opens: Callable[..., Memory] | None = open_from,
        check: Callable[[Arguments], None] | None = None,
        strict: bool = False,
    ) -> None:
        self.run = {one.__name__[1:]: one for one in run} if isinstance(run, list) else run
        self._table = table
        self.opens = opens
        self.check = check
        self.strict = strict

    @property
    def examples(self) -> Sequence[str]:
        """Command lines for the help."""
        return [line[2:] for line in self._table.split("\n") if line.startswith("$ ")]

    def list_arguments(self) -> list[Argument]:
        """Its arguments, with those of every command."""
        return [*read_table(COMMON), *read_table(self._table)]

    def execute(self, name: str, args: Arguments) -> int:
        """Run with these arguments; the exit code. Raises UsageError, and what `run` does."""
        if isinstance(self.run, dict) and args.action not in self.run:
            args.action = next(iter(self.run))
        if self.strict:
            _check_action(name, args, self.list_arguments())
        if self.check:
            self.check(args)
        run = self.run[args.action] if isinstance(self.run, dict) else self.run
        if self.opens is None:
            done = run(args)
        else:
            with self.opens(args) as memory:
                done = run(memory, args)
        if isinstance(done, int):
            return done
        args.console.answer(name, done[0], done[1])
        return int(done[2]) if len(done) == 3 else 0


def _check_action(name: str, args: Arguments, arguments: Sequence[Argument]) -> None:
    """Raise UsageError for an argument that the action does not take, or lacks."""
    (actions,) = (one.more.get("choices", ()) for one in arguments if one.dest == "action")
    for one in arguments:
        said = re.findall(r"(?:^|; )([a-z-]+(?:, [a-z-]+)*): ", one.more["help"] or "")
        meant = {word for part in said for word in part.split(", ")}.intersection(actions)
        if not meant:
            continue
        is_given = getattr(args, one.dest) not in (None, [], one.more.get("default"))
        is_meant = args.action in meant
        if is_given if not is_meant else one.needed and not is_given:
            metavar = str(one.more.get("metavar") or one.dest)
            what = one.names[0] if one.names else metavar.lower().replace("|", " or ")
            several = "s" if one.more.get("nargs") == "*" else ""
            verb = f"needs {metavar}" if is_meant else f"takes no {what}{several}"
            raise UsageError(
                f"`{name} {args.action}` {verb}", remedy=f"see `engrain {name} --help`"
            )


def one_of(words: Sequence[str]) -> str:
    """Words as the choices of a table of arguments."""
    return f"<{'|'.join(words)}>"


def take_words(
    name: str, forms: Mapping[str, str], dest: str = "words"
) -> Callable[[Arguments], None]:
    """Return a check of the words of an action: `PLACE [TEXT]` means one or two."""

    def check(args: Arguments) -> None:
        form = forms[args.action].split()
        least = sum(word[0] != "[" for word in form)
        if not least <= len(getattr(args, dest)) <= len(form):
            raise UsageError(
                f"`{name} {args.action}` takes {' and '.join(form) or 'no words'}",
                remedy=f"see `engrain {name} --help`; quote an argument of several words",
            )

    return check


def read_scope(args: Arguments) -> Scope:
    """Read the filters of a command; those that it does not take are empty."""
    return Scope(
        kinds=args.kind or (),
        tags=args.tag or (),
        statuses=args.status or (),
        tiers=args.tier or (),
        all_projects=bool(args.all_projects),
        include_archive=bool(args.include_archive),
        include_superseded=bool(args.include_superseded),
        include_inbox=bool(args.include_inbox),
        since=read_when(args.since),
        until=read_when(args.until),
        as_of=read_moment(args.as_of),
        known_at=read_moment(args.known_at),
    )


def read_session(args: Arguments, current: str | None = None) -> str | None:
    """Return the session that is named, else the `current` one."""
    named: str | None = args.session or os.environ.get("ENGRAIN_SESSION")
    return named or current


def read_when(text: str | None) -> float | None:
    """Read a date or a date and time by this device's clock, or a span back from now. Raises
    UsageError."""
    return _read_time(text, parse_local)


def read_date(text: str | None) -> float | None:
    """Read when something was: a date alone is that date everywhere. Raises UsageError."""
    return _read_time(text, parse_dated)


def read_end(text: str | None) -> float | None:
    """Read up to when something holds: a date alone is the end of that day by this device's clock.
    Raises UsageError."""
    return _read_time(text, parse_end)


def read_moment(text: str | None) -> float | None:
    """Read the moment to look from; a date alone means one on that day. Raises UsageError."""
    return _read_time(text, parse_moment)


def _read_time(text: str | None, read: Callable[[str], float]) -> float | None:
    if text is None:
        return None
    try:
        if text[:-1].isdecimal() and text[-1] in _SPANS:
            return time.time() - int(text[:-1]) * _SPANS[text[-1]]
        return read(text)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is no time", remedy="give a date such as 2026-09-01, or a span such as 7d"
        ) from None


def read_text(given: str | None) -> str:
    """Read a text argument, where `-` means standard input. Raises UsageError."""
    if given != "-":
        return given or ""
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8 text") from None


def tell_others(memory: Memory, args: Arguments, reference: str, *meant: str) -> None:
    """Say on standard error that other entries have a reference for a name too, unless it is an
    id; the command took the first of the ids `meant`."""
    if meant[0].startswith(reference):
        return
    for row in memory.also_named(reference, *meant):
        args.console.write_error(
            f"engrain: {reference!r} is also a name of {row.id} ({row.title}); this took"
            f" {meant[0]}, since a slug comes before a title, and a title before an alias"
        )


def list_here(ask: Callable[[bool], Sequence[T]], everywhere: bool) -> tuple[Sequence[T], int]:
    """Return what `ask` gives for the current project, or all with `everywhere`; and if that is
    nothing, how many there are in other projects."""
    found = ask(everywhere)
    return found, 0 if found or everywhere else len(ask(True))


def resolve_from(args: Arguments) -> Resolution:
    """Find the store that these arguments mean, and why; nothing is opened."""
    return resolve(flags_of(args), os.environ, os.getcwd())


def flags_of(args: Arguments) -> dict[str, str | None]:
    names = ("vault", "state_dir", "backend", "project")
    return {name: getattr(args, name) for name in names}


def load_command(name: str) -> Command:
    """Load the module of a command. Raises EngrainError if its package is not installed."""
    place = f"engrain.adapters.cli.{MODULES[name]}" if name in MODULES else find_packaged(name)
    if place is None:
        raise EngrainError(
            f"`engrain {name}` needs the package engrain-team, which is not installed",
            remedy="pip install engrain-team",
        )
    module = import_module(place)
    command: Command = getattr(module, "COMMAND", None) or getattr(module, name.upper())
    return command


def find_packaged(name: str) -> str | None:
    """Return the module of a command that another package brings, None if none does."""
    return list_packaged(ENTRY_POINTS).get(name)
