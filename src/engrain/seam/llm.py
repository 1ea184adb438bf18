"""The port to a language model, the only way to ask one (S4.4).

No model has to be there: whatever asks one has a deterministic form as well, and says which of the
two ran.

The data of a question was written by others. Each piece is on a line of its own as JSON, so that no
text can imitate another piece; secrets are removed; and all of it is between two lines with a mark
that is random each time, so that no text can end it. The answer is untrusted too: the caller keeps
only what the data supports.

Glossary
--------
taken, given   tokens of the question and of the answer, as the server counts them, else estimated.
schema         a JSON schema of an object, with only the keywords that every server knows: `type`,
               `properties`, `required`, `items`, `enum`, `description`, `additionalProperties`.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from engrain.language.secrets.finding import redact


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


Draw: TypeAlias = Callable[[int], bytes]
"""Returns this many random bytes."""
Line: TypeAlias = Mapping[str, object] | str
"""One piece of the data: a JSON object, or a plain text."""

TEXT: Mapping[str, Any] = {"type": "string"}
TEXT_OR_NULL: Mapping[str, Any] = {"type": ["string", "null"]}
NO_JSON = "no JSON"
WRONG_SCHEMA = "wrong schema"
"""Reasons why an answer is unusable."""

_MARK_BYTES = 8
_DECODER = json.JSONDecoder()
_MOST_TRIED = 20
"""Places in an answer at which its object may begin, behind prose or in a fence."""


class Broken(Exception):
    """An answer is unusable, for a reason in a few words."""


@dataclass(slots=True, frozen=True)
class Question:
    """A question about varying data. `task` has the instructions, with `{mark}` for the mark around
    the data. The answer is a JSON object whose list named `key` has items with these `fields`, each
    a JSON schema. `most_tokens` bounds the answer."""

    task: str
    key: str
    fields: Mapping[str, Mapping[str, Any]]
    most_tokens: int

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of an answer. Every field is required and may be null, as the strict mode
        of OpenAI wants it."""
        items = _object_of({name: dict(each) for name, each in self.fields.items()})
        return _object_of({self.key: {"type": "array", "items": items}})

    def ask(self, llm: LLM, draw: Draw, lines: Iterable[Line]) -> list[Any]:
        """Return the list in the answer. Raises Broken for an answer of no use, EngrainError where
        the server gave none, or the cap is reached."""
        mark = draw(_MARK_BYTES).hex()
        text = "\n".join([mark, *map(_write_line, lines), mark])
        system = self.task.format(mark=mark)
        done = llm.complete(system, text, schema=self.schema, most_tokens=self.most_tokens)
        return self.read_items(done.text)

    def read_items(self, text: str) -> list[Any]:
        """Return the answer's list; its object may stand in prose or in a fence. Raises Broken."""
        reason = NO_JSON
        for brace in islice(re.finditer(r"\{", text), _MOST_TRIED):
            try:
                answer, _ = _DECODER.raw_decode(text, brace.start())
            except (ValueError, RecursionError):
                continue
            if isinstance(answer, dict) and isinstance(items := answer.get(self.key), list):
                return items
            reason = WRONG_SCHEMA
        raise Broken(reason)


def one_of(words: Iterable[str]) -> Mapping[str, Any]:
    """Return the schema of a text that is one of these words."""
    return {"type": "string", "enum": list(words)}


def _object_of(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _write_line(line: Line) -> str:
    if isinstance(line, str):
        return redact(line)[0]
    clean = {key: redact(it)[0] if isinstance(it, str) else it for key, it in line.items()}
    return json.dumps(clean, ensure_ascii=False)
