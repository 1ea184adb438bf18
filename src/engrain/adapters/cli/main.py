"""Dispatch: one command's module is imported, and only that one."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

from engrain import __version__
from engrain.adapters.cli.base import BaseCommand
from engrain.adapters.cli.commands import ALIASES, COMMANDS, GROUPS
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.parsing import find_word, parse
from engrain.adapters.present.failures import EXIT_OK, describe_error, error_line, exit_code
from engrain.adapters.present.outline import outline_lines
from engrain.adapters.present.records import envelope
from engrain.model.errors import EngrainError, StorageError, UsageError

VALUED = ("--vault", "--state-dir", "--backend", "--project", "--agent")
"""The options with a value that may come before the command."""
_HELPING = "engrain.adapters.cli.helping"
"""The module of lines without a command."""


def run(argv: Sequence[str]) -> int:
    """Run one command line; the exit code. Never raises."""
    _open_closed_streams()
    at = find_word(argv, VALUED)
    if at is not None:
        argv = [*argv[:at], *ALIASES.get(argv[at], (argv[at],)), *argv[at + 1 :]]
    name = None if at is None else argv[at]
    console = Console("--json" in _before_dashes(argv))
    try:
        try:
            code = _dispatch(name, argv, at, console)
            console.flush()
        except EngrainError as error:
            code = _fail(console, name if name in COMMANDS else "", error)
    except BrokenPipeError:
        # The reader has gone; what is still buffered has nowhere to go either.
        console.drop()
        return EXIT_OK
    except KeyboardInterrupt:
        console.write_error("engrain: interrupted")
        return 130
    return code


def _dispatch(name: str | None, argv: Sequence[str], at: int | None, console: Console) -> int:
    try:
        if name not in COMMANDS or at is None:
            if [*argv] == ["--version"]:
                console.write_lines([f"engrain {__version__}"])
                return EXIT_OK
            return int(import_module(_HELPING).answer_other(name, argv, console))
        if name not in GROUPS["Everyday"]:
            gc.enable()  # it may be long at work
        rest = [*argv[:at], *argv[at + 1 :]]
        return _run(name, parse(name, rest), console)
    except SystemExit:
        return EXIT_OK  # --help and --version have printed what was asked for
    except BrokenPipeError:
        raise
    except UnicodeError as error:
        text = ascii(getattr(error, "object", ""))[:60]
        raise UsageError(f"not text: {text}", remedy="give names and text in UTF-8") from None
    except OSError as error:
        raise StorageError(
            error.strerror or str(error),
            path=str(error.filename) if error.filename else None,
            remedy="run `engrain doctor`",
        ) from None


def _run(name: str, command: BaseCommand, console: Console) -> int:
    """Run a command and write its answer; return the exit code."""
    command.console = console
    command.check()
    done = command.run()
    if isinstance(done, int):
        return done
    if isinstance(done, Mapping):
        console.answer(name, done, outline_lines(done))
        return EXIT_OK
    console.answer(name, done[0], done[1])
    return int(done[2]) if len(done) == 3 else EXIT_OK


def _fail(console: Console, name: str | None, error: EngrainError) -> int:
    if console.as_json:
        try:
            console.write_json(envelope(name or "", None, describe_error(error)))
            console.flush()
            return exit_code(error)
        except EngrainError:
            pass  # Standard output is what failed.
    console.write_error(error_line(error))
    return exit_code(error)


def _open_closed_streams() -> None:
    """Put the null device where a standard stream was closed, lest a file take its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def _before_dashes(argv: Sequence[str]) -> Sequence[str]:
    return argv[: argv.index("--")] if "--" in argv else argv
