"""Hand-offs: what one agent leaves to another, with exactly loki's fields (S2.6).

Who took it and when stands beside the document, under `engrain`, so that what the first agent
wrote stays as it is.
"""

from __future__ import annotations

from engrain.language.text.folding import fold
from engrain.language.text.lines import code_span
from engrain.model.note.documents import object_of, trimmed, trimmed_texts
from engrain.model.note.records import RecordKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from engrain.model.note.field import Value

KIND = "handoff"
FOLDER = "Memory/handoffs"

ANYONE = ("any", "*")
"""Names of no agent in particular: whoever comes first may take it."""
CLAIMED = "claimed"
"""The tag of one that was taken."""
_TITLE = 200


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
    if to_agent := trimmed(document.get("to_agent")):
        fields["tags"] = [addressed_tag(to_agent)]
    return fields


def render_handoff(document: Mapping[str, Any]) -> tuple[str, str]:
    """A hand-off as a title and the text under it."""
    said = trimmed(object_of(document.get("context")).get("what_was_done"))
    ends = [trimmed(document.get(key)) or "nobody" for key in ("from_agent", "to_agent")]
    title = f"{' to '.join(ends)}: {said}"
    return " ".join(title.split())[:_TITLE], "\n".join(_lines(document)) + "\n"


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    context = object_of(document.get("context"))
    for key in ("what_was_done", "git_state"):
        if said := trimmed(context.get(key)):
            yield f"- {_label(key)}: {code_span(said)}"
    for key in ("artifacts", "needs_testing", "known_issues", "relevant_patterns"):
        for said in trimmed_texts(context.get(key)):
            yield f"- {_label(key)}: {code_span(said)}"


def _label(key: str) -> str:
    return key.replace("_", " ").capitalize()


RECORD = RecordKind(render_handoff, handoff_fields)
