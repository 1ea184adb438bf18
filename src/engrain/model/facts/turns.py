"""What is read from a source: who said what, in order (S4.4)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

OPERATOR = "operator"
AGENT = "agent"
OTHER = "other"
DOCUMENT = "document"


class Turn:
    """One utterance, or one paragraph of a text that nobody in particular says.

    `speaker` is a name, "" where none is known; `role` is `operator` for the person whose memory
    this is, `agent` for their assistant, `other` for anyone else, `document` for written text. `at`
    is when it was said, in epoch seconds, None where the source does not tell; `key` is what the
    source calls it, "" for nothing.
    """

    __slots__ = ("at", "key", "role", "speaker", "text")

    def __init__(
        self, speaker: str, role: str, text: str, at: float | None = None, key: str = ""
    ) -> None:
        self.speaker = speaker
        self.role = role
        self.text = text
        self.at = at
        self.key = key


class Conversation:
    """One session, meeting or document of a source.

    `ref` names it for good (a session's id, a file's name) and `kind` is what its facts are drawn
    from, one of `model.facts.SOURCES`. `turns` are read once, in order. `at` is when it took place,
    for turns that do not say. `cwd` is the folder an agent's session ran in, "" where it is none.
    """

    __slots__ = ("at", "cwd", "kind", "ref", "turns")

    def __init__(
        self,
        ref: str,
        kind: str,
        turns: Iterable[Turn],
        at: float | None = None,
        cwd: str = "",
    ) -> None:
        self.ref = ref
        self.kind = kind
        self.turns = turns
        self.at = at
        self.cwd = cwd
