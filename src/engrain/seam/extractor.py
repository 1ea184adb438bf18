"""The extractor port: from what was said to facts about whom (S4.4).

It has a deterministic form and one that asks a language model. What either finds is a draft: the
validated path decides what becomes of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from engrain.model.facts.fact import FactDraft
from engrain.model.facts.turns import Turn


class Extractor(ABC):
    """A reader of turns."""

    name: str
    """Its name in reports of which form ran: `rules`, or `llm:` and a model."""

    @abstractmethod
    def extract(self, turns: Sequence[Turn], people: Sequence[str] = ()) -> list[FactDraft]:
        """The durable facts in some turns of one conversation, in their order.

        `people` are names of entities that are known. Of each draft `at` is when it was said;
        where it came from is filled in by the caller. What can't be read says nothing: it never
        raises for what a text says.
        """
