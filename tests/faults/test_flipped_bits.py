"""Many more flipped bits than `unit/engine/test_flipped_bits.py` tries."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.flipping import Derived
from unit.engine.test_flipped_bits import FILES, try_bits

MANY = 200


@pytest.mark.parametrize("file", FILES)
def test_a_recall_answers_whatever_bit_is_flipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    try_bits(Derived(tmp_path), file, MANY)
