"""Which commands there are, in groups, and the module of each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
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
        "migrate": "move the vault, with its history, into a team's database or back",
        "import": "import notes, an Obsidian vault, transcripts or an agent's own memory",
        "backup": "copy the vault, with its history, into one file",
        "export": "export memories in the file layout of another tool",
        "reindex": "rebuild the index from the files",
        "embed": "compute the embeddings that entries lack",
        "jobs": "list and run background jobs; show their log",
        "schedule": "run the jobs by the system's scheduler",
        "device": "show this device's key; share it with a second device",
        "admin": "set up a team's database: its schema, namespaces and roles",
        "config": "show and set settings",
        "eval": "measure recall on a question set, and compare runs",
        "console": "look at the memory and change it in a browser",
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


def load_command(name: str) -> Command:
    """A command, its module loaded."""
    from importlib import import_module

    command: Command = import_module(f"engrain.adapters.cli.{MODULES[name]}").COMMAND
    return command
