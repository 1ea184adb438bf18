"""What in a host's own settings keeps our hooks from working, though they are there."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence

from engrain.adapters.hosts.files import read
from engrain.adapters.hosts.json_tree import parse
from engrain.adapters.hosts.table import Host
from engrain.model.errors import EngrainError

# Host -> its file, and each (path of keys, value) that switches every hook off.
_SWITCHES: Mapping[str, tuple[str, Sequence[tuple[Sequence[str], bool]]]] = {
    "claude-code": ("settings.json", [(("disableAllHooks",), True)]),
    "codex": (
        "config.toml",
        [(("features", "hooks"), False), (("features", "codex_hooks"), False)],
    ),
    "gemini": (
        "settings.json",
        [(("hooksConfig", "enabled"), False), (("tools", "enableHooks"), False)],
    ),
}
_PLUGINS = "enabledPlugins"
_UNTRUSTED = (
    "{} does not run the hooks for {}, which its user has not trusted as they are now, or has"
    " switched off: type /hooks there, then t"
)


def find_obstacles(host: Host, environ: Mapping[str, str]) -> list[str]:
    """Sentences for a person; none for a host that says nothing against it."""
    name, switches = _SWITCHES.get(host.name, ("", ()))
    if not name:
        return []
    settings = _read_settings(os.path.join(host.folder(environ), name))
    found = [
        f"{host.title} has its hooks switched off: {'.'.join(path)} in {name}"
        for path, value in switches
        if _look_up(settings, path) is value
    ]
    records = [part for file in host.files(environ) for part in file.trust]
    if untrusted := [event for part in records for event in part.find_untrusted(settings)]:
        found.append(_UNTRUSTED.format(host.title, ", ".join(untrusted)))
    plugins = settings.get(_PLUGINS)
    if isinstance(plugins, dict):
        found += [
            f"the plugin {plugin} is enabled in {host.title} too, so each hook runs twice:"
            " disable the plugin, or uninstall here"
            for plugin, enabled in plugins.items()
            if str(plugin).startswith("engrain@") and enabled
        ]
    return found


def _read_settings(path: str) -> Mapping[str, object]:
    """The settings, empty where they can't be read: others say so."""
    try:
        text = (read(path) or b"").decode().removeprefix("\ufeff")
        if path.endswith(".toml"):
            return tomllib.loads(text)
        value = parse(text, comments=True).read(text)
    except (EngrainError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _look_up(settings: Mapping[str, object], path: Sequence[str]) -> object:
    value: object = settings
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
