"""The LLM port: one question to a language model, one answer (S4.4).

None has to be there: whatever asks one has a deterministic form that does without, and says which
of the two ran.

Glossary
--------
taken, given   tokens of the question and of the answer, as the server counts them; estimated where
               it does not say.
schema         a JSON schema of an object. Only `type`, `properties`, `required`, `items`, `enum`,
               `description` and `additionalProperties` stand in one: what every server knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True, eq=False)
class Completion:
    """An answer that came to its end, and the tokens it cost."""

    text: str
    taken: int
    given: int


class LLM(ABC):
    """A language model at some server. Methods may be called from several threads."""

    name: str
    """The model, as its server calls it."""

    @abstractmethod
    def complete(
        self, system: str, text: str, *, schema: Mapping[str, Any] | None = None, most_tokens: int
    ) -> Completion:
        """The answer to `text` under the instructions of `system`, of `most_tokens` at most.

        With a `schema` the server is asked to answer in JSON that fits, as far as it can: the text
        is what it said, and the caller looks whether it does. Raises ModelError, also for an answer
        that was cut off or withheld.
        """
