"""Whom a turn's "I" means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engrain.model.facts.entity import OPERATOR_ENTITY, OPERATOR_NAME
from engrain.model.facts.turns import AGENT, DOCUMENT, OPERATOR, Turn

_CALLED = "The operator"
_NO_NAME = re.compile(
    r"^(?:unknown\b.*|speaker|user|human|assistant|unknown|participant|person|guest|caller"
    r"|host|system|me|you|customer|agent|ai|bot)"
    r"[\s_#-]*\w?\d*$",
    re.IGNORECASE,
)


@dataclass(slots=True, eq=False)
class Subject:
    """A speaker: the `entity` that facts of them are about, and what they are `called` in them."""

    entity: str
    called: str


def operator_of(settings: Mapping[str, str | None]) -> str:
    """The operator's name as it is set, "" where it is not."""
    return " ".join((settings.get(OPERATOR_NAME) or "").split())


def subject_of(turn: Turn) -> Subject | None:
    """Whom the first person of a turn means; None where nobody can tell, and for the agent."""
    if turn.role in (AGENT, DOCUMENT):
        return None
    name = " ".join(turn.speaker.split())
    if name and not _NO_NAME.match(name):
        return Subject(name, name)
    return Subject(OPERATOR_ENTITY, _CALLED) if turn.role == OPERATOR else None
