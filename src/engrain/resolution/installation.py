"""How this Engrain was installed, so that a message names the command that adds a part to it.

Where Engrain did not come from a package index, no message sends anyone to a name on one.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from shlex import join
from urllib.parse import unquote, urlsplit

_TOOLS = (
    ("pipx_metadata.json", f"{os.sep}pipx{os.sep}", ["pipx", "install", "--force"]),
    ("uv-receipt.toml", f"{os.sep}uv{os.sep}tools{os.sep}", ["uv", "tool", "install", "--force"]),
)
"""The file that a tool puts into an environment, a part of the environment's usual path, and how
the tool installs anew."""

_PASSING = f"{os.sep}uv{os.sep}archive-"
"""A part of the path of an environment that `uvx` has made for one call."""


def compose_install(extra: str) -> str:
    """Return the command that adds an extra, such as `console`, to this installation."""
    wanted = _compose_requirement(extra, _read_origin())
    prefix = os.path.join(sys.prefix, "")
    for mark, part, command in _TOOLS:
        if part in prefix or os.path.exists(prefix + mark):
            return join([*command, wanted])
    if _PASSING in prefix:
        return join(["uvx", "--from", wanted, "engrain"])
    if find_spec("pip") is None:
        return join(["uv", "pip", "install", "--python", sys.executable, wanted])
    return join([sys.executable, "-m", "pip", "install", wanted])


def _read_origin() -> dict[str, object]:
    """Return where Engrain came from, as its installer wrote it (PEP 610); empty for an index."""
    for folder in sys.path:
        try:
            names = os.listdir(folder or os.curdir)
        except OSError:
            continue
        for name in names:
            if name.startswith("engrain-") and name.endswith(".dist-info"):
                return _read_object(os.path.join(folder, name, "direct_url.json"))
    return {}


def _read_object(path: str) -> dict[str, object]:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            value = json.load(file)
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _compose_requirement(extra: str, origin: dict[str, object]) -> str:
    """Return the requirement of Engrain with an extra, from where it came (PEP 508)."""
    url, vcs = str(origin.get("url") or ""), origin.get("vcs_info")
    if url.startswith("file:"):
        return f"{unquote(urlsplit(url).path)}[{extra}]"
    if isinstance(vcs, dict):
        url = f"{vcs.get('vcs')}+{url}@{vcs.get('commit_id')}"
    return f"engrain[{extra}] @ {url}" if url else f"engrain[{extra}]"
