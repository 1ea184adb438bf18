"""The reflector port: from what the operator said in a session to what is worth keeping (S1.20).

It has a deterministic form and one that asks a language model. What either finds is a candidate,
which goes into a lane by its confidence; only the operator's own words make one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from engrain.model.facts.turns import Turn


@dataclass(slots=True, eq=False)
class Reflection:
    """One candidate: an entry of `kind` called `title`, which the operator said in the words of
    `quote`, and `why` in the words behind those ("" for none).

    `confidence` is from 0 to 1; `at` is when it was said, in epoch seconds, and `key` names the
    turn. `about` is what they had asked for before. `here` says that the words name the project
    they were said in; `habit` that nothing was stated: it counts only where it comes again.
    """

    kind: str
    title: str
    quote: str
    confidence: float
    _: KW_ONLY
    why: str = ""
    at: float | None = None
    key: str = ""
    about: str = ""
    here: bool = False
    habit: bool = False


class Reflector(ABC):
    """A reader of one session's turns."""

    name: str
    """Its name in reports of which form ran: `rules`, or `llm:` and a model."""

    @abstractmethod
    def reflect(self, turns: Sequence[Turn]) -> list[Reflection]:
        """What is worth keeping of some turns of one session, in their order; the turns of others
        than the operator are there to be understood. It never raises for what a text says."""
