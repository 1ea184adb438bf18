"""The hosts: which files each reads, and what of ours goes into them. All of it is data.

The contracts are the hosts' own documentation: Claude Code's hooks, settings and skills; Codex's
hooks (`developers.openai.com/codex/hooks`), skills and `config.toml`; Gemini CLI's hooks reference;
Cursor's hooks and MCP pages; OpenCode's plugin and MCP pages.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from engrain.adapters.hosts.commands import hook_program, mcp_command
from engrain.adapters.hosts.hook_part import Hooks
from engrain.adapters.hosts.parts import NAME, Entry, Part, Whole
from engrain.adapters.hosts.toml_part import ServerTable
from engrain.adapters.hosts.trust import TrustRecords
from engrain.model.errors import ConfigError

Environ: TypeAlias = "Mapping[str, str]"


_PROGRAM_LINE = 'const PROGRAM = ["engrain"]'


class HostFile:
    """A file of a host: what of ours is in it always, and what only with the MCP server; of a
    `retired` one, what an earlier version put there and this one takes out."""

    __slots__ = ("_parts", "_retired", "path")

    def __init__(self, path: str, *parts: Part, retired: bool = False) -> None:
        self.path = path
        self._parts = parts
        self._retired = retired

    @property
    def hooks(self) -> Sequence[Hooks]:
        return [part for part in self._parts if isinstance(part, Hooks)]

    @property
    def trust(self) -> Sequence[TrustRecords]:
        return [part for part in self._parts if isinstance(part, TrustRecords)]

    def add(self, raw: bytes | None) -> bytes | None:
        """The file with ours in it. Raises ConfigError when it is not what the host could read."""
        if self._retired:
            return None if raw is None else self.remove(raw, None)
        return self._edit(raw, lambda part, text: part.add(text))

    def remove(self, raw: bytes, base: bytes | None) -> bytes | None:
        """The file without ours, None when nothing else is left of a file that `base` says was
        not there. Raises ConfigError."""
        old = None if base is None else base.decode(errors="replace")
        left = self._edit(raw, lambda part, text: part.remove(text, old))
        return None if base is None and left != raw and left.strip() in (b"", b"{}") else left

    def _edit(self, raw: bytes | None, change: Callable[[Part, str], str]) -> bytes:
        try:
            text = (raw or b"").decode()
            for part in self._parts:
                text = change(part, text)
        except ValueError as error:
            what = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            raise ConfigError(
                f"can't be read as its host would: {what}; nothing was changed",
                path=self.path,
                remedy="correct the file, then run the same command again",
            ) from None
        return text.encode()


class Host:
    """An agent's host. `after` is what a person has to do there once, if anything.

    Its folder is `folder` in the home; where `variable` is set, `below` in what that names.
    """

    __slots__ = ("_below", "_files", "_folder", "_variable", "after", "name", "title")

    def __init__(
        self,
        name: str,
        title: str,
        folder: Sequence[str],
        variable: str,
        files: Callable[[str, Environ], Sequence[HostFile]],
        after: str,
        below: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.title = title
        self.after = after
        self._folder = folder
        self._variable = variable
        self._below = below
        self._files = files

    def folder(self, environ: Environ) -> str:
        """Its configuration folder, whether it is there or not."""
        given = environ.get(self._variable)
        if given:
            return os.path.join(os.path.abspath(given), *self._below)
        return os.path.join(_home(), *self._folder)

    def files(self, environ: Environ) -> Sequence[HostFile]:
        return self._files(self.folder(environ), environ)


def _claude_code(folder: str, environ: Environ) -> Sequence[HostFile]:
    events = {
        "SessionStart": "session-start",
        "UserPromptSubmit": "prompt",
        "Stop": "stop",
        "PreCompact": "pre-compact",
        "SessionEnd": "session-end",
    }
    servers = os.path.join(folder if environ.get("CLAUDE_CONFIG_DIR") else _home(), ".claude.json")
    # Newer releases offer the names of tools only, and wait for no server, unless it says this.
    server = {"type": "stdio", **_server(), "alwaysLoad": True}
    return [
        HostFile(os.path.join(folder, "settings.json"), Hooks("claude-code", events, form="exec")),
        HostFile(servers, Entry(["mcpServers"], server, comments=False)),
        # OpenCode reads this folder too, but no skill without a name: it has another one.
        _skill(folder, named=False),
    ]


def _codex(folder: str, environ: Environ) -> Sequence[HostFile]:
    del environ
    events = {
        "SessionStart": "session-start",
        "UserPromptSubmit": "prompt",
        "PreCompact": "pre-compact",
        "Stop": "stop",
        "SessionEnd": "session-end",
    }
    hooks = os.path.join(folder, "hooks.json")
    return [
        # A session's end has one second there unless more is asked for, and three at most.
        HostFile(hooks, Hooks("codex", events, form="line", last=3)),
        HostFile(
            os.path.join(folder, "config.toml"), TrustRecords(hooks, events), ServerTable(_server())
        ),
        _skill(os.path.join(_home(), ".agents")),
    ]


def _gemini(folder: str, environ: Environ) -> Sequence[HostFile]:
    del environ
    events = {
        "SessionStart": "session-start",
        "BeforeAgent": "prompt",
        "AfterAgent": "stop",
        "SessionEnd": "session-end",
    }
    # It says PreCompress before every turn, whether anything is compacted or not.
    hooks = Hooks(
        "gemini",
        events,
        form="line",
        second=1000,
        name=NAME,
        comments=True,
        retired={"PreCompress": "pre-compact"},
    )
    return [
        HostFile(
            os.path.join(folder, "settings.json"),
            hooks,
            Entry(["mcpServers"], _server(), comments=True),
        ),
        _skill(os.path.join(os.path.dirname(folder), ".agents")),
        _skill(folder, retired=True),
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
    return [
        HostFile(
            os.path.join(folder, "hooks.json"),
            Hooks("cursor", events, form="flat", comments=True, required=("version", 1)),
        ),
        HostFile(os.path.join(folder, "mcp.json"), Entry(["mcpServers"], _server(), comments=True)),
        _skill(folder),
    ]


def _opencode(folder: str, environ: Environ) -> Sequence[HostFile]:
    del environ
    names = ("opencode.json", "opencode.jsonc")
    config = next((name for name in names if os.path.exists(os.path.join(folder, name))), names[0])
    server = {"type": "local", "command": mcp_command(), "enabled": True}
    plugin = _read_data("opencode", "engrain.ts")
    own = plugin.replace(_PROGRAM_LINE, f"const PROGRAM = {json.dumps(hook_program())}")
    return [
        HostFile(os.path.join(folder, "plugins", "engrain.ts"), Whole(own, "`engrain setup")),
        HostFile(os.path.join(folder, config), Entry(["mcp"], server, comments=True)),
        _skill(os.path.join(_home(), ".agents")),
        _skill(folder, retired=True),
    ]


HOSTS = {
    host.name: host
    for host in (
        Host(
            "claude-code",
            "Claude Code",
            [".claude"],
            "CLAUDE_CONFIG_DIR",
            _claude_code,
            "every new session remembers",
        ),
        Host(
            "codex",
            "Codex",
            [".codex"],
            "CODEX_HOME",
            _codex,
            "Codex runs no hook before you trust it, and `codex exec` does not even say so: start"
            ' `codex` once, and where it says "Hooks need review" choose "Trust all and continue"'
            " (later: type /hooks, then t)",
        ),
        Host(
            "gemini",
            "Gemini CLI",
            [".gemini"],
            "GEMINI_CLI_HOME",
            _gemini,
            "every new session remembers, in a folder that you trust: in others"
            " Gemini CLI starts neither hooks nor MCP servers (/permissions changes that)",
            below=[".gemini"],
        ),
        Host("cursor", "Cursor", [".cursor"], "", _cursor, "restart Cursor"),
        Host(
            "opencode",
            "OpenCode",
            [".config", "opencode"],
            "XDG_CONFIG_HOME",
            _opencode,
            "restart OpenCode",
            below=["opencode"],
        ),
    )
}


def _server() -> dict[str, object]:
    command, *args = mcp_command()
    return {"command": command, "args": args}


def _skill(folder: str, *, named: bool = True, retired: bool = False) -> HostFile:
    """The skill below `folder`: `.agents` is read by several hosts, of which some complain of one
    that they find twice."""
    text = _read_data("skill", "SKILL.md")
    own = text if named else text.replace(f"name: {NAME}\n", "", 1)
    path = os.path.join(folder, "skills", NAME, "SKILL.md")
    return HostFile(path, Whole(own, "# Engrain: memory that outlives"), retired=retired)


def _read_data(*names: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), *names), encoding="utf-8") as file:  # noqa: PTH123
        return file.read()


def _home() -> str:
    return os.path.expanduser("~")
