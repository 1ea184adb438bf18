"""The commands in groups, and tables of arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# Group -> command -> what it does. A command is in the module of its name in the group's folder, as
# `COMMAND`, or under its name in capitals in the module that `TOGETHER` names.
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
        "forget": "mark entries as deleted: their files stay, recall skips them",
        "undo": "revert a change",
        "redo": "take back the last undo",
        "status": "show what the vault holds, what runs and what is pending",
        "doctor": "check the installation, with a real save and recall",
    },
    "Review": {
        "review": "list pending proposals; accept or reject them",
        "digest": "show what changed since you last looked",
        "check": "find what is wrong in the vault; --fix repairs it",
        "stats": "show what tasks cost, how they ended, and how useful the memory was",
        "history": "show who changed what, or an entry as it was on a date",
    },
    "Knowledge": {
        "today": "add a line, with the time, to the daily note",
        "fact": "add, list and settle facts about people, companies and projects",
        "entity": "list, show and merge people, companies and projects",
        "episode": "save, list and show episodes: records of tasks",
        "skill": "find, add and export skills",
        "commitment": "list promises; mark them kept or broken",
        "personal": "read and write the operator's personal notes, with authorization",
        "sources": "choose the files outside the vault from which facts are extracted",
        "learn": "fetch news from feeds and pages you approved",
        "extract": "extract facts about people and projects from conversations",
        "reflect": "save what you stated in agents' sessions; triage the inbox",
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
        "link": "add or remove a link between two entries",
        "merge": "make one note of two; the newer text leads",
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
        "backup": "copy the vault, with its history, into one file",
        "export": "export memories in the file layout of another tool",
        "reindex": "rebuild the index from the files",
        "embed": "compute the embeddings that entries lack",
        "jobs": "list and run background jobs; show their log",
        "schedule": "run the jobs by the system's scheduler",
        "device": "show this device's key; share it with a second device",
        "config": "show and set settings",
        "eval": "measure recall on your vault, and compare runs",
        "console": "look at the memory and change it in a browser",
        "mcp": "serve this vault to MCP clients",
        "hook": "handle one event of a host (hosts run this)",
        "uninstall": "remove from a host what setup added",
        "completion": "print a completion script for your shell",
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
TOGETHER = {
    "completion": "config",
    "import": "import_",
    "redo": "undo",
    "evolve": "edit",
    "pin": "archive",
    "continuity": "project",
    "phase": "project",
    "plan": "project",
    "feature": "project",
    "progress": "project",
    "session": "agent",
    "ledger": "agent",
    "checkpoint": "agent",
    "link": "notes",
    "rename": "notes",
    "merge": "notes",
    "reindex": "indexing",
    "embed": "indexing",
    "today": "daily",
    "commitment": "daily",
    "export": "backup",
}
"""The commands that share a module with others, with that module's name."""
MODULES = {
    name: f"{group.lower()}.{TOGETHER.get(name, name)}"
    for group, names in GROUPS.items()
    for name in names
    if name not in PACKAGED
}

ALIASES = {"search": "recall", "add": "save", "remember": "save", "rm": "forget"}


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


_TYPES = {"int": int, "float": float, "count": count, "port": port}


class Argument:
    """One argument of a table: `names` of an option, none of a word, and in `more` what argparse
    has to know. `group` is the heading it stands under in the help; of two options with the same
    number as `rivals`, 0 for none, one can be given. A word that is `needed` has to be given for
    the actions that its help names."""

    __slots__ = ("dest", "group", "more", "names", "needed", "rivals")

    def __init__(self, form: str, meaning: str, group: str, rivals: int) -> None:
        self.more: dict[str, Any] = {"help": meaning or None}
        self.names: list[str] = []
        self.group = group
        self.rivals = rivals
        self.needed = form[-1] == "!" and form[0] != "-"
        self.dest = self._read_option(form) if form[0] == "-" else self._read_word(form)

    def _read_word(self, form: str) -> str:
        name, _, word = form.rpartition("=")
        if word[-1] in "?*+!":
            self.more["nargs"], word = word[-1].replace("!", "?"), word[:-1]
        self._take_metavar(word)
        return name or "action"

    def _read_option(self, form: str) -> str:
        names, _, value = form.partition(" ")
        names, _, name = names.partition(">")
        value, _, given = value.partition("=")
        self.more["default"] = given or None
        self.names = names.replace("[no-]", "").split(",")
        if "[no-]" in names:
            self.more["action"] = "boolean"
        elif not value:
            self.more |= {"action": "store_true", "default": False}
        if value[-1:] == "*":
            self.more |= {"action": "append", "default": []}
        elif value[-1:] == "!":
            self.more["required"] = True
        value, _, kind = value.rstrip("*!").partition("/")
        if kind:
            self.more["type"] = _TYPES[kind]
        self._take_metavar(value)
        return name or self.names[0][2:].replace("-", "_")

    def _take_metavar(self, word: str) -> None:
        if word[:1] == "<":
            self.more["choices"] = word[1:-1].split("|")
        elif word:
            self.more["metavar"] = word


def read_table(table: str) -> Iterator[Argument]:
    """Read the arguments of a table, see `options.Command`."""
    group, rivals, among = "", 0, False
    for line in table.strip().replace("\n ", " ").split("\n"):
        form, _, meaning = line.partition("  ")
        meaning = " ".join(meaning.split())
        if form[:2] == "# ":
            group, among = form[2:], False
        elif form[:2] == "| ":
            rivals, among = rivals + (not among), True
            yield Argument(form[2:], meaning, group, rivals)
        elif form and form[:2] != "$ ":
            among = among and form[0] != "-"
            yield Argument(form, meaning, group, 0)
