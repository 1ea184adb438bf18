"""The hosts: the files that each reads, and the parts of ours that go into them.

The contracts are the hosts' own documentation: Claude Code's hooks, settings and skills; Codex's
hooks (`developers.openai.com/codex/hooks`), skills and `config.toml`; Gemini CLI's hooks reference;
Cursor's hooks and MCP pages; OpenCode's plugin and MCP pages; of the others the pages about MCP
servers and rules.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from engrain.adapters.hosts.commands import find_state_dir, hook_program, mcp_command
from engrain.adapters.hosts.parts import NAME, Hooks, HostEntry, Part, Whole
from engrain.adapters.hosts.toml_part import ServerTable, TrustRecords
from engrain.model.errors import ConfigError

Environ: TypeAlias = "Mapping[str, str]"


_OURS = ("ENGRAIN_", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""The beginnings of the variables that decide which memory is opened, and how."""
_FILE_TOOLS = "Read|Edit|MultiEdit|Write|NotebookEdit"
"""Claude Code's tools that touch one file."""
_HIDING = ("Bash(tail *)", "Bash(head *)", "Bash(true)")
"""Claude Code's rules for commands whose success may hide failed tests: `pytest | tail -5`."""
_PROGRAM_LINE, _HOST_LINE = 'const PROGRAM = ["engrain"]', 'const HOST = "opencode"'


@dataclass(frozen=True, slots=True)
class HostFile:
    """A file of a host and our parts in it."""

    path: str
    parts: Sequence[Part]

    @property
    def hooks(self) -> Sequence[Hooks]:
        return [part for part in self.parts if isinstance(part, Hooks)]

    @property
    def trust(self) -> Sequence[TrustRecords]:
        return [part for part in self.parts if isinstance(part, TrustRecords)]

    def add(self, raw: bytes | None) -> bytes:
        """Return the file with our parts. Raises ConfigError for a file that its host can't
        read."""
        return self._edit(raw, lambda part, text: part.add(text))

    def remove(self, raw: bytes, base: bytes | None) -> bytes | None:
        """Return the file without our parts, None if it is empty then and `base` is None: it did
        not exist before. Raises ConfigError."""
        old = None if base is None else base.decode(errors="replace")
        left = self._edit(raw, lambda part, text: part.remove(text, old))
        return None if base is None and left != raw and left.strip() in (b"", b"{}") else left

    def _edit(self, raw: bytes | None, change: Callable[[Part, str], str]) -> bytes:
        try:
            text = (raw or b"").decode()
            for part in self.parts:
                text = change(part, text)
        except ValueError as error:
            what = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            raise ConfigError(
                f"can't be read as its host would: {what}; nothing was changed",
                path=self.path,
                remedy="correct the file, then run the same command again",
            ) from None
        return text.encode()


@dataclass(frozen=True, slots=True)
class Host:
    """An agent's host. `after` says what its user has to do there once, if anything.

    Its configuration folder is `at_home` in the home, or `below` in the folder that the
    environment's `variable` names.
    """

    name: str
    title: str
    at_home: str
    variable: str
    list_files: Callable[[str, Environ], Sequence[HostFile]]
    after: str
    below: str = ""

    def folder(self, environ: Environ) -> str:
        """Return the configuration folder, whether it exists or not."""
        given = environ.get(self.variable)
        if given:
            return os.path.abspath(os.path.join(given, self.below))
        return os.path.join(_home(), self.at_home)

    def files(self, environ: Environ) -> Sequence[HostFile]:
        return self.list_files(self.folder(environ), environ)


_CLAUDE_EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "tool",
    "PostToolUseFailure": "tool-failed",
    "SubagentStart": "subagent",
    "Stop": "stop",
    "PreCompact": "pre-compact",
    "SessionEnd": "session-end",
}
"""Claude Code's events and ours; others have taken its names."""


def _claude_code(folder: str, environ: Environ) -> Sequence[HostFile]:
    events = _CLAUDE_EVENTS
    matchers: Mapping[str, Mapping[str, Sequence[str]]] = {
        "PostToolUse": {_FILE_TOOLS: (), "Bash": _HIDING},
        "PostToolUseFailure": {f"Bash|PowerShell|{_FILE_TOOLS}": ()},
    }
    servers = os.path.join(folder if environ.get("CLAUDE_CONFIG_DIR") else _home(), ".claude.json")
    # Without `alwaysLoad` newer releases offer only the names of tools and wait for no server.
    server = {"type": "stdio", **_server(), "alwaysLoad": True}
    settings = os.path.join(folder, "settings.json")
    return [
        HostFile(
            settings,
            [Hooks("claude-code", events, form="exec", matchers=matchers, shown=["PreCompact"])],
        ),
        HostFile(servers, [HostEntry(["mcpServers"], server)]),
        # OpenCode reads this folder too, but ignores a skill without a name: it has its own.
        _skill(folder, named=False),
    ]


def _codex(folder: str, environ: Environ) -> Sequence[HostFile]:
    variables = sorted(name for name in environ if name.startswith(_OURS))
    events = {
        "SessionStart": "session-start",
        "UserPromptSubmit": "prompt",
        "PostToolUse": "tool",
        "SubagentStart": "subagent",
        "PreCompact": "pre-compact",
        "Stop": "stop",
        "SessionEnd": "session-end",
    }
    # It has one event for successes and failures, and reads files by its shell.
    matchers = {"PostToolUse": {"^(Bash|apply_patch)$": ()}}
    hooks = os.path.join(folder, "hooks.json")
    config = os.path.join(folder, "config.toml")
    return [
        # The limit at a session's end is one second by default and three at most.
        HostFile(hooks, [Hooks("codex", events, form="line", last=3, matchers=matchers)]),
        HostFile(config, [TrustRecords(hooks, events), ServerTable(_server(), variables)]),
        _skill(os.path.join(_home(), ".agents")),
    ]


def _gemini(folder: str, environ: Environ) -> Sequence[HostFile]:
    del environ
    events = {
        "SessionStart": "session-start",
        "BeforeAgent": "prompt",
        "AfterTool": "tool",
        "AfterAgent": "stop",
        "SessionEnd": "session-end",
    }
    # Not PreCompress, which it reports before every turn, whether anything is compacted or not.
    hooks = Hooks(
        "gemini",
        events,
        form="line",
        second=1000,
        name=NAME,
        comments=True,
        matchers={"AfterTool": {"^(run_shell_command|read_file|write_file|replace)$": ()}},
    )
    servers = HostEntry(["mcpServers"], _server(), comments=True)
    return [
        HostFile(os.path.join(folder, "settings.json"), [hooks, servers]),
        _skill(os.path.join(os.path.dirname(folder), ".agents")),
    ]


def _qwen(folder: str, environ: Environ) -> Sequence[HostFile]:
    del environ
    files = "read_file|write_file|edit"
    hooks = Hooks(
        "qwen",
        _CLAUDE_EVENTS,
        form="line",
        second=1000,  # a newer release reads seconds below a thousand
        name=NAME,
        comments=True,
        matchers={
            "PostToolUse": {f"^({files})$": ()},
            "PostToolUseFailure": {f"^(run_shell_command|{files})$": ()},
        },
    )
    server = HostEntry(["mcpServers"], {**_server(), "alwaysLoadTools": True}, comments=True)
    return [HostFile(os.path.join(folder, "settings.json"), [hooks, server]), _skill(folder)]


def _copilot(folder: str, environ: Environ) -> Sequence[HostFile]:
    del environ
    # An event named as Claude Code's has a payload as Claude Code's.
    events = {**_CLAUDE_EVENTS, "userPromptTransformed": "prompt", "subagentStart": "subagent"}
    del events["UserPromptSubmit"], events["SubagentStart"]
    # A command that failed counts as a success of its tool.
    matchers = {"PostToolUse": {"bash|view|create|edit|str_replace_editor|apply_patch": ()}}
    hooks = Hooks("copilot", events, form="flat", required=("version", 1), matchers=matchers)
    server = {"type": "local", "tools": ["*"], **_server()}
    return [
        HostFile(os.path.join(folder, "hooks/engrain.json"), [hooks]),
        HostFile(os.path.join(folder, "mcp-config.json"), [HostEntry(["mcpServers"], server)]),
        _skill(os.path.join(_home(), ".agents")),
    ]


def _cursor(folder: str, environ: Environ) -> Sequence[HostFile]:
    del environ
    events = {
        "sessionStart": "session-start",
        "beforeSubmitPrompt": "prompt",
        "stop": "stop",
        "preCompact": "pre-compact",
        "sessionEnd": "session-end",
    }
    hooks = Hooks("cursor", events, form="flat", comments=True, required=("version", 1))
    servers = HostEntry(["mcpServers"], _server(), comments=True)
    return [
        HostFile(os.path.join(folder, "hooks.json"), [hooks]),
        HostFile(os.path.join(folder, "mcp.json"), [servers]),
        _skill(folder),
    ]


def _opencode(folder: str, environ: Environ) -> Sequence[HostFile]:
    del environ
    names = ("opencode.json", "opencode.jsonc")
    config = next((name for name in names if os.path.exists(os.path.join(folder, name))), names[0])
    server = {"type": "local", "command": mcp_command(), "enabled": True}
    return [
        _plugin(os.path.join(folder, "plugins"), "opencode"),
        HostFile(os.path.join(folder, config), [HostEntry(["mcp"], server, comments=True)]),
        _skill(os.path.join(_home(), ".agents")),
    ]


def _pi(folder: str, environ: Environ) -> Sequence[HostFile]:
    del environ
    # It has no MCP by design; its model calls `engrain` as the skill says.
    return [
        _plugin(os.path.join(folder, "extensions"), "pi"),
        _skill(os.path.join(_home(), ".agents")),
    ]


@dataclass(frozen=True, slots=True)
class EntryHost:
    """A host that takes an MCP server and a file of rules, and runs no hook of ours: the entry goes
    into the object at `path` of `file`, with the members `more`; `rules` is a file of its own that
    the host gives to its model, below the home if it begins with `~`, "" for none. `on_mac` is the
    folder there, if it is another."""

    title: str
    folder: str
    file: str
    path: Sequence[str] = ("mcpServers",)
    more: Mapping[str, object] = field(default_factory=dict)
    rules: str = ""
    head: str = ""
    on_mac: str = ""


_CODE, _MAC = os.path.join(".config", "Code", "User"), "Library/Application Support"
_ROO = "globalStorage/rooveterinaryinc.roo-cline"
_EVERYWHERE = '---\napplyTo: "**"\n---\n'
ENTRY_HOSTS = {
    "cline": EntryHost("Cline CLI", ".cline", "data/settings/cline_mcp_settings.json"),
    "vscode": EntryHost(
        "VS Code", _CODE, "mcp.json", ("servers",), {"type": "stdio"},
        "prompts/engrain.instructions.md", _EVERYWHERE, f"{_MAC}/Code/User",
    ),
    "roo": EntryHost(
        "Roo Code", f"{_CODE}/{_ROO}", "settings/mcp_settings.json",
        rules="~/.roo/rules/engrain.md", on_mac=f"{_MAC}/Code/User/{_ROO}",
    ),
    "claude-desktop": EntryHost(
        "Claude Desktop", ".config/Claude", "claude_desktop_config.json", on_mac=f"{_MAC}/Claude"
    ),
    "zed": EntryHost(
        "Zed", ".config/zed", "settings.json", ("context_servers",), {"source": "custom"}
    ),
    "windsurf": EntryHost("Windsurf", ".codeium/windsurf", "mcp_config.json"),
    "kiro": EntryHost("Kiro", ".kiro", "settings/mcp.json", rules="steering/engrain.md"),
    "amp": EntryHost("Amp", ".config/amp", "settings.json", ("amp.mcpServers",)),
    "continue": EntryHost(
        "Continue", ".continue", "mcpServers/engrain.json", rules="rules/engrain.md"
    ),
}  # fmt: skip
"""As the documentation of each says in November 2026."""


def _make_entry_host(name: str, row: EntryHost) -> Host:
    def list_files(folder: str, environ: Environ) -> Sequence[HostFile]:
        del environ
        entry = HostEntry(row.path, {**row.more, **_server()}, comments=True)
        files = [HostFile(os.path.join(folder, row.file), [entry])]
        if row.rules:
            text = row.head + _read_data("skill", "RULES.md")
            place = os.path.join(folder, os.path.expanduser(row.rules))
            files.append(HostFile(place, [Whole(text, "# Engrain: memory that outlives")]))
        return files

    folder = row.on_mac if row.on_mac and sys.platform == "darwin" else row.folder
    return Host(name, row.title, folder, "", list_files, f"restart {row.title}")


HOSTS = {
    host.name: host
    for host in (
        Host(
            "claude-code",
            "Claude Code",
            ".claude",
            "CLAUDE_CONFIG_DIR",
            _claude_code,
            "every new session remembers",
        ),
        Host(
            "codex",
            "Codex",
            ".codex",
            "CODEX_HOME",
            _codex,
            "Codex runs no hook before you trust it, and `codex exec` does not even say so: start"
            ' `codex` once, and where it says "Hooks need review" choose "Trust all and continue"'
            " (later: type /hooks, then t)",
        ),
        Host(
            "gemini",
            "Gemini CLI",
            ".gemini",
            "GEMINI_CLI_HOME",
            _gemini,
            "every new session remembers, in a folder that you trust: in others"
            " Gemini CLI starts neither hooks nor MCP servers (/permissions changes that)",
            below=".gemini",
        ),
        Host("qwen", "Qwen Code", ".qwen", "", _qwen, "every new session remembers"),
        Host(
            "copilot",
            "Copilot CLI",
            ".copilot",
            "COPILOT_HOME",
            _copilot,
            "every new session remembers",
        ),
        Host("cursor", "Cursor", ".cursor", "", _cursor, "restart Cursor"),
        Host(
            "opencode",
            "OpenCode",
            os.path.join(".config", "opencode"),
            "XDG_CONFIG_HOME",
            _opencode,
            "restart OpenCode",
            below="opencode",
        ),
        Host("pi", "Pi", ".pi/agent", "PI_CODING_AGENT_DIR", _pi, "every new session remembers"),
        *(_make_entry_host(name, row) for name, row in ENTRY_HOSTS.items()),
    )
}


def _server() -> dict[str, object]:
    command, *args = mcp_command()
    return {"command": command, "args": args}


def _plugin(folder: str, host: str) -> HostFile:
    """Return the plugin in `folder` for a host that runs one in its own process."""
    content = make_plugin(host, hook_program(find_state_dir()))
    return HostFile(os.path.join(folder, "engrain.ts"), [Whole(content, "`engrain setup")])


def make_plugin(host: str, program: Sequence[str]) -> str:
    """Return the source of a host's plugin that runs `program`."""
    source = _read_data("plugin", "shared.ts") + _read_data("plugin", f"{host}.ts")
    named = source.replace(_HOST_LINE, f"const HOST = {json.dumps(host)}")
    return named.replace(_PROGRAM_LINE, f"const PROGRAM = {json.dumps(program)}")


def _skill(folder: str, *, named: bool = True) -> HostFile:
    """Return the skill below `folder`. Several hosts read `.agents`, and some complain about a
    skill that they find twice."""
    text = _read_data("skill", "SKILL.md")
    own = text if named else text.replace(f"name: {NAME}\n", "", 1)
    path = os.path.join(folder, "skills", NAME, "SKILL.md")
    return HostFile(path, [Whole(own, "# Engrain: memory that outlives")])


def _read_data(*names: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), *names), encoding="utf-8") as file:  # noqa: PTH123
        return file.read()


def _home() -> str:
    return os.path.expanduser("~")
