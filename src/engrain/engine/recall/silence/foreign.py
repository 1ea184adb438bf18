"""Prompts about anything, which no vault in particular answers; they ship with Engrain."""

from __future__ import annotations

import re
from pkgutil import get_data

_FILE = "foreign.txt"
_LINE_END = "⏎"
_NAME = re.compile(r"(?<=[^\s.!?:])(?P<blank>\s+[\"'(]?)[A-ZÀ-Þ][\w.'’-]*\w(?:['’]s)?")
"""A word that begins with a capital within a sentence."""


def read_foreign() -> list[str]:
    """The prompts as they are, in the order of the file."""
    raw = get_data(__package__, _FILE) or b""
    lines = raw.decode("utf-8").splitlines()
    return [line.replace(_LINE_END, "\n") for line in lines if line and not line.startswith("#")]


def without_names(prompt: str) -> str:
    """A prompt less the words that are written as names are."""
    return " ".join(_NAME.sub(r"\g<blank>", prompt).split())


def list_foreign() -> list[str]:
    """Every prompt, and behind them those that have names once more without these."""
    prompts = read_foreign()
    bare = [without_names(prompt) for prompt in prompts]
    named = [new for new, old in zip(bare, prompts, strict=True) if new != " ".join(old.split())]
    return prompts + named
