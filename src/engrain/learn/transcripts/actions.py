"""What a tool call does, in loki's own names of actions, whichever host's tool it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from engrain.language.text.fences import shorten
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

_TABLE = {
    READ_FILE: "read:file_path,path notebookread:notebook_path view_image:path view:file_path,path "
    "read_file:file_path,path,target_file",
    WRITE_FILE: "write:file_path,path write_file:file_path,path",
    EDIT_FILE: "edit:file_path,path replace:file_path multiedit:file_path,path apply_patch: "
    "notebookedit:notebook_path edit_file:file_path,path,target_file",
    SEARCH: "grep:pattern glob:pattern ls:path list_directory:dir_path,path grep_search:pattern "
    "search_file_content:pattern list_dir:dir_path,path grep_files:pattern toolsearch:query",
    "search_web": "websearch:query web_search:query,url,pattern google_web_search:query",
    FETCH: "web_fetch:url,prompt webfetch:url",
    "delegate": "task:description,prompt agent:description,prompt spawn_agent:task_name,message "
    "send_input:message",
    "plan": "todowrite: todoread: taskcreate:subject taskupdate: write_todos: "
    "update_plan:explanation enterplanmode: exitplanmode:",
    "ask": "askuserquestion: request_user_input:",
    "use_skill": "skill:skill,command slashcommand:command",
    "read_output": "taskoutput:task_id agentoutputtool:agentId bashoutput:bash_id "
    "write_stdin:session_id wait:",
    "stop_command": "killshell:shell_id taskstop:task_id",
}
"""By action the tools, in small letters, each with the arguments that may hold its target."""
_TOOLS = {
    tool: (action, [key for key in keys.split(",") if key])
    for action, row in _TABLE.items()
    for tool, _, keys in (each.partition(":") for each in row.split())
}
_SHELLS = frozenset(
    ("bash", "shell", "shell_command", "exec_command", "local_shell", "container.exec",
     "powershell", "run_shell_command")
)  # fmt: skip
_PATCH = re.compile(r"\*\*\* Begin Patch\n.*", re.DOTALL)
_FILE = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*\S)", re.MULTILINE)
_LINE = 100


@dataclass(slots=True, eq=False)
class ToolAction:
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

    def is_try_of(self, other: ToolAction) -> bool:
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


def read_call(tool: str, arguments: Mapping[str, Any], cwd: str = "") -> ToolAction:
    """Return the action that a call of a tool is; paths below `cwd` are relative to it."""
    name = tool.lower()
    if name in _SHELLS:
        return _read_shell(join_command(arguments.get("command", arguments.get("cmd"))), cwd)
    if name not in _TOOLS:
        return ToolAction(CALL_TOOL, tool.removeprefix("mcp__").replace("__", ".") or "?")
    if name == "apply_patch":
        return _read_patch(str(arguments.get("input") or arguments.get("patch") or ""), cwd)
    action, keys = _TOOLS[name]
    target = relative(str(next((arguments[key] for key in keys if arguments.get(key)), "")), cwd)
    files = (target,) if target else ()
    if action == READ_FILE:
        return ToolAction(action, target, reads=files)
    if action in (WRITE_FILE, EDIT_FILE):
        return ToolAction(action, target, writes=files, change=_change(arguments))
    return ToolAction(action, target)


def relative(path: str, cwd: str) -> str:
    """Return a path relative to the session's folder where it is below that."""
    path, cwd = path.replace("\\", "/"), cwd.replace("\\", "/").rstrip("/")
    if cwd and path.startswith(f"{cwd}/"):
        return path[len(cwd) + 1 :]
    return path.removeprefix("./")


def _read_shell(command: str, cwd: str) -> ToolAction:
    if "apply_patch" in command[:200] and (patch := _PATCH.search(command)):
        return _read_patch(patch[0], cwd)
    if cwd:
        command = command.replace(f"{cwd.rstrip('/')}/", "")
    line = read_command(command)
    if line.writes:
        return ToolAction(WRITE_FILE, line.writes, writes=(line.writes,))
    action = ToolAction(
        line.action, command, command=command, program=line.program, paths=line.paths
    )
    if line.action == READ_FILE:
        action.reads = tuple(sorted(line.paths))[:5]
    return action


def _read_patch(patch: str, cwd: str) -> ToolAction:
    files = tuple(relative(path, cwd) for path in dict.fromkeys(_FILE.findall(patch)))
    change = _lines_changed(
        [line[1:] for line in patch.splitlines() if line[:1] == "-"],
        [line[1:] for line in patch.splitlines() if line[:1] == "+"],
    )
    name = WRITE_FILE if files and "*** Update File" not in patch else EDIT_FILE
    return ToolAction(
        name, ", ".join(files), writes=files, change="" if name == WRITE_FILE else change
    )


def _change(arguments: Mapping[str, Any]) -> str:
    edits = arguments.get("edits")
    first = edits[0] if isinstance(edits, list) and edits else arguments
    if not isinstance(first, dict) or not isinstance(first.get("new_string"), str):
        return ""
    old, new = first.get("old_string"), first["new_string"]
    return _lines_changed(str(old or "").splitlines(), new.splitlines())


def _lines_changed(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the first line that went and the first that came, as old → new; "" for no change."""
    before = [line.strip() for line in old]
    after = [line.strip() for line in new]
    gone = shorten(next((line for line in before if line and line not in after), ""), _LINE)
    came = shorten(next((line for line in after if line and line not in before), ""), _LINE)
    if gone and came:
        return f"{gone} → {came}"
    return f"added {came}" if came else f"removed {gone}" if gone else ""
