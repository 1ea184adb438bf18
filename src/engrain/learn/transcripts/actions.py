"""What a tool call does, in loki's own names of actions, whichever host's tool it is."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from engrain.language.lexicons import read_rows
from engrain.language.text.fences import shorten

RUN_TEST, RUN_BUILD, RUN_CHECK, COMMIT = "run_test", "run_build", "run_check", "commit"
INSTALL, RUN_COMMAND = "install", "run_command"
READ_FILE, SEARCH, FETCH, WRITE_FILE = "read_file", "search", "fetch", "write_file"
VERDICTS = (RUN_TEST, RUN_BUILD, RUN_CHECK)
"""Actions whose result passes or fails: they judge what was done before."""

_LONGEST = 4000
_CHAIN = re.compile(r"\s{0,40}(?:&&|\|\||;|\n)\s{0,40}")
# What stands before a command and says nothing of what it does.
_PREFIX = re.compile(
    r"(?:(?:env|sudo|time|nice|exec|npx|bunx) (?:-y )?|\b\w{1,60}=\S{0,400} "
    r"|timeout \S{1,40} |bundle exec "
    r"|(?:uv|poetry|pdm|hatch|pipenv|rye) run |yarn dlx |python[\d.]* -m "
    r"|(?:\.{0,2}/)?(?:[\w.~-]{1,80}/){0,12}bin/|(?<=git )-[cC] \S+ )"
)
_SILENT = frozenset(("cd", "pushd", "popd", "export", "set", "source", ".", "true", "sleep"))

_RUNNERS = "npm|yarn|pnpm|bun|deno|composer|rake|task|just|make"
_SCRIPT = rf"(?:(?:{_RUNNERS})(?: run| task)?|python[\d.]* \S+\.py) "
# What a command begins with, less its options: the first row that fits says what it is.
_JUDGED = tuple(
    (action, re.compile(rf"(?:{pattern})(?![\w.-])"))
    for action, pattern in (
        (RUN_TEST, r"pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|ava|karma|rspec|phpunit"
         "|ctest"),
        (RUN_CHECK, "mypy|pyright|ruff|flake8|pylint|eslint|prettier|biome|black|shellcheck"
         "|stylelint|golangci-lint|rubocop|lint-imports|pre-commit"),
        (RUN_BUILD, r"tsc|gcc|g\+\+|clang\+\+|clang|cc|javac|rustc|cmake|ninja|webpack|rollup"
         "|esbuild|py_compile"),
        (RUN_TEST, "(?:cargo|go|dotnet|swift|mix|gradlew?|mvnw?|sbt|lein|bazel|flutter|dart|zig"
         "|stack|cabal|playwright|deno) (?:test|nextest)"),
        (RUN_CHECK, "(?:cargo|go|dart|flutter) (?:clippy|vet|fmt|analyze)"),
        (RUN_BUILD, "(?:cargo|go|dotnet|swift|gradlew?|mvnw?|bazel|next|vite|docker|zig|stack|cabal"
         "|mix) (?:build|check|compile|package|publish)"),
        (COMMIT, "git commit"),
        (INSTALL, "(?:pip3?|uv|poetry|pdm|cargo|composer|go|npm|pnpm|bun|yarn|gem|bundle|brew|conda"
         "|apt|apt-get|apk|dnf|uv pip) (?:install|add|i|ci|sync|get)"),
        (RUN_TEST, r"python[\d.]* (?:\S*/)?(?:test_[^\s/]*|[^\s/]*_test)\.py"),
        (RUN_TEST, rf"{_SCRIPT}(?:tests?|t|unit|spec|check)(?:[^a-z\s]\S*)?"),
        (RUN_CHECK, rf"{_SCRIPT}(?:lint|typecheck|types|format)(?:[^a-z\s]\S*)?"),
        (RUN_BUILD, rf"{_SCRIPT}(?:build|compile|bundle)(?:[^a-z\s]\S*)?|make$"),
    )
)  # fmt: skip
_READERS = {
    READ_FILE: frozenset(("cat", "head", "tail", "sed", "nl", "less", "more", "bat", "wc")),
    SEARCH: frozenset(("grep", "rg", "ag", "find", "fd", "ls", "tree", "which")),
    FETCH: frozenset(("curl", "wget")),
}
_WRITES = re.compile(r"(?:cat|echo|printf)\b[^|>]*>>?[ \t]*([^\s<>&|;'\"]+)")
# Programs whose exit code is an answer and no failure.
_ANSWERING = frozenset(
    ("grep", "rg", "ag", "diff", "cmp", "test", "[", "ls", "which", "find", "pgrep", "type")
)
_GIT_ANSWERS = frozenset(("diff", "grep", "merge-base", "show-ref"))


@dataclass(slots=True, eq=False)
class CommandLine:
    """A command line: its `action`, the `program` that decides it (with its subcommand), the
    `paths` among its words, and the file that it `writes` if that is all it does."""

    action: str
    program: str = ""
    paths: frozenset[str] = frozenset()
    writes: str = ""


def join_command(given: object) -> str:
    """Return a command as one line, given as such or as its words, without a shell around it."""
    if isinstance(given, str):
        return given
    if not isinstance(given, list):
        return ""
    words = [str(word) for word in given]
    if len(words) == 3 and words[1] in ("-c", "-lc", "-ic") and words[0].endswith("sh"):
        return words[2]
    return words[0] if len(words) == 1 else shlex.join(words)


def read_command(command: str) -> CommandLine:
    """Return which action a command line is, by the command that decides most."""
    parts = _split(command)
    judged = [(found, words) for words in parts if (found := _judge(words))]
    for action in (*VERDICTS[:1], COMMIT, *VERDICTS[1:], INSTALL):
        for (name, program), words in judged:
            if name == action:
                return CommandLine(action, program, _paths(words))
    parts = [words for words in parts if words[0] not in _SILENT]
    if not parts:
        return CommandLine(RUN_COMMAND)
    if writes := _WRITES.match(" ".join(parts[0])):
        return CommandLine(WRITE_FILE, writes=writes[1])
    kinds = {_kind(words) for words in parts}
    action = kinds.pop() if len(kinds) == 1 else RUN_COMMAND
    return CommandLine(action, _program(parts[-1]), _paths(parts[-1]))


def is_answer(command: str, text: str) -> bool:
    """Return whether a non-zero exit code of a command only meant no, as that of `grep` does."""
    words = [*_split(command), [""]][-2:][0]
    answers = words[0] in _ANSWERING or (words[0] == "git" and _GIT_ANSWERS & set(words[1:2]))
    return bool(answers) and not text.strip()


def split_command(command: str) -> list[str]:
    """Return the commands of a chain, as they are."""
    return [part.strip() for part in _CHAIN.split(command[:_LONGEST]) if part.strip()]


def _split(command: str) -> list[list[str]]:
    """Return the words of each command of a chain, less what stands before it."""
    parts = []
    for part in split_command(command):
        plain = " ".join(part.split())
        while found := _PREFIX.match(plain):
            plain = plain[found.end() :]
        plain = _PREFIX.sub("", plain) if plain.startswith("git -") else plain
        if plain and not plain.startswith("#"):
            parts.append(plain.split())
    return parts


def _judge(words: Sequence[str]) -> tuple[str, str] | None:
    """Return the action that a command's own program or subcommand says, and how it is called."""
    name = words[0].rpartition("/")[2]
    if name == "node" and "--test" in words:
        return RUN_TEST, "node --test"
    plain = " ".join([name, *(word for word in words[1:] if not word.startswith("-"))])
    for action, pattern in _JUDGED:
        if found := pattern.match(plain):
            return action, found[0]
    return None


def _kind(words: Sequence[str]) -> str:
    name = words[0].rpartition("/")[2]
    changes = any(word.startswith((">", "1>")) for word in words)
    if changes or (name == "sed" and any(word.startswith("-i") for word in words)):
        return RUN_COMMAND
    return next((kind for kind, names in _READERS.items() if name in names), RUN_COMMAND)


def _program(words: Sequence[str]) -> str:
    """Return the program and its first argument, by which two tries of the same are recognised."""
    name = words[0].rpartition("/")[2]
    if len(words) > 1 and not words[1].startswith("-"):
        return f"{name} {words[1]}"
    return " ".join([name, *words[1:]])[:200]


def _paths(words: Sequence[str]) -> frozenset[str]:
    """Return the words that name files, less what is named within them."""
    found = (word.strip("'\"").partition("::")[0] for word in words[1:])
    return frozenset(
        word.removeprefix("./")
        for word in found
        if word[:1] not in ("-", ">", "|", "&")
        and not re.match(r"\d?>", word)
        and re.search(r"[\w)]/|\.\w", word)
    )


# A part of a command line that shows something, and one that only prepares for the next part.
_LOOKS = re.compile(
    r"(?:\S*/)?(?:cat|head|tail|less|nl|wc|grep|rg|find|fd|ls|tree|which|type|pwd|echo|printf|env|ps"
    r"|df|du|file|stat|date|whoami|uname|jq|diff|export|source|cd|pushd|popd|true|sleep|sqlite3|sw_vers"
    r"|git (?:status|log|diff|show|branch|remote|blame|grep|rev-parse|ls-files|check-ignore)"
    r"|gh (?:run|pr|issue|auth) (?:view|list|status|watch|checks)"
    r"|docker (?:ps|logs|images|inspect)|python[\d.]* -c|node -e)\b"
    r"|\S.{0,400} (?:--help|--version|-h|-V)\b",
    re.DOTALL,
)

EDIT_FILE = "edit_file"
CALL_TOOL = "call_tool"
_TARGET = 200

_TOOLS = {
    tool: (action, [key for key in keys.split(",") if key])
    for action, row in read_rows("experience", "tools").items()
    for tool, _, keys in (each.partition(":") for each in row.split())
}
"""By tool, in small letters, its action and the arguments that may hold its target."""
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

    @property
    def only_looks(self) -> bool:
        """Whether it is a command that shows something and changes nothing."""
        parts = [" ".join(words) for words in _split(self.command)]
        return bool(parts) and all(map(_LOOKS.match, parts))

    @property
    def saves(self) -> bool:
        """Whether the agent saves something in its memory."""
        return self.target.endswith("memory_save") or self.program == "engrain save"

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
