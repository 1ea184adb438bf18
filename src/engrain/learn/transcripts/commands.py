"""Which action a shell's command line is."""

from __future__ import annotations

import re
import shlex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

RUN_TEST, RUN_BUILD, RUN_CHECK, COMMIT = "run_test", "run_build", "run_check", "commit"
INSTALL, RUN_COMMAND = "install", "run_command"
READ_FILE, SEARCH, FETCH, WRITE_FILE = "read_file", "search", "fetch", "write_file"
VERDICTS = (RUN_TEST, RUN_BUILD, RUN_CHECK)
"""Actions whose result passes or fails: they judge what was done before."""

_LONGEST = 4000
_CHAIN = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_PREFIX = re.compile(
    r"^(?:(?:env|sudo|time|nice|command|exec)\s+|\w+=\S*\s+|timeout\s+\S+\s+"
    r"|(?:uv|poetry|pdm|hatch|pipenv|rye)\s+run\s+|(?:npx|pnpx|bunx|yarn dlx|bundle exec)\s+(?:-y\s+)?"
    r"|(?:\.{0,2}/)?(?:[\w.~-]+/)*bin/|python[\d.]*\s+-m\s+(?=pytest|unittest|mypy|ruff|pip|tox|nox))+"
)  # fmt: skip
_SILENT = re.compile(r"^(?:cd|pushd|popd|export|set|source|\.|echo|true|sleep|pwd|printf)\b")
_SCRIPT = (
    r"(?:npm|yarn|pnpm|bun|deno|composer|rake|task|just|make|tasks\.py)(?:\s+(?:run|task))?\s+"
)
# The first row that a command of the chain begins with says what it is.
_RUNS = tuple(
    (action, re.compile(pattern))
    for action, pattern in (
        (RUN_TEST, r"(?:py\.?test|unittest|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|karma)\b"),
        (RUN_TEST, r"playwright test\b|cypress run\b|(?:\S*/)?manage\.py test\b|\S*/phpunit\b"),
        (RUN_TEST, _SCRIPT + r"(?:test|tests|unit|e2e|spec|check)\b\S*|(?:npm|yarn|pnpm) t\b"),
        (RUN_TEST, r"(?:cargo|go|dotnet|swift|mix|gradle|\./gradlew|mvn|\./mvnw|sbt|lein|bazel|flutter|"
                   r"dart|zig build|stack|cabal)(?:\s+nextest)?(?:\s+-\S+)*\s+(?:test|run|check\b(?=$))"
                   r"(?<!\srun)(?=\s|$)"),
        (COMMIT, r"git(?:\s+-\S+(?:\s+\S+=\S+)?)*\s+commit\b"),
        (RUN_CHECK, r"(?:mypy|pyright|ruff|flake8|pylint|eslint|prettier|biome|black|shellcheck|golangci-lint|"
                    r"stylelint|rubocop|vulture|lint-imports|pre-commit)\b|(?:cargo|go)\s+(?:clippy|vet|fmt)\b"),
        (RUN_CHECK, _SCRIPT + r"(?:lint|type-?check|types|format)\b\S*"),
        (RUN_BUILD, r"(?:tsc|gcc|g\+\+|clang(?:\+\+)?|cc|javac|rustc|cmake|ninja|webpack|vite build|rollup|esbuild)\b"),
        (RUN_BUILD, r"(?:cargo|go|dotnet|swift|gradle|\./gradlew|mvn|bazel|next|docker|zig|stack|cabal|mix)"
                    r"(?:\s+-\S+)*\s+(?:build|check|compile|package|publish)\b"),
        (RUN_BUILD, _SCRIPT + r"(?:build|compile|bundle)\b\S*|make(?:\s+-\S+)*\s*$|python[\d.]* -m (?:build|py_compile)"),
        (INSTALL, r"(?:uv\s+)?pip[\d.]*\s+(?:install|sync)\b|uv\s+(?:add|sync)\b|(?:poetry|pdm|cargo|composer|go)\s+"
                  r"(?:add|install|get)\b|(?:npm|pnpm|bun|yarn|gem|bundle|brew|conda|apt|apt-get|apk|dnf)\s+"
                  r"(?:-\S+\s+)*(?:i|ci|install|add|get)\b"),
    )
)  # fmt: skip
_READERS = {
    READ_FILE: frozenset(("cat", "head", "tail", "sed", "nl", "less", "more", "bat", "wc", "file")),
    SEARCH: frozenset(("grep", "rg", "ag", "find", "fd", "ls", "tree", "locate", "which")),
    FETCH: frozenset(("curl", "wget")),
}
_WRITES = re.compile(r"^(?:cat|tee|echo|printf)\b[^|]*?(?:>>?|\btee(?:\s+-a)?)\s*([^\s<>&|;'\"]+)")
# Programs whose exit code is an answer and no failure.
_ANSWERING = frozenset(
    ("grep", "rg", "ag", "diff", "cmp", "test", "[", "ls", "which", "find", "pgrep", "command", "type")
)  # fmt: skip
_GIT_ANSWERS = frozenset(("diff", "grep", "merge-base", "show-ref"))


class CommandLine:
    """A command line read: which `action` it is, the `program` that decides it (with its
    subcommand), the `paths` among its words, and the file it writes where it does but that."""

    __slots__ = ("action", "paths", "program", "writes")

    def __init__(self, action: str, program: str, paths: frozenset[str], writes: str = "") -> None:
        self.action = action
        self.program = program
        self.paths = paths
        self.writes = writes


def join_command(given: object) -> str:
    """A command as one line, given as such or as its words; a shell around it is left away."""
    if isinstance(given, str):
        return given
    if not isinstance(given, list):
        return ""
    words = [str(word) for word in given]
    if len(words) == 3 and words[1] in ("-c", "-lc", "-ic") and "sh" in words[0]:
        return words[2]
    return words[0] if len(words) == 1 else shlex.join(words)


def read_command(command: str) -> CommandLine:
    """Which action a command line is."""
    parts = [
        plain
        for part in _CHAIN.split(command[:_LONGEST])
        if (plain := _PREFIX.sub("", part.strip())) and not plain.startswith("#")
    ]
    for action, pattern in _RUNS:
        for part in parts:
            if begin := pattern.match(part):
                program = " ".join(begin[0].split()[:3])
                return CommandLine(action, program, _paths(part[begin.end() :]))
    parts = [part for part in parts if not _SILENT.match(part)] or parts
    if not parts:
        return CommandLine(RUN_COMMAND, "", frozenset())
    if writes := _WRITES.match(parts[0]):
        return CommandLine(WRITE_FILE, "", frozenset((writes[1],)), writes[1])
    words = parts[-1].split()
    kinds = {_kind(part) for part in parts}
    action = kinds.pop() if len(kinds) == 1 else RUN_COMMAND
    return CommandLine(action, _program(words), _paths(" ".join(words[1:])))


def is_answer(command: str, text: str) -> bool:
    """Whether a command that ended with a code other than 0 only said no, as `grep` does."""
    parts = [_PREFIX.sub("", part.strip()) for part in _CHAIN.split(command[:_LONGEST])]
    words = next((part.split() for part in reversed(parts) if part), [""])
    return not text.strip() and (
        words[0] in _ANSWERING or (words[0] == "git" and bool(_GIT_ANSWERS & set(words[1:2])))
    )


def _kind(part: str) -> str:
    if ">" in part.replace("2>&1", "").replace("2>/dev/null", ""):
        return RUN_COMMAND
    program = part.split()[0].rpartition("/")[2]
    if program == "sed" and " -i" in part:
        return RUN_COMMAND
    return next((kind for kind, names in _READERS.items() if program in names), RUN_COMMAND)


def _program(words: Sequence[str]) -> str:
    """The program and what it is told to run, by which two tries of the same are known."""
    name = words[0].rpartition("/")[2]
    if len(words) > 1 and not words[1].startswith("-"):
        return f"{name} {words[1]}"
    return " ".join([name, *words[1:]])[:200]


def _paths(words: str) -> frozenset[str]:
    """The words that name files, less what is named within them."""
    found = (word.strip("'\"").partition("::")[0] for word in words.split())
    return frozenset(
        word.removeprefix("./")
        for word in found
        if not word.startswith("-") and ("/" in word or "." in word) and not word.startswith("2>")
    )
