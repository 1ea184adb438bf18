"""The commands in groups, and where each is found."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, TypeAlias

from engrain.model.errors import EngrainError
from engrain.wiring import list_packaged

if TYPE_CHECKING:
    from engrain.adapters.cli.base import BaseCommand

Loaded: TypeAlias = "type[BaseCommand] | Mapping[str, type[BaseCommand]]"
"""A command, or the actions of a group, the default first."""

ENTRY_POINTS = "engrain.commands"
"""The entry points of commands of other packages; the module has `COMMAND`."""

# Group -> command -> what it does. A command is `COMMAND` in the module of its name, in its group's
# folder.
GROUPS = {
    "Everyday": {
        "init": "create a vault; the first one becomes the default",
        "setup": "connect an agent's host to this memory, or --remove it again",
        "save": "save one memory",
        "recall": "find the memories relevant to a question or prompt",
        "show": "print one entry with its links",
        "list": "list entries by filter, newest first",
        "edit": "change an entry in place, unless it changed since you read it",
        "evolve": "replace an entry by a newer one and archive the old one",
        "forget": "mark entries as deleted: their files stay, recall skips them",
        "undo": "revert a change, or take back the last undo",
        "status": "show what the vault holds, what runs and what is pending",
        "doctor": "check the installation, with a real save and recall",
    },
    "Review": {
        "review": "list pending proposals; accept or reject them",
        "digest": "show what changed since you last looked",
        "check": "find what is wrong in the vault; --fix repairs it",
        "history": "show who changed what, or an entry as it was on a date",
    },
    "Knowledge": {
        "today": "add a line, with the time, to the daily note",
        "fact": "add, list and settle facts about people, companies and projects",
        "entity": "list, show and merge people, companies and projects",
        "episode": "save, list and show episodes, the records of tasks, and their figures",
        "skill": "find, add and export skills",
        "commitment": "list promises; mark them kept or broken",
        "personal": "read and write the operator's personal notes, with authorization",
        "learn": "choose the files and feeds to learn from; extract facts now",
    },
    "Work": {
        "agent": "show and save an agent's goal, sessions, ledger and checkpoints",
        "project": "show and set a project's phase, plan, features and progress",
        "handoff": "pass work from one agent to another; each is claimed once",
    },
    "Links": {
        "link": "add or remove a link between two entries",
        "merge": "make one note of two; the newer text leads",
        "rename": "rename a note and update every link to it",
        "graph": "explore how entries are connected: neighbors, paths, export",
    },
    "Care": {
        "archive": "archive an entry: a summary stays, the original is in the history",
        "restore": "restore a forgotten or archived entry",
        "erase": "destroy an entry everywhere, including the history",
        "import": "import notes, an Obsidian vault, transcripts or an agent's own memory",
        "backup": "copy the vault, with its history, into one file",
        "export": "export memories as a table, a document, a site, or for another tool",
        "jobs": "list, run and schedule background jobs; rebuild the index",
        "device": "show this device's key; share it with a second device",
        "config": "show and set settings; print a completion script for your shell",
        "eval": "measure recall on your vault, and compare runs",
        "console": "look at the memory and change it in a browser",
        "mcp": "serve this vault to MCP clients",
        "hook": "handle one event of a host (hosts run this)",
        "demo": "try Engrain on sample data, in a separate vault",
    },
    "Team": {
        "admin": "set up a team's database: its schema, namespaces and roles",
        "migrate": "move the vault, with its history, into a team's database or back",
        "serve": "serve this vault to other machines over HTTPS, for tokens of OAuth 2.1",
    },
}
PACKAGED = GROUPS["Team"].keys()
"""The commands of the package `engrain-team`, found by the entry points `engrain.commands`."""

COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}
MODULES = {
    name: f"{group.lower()}.{name}{'_' * iskeyword(name)}"
    for group, names in GROUPS.items()
    for name in names
    if name not in PACKAGED
}

ALIASES: dict[str, tuple[str, ...]] = {
    "add": ("save",),
    "completion": ("config", "completion"),
    "embed": ("jobs", "embed"),
    "extract": ("learn", "extract"),
    "lint": ("check",),
    "redo": ("undo", "--redo"),
    "reflect": ("learn", "reflect"),
    "reindex": ("jobs", "reindex"),
    "remember": ("save",),
    "rm": ("forget",),
    "search": ("recall",),
    "uninstall": ("setup", "--remove"),
    "verify": ("check", "history"),
}
"""Other names of commands, with the words that each stands for."""


def load_command(name: str) -> Loaded:
    """Load the module of a command. Raises EngrainError if its package is not installed."""
    place = f"engrain.adapters.cli.{MODULES[name]}" if name in MODULES else find_packaged(name)
    if place is None:
        raise EngrainError(
            f"`engrain {name}` needs the package engrain-team, which is not installed",
            remedy="install engrain-team from where you have engrain",
        )
    command: Loaded = import_module(place).COMMAND
    return command


def find_packaged(name: str) -> str | None:
    """Return the module of a command that another package brings, None if none does."""
    return list_packaged(ENTRY_POINTS).get(name)
