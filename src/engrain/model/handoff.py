"""Hand-offs: what one agent leaves to another, with exactly the seed's fields (S2.6).

Who took it and when stands beside the document, under `engrain`, so that what the first agent
wrote stays as it is.
"""

from __future__ import annotations

from engrain.model.code_spans import code_span
from engrain.model.folding import fold
from engrain.model.instants import format_instant, read_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from engrain.model.entry import Entry
    from engrain.model.field import Value
    from engrain.model.json_note import JsonNote

KIND = "handoff"
FOLDER = "Memory/handoffs"

ANYONE = ("any", "*")
"""Names of no agent in particular: whoever comes first may take it."""
CLAIMED = "claimed"
"""The tag of one that was taken."""
_TITLE = 200


class Handoff:
    """One hand-off as it is read; what is not of the right form is left out.

    Times are seconds since the epoch. `claimed_by` is "" while it waits; `origin` is whom the file
    comes from, "" where nobody asked.
    """

    __slots__ = (
        "artifacts", "claimed_at", "claimed_by", "document", "from_agent", "git_state", "hash",
        "id", "known_issues", "needs_testing", "origin", "path", "project", "relevant_patterns",
        "status", "timestamp", "title", "to_agent", "what_was_done",
    )  # fmt: skip

    def __init__(self, entry: Entry, note: JsonNote, origin: str = "") -> None:
        document, context = note.document, _context(note.document)
        self.id = entry.id
        self.path = entry.path
        self.hash = entry.hash
        self.title = entry.title
        self.project = entry.project
        self.status = entry.status
        self.origin = origin
        self.document = document
        self.from_agent = _text(document.get("from_agent"))
        self.to_agent = _text(document.get("to_agent"))
        self.timestamp = entry.created
        self.what_was_done = _text(context.get("what_was_done"))
        self.artifacts = _texts(context.get("artifacts"))
        self.git_state = _text(context.get("git_state"))
        self.needs_testing = _texts(context.get("needs_testing"))
        self.known_issues = _texts(context.get("known_issues"))
        self.relevant_patterns = _texts(context.get("relevant_patterns"))
        self.claimed_by = _text(note.own.get("claimed_by"))
        self.claimed_at = read_instant(note.own.get("claimed_at"))

    def is_for(self, agent: str) -> bool:
        """Whether this agent may take it by its address alone."""
        return addressed_tag(self.to_agent) in tags_for(agent)


def compose_handoff(
    id: str,  # noqa: A002 - the field's name everywhere
    from_agent: str,
    to_agent: str,
    at: float,
    what_was_done: str,
    *,
    artifacts: Sequence[str] = (),
    git_state: str = "",
    needs_testing: Sequence[str] = (),
    known_issues: Sequence[str] = (),
    relevant_patterns: Sequence[str] = (),
) -> dict[str, Any]:
    """The document, its keys in the seed's order."""
    return {
        "id": id,
        "from_agent": from_agent,
        "to_agent": to_agent,
        "timestamp": format_instant(at),
        "context": {
            "what_was_done": what_was_done,
            "artifacts": list(artifacts),
            "git_state": git_state,
            "needs_testing": list(needs_testing),
            "known_issues": list(known_issues),
            "relevant_patterns": list(relevant_patterns),
        },
    }


def addressed_tag(agent: str) -> str:
    """The tag by which the index finds what is addressed to an agent, or to anyone."""
    key = fold(agent.strip())
    return f"for:{'any' if key in ANYONE else key}"


def tags_for(agent: str) -> tuple[str, str]:
    """The tags of all that an agent may take."""
    return addressed_tag(agent), addressed_tag("any")


def handoff_fields(document: Mapping[str, Any]) -> dict[str, Value]:
    """What a hand-off says of the fields of every entry."""
    said = {"id": document.get("id"), "created": document.get("timestamp")}
    fields: dict[str, Value] = {
        key: value for key, value in said.items() if isinstance(value, str) and value
    }
    if to_agent := _text(document.get("to_agent")):
        fields["tags"] = [addressed_tag(to_agent)]
    return fields


def render_handoff(document: Mapping[str, Any]) -> tuple[str, str]:
    """A hand-off as a title and the text under it."""
    said = _text(_context(document).get("what_was_done"))
    ends = [_text(document.get(key)) or "nobody" for key in ("from_agent", "to_agent")]
    title = f"{' to '.join(ends)}: {said}"
    return " ".join(title.split())[:_TITLE], "\n".join(_lines(document)) + "\n"


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    context = _context(document)
    for key in ("what_was_done", "git_state"):
        if said := _text(context.get(key)):
            yield f"- {_label(key)}: {code_span(said)}"
    for key in ("artifacts", "needs_testing", "known_issues", "relevant_patterns"):
        for said in _texts(context.get(key)):
            yield f"- {_label(key)}: {code_span(said)}"


def _label(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _context(document: Mapping[str, Any]) -> Mapping[str, Any]:
    found = document.get("context")
    return found if isinstance(found, dict) else {}


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(filter(None, map(_text, value))) if isinstance(value, list) else ()
