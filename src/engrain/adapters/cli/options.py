"""What commands are made of: tables of arguments, how their values are read, what is opened."""

from __future__ import annotations

import argparse
import os
import re
import time

from engrain.language.text.instants import parse_instant
from engrain.model.errors import NotFoundError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from engrain.adapters.cli.answer import Answer
    from engrain.adapters.cli.console import Console
    from engrain.api.memory import Memory
    from engrain.engine.core.scope import Scope
    from engrain.resolution.selector import Resolution

    T = TypeVar("T")
    Run = Callable[..., Answer | int]

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
--include-superseded  include superseded entries
--include-inbox       include the inbox
"""
SESSION = """
--session ID  the current session; else ENGRAIN_SESSION, else the session begun last
"""
ENTRY = "an id or its beginning, a path or a slug"
RESTORE_DELETED = "restore what was deleted here; else it stays deleted and is listed"
ALLOW_ERASED = "also import what was erased here"
_SPANS = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
_TYPES = {"int": int, "float": float}


class Command:
    """One command: what it does, and the table of its arguments and examples.

    `run` is a function, or those of the actions, where `_list` is that of `list`: of the arguments
    and the console, and before them of a memory where `opens` says how to open it. It returns an
    exit code, or an answer. `check` raises UsageError for arguments that exclude each other, before
    anything is opened. Where the command is `strict`, an argument whose help begins with actions is
    refused by others.

    A line of the table has the argument's form, two blanks and its help, which may go on in lines
    that begin with a blank. Forms: `name=WORD` (behind it `?` for one or none, `*` for any number,
    `+` for one or more), `<list|show>` for the action, `--flag`, `--[no-]flag`, `--option VALUE`
    (`/int`, `/float`, `*` for repeated, `!` for required, `=default`, `<a|b>` for choices),
    `--option,-o` for two names, `--option>name` for another name in the program. `# ` begins a
    group, `| ` an option that excludes its neighbours, `$ ` an example.
    """

    __slots__ = ("_table", "check", "opens", "run", "strict")

    def __init__(
        self,
        run: Run | list[Run] | dict[Any, Run],
        table: str,
        *,
        opens: Callable[[argparse.Namespace, Console], Memory] | None = None,
        check: Callable[[argparse.Namespace], None] | None = None,
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

    def fill(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments to a parser."""
        add_arguments(parser, self._table)

    def execute(self, name: str, parser: argparse.ArgumentParser, argv: list[str],
                console: Console) -> int:  # fmt: skip
        """Parse the arguments and run; the exit code. Raises UsageError, and what `run` does."""
        args = parser.parse_args(argv)
        if self.strict:
            _refuse_others(name, args, parser)
        if self.check:
            self.check(args)
        run = self.run[args.action] if isinstance(self.run, dict) else self.run
        where: dict[str, object] = {}
        if self.opens is None:
            done = run(args, console)
        else:
            with self.opens(args, console) as memory:
                done = run(memory, args, console)
                where = {"where": memory.where} if self.opens is open_harness else {}
        if isinstance(done, int):
            return done
        console.answer(name, {**done[0], **where}, done[1])
        return done[2] if len(done) == 3 else 0


def add_arguments(parser: argparse.ArgumentParser, table: str, *, default: object = None) -> None:
    """Add what a table has, see `Command`. `default` is that of an option that is not given."""
    group: argparse._ActionsContainer = parser
    excluding: argparse._ActionsContainer | None = None
    for form, meaning in _read_lines(table):
        if form.startswith("# "):
            group, excluding = parser.add_argument_group(form[2:]), None
        elif form.startswith("| "):
            excluding = excluding or group.add_mutually_exclusive_group()
            _add_option(excluding, form[2:], meaning, default)
        elif form.startswith("-"):
            excluding = None
            _add_option(group, form, meaning, default)
        else:
            _add_word(group, form, meaning)


def _read_lines(table: str) -> Iterator[tuple[str, str]]:
    """(form, help) of each argument."""
    for line in table.strip().replace("\n ", " ").split("\n"):
        if line and not line.startswith("$ "):
            form, _, meaning = line.partition("  ")
            yield form, " ".join(meaning.split())


def _add_word(group: argparse._ActionsContainer, form: str, meaning: str) -> None:
    name, _, word = form.rpartition("=")
    more: dict[str, Any] = {"help": meaning or None}
    if word[-1] in "?*+":
        more["nargs"], word = word[-1], word[:-1]
    if word[0] == "<":
        more["choices"] = word[1:-1].split("|")
    else:
        more["metavar"] = word
    group.add_argument(name or "action", **more)


def _add_option(
    group: argparse._ActionsContainer, form: str, meaning: str, default: object
) -> None:
    names, _, value = form.partition(" ")
    names, _, name = names.partition(">")
    value, _, given = value.partition("=")
    more: dict[str, Any] = {"default": given or default, "help": meaning or None}
    if name:
        more["dest"] = name
    if "[no-]" in names:
        names = names.replace("[no-]", "")
        more["action"] = argparse.BooleanOptionalAction
    elif not value:
        more |= {"action": "store_true", "default": default or False}
    if value[-1:] == "*":
        more |= {"action": "append", "default": []}
    elif value[-1:] == "!":
        more["required"] = True
    value, _, kind = value.rstrip("*!").partition("/")
    if kind:
        more["type"] = _TYPES[kind]
    if value[:1] == "<":
        more["choices"] = value[1:-1].split("|")
    elif value:
        more["metavar"] = value
    group.add_argument(*names.split(","), **more)


def _refuse_others(name: str, args: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Raise UsageError for what the action does not take, as the help of each argument says."""
    (actions,) = (one.choices or () for one in parser._actions if one.dest == "action")
    for one in parser._actions:
        said = re.findall(r"(?:^|; )([a-z-]+(?:, [a-z-]+)*): ", one.help or "")
        meant = {word for part in said for word in part.split(", ")}.intersection(actions)
        given = getattr(args, one.dest, None)
        if meant and args.action not in meant and given not in (None, [], one.default):
            what = one.option_strings[:1] or [str(one.metavar or one.dest).lower()]
            several = "s" if one.nargs == "*" else ""
            told = f"{what[0].replace('|', ' or ')}{several}"
            raise UsageError(
                f"`{name} {args.action}` takes no {told}", remedy=f"see `engrain {name} --help`"
            )


def one_of(words: Sequence[str]) -> str:
    """Words as the choices of a table of arguments."""
    return f"<{'|'.join(words)}>"


def take_words(name: str, args: argparse.Namespace, words: Mapping[str, Sequence[str]]) -> None:
    """Raise UsageError unless there are as many `args.words` as the action has in `words`."""
    wanted = words[args.action]
    if len(args.words) != len(wanted):
        raise UsageError(
            f"{name} {args.action} takes {' and '.join(wanted) or 'no words'}",
            remedy=f"see `engrain {name} --help`; quote an argument of several words",
        )


def read_scope(args: argparse.Namespace) -> Scope:
    from engrain.engine.core.scope import Scope

    return Scope(
        kinds=args.kind,
        tags=args.tag,
        statuses=args.status,
        tiers=args.tier,
        all_projects=args.all_projects,
        include_archive=args.include_archive,
        include_superseded=args.include_superseded,
        include_inbox=args.include_inbox,
        since=read_when(args.since),
        until=read_when(args.until),
        as_of=read_when(args.as_of),
        known_at=read_when(args.known_at),
    )


def read_session(args: argparse.Namespace, current: str | None = None) -> str | None:
    """The session that is named, else the `current` one."""
    named: str | None = args.session or os.environ.get("ENGRAIN_SESSION")
    return named or current


def read_when(text: str | None) -> float | None:
    """A date, a date and time, or a span back from now. Raises UsageError."""
    if text is None:
        return None
    try:
        if text[:-1].isdecimal() and text[-1] in _SPANS:
            return time.time() - int(text[:-1]) * _SPANS[text[-1]]
        return parse_instant(text)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is no time", remedy="give a date such as 2026-09-01, or a span such as 7d"
        ) from None


def read_text(given: str | None, console: Console) -> str:
    """A text argument, where `-` means standard input. Raises UsageError."""
    if given != "-":
        return given or ""
    try:
        return console.read_input()
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8 text") from None


def read_file(path: str, most: int = 512 * 1024) -> str:
    """The text of a file. Raises UsageError, NotFoundError."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            raw = file.read(most + 1)
        if len(raw) > most:
            raise UsageError(f"{path} is over {most} bytes", path=path)
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        raise NotFoundError(f"no file {path}", path=path) from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text", path=path) from None


def list_here(ask: Callable[[bool], Sequence[T]], everywhere: bool) -> tuple[Sequence[T], int]:
    """What `ask` gives for the current project, or for all with `everywhere`; and, where that is
    nothing, how many there are in other projects."""
    found = ask(everywhere)
    return found, 0 if found or everywhere else len(ask(True))


def open_vault(args: argparse.Namespace, _: Console) -> Memory:
    """The memory these arguments mean, for a command that only needs it open."""
    return open_from(args)


def open_from(args: argparse.Namespace, *, create: bool = False, harness: bool = False) -> Memory:
    """The memory these arguments mean."""
    from engrain.wiring import open_memory

    return open_memory(
        getattr(args, "vault", None),
        state_dir=getattr(args, "state_dir", None),
        backend=getattr(args, "backend", None),
        project=getattr(args, "project", None),
        agent=getattr(args, "agent", ""),
        trust=getattr(args, "trust", "agent"),
        create=create,
        harness=harness,
    )


def open_harness(args: argparse.Namespace, console: Console) -> Memory:
    """The memory these arguments mean for working memory: without a configured vault this device's
    own store, which is said in a line on standard error, and by `memory.where` in JSON (S1.4)."""
    found = resolve_harness_from(args)
    if found.fallback and not console.as_json:
        console.write_error(f"engrain: no vault is configured; using {found.location}")
    return open_from(args, harness=True)


def resolve_harness_from(args: argparse.Namespace) -> Resolution:
    """Which store these arguments mean for working memory, with nothing opened."""
    from engrain.resolution.selector import resolve_harness

    return resolve_harness(flags_of(args), os.environ, os.getcwd())


def resolve_from(args: argparse.Namespace) -> Resolution:
    """Which store these arguments mean, and why, with nothing opened."""
    from engrain.resolution.selector import resolve

    return resolve(flags_of(args), os.environ, os.getcwd())


def flags_of(args: argparse.Namespace) -> dict[str, str | None]:
    names = ("vault", "state_dir", "backend", "project")
    return {name: getattr(args, name, None) for name in names}
