"""What is read from a source: who said what, in order (S4.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

OPERATOR = "operator"
AGENT = "agent"
OTHER = "other"
DOCUMENT = "document"


@dataclass(slots=True, eq=False)
class Turn:
    """One utterance, or one paragraph of a text that nobody in particular says.

    `speaker` is a name, "" where none is known; `role` is `operator` for the person whose memory
    this is, `agent` for their assistant, `other` for anyone else, `document` for written text. `at`
    is when it was said, in epoch seconds, None if the source does not say; `key` is what the
    source calls it, "" for nothing.
    """

    speaker: str
    role: str
    text: str
    at: float | None = None
    key: str = ""


@dataclass(slots=True, eq=False)
class Conversation:
    """One session, meeting or document of a source.

    `ref` names it for good (a session's id, a file's name) and `kind` is what its facts are drawn
    from, one of `model.facts.SOURCES`. `turns` are read once, in order. `at` is when it took place,
    for turns that do not say. `cwd` is the folder an agent's session ran in, "" where it is none.
    """

    ref: str
    kind: str
    turns: Iterable[Turn]
    at: float | None = None
    cwd: str = ""
