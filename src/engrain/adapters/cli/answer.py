"""How a command answers that changed one entry."""

from __future__ import annotations

from engrain.adapters.cli.console import Console
from engrain.adapters.present.records import describe_outcome
from engrain.adapters.present.text import outcome_lines
from engrain.engine.core.outcomes import Outcome


def answer_outcome(command: str, outcome: Outcome, console: Console) -> int:
    """Tell what a write came to; the exit code."""
    return console.answer(command, describe_outcome(outcome), outcome_lines(outcome, console.style))
