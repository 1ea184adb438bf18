"""What is put into a memory and asked of it: passages, questions and what answers them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

UNITS = ("turn", "session")
"""What one passage of a conversation is: one utterance, or all of one meeting."""


class Passage:
    """One entry of a temporary vault.

    `id` is what the question set calls it, and is never stored: some sets mark the answer in it.
    `thread` names the conversation's meeting, `created` is in seconds since the epoch.
    """

    __slots__ = ("created", "id", "text", "thread", "title")

    def __init__(
        self,
        id: str,  # noqa: A002 - the field's name everywhere
        title: str,
        text: str,
        *,
        thread: str,
        created: float | None,
    ) -> None:
        self.id = id
        self.title = title
        self.text = text
        self.thread = thread
        self.created = created


class Question:
    """One question. `gold` are the ids of the passages or entries that answer it; empty where
    nothing should. `group` is the conversation it belongs to; `nameless` the same question without
    the speakers' names, empty where there are none to take out.
    """

    __slots__ = ("category", "gold", "group", "id", "nameless", "text")

    def __init__(
        self,
        id: str,  # noqa: A002 - the field's name everywhere
        text: str,
        gold: frozenset[str],
        *,
        category: str = "",
        group: str = "",
        nameless: str = "",
    ) -> None:
        self.id = id
        self.text = text
        self.gold = gold
        self.category = category
        self.group = group
        self.nameless = nameless


class Haystack:
    """The passages of one temporary vault, the questions they answer, and `foreign` ones that
    they do not: these belong to another conversation, or have no answer at all.

    Where `folder` is given, the vault is a copy of that folder, and an entry's id is the name of
    its file without the ending.
    """

    __slots__ = ("folder", "foreign", "name", "passages", "questions")

    def __init__(
        self,
        name: str,
        passages: Sequence[Passage],
        questions: Sequence[Question],
        foreign: Sequence[Question] = (),
        *,
        folder: str = "",
    ) -> None:
        self.name = name
        self.passages = passages
        self.questions = questions
        self.foreign = foreign
        self.folder = folder


class QuestionSet:
    """A named set: its haystacks per unit, and how many questions were left out because nothing
    that is there answers them."""

    __slots__ = ("haystacks", "name", "skipped")

    def __init__(self, name: str, haystacks: dict[str, list[Haystack]], skipped: int = 0) -> None:
        self.name = name
        self.haystacks = haystacks
        self.skipped = skipped
