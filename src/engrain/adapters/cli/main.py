"""Dispatch: one command's module is imported, and only that one."""

from __future__ import annotations

import os
import sys

from engrain import __version__
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import read_arguments
from engrain.adapters.present.failures import EXIT_OK, describe_error, error_line, exit_code
from engrain.model.errors import EngrainError, StorageError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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


def _dispatch(name: str | None, argv: Sequence[str], at: int | None, console: Console) -> int:
    try:
        if name not in COMMANDS or at is None:
            if [*argv] == ["--version"]:
                console.write_lines([f"engrain {__version__}"])
                return EXIT_OK
            from engrain.adapters.cli.parsing import answer_other

            return answer_other(name, argv, console)
        if name not in GROUPS["Everyday"]:
            import gc

            gc.enable()  # it may be long at work
        rest = [*argv[:at], *argv[at + 1 :]]
        command = load_command(name)
        args = read_arguments(command.list_arguments(), rest)
        if args is None:
            from engrain.adapters.cli.parsing import parse

            args = parse(name, rest)
        return command.execute(name, args, console)
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
            from engrain.adapters.present.records import envelope

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


def load_command(name: str) -> Command:
    """A command, its module loaded."""
    from importlib import import_module

    command: Command = import_module(f"engrain.adapters.cli.{MODULES[name]}").COMMAND
    return command
