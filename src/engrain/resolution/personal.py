"""Keep the operator's own notes apart from the vault and from imports (S1.7).

The vault may be a folder below `personal.root`, beside the operator's notes. The notes may not be
below the vault, since they would then be the agent's.
"""

from __future__ import annotations

import contextlib
import os

from engrain.model.errors import ConfigError, ForbiddenPathError
from engrain.resolution.files import climb


def check_vault(vault: str, root: str | None) -> None:
    """Raise ConfigError if `root`, the operator's notes, is the vault's folder or inside it."""
    if root and _lies_in(_real(root), _real(vault)):
        raise ConfigError(
            "the vault holds personal.root, so the operator's own notes would be the agent's",
            path=vault,
            remedy="make the vault a folder below personal.root, or set another root",
        )


def check_source(source: str, root: str | None, vault: str) -> None:
    """Raise ForbiddenPathError if a folder to import contains the operator's own notes or is among
    them; the vault and hidden folders are not."""
    if not root:
        return
    source, root, vault = _real(source), _real(root), _real(vault)
    below = source.removeprefix(root + os.sep).split(os.sep) if source.startswith(root) else []
    among = _lies_in(source, root) and not _lies_in(source, vault)
    if _lies_in(root, source) or (among and not any(part.startswith(".") for part in below)):
        raise ForbiddenPathError(
            "the operator's own notes (personal.root) are not imported",
            path=source,
            remedy="read one with `engrain personal read`; the operator may unset personal.root",
        )


def _lies_in(folder: str, above: str) -> bool:
    """Whether a folder is another or inside it, even by other names."""
    for one in climb(folder):
        with contextlib.suppress(OSError, ValueError):
            if os.path.samefile(one, above):
                return True
    return False


def _real(folder: str) -> str:
    return os.path.realpath(os.path.expanduser(folder))
