"""A hand-off as it is read from its file, which anybody may have written (S2.6)."""

from __future__ import annotations

from engrain.model.documents import object_of, trimmed
from engrain.model.handoff import addressed_tag, tags_for, trimmed_texts
from engrain.model.instants import read_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.entry import Entry
    from engrain.model.json_note import JsonNote


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
        document, context = note.document, object_of(note.document.get("context"))
        self.id = entry.id
        self.path = entry.path
        self.hash = entry.hash
        self.title = entry.title
        self.project = entry.project
        self.status = entry.status
        self.origin = origin
        self.document = document
        self.from_agent = trimmed(document.get("from_agent"))
        self.to_agent = trimmed(document.get("to_agent"))
        self.timestamp = entry.created
        self.what_was_done = trimmed(context.get("what_was_done"))
        self.artifacts = trimmed_texts(context.get("artifacts"))
        self.git_state = trimmed(context.get("git_state"))
        self.needs_testing = trimmed_texts(context.get("needs_testing"))
        self.known_issues = trimmed_texts(context.get("known_issues"))
        self.relevant_patterns = trimmed_texts(context.get("relevant_patterns"))
        self.claimed_by = trimmed(note.own.get("claimed_by"))
        self.claimed_at = read_instant(note.own.get("claimed_at"))

    def is_for(self, agent: str) -> bool:
        """Whether this agent may take it by its address alone."""
        return addressed_tag(self.to_agent) in tags_for(agent)
