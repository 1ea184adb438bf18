"""Real data to test on, read in place and never copied into the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ENGRAIN_DATA", ROOT.parent / "shared" / "data"))


def needs(path: str) -> pytest.MarkDecorator:
    """Skip where a part of the data is absent."""
    return pytest.mark.skipif(
        not (DATA / path).exists(), reason=f"the data set {path} is not here (ENGRAIN_DATA)"
    )
