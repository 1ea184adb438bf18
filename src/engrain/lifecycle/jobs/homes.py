"""Functions that tables name by where they are, as `module:name`."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(home: str) -> Any:
    """The function at a home, whose module is imported at the first use."""
    module, _, name = home.partition(":")
    return getattr(import_module(module), name)
