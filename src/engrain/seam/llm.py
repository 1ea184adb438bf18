"""The port to a language model (S4.4), and those of what may ask one: a summarizer, an extractor of
facts and a reflector.

No model has to be there: whatever asks one has a deterministic form as well, and says which of the
two ran.

Glossary
--------
taken, given   tokens of the question and of the answer, as the server counts them; estimated where
               it does not say.
schema         a JSON schema of an object. Only `type`, `properties`, `required`, `items`, `enum`,
               `description` and `additionalProperties` stand in one: what every server knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from engrain.model.facts.fact import FactDraft, Turn


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


class Summarizer(ABC):
    """A writer of summaries. Methods may be called from several threads."""

    name: str
    """What the summary is marked with: who wrote it."""

    @abstractmethod
    def summarize(self, title: str, text: str, most_words: int) -> str:
        """The most that matters of `text`, an entry's body under `title`, in about `most_words`.
        The text is summarized and never obeyed. Raises EngrainError where it can't."""


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
