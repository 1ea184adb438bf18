"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
import os
import time

from engrain.language.text.instants import parse_instant
from engrain.model.errors import NotFoundError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from engrain.adapters.cli.console import Console
    from engrain.engine.core.scope import Scope
    from engrain.face.memory import Memory
    from engrain.resolution.selector import Resolution

    T = TypeVar("T")

RESTORE_DELETED = "bring back what was deleted here; else it stays deleted, and is listed"
ALLOW_ERASED = "take in what was erased here too"
_SPANS = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}


def add_common(parser: argparse.ArgumentParser) -> None:
    """What every command takes, before or behind its name."""
    group = parser.add_argument_group("where and how")
    unset = argparse.SUPPRESS
    group.add_argument("--vault", metavar="DIR", default=unset, help="the vault's folder")
    group.add_argument(
        "--state-dir", metavar="DIR", default=unset, help="where this device keeps its index"
    )
    group.add_argument("--backend", metavar="NAME", default=unset, help="the backend, by name")
    group.add_argument("--project", metavar="NAME", default=unset, help="the current project")
    group.add_argument("--agent", metavar="NAME", default=unset, help="who is acting")
    group.add_argument(
        "--json", action="store_true", default=unset, help="answer with one JSON envelope"
    )


def add_scope(parser: argparse.ArgumentParser) -> None:
    """Filters of recall and list."""
    group = parser.add_argument_group("filters")
    group.add_argument("--kind", action="append", default=[], metavar="K", help="only this kind")
    group.add_argument("--tag", action="append", default=[], metavar="T", help="having this tag")
    group.add_argument("--status", action="append", default=[], metavar="S", help="of this status")
    group.add_argument(
        "--tier",
        action="append",
        default=[],
        choices=("T2", "T3"),
        help="T2: shared with the operator, T3: the agent's own",
    )
    group.add_argument("--since", metavar="WHEN", help="created since: a date, or 7d, 12h, 2w")
    group.add_argument("--until", metavar="WHEN", help="created before")
    group.add_argument(
        "--as-of", metavar="D", help="what held on that date, superseded by now or not"
    )
    group.add_argument(
        "--known-at", metavar="D", help="by what was recorded up to that date, and no later"
    )
    group.add_argument("--all-projects", action="store_true", help="whatever the project")
    group.add_argument("--include-archive", action="store_true", help="archived ones too")
    group.add_argument(
        "--include-superseded", action="store_true", help="those that others replaced too"
    )
    group.add_argument("--include-inbox", action="store_true", help="unfiled ones too")


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


def add_session(parser: argparse._ActionsContainer) -> None:
    """In which session something is asked."""
    parser.add_argument(
        "--session",
        metavar="ID",
        help="the session that asks; else ENGRAIN_SESSION, else the one that was begun",
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


def refuse_others(
    command: str,
    args: argparse.Namespace,
    taken: Mapping[str, Sequence[str]],
    names: Mapping[str, str],
) -> None:
    """Raise UsageError for what the action does not take: `taken` tells by action what it does, and
    `names` what those are called that are no option of their own name."""
    for name in dict.fromkeys(name for options in taken.values() for name in options):
        if getattr(args, name) and name not in taken[args.action]:
            told = names.get(name, "--" + name.replace("_", "-"))
            raise UsageError(f"{command} {args.action} takes no {told}")


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


def open_harness_from(args: argparse.Namespace, console: Console) -> Memory:
    """The memory these arguments mean for working memory: without a configured vault this device's
    own store, which is said in a line on standard error, and by `memory.where` in JSON (S1.4)."""
    found = resolve_harness_from(args)
    if found.fallback and not console.as_json:
        console.write_error(f"engrain: no vault is configured; using {found.location}")
    return open_from(args, harness=True)


def resolve_harness_from(args: argparse.Namespace) -> Resolution:
    """Which store these arguments mean for working memory, with nothing opened."""
    from engrain.resolution.selector import resolve_harness

    return resolve_harness(_flags_of(args), os.environ, os.getcwd())


def resolve_from(args: argparse.Namespace) -> Resolution:
    """Which store these arguments mean, and why, with nothing opened."""
    from engrain.resolution.selector import resolve

    return resolve(_flags_of(args), os.environ, os.getcwd())


def _flags_of(args: argparse.Namespace) -> dict[str, str | None]:
    names = ("vault", "state_dir", "backend", "project")
    return {name: getattr(args, name, None) for name in names}


class Command:
    """One command: its arguments, what it does, and examples for its help.

    `run` writes its answer to the console and returns the exit code.
    """

    __slots__ = ("arguments", "examples", "run")

    def __init__(
        self,
        arguments: Callable[[argparse.ArgumentParser], None],
        run: Callable[[argparse.Namespace, Console], int],
        *examples: str,
    ) -> None:
        self.arguments = arguments
        self.run = run
        self.examples = examples
