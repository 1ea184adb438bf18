"""What a kind of server speaks: how a question is worded for it, and an answer read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeAlias

Body: TypeAlias = "dict[str, Any]"
Structure: TypeAlias = "Callable[[Mapping[str, Any]], Body]"


TEMPERATURE = "temperature"
MAX_TOKENS = "max_tokens"

STOPPED = "stopped"
CUT = "cut off"
WITHHELD = "withheld"


@dataclass(slots=True, eq=False)
class Question:
    """A question to a model: its name, the instructions, the text, and how long an answer may
    be."""

    model: str
    system: str
    text: str
    schema: Mapping[str, Any] | None
    most_tokens: int


@dataclass(slots=True, eq=False)
class Wording:
    """What one server takes, as its refusals have taught: how far down the dialect's `structures`
    it was met, and the parameters that it does not know."""

    structure: int = 0
    refused: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Said:
    """What an answer says: its text, how it ended, the tokens it cost where the server says so."""

    text: str
    end: str
    taken: int | None
    given: int | None


@dataclass(slots=True, eq=False)
class Dialect:
    """One kind of server.

    `path` is added to an address that ends in none of `endings`, in place of `root`. `structures`
    are the ways to ask for an answer of a schema, the most binding one first; a server
    that refuses one is asked by the next, down to words alone. `optional` are parameters that some
    models refuse.
    """

    name: str
    _: KW_ONLY
    path: str
    ending: str
    root: str
    headers: Callable[[str | None], Mapping[str, str]]
    body: Callable[[Question, Wording], Body]
    structures: Sequence[Structure]
    optional: Sequence[str]
    read: Callable[[object], Said]

    def endpoint(self, url: str) -> str:
        """The whole address, where only a server or its root is named."""
        bare = url.rstrip("/")
        return bare if bare.endswith(self.ending) else bare.removesuffix(self.root) + self.path

    def compose(self, question: Question, wording: Wording) -> Body:
        """The request's body."""
        body = self.body(question, wording)
        if question.schema is not None:
            body |= self.structures[wording.structure](question.schema)
        return body

    def concede(self, question: Question, wording: Wording, refusal: str) -> Wording | None:
        """How to ask after a refusal that says `refusal`; None where there is nothing to give."""
        lowered = refusal.lower()
        for name in self.optional:
            if name in lowered and name not in wording.refused:
                return Wording(wording.structure, wording.refused | {name})
        if question.schema is not None and wording.structure + 1 < len(self.structures):
            return Wording(wording.structure + 1, wording.refused)
        return None


def field_of(value: object, *path: str | int) -> object:
    """What stands in a reply under keys and places, None where there is nothing."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def count_at(value: object, *path: str | int) -> int | None:
    """A number of tokens in a reply, None for what is none."""
    found = field_of(value, *path)
    return found if type(found) is int and found >= 0 else None


def text_at(value: object, *path: str | int) -> str:
    """The text under keys and places: as it stands, or in parts of type `text`."""
    found = field_of(value, *path)
    if isinstance(found, str):
        return found
    parts = found if isinstance(found, list) else []
    said = (part.get("text") for part in parts if isinstance(part, dict))
    return "".join(text for text in said if isinstance(text, str))
