"""Pairs of statements about one subject, the later second, as people word such things.

`OVER`: the earlier holds no longer. `BOTH`: both may hold. `SAME`: the later says nothing else.
Most are free sentences, which only a model can judge; `bench` has pairs of another origin.
"""

from __future__ import annotations

from pathlib import Path

OVER, BOTH, SAME = "over", "both", "same"

_TEXT = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")

PAIRS = [tuple(map(str.strip, line.split(" | "))) for line in _TEXT.splitlines()]
"""Each a label, the subject, the earlier statement and the later."""
