"""A stream of conversations and their turns, cut into pieces that fit into memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from engrain.language.prompts.injected import request_in
from engrain.language.text.fences import without_fences
from engrain.learn.transcripts.lines import ends_of, text_of, time_of
from engrain.model.errors import MalformedError
from engrain.model.facts.fact import AGENT, OPERATOR, OTHER, Conversation, Turn
from engrain.model.note.documents import object_of
from engrain.model.note.strength import DAY

Items: TypeAlias = "Iterator[Conversation | Turn]"
"""Each conversation, without its turns, and behind it those."""


MOST_TURNS = 500
_MOST_CHARACTERS = 400_000


def cut(items: Iterable[Conversation | Turn], most: int = MOST_TURNS) -> Iterator[Conversation]:
    """Conversations with at most so many turns, as a list; a longer one comes in several pieces
    under one name. One without turns does not come. Where the stream breaks, so does this, behind
    what came by then. Raises MalformedError."""
    begun: Conversation | None = None
    turns: list[Turn] = []
    size = 0
    broken: MalformedError | None = None
    try:
        for item in items:
            if isinstance(item, Conversation) or len(turns) >= most or size > _MOST_CHARACTERS:
                if begun is not None and turns:
                    yield _piece(begun, turns)
                turns, size = [], 0
            if isinstance(item, Conversation):
                begun = item
                continue
            item.text = ends_of(item.text)
            size += len(item.text)
            turns.append(item)
    except MalformedError as error:  # what stands before the break was said
        broken = error
    if begun is not None and turns:
        yield _piece(begun, turns)
    if broken is not None:
        raise broken


def _piece(begun: Conversation, turns: list[Turn]) -> Conversation:
    return Conversation(begun.ref, begun.kind, turns, begun.at, begun.cwd)


def bound_times(items: Items, latest: float | None, passed: Counter[str]) -> Items:
    """Yield the items with no time after `latest`, when the file was written or is read: a later
    turn gets the time of the one before. So does a turn that is up to a day before the turn in
    front of it, since their order is known by more than a clock; one that is further back is left
    alone."""
    before: float | None = None
    for item in items:
        begins = isinstance(item, Conversation)
        if begins:
            before = None
        if item.at is not None and latest is not None and item.at > latest:
            if not begins:
                passed["future"] += 1
            item.at = latest if before is None else before
        elif item.at is not None and not begins:
            if before is not None and before - DAY < item.at < before:
                passed["disordered"] += 1
                item.at = before
            before = item.at
        yield item


# Where a message says it, the first that does.
_WHO = ("role", "sender", "speaker", "author", "from", "username", "user_profile", "user", "name")
_NAME = ("real_name", "name", "display_name", "username")
_TEXT = ("content", "text", "message", "body", "parts")
_WHEN = ("timestamp", "created_at", "createdAt", "create_time", "datetime", "date", "time", "ts")
_KEY = ("id", "uuid", "message_id", "dia_id", "ts")

_ROLES = {
    **dict.fromkeys(("user", "human", "operator", "me", "you"), OPERATOR),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "agent", "chatbot", "chatgpt"), AGENT),
}
_SILENT = frozenset(("system", "developer", "tool", "function", "tool_result", "ipython", "memory"))


def role_of(said: str) -> str:
    """Whose turn it is by the word for it: a role, "" for nobody's, `other` for what is a name."""
    word = said.strip().lower()
    return "" if word in _SILENT else _ROLES.get(word, OTHER)


def is_message(item: dict[str, Any]) -> bool:
    """Whether an object is a message: who said what."""
    return bool(_who(item)) and any(item.get(key) not in (None, "") for key in _TEXT)


def read_message(item: dict[str, Any], passed: Counter[str]) -> Iterator[Turn]:
    """The turn in a message, none for what nobody said."""
    who = _who(item)
    role = role_of(who)
    if not role:
        return
    content = _first(item, _TEXT)
    if isinstance(content, dict):
        content = content.get("parts", content.get("text"))
    text = clean_text(text_of(content, passed), role)
    if text:
        speaker = who if role == OTHER else _speaker(item)
        key = _first(item, _KEY)
        yield Turn(
            " ".join(speaker.split())[:200],
            role,
            text,
            when(item),
            str(key) if isinstance(key, str | int) else "",
        )


def clean_text(text: str, role: str) -> str:
    """Return what somebody said themselves, without what a host inserted or a recall brought
    (S1.20)."""
    return request_in(text) if role == OPERATOR else without_fences(text).strip()


def when(item: dict[str, Any]) -> float | None:
    """Return when an object says it was made."""
    for key in _WHEN:
        value = item.get(key)
        if isinstance(value, str) and value.replace(".", "", 1).isdecimal():
            value = float(value[:20])
        if (at := time_of(value)) is not None:
            return at
    return None


def _who(item: dict[str, Any]) -> str:
    for key in _WHO:
        value = item.get(key)
        if isinstance(value, dict):
            value = value.get("role") or _first(value, _NAME)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _speaker(item: dict[str, Any]) -> str:
    named = item.get("name") or object_of(item.get("author")).get("name")
    return named if isinstance(named, str) and role_of(named) == OTHER else ""


def _first(item: dict[str, Any], keys: Sequence[str]) -> Any:
    return next((item[key] for key in keys if item.get(key) not in (None, "")), None)
