"""A rotation of a log between two openings of its files by the module that reads them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest


def rotate_before_opening(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, number: int, rotate: Callable[[], None]
) -> None:
    """Rotate once, before the module opens a file for the time of this number (from 0)."""
    times = 0

    def look_first(*given: Any, **named: Any) -> Any:
        nonlocal times
        times += 1
        if times == number + 1:
            rotate()
        return open(*given, **named)

    monkeypatch.setattr(module, "open", look_first, raising=False)
