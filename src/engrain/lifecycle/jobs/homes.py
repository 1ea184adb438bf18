"""Functions that tables name by where they are, as `module:name`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def load(home: str) -> Any:
    """The function at a home, whose module is imported at the first use."""
    from importlib import import_module

    module, _, name = home.partition(":")
    return getattr(import_module(module), name)
