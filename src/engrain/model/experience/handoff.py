"""Hand-offs: what one agent leaves to another, with exactly loki's fields (S2.6).

Who took it and when stands beside the document, under `engrain`, so that the text of the first
agent stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engrain.language.text.fences import code_span, shorten
from engrain.language.text.folding import fold
from engrain.model.note.documents import object_of, trimmed, trimmed_texts
from engrain.model.note.json_note import RecordKind, read_id_and_time

if TYPE_CHECKING:
    from engrain.model.note.field import Value


KIND = "handoff"
FOLDER = "Memory/handoffs"

ANYONE = ("any", "*")
"""Names that address a hand-off to whichever agent comes first."""
CLAIMED = "claimed"
"""The tag of a hand-off that was taken."""
_TITLE = 200


def addressed_tag(agent: str) -> str:
    """Return the tag of hand-offs that are addressed to an agent, or to anyone."""
    key = fold(agent.strip())
    return f"for:{'any' if key in ANYONE else key}"


def tags_for(agent: str) -> tuple[str, str]:
    """Return the tags of all hand-offs that an agent may take."""
    return addressed_tag(agent), addressed_tag("any")


def handoff_fields(document: Mapping[str, Any]) -> dict[str, Value]:
    """Return a hand-off's fields as an entry."""
    fields = read_id_and_time(document)
    if to_agent := trimmed(document.get("to_agent")):
        fields["tags"] = [addressed_tag(to_agent)]
    return fields


def render_handoff(document: Mapping[str, Any]) -> tuple[str, str]:
    """Return a hand-off as a title and the text under it."""
    context = object_of(document.get("context"))
    ends = [trimmed(document.get(key)) or "nobody" for key in ("from_agent", "to_agent")]
    title = f"{' to '.join(ends)}: {trimmed(context.get('what_was_done'))}"
    said = [(key, trimmed(context.get(key))) for key in ("what_was_done", "git_state")]
    for key in ("artifacts", "needs_testing", "known_issues", "relevant_patterns"):
        said += [(key, text) for text in trimmed_texts(context.get(key))]
    lines = [
        f"- {key.replace('_', ' ').capitalize()}: {code_span(text)}\n" for key, text in said if text
    ]
    return shorten(title, _TITLE), "".join(lines) or "\n"


RECORD = RecordKind(render_handoff, handoff_fields)
