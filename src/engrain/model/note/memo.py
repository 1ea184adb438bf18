"""What of a note is looked at where all notes are looked at."""

from __future__ import annotations

from engrain.model.note.entry import Entry


class Memo:
    """A note read once, in a pass over all of them: its fields and its text, without its bytes.

    Times are seconds since the epoch, None where nobody said; `trust` is the origin that counts for
    it; `session` names what it was kept in, "" where that is not known; `locator` is its place.
    """

    __slots__ = (
        "created", "derived_from", "id", "kind", "links", "locator", "project", "recall_count",
        "session", "slug", "status", "supersedes", "tags", "text", "tier", "title", "trust",
        "updated", "valid_from", "valid_to",
    )  # fmt: skip

    def __init__(self, entry: Entry, trust: str) -> None:
        self.id = entry.id
        self.locator = entry.path
        self.title = entry.title
        self.text = entry.text
        self.slug = entry.slug
        self.kind = entry.kind
        self.tier = entry.tier
        self.project = entry.project
        self.tags = entry.tags
        self.created = entry.created
        self.updated = entry.updated
        self.valid_from = entry.valid_from
        self.valid_to = entry.valid_to
        self.trust = trust
        self.status = entry.status
        self.supersedes = entry.supersedes
        self.derived_from = entry.derived_from
        self.links = entry.links
        self.recall_count = entry.recall_count
        self.session = str(entry.source.get("ref") or "")
