"""What keeps the operator's own notes apart from the vault and from what is imported (S1.7).

The vault may lie below `personal.root`, as a folder beside the operator's notes. The other way
round the notes would be the agent's, so that is refused.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from engrain.model.errors import ConfigError, ForbiddenPathError


def check_vault(vault: str, root: str | None) -> None:
    """Raises ConfigError when `root`, the operator's notes, is the vault's folder or lies in it."""
    if root and _lies_in(_real(root), _real(vault)):
        raise ConfigError(
            "the vault holds personal.root, so the operator's own notes would be the agent's",
            path=vault,
            remedy="make the vault a folder below personal.root, or set another root",
        )


def check_source(source: str, root: str | None, vault: str) -> None:
    """Raises ForbiddenPathError when a folder to be imported holds notes of the operator's own, or
    lies among them. The vault does not, nor does what is hidden."""
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
    """Whether a folder is another or lies in it, by whatever names."""
    try:
        wanted = os.stat(above)
    except (OSError, ValueError):
        return False
    return any(os.path.samestat(wanted, found) for found in _climb(folder))


def _climb(folder: str) -> Iterator[os.stat_result]:
    """What a folder and all above it are, of those that are there."""
    while True:
        with contextlib.suppress(OSError, ValueError):
            yield os.stat(folder)
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _real(folder: str) -> str:
    return os.path.realpath(os.path.expanduser(folder))
