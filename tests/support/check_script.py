"""The independent LoCoMo scorer that lies beside the real data, written by others."""

from __future__ import annotations

import importlib.util
from functools import cache
from types import ModuleType

import pytest

from support.real_data import DATA

PATH = DATA.parent / "check" / "locomo_eval.py"

needs_check = pytest.mark.skipif(
    not PATH.exists(), reason="the independent scorer check/locomo_eval.py is not here"
)


leaves_files_open = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)
"""For tests that let the script read a file."""


@cache
def load_check() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("locomo_eval", PATH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
