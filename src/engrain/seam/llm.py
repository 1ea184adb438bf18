"""The port to a language model (S4.4), and those of what may ask one: a summarizer, an extractor of
facts and a reflector.

No model has to be there: whatever asks one has a deterministic form as well, and says which of the
two ran.

Glossary
--------
taken, given   tokens of the question and of the answer, as the server counts them, else estimated.
schema         a JSON schema of an object, with only the keywords that every server knows: `type`,
               `properties`, `required`, `items`, `enum`, `description`, `additionalProperties`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from engrain.model.facts.fact import FactDraft, Turn


@dataclass(slots=True, eq=False)
class Completion:
    """A complete answer, and the tokens it cost."""

    text: str
    taken: int
    given: int


class LLM(ABC):
    """A language model at a server. Methods may be called from several threads."""

    name: str
    """The server's name for the model."""

    @abstractmethod
    def complete(
        self, system: str, text: str, *, schema: Mapping[str, Any] | None = None, most_tokens: int
    ) -> Completion:
        """Return the answer to `text` under the instructions of `system`, of at most `most_tokens`.

        With a `schema` the server is asked for JSON that fits, as far as it supports that; the
        caller must check the answer. Raises ModelError, also for an answer that was cut off or
        withheld.
        """


class Summarizer(ABC):
    """A writer of summaries of archived entries (S1.9), in place of an extract of
    `language.text.summary`. Methods may be called from several threads."""

    name: str
    """The name of the writer, which is stored with the summary."""

    @abstractmethod
    def summarize(self, title: str, text: str, most_words: int) -> str:
        """Return a summary of `text`, an entry's body under `title`, in about `most_words`. The
        text is data and never obeyed. Raises EngrainError."""


class Extractor(ABC):
    """A reader of turns, which finds facts (S4.4). They are drafts: the validated path decides what
    becomes of them."""

    name: str
    """Its name in reports of which form ran: `rules`, or `llm:` and a model."""

    @abstractmethod
    def extract(self, turns: Sequence[Turn], people: Sequence[str] = ()) -> list[FactDraft]:
        """Return the durable facts in some turns of one conversation, in their order.

        `people` are names of known entities. Each draft has in `at` when it was said; the caller
        fills in its source. No text makes it raise an error.
        """


@dataclass(slots=True, eq=False)
class Reflection:
    """One candidate: an entry of `kind` called `title`, in the operator's own words (`quote`), with
    a reason in the words behind (`why`, "" for none).

    `confidence` is from 0 to 1; `at` is when it was said, in epoch seconds, and `key` identifies
    the turn. `about` is their request before. `here` says that the words name the current project;
    `habit` that it is no statement, and counts only if it recurs.
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
    """A reader of one session's turns, which finds what is worth keeping of the operator's words
    (S1.20). The confidence of a candidate decides what becomes of it."""

    name: str
    """Its name in reports of which form ran: `rules`, or `llm:` and a model."""

    @abstractmethod
    def reflect(self, turns: Sequence[Turn]) -> list[Reflection]:
        """Return the candidates in some turns of one session, in their order. Turns of others than
        the operator are only context. No text makes it raise an error."""
