"""What a command answers: data for a program, lines for a person, and an exit code if not 0."""

from __future__ import annotations

from engrain.adapters.present.records import describe_outcome
from engrain.adapters.present.text import outcome_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias

    from engrain.adapters.cli.console import Console
    from engrain.engine.core.outcomes import Outcome

Answer: TypeAlias = """(
    tuple[Mapping[str, object], Iterable[str]] | tuple[Mapping[str, object], Iterable[str], int]
)"""


def tell_outcome(outcome: Outcome, console: Console) -> Answer:
    """The answer of a command that wrote one entry."""
    return describe_outcome(outcome), outcome_lines(outcome, console.style)
