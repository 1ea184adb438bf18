"""Dispatch: one command's module is imported, and only that one."""

from __future__ import annotations

import argparse
import os
import sys

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import COMMON, add_arguments
from engrain.adapters.present.failures import EXIT_OK, describe_error, error_line, exit_code
from engrain.adapters.present.records import envelope
from engrain.model.errors import EngrainError, StorageError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NoReturn

    from engrain.adapters.cli.options import Command

# Group -> command -> what it does. A command is the module of its name in the group's folder.
GROUPS = {
    "Everyday": {
        "init": "create a vault; the first one becomes the default",
        "setup": "connect an agent's host to this memory: hooks, MCP server, skill",
        "save": "save one memory",
        "recall": "find the memories relevant to a question or prompt",
        "show": "print one entry with its links",
        "list": "list entries by filter, newest first",
        "edit": "change an entry in place, unless it changed since you read it",
        "evolve": "replace an entry by a newer one and archive the old one",
        "forget": "mark an entry as deleted: the file stays, recall skips it",
        "undo": "revert a change",
        "status": "show what the vault holds, what runs and what is pending",
        "doctor": "check the installation, with a real save and recall",
    },
    "Review": {
        "review": "list pending proposals; accept or reject them",
        "digest": "show what changed since you last looked",
        "dream": "check the whole vault for duplicates and contradictions, and propose changes",
        "lint": "find flaws in notes and links; --fix repairs them",
        "stats": "show what tasks cost, how they ended, and which memories were useful",
        "history": "show who changed what, or an entry as it was on a date",
        "verify": "verify that the history is complete and unaltered",
    },
    "Knowledge": {
        "today": "add a line, with the time, to the daily note",
        "fact": "add, list and settle facts about people, companies and projects",
        "entity": "list, show, merge and split people, companies and projects",
        "episode": "save, list and show episodes: records of tasks",
        "skill": "find, add, draft, import and export skills",
        "commitment": "list promises; mark them kept or broken",
        "personal": "read and write the operator's personal notes, with authorization",
        "sources": "choose the files outside the vault from which facts are extracted",
        "learn": "fetch news from feeds, pages and folders you approved, or search them",
        "extract": "extract facts about people and projects from conversations",
        "reflect": "save what you stated in agents' sessions; triage the inbox",
        "consolidate": "derive patterns and mistakes to avoid from episodes",
        "crystallize": "write a digest of a finished phase or session",
        "synthesize": "rewrite entity summaries and MEMORY.md from current facts",
    },
    "Work": {
        "session": "begin and end a session, the unit in which memories age",
        "continuity": "show or set an agent's goal, state and next step",
        "phase": "begin and end a phase of work; its end writes progress",
        "plan": "show or set a project's plan",
        "feature": "list a project's features; set their status",
        "progress": "show or add to a project's progress notes",
        "handoff": "pass work from one agent to another; each is claimed once",
        "ledger": "save and show each agent's working state",
        "checkpoint": "save and load a snapshot of a session's short-term memory",
    },
    "Links": {
        "links": "check the links between notes; suggest new ones",
        "link": "add or remove a link between two entries",
        "rename": "rename a note and update every link to it",
        "graph": "explore how entries are connected: neighbors, paths, export",
        "map": "write `_index.md`, a table of contents, for the vault and each project",
    },
    "Care": {
        "archive": "archive an entry: a summary stays, the original is in the history",
        "restore": "restore a forgotten or archived entry",
        "pin": "load an entry in every session, even if it is rarely used",
        "erase": "destroy an entry everywhere, including the history",
        "import": "import notes, an Obsidian vault, transcripts or an agent's own memory",
        "export": "export memories in the file layout of another tool",
        "reindex": "rebuild the index from the files",
        "embed": "compute the embeddings that entries lack",
        "jobs": "list and run background jobs; show their log",
        "schedule": "run the jobs by the system's scheduler",
        "device": "show this device's key; share it with a second device",
        "config": "show and set settings",
        "eval": "measure recall on a question set, and compare runs",
        "mcp": "serve this vault to MCP clients",
        "hook": "handle one event of a host (hosts run this)",
        "uninstall": "remove from a host what setup added",
        "completion": "print a completion script for your shell",
        "demo": "try Engrain on sample data, in a separate vault",
    },
}

COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}
MODULES = {
    name: f"{group.lower()}.{'import_' if name == 'import' else name}"
    for group, names in GROUPS.items()
    for name in names
}

ALIASES = {"search": "recall", "add": "save", "remember": "save", "rm": "forget"}

_INTRO = """\
Durable memory for AI agents: plain markdown you can read and edit, an index that finds the
right memory, and a history that takes anything back."""

_OUTRO = """\
every command takes, before or after its name:
  --vault DIR, --state-dir DIR, --backend NAME, --project NAME, --agent NAME, --json

examples:
  engrain init ~/memory
  echo "Rebase before you push: CI refuses merge commits." | engrain save --kind workflow -
  engrain recall "why was my push refused"
  engrain undo

`engrain COMMAND --help` has the options of a command, with examples.
Exit codes: 0 ok, 1 error, 2 usage, 3 not found, 4 conflict, 5 vault unavailable."""


class Parser(argparse.ArgumentParser):
    """Raises UsageError instead of exiting, so that usage errors are reported like all others."""

    def error(self, message: str) -> NoReturn:
        verbs = [
            verb for one in self._actions if one.dest == "action" for verb in one.choices or ()
        ]
        if verbs and message.startswith("the following arguments are required"):
            message = f"`{self.prog}` needs one of these actions: {', '.join(verbs)}"
        raise UsageError(message, remedy=f"see `{self.prog} --help`")

    def arrange(self, argv: Sequence[str]) -> list[str]:
        """`argv` with the options first: argparse takes the words before an option for all there
        are, so that `edit ID --expect HASH TEXT` would have no text."""
        options: list[str] = []
        words: list[str] = []
        rest = iter(argv)
        for word in rest:
            if word == "--":
                words += rest
            elif word[:1] == "-" and word != "-" and " " not in word:
                options.append(word)
                action = self._option_string_actions.get(word)
                if action is not None and action.nargs != 0:
                    options.append(next(rest, "--"))
                # As a value it would be swallowed, by argparse's own rule about two dashes.
                if "--" in (options[-1], options[-1].partition("=")[2]):
                    self.error(f"argument {word.partition('=')[0]}: expected one argument")
            else:
                words.append(word)
        return [*options, "--", *words] if words else options


def run(argv: Sequence[str]) -> int:
    """Run one command line; the exit code. Never raises."""
    _open_closed_streams()
    at = _find_word(argv)
    name = None if at is None else ALIASES.get(argv[at], argv[at])
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


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command in full, for completion and for the reference."""
    return _make_parser(complete=True)


def make_command_parser(name: str) -> Parser:
    """The parser of one command, whose name is no longer among the arguments."""
    parser = Parser(prog=f"engrain {name}", formatter_class=_format_help, allow_abbrev=False)
    _fill(parser, name)
    return parser


def _dispatch(name: str | None, argv: Sequence[str], at: int | None, console: Console) -> int:
    try:
        if name is None or at is None:
            _make_parser().parse_args(argv)
            raise UsageError("no command given", remedy="see `engrain --help`")
        rest = [*argv[:at], *argv[at + 1 :]]
        if name == "help":
            return _help(rest, console)
        if name not in COMMANDS:
            raise _refuse_name(name)
        parser = make_command_parser(name)
        return _load(name).execute(name, parser, parser.arrange(rest), console)
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


def _find_word(argv: Sequence[str]) -> int | None:
    """Where the command's name is, found without parsing: the first word that is no option or an
    option's value. None when there is none."""
    skip = False
    for at, word in enumerate(argv):
        if skip:
            skip = False
        elif word in ("--vault", "--state-dir", "--backend", "--project", "--agent"):
            skip = True
        elif not word.startswith("-"):
            return at
    return None


def _refuse_name(name: str) -> UsageError:
    """The error for an unknown command, which suggests the nearest name."""
    from difflib import get_close_matches

    near = get_close_matches(name, [*COMMANDS, *ALIASES, "help"], 1)
    remedy = f"did you mean `engrain {near[0]}`?" if near else "see `engrain help --all`"
    return UsageError(f"no command {name[:40]!r}", remedy=remedy)


def _help(words: Sequence[str], console: Console) -> int:
    """Answer `engrain help`: the overview, with `--all` every command, or one command's help."""
    if words and words[0] in (*COMMANDS, *ALIASES):
        make_command_parser(ALIASES.get(words[0], words[0])).print_help()
    elif words and words[0] not in ("--all", "--help", "-h"):
        raise _refuse_name(words[0])
    else:
        console.write_lines(_help_lines(complete=words[:1] == ["--all"]))
    return EXIT_OK


def _help_lines(*, complete: bool = False) -> Iterator[str]:
    """The commands by group: those of every day with what they do, and if `complete` all."""
    import textwrap

    yield "usage: engrain COMMAND [OPTION ...]"
    yield from ("", *_INTRO.split("\n"), "")
    for group, names in GROUPS.items():
        if complete or group == "Everyday":
            yield f"{group}:"
            yield from (f"  {name:<12} {summary}" for name, summary in names.items())
            yield ""
        else:
            yield from textwrap.wrap(
                f"{group + ':':<11}{', '.join(names)}", 84, subsequent_indent=" " * 11
            )
    if complete:
        yield "Other names: " + ", ".join(f"{name} ({of})" for name, of in ALIASES.items())
    else:
        yield "`engrain help --all` says what each of them does."
    yield ""
    yield from _OUTRO.split("\n")


def _load(name: str) -> Command:
    from importlib import import_module

    command: Command = import_module(f"engrain.adapters.cli.{MODULES[name]}").COMMAND
    return command


class _Overview(Parser):
    """The parser of a line without a command, whose help names the commands by group."""

    def format_help(self) -> str:
        return "\n".join(_help_lines()) + "\n"


def _make_parser(*, complete: bool = False) -> argparse.ArgumentParser:
    from engrain import __version__

    parser = _Overview(prog="engrain", formatter_class=_format_help, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"engrain {__version__}")
    add_arguments(parser, COMMON, default=argparse.SUPPRESS)
    if complete:
        below = parser.add_subparsers(dest="command", parser_class=Parser)
        for name, summary in COMMANDS.items():
            added = below.add_parser(
                name, help=summary, formatter_class=_format_help, allow_abbrev=False
            )
            _fill(added, name)
    return parser


def _format_help(prog: str) -> argparse.HelpFormatter:
    """Help as wide as the terminal. Asked here, because argparse makes a formatter for every
    argument, and asks shutil, which takes a cold process longer than a recall."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (ValueError, OSError):
        columns = 80
    return argparse.RawDescriptionHelpFormatter(prog, width=max(40, columns - 2))


def _fill(parser: argparse.ArgumentParser, name: str) -> None:
    command = _load(name)
    summary = COMMANDS[name]
    parser.description = summary[0].upper() + summary[1:] + "."
    parser.epilog = "examples:\n" + "\n".join(f"  {example}" for example in command.examples)
    add_arguments(parser, COMMON, default=argparse.SUPPRESS)
    command.fill(parser)
