"""What a tool call does, in loki's own names of actions, whichever host's tool it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from engrain.language.text.lines import shorten
from engrain.learn.transcripts.commands import (
    FETCH,
    READ_FILE,
    SEARCH,
    WRITE_FILE,
    join_command,
    read_command,
)

EDIT_FILE = "edit_file"
CALL_TOOL = "call_tool"
_TARGET = 200

# Tool, as its host calls it, in small letters -> the action, and the arguments that say its target.
_TOOLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "read": (READ_FILE, ("file_path", "path")),
    "notebookread": (READ_FILE, ("notebook_path",)),
    "read_file": (READ_FILE, ("file_path", "path", "target_file")),
    "view_image": (READ_FILE, ("path",)),
    "view": (READ_FILE, ("file_path", "path")),
    "write": (WRITE_FILE, ("file_path", "path")),
    "write_file": (WRITE_FILE, ("file_path", "path")),
    "edit": (EDIT_FILE, ("file_path", "path")),
    "replace": (EDIT_FILE, ("file_path",)),
    "multiedit": (EDIT_FILE, ("file_path", "path")),
    "notebookedit": (EDIT_FILE, ("notebook_path",)),
    "edit_file": (EDIT_FILE, ("file_path", "path", "target_file")),
    "apply_patch": (EDIT_FILE, ()),
    "grep": (SEARCH, ("pattern",)),
    "glob": (SEARCH, ("pattern",)),
    "ls": (SEARCH, ("path",)),
    "list_directory": (SEARCH, ("dir_path", "path")),
    "grep_search": (SEARCH, ("pattern",)),
    "search_file_content": (SEARCH, ("pattern",)),
    "list_dir": (SEARCH, ("dir_path", "path")),
    "grep_files": (SEARCH, ("pattern",)),
    "toolsearch": (SEARCH, ("query",)),
    "websearch": ("search_web", ("query",)),
    "web_search": ("search_web", ("query", "url", "pattern")),
    "google_web_search": ("search_web", ("query",)),
    "web_fetch": (FETCH, ("url", "prompt")),
    "webfetch": (FETCH, ("url",)),
    "task": ("delegate", ("description", "prompt")),
    "agent": ("delegate", ("description", "prompt")),
    "spawn_agent": ("delegate", ("task_name", "message")),
    "send_input": ("delegate", ("message",)),
    "todowrite": ("plan", ()),
    "todoread": ("plan", ()),
    "taskcreate": ("plan", ("subject",)),
    "taskupdate": ("plan", ()),
    "write_todos": ("plan", ()),
    "update_plan": ("plan", ("explanation",)),
    "enterplanmode": ("plan", ()),
    "exitplanmode": ("plan", ()),
    "askuserquestion": ("ask", ()),
    "request_user_input": ("ask", ()),
    "skill": ("use_skill", ("skill", "command")),
    "slashcommand": ("use_skill", ("command",)),
    "taskoutput": ("read_output", ("task_id",)),
    "agentoutputtool": ("read_output", ("agentId",)),
    "bashoutput": ("read_output", ("bash_id",)),
    "write_stdin": ("read_output", ("session_id",)),
    "wait": ("read_output", ()),
    "killshell": ("stop_command", ("shell_id",)),
    "taskstop": ("stop_command", ("task_id",)),
}
_SHELLS = frozenset(
    ("bash", "shell", "shell_command", "exec_command", "local_shell", "container.exec",
     "powershell", "run_shell_command")
)  # fmt: skip
# SWE-agent's own commands; all others are the shell's.
_SWE_AGENT = {
    "open": READ_FILE, "goto": READ_FILE, "scroll_down": READ_FILE, "scroll_up": READ_FILE,
    "create": WRITE_FILE, "edit": EDIT_FILE, "insert": EDIT_FILE, "find_file": SEARCH,
    "search_dir": SEARCH, "search_file": SEARCH,
}  # fmt: skip
_PATCH = re.compile(r"\*\*\* Begin Patch\n.*", re.DOTALL)
_FILE = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)
_LINE = 100


@dataclass(slots=True, eq=False)
class Action:
    """One tool call: the action's name and target, the files it reads and writes, a short form of
    the change it makes, and for a command the line, the program and its paths."""

    name: str
    target: str = ""
    _: KW_ONLY
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    change: str = ""
    command: str = ""
    program: str = ""
    paths: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.target = " ".join(self.target.split())[:_TARGET]

    def is_try_of(self, other: Action) -> bool:
        """Whether this is another try of the same: the same command on the same files or on all of
        them, an edit of the same file, else the very same action."""
        if self.name != other.name:
            return False
        if self.command and other.command:
            apart = self.paths and other.paths and not self.paths & other.paths
            return self.program == other.program and not apart
        if self.writes:
            return bool(set(self.writes) & set(other.writes))
        if self.reads:
            return self.reads[0].rpartition("/")[2] == other.target.rpartition("/")[2]
        return self.target == other.target


def read_call(tool: str, arguments: Mapping[str, Any], cwd: str = "") -> Action:
    """Return the action that a call of a tool is; paths below `cwd` are relative to it."""
    name = tool.lower()
    if name == "swe_agent":
        return _read_step(arguments, cwd)
    if name in _SHELLS:
        return _read_shell(join_command(arguments.get("command", arguments.get("cmd"))), cwd)
    if name not in _TOOLS:
        said = tool.removeprefix("mcp__").replace("__", ".")
        return Action(CALL_TOOL, said or "?")
    action, keys = _TOOLS[name]
    if name == "apply_patch":
        return _read_patch(str(arguments.get("input") or arguments.get("patch") or ""), cwd)
    given = next((arguments[key] for key in keys if arguments.get(key)), "")
    target = relative(str(given), cwd)
    if action == READ_FILE:
        return Action(action, target, reads=(target,) if target else ())
    if action in (WRITE_FILE, EDIT_FILE):
        writes = (target,) if target else ()
        return Action(action, target, writes=writes, change=_change(arguments))
    return Action(action, target)


def relative(path: str, cwd: str) -> str:
    """Return a path relative to the session's folder where it is below that."""
    path, cwd = path.replace("\\", "/"), cwd.replace("\\", "/").rstrip("/")
    if cwd and path.startswith(f"{cwd}/"):
        return path[len(cwd) + 1 :]
    return path.removeprefix("./")


def _read_shell(command: str, cwd: str) -> Action:
    if "apply_patch" in command[:200] and (patch := _PATCH.search(command)):
        return _read_patch(patch[0], cwd)
    if cwd:
        command = command.replace(f"{cwd.rstrip('/')}/", "")
    line = read_command(command)
    if line.writes:
        return Action(WRITE_FILE, line.writes, writes=(line.writes,))
    reads = tuple(sorted(line.paths)) if line.action == READ_FILE else ()
    return Action(
        line.action,
        command,
        reads=reads[:5],
        command=command,
        program=line.program,
        paths=line.paths,
    )


def _read_patch(patch: str, cwd: str) -> Action:
    files = tuple(relative(path, cwd) for path in dict.fromkeys(_FILE.findall(patch)))
    change = _lines_changed(
        [line[1:] for line in patch.splitlines() if line[:1] == "-"],
        [line[1:] for line in patch.splitlines() if line[:1] == "+"],
    )
    name = WRITE_FILE if files and "*** Update File" not in patch else EDIT_FILE
    return Action(name, ", ".join(files), writes=files, change="" if name == WRITE_FILE else change)


def _read_step(arguments: Mapping[str, Any], cwd: str) -> Action:
    command = str(arguments.get("command") or "")
    word, _, rest = command.partition(" ")
    opened = relative(str(arguments.get("open_file") or ""), cwd)
    action = _SWE_AGENT.get(word)
    if action is None:
        return _read_shell(command, cwd)
    if action == EDIT_FILE:
        new = [line for line in rest.splitlines()[1:] if line.strip() != "end_of_edit"]
        return Action(
            action, opened, writes=(opened,) if opened else (), change=_lines_changed([], new)
        )
    named = relative((rest.split() or [""])[0].strip("\"'"), cwd)
    if action == WRITE_FILE:
        return Action(action, named, writes=(named,))
    if action == READ_FILE:
        return Action(action, named or opened, reads=(named or opened,))
    return Action(action, rest)


def _change(arguments: Mapping[str, Any]) -> str:
    edits = arguments.get("edits")
    first = edits[0] if isinstance(edits, list) and edits else arguments
    if not isinstance(first, dict) or not isinstance(first.get("new_string"), str):
        return ""
    old, new = first.get("old_string"), first["new_string"]
    return _lines_changed(str(old or "").splitlines(), new.splitlines())


def _lines_changed(old: Sequence[str], new: Sequence[str]) -> str:
    """The first line that went and the first that came, as old → new; "" for no change."""
    before = [line.strip() for line in old]
    after = [line.strip() for line in new]
    gone = shorten(next((line for line in before if line and line not in after), ""), _LINE)
    came = shorten(next((line for line in after if line and line not in before), ""), _LINE)
    if gone and came:
        return f"{gone} → {came}"
    return f"added {came}" if came else f"removed {gone}" if gone else ""
