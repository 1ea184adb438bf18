"""`engrain show`: one entry whole, with its links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import ENTRY, Answer, Fresh, InSession, MemoryCommand, argument, flag
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import (
    beyond_title,
    bold,
    clean,
    clean_line,
    counted,
    describe_span,
    fact_lines,
    style,
)
from engrain.api.memory import Memory
from engrain.engine.verbs.listing import ShownEntry
from engrain.language.text.instants import format_local
from engrain.model.note.documents import names_in
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import PERSONAL


@dataclass(kw_only=True)
class ShowCommand(InSession, Fresh, MemoryCommand):
    """Print one entry with its links."""

    examples = """
engrain show 01k8
engrain show pg-lock --raw > copy.md
"""
    id: str = argument(ENTRY, "ID")
    raw: bool = flag("print the file's bytes alone")

    def run_in(self, memory: Memory) -> Answer | int:
        shown = memory.show(self.id)
        self.warn_of_others(memory, self.id, shown.entry.id)
        since = memory.sessions.since_recall([shown.row])[shown.entry.id]
        memory.sessions.note_used(self.find_session(), [shown.entry.id])
        if self.raw and not self.console.as_json:
            self.console.write_bytes(shown.entry.note.raw)
            return 0
        recalls = {"sessions_since_recall": since}
        data = {
            **fields(
                shown,
                "id=entry.id path=locator hash=entry.hash kind=entry.kind slug=entry.slug"
                " title=entry.title status=entry.status replaced tier=entry.tier"
                " project=entry.project tags=entry.tags created=entry.created@"
                " updated=entry.updated@ source=entry.source origin attested"
                " supersedes=entry.supersedes weight=entry.weight"
                " recall_count=entry.recall_count last_recalled=entry.last_recalled@",
            ),
            **recalls,
            "contradicts": [row.id for row in shown.contradicts],
            "successors": [row.id for row in shown.successors],
            "fields": shown.entry.fields
            | (recalls if recalls.keys() <= shown.entry.fields.keys() else {}),
            "text": shown.entry.text,
            "links": [
                {"to": target, "relation": relation or None, "id": row.id if row else None}
                for target, relation, row in shown.links_from
            ],
            "linked_from": [
                {"id": row.id, "title": row.title, "relation": relation or None}
                for row, relation in shown.links_to
            ],
        }
        times, sessions = counted(shown.entry.recall_count, "time"), counted(since, "session")
        recalled = f"{times}, {sessions} ago" if shown.entry.recall_count else ""
        return data, _lines(shown, recalled)


def _lines(shown: ShownEntry, recalled: str) -> Iterator[str]:
    entry = shown.entry
    yield bold(entry.title)
    facts = {
        "id": entry.id,
        "path": shown.locator,
        "hash": entry.hash,
        "kind": entry.kind,
        "status": entry.status + (", but superseded by another entry" if shown.replaced else ""),
        "project": entry.project,
        "tags": ", ".join(entry.all_tags),
        "created": entry.created and format_local(entry.created),
        "holds": describe_span(entry),
        "origin": shown.origin + ("" if shown.attested else ", not attested"),
        "supersedes": entry.supersedes,
        "successor": ", ".join(f"{row.id} {row.title}" for row in shown.successors),
        "recalled": recalled,
    }
    yield from fact_lines(facts, 11)
    for other in shown.contradicts:
        warning = f"contradicted by {clean_line(other.id)} {clean_line(other.title)}"
        yield style("warning", f"{warning}: unresolved")
    yield from _property_lines(entry)
    yield ""
    is_cut = entry.title.endswith("…")
    text = entry.text if is_cut else beyond_title(entry.title, entry.text)
    yield from clean(text).splitlines()
    if shown.links_from or shown.links_to:
        yield ""
    yield from _link_lines(shown)


def _link_lines(shown: ShownEntry) -> Iterator[str]:
    for target, relation, row in shown.links_from:
        end = style("warning", "not found")
        if row:
            end = clean_line(row.title)
            end += "" if target == row.id else f"  {style('dim', clean_line(row.id))}"
        elif target.startswith(PERSONAL):
            end = style("dim", "a note of the operator's own")
        yield f"-> {clean_line(target)}{f' ({clean_line(relation)})' if relation else ''}: {end}"
    for row, relation in shown.links_to:
        said = f" ({clean_line(relation)})" if relation else ""
        yield f"<- {clean_line(row.title)}{said}  {style('dim', clean_line(row.id))}"


def _property_lines(entry: Entry) -> Iterator[str]:
    """Yield the other names of an entry, and its properties."""
    if names := names_in(entry.fields):
        yield from fact_lines({"aliases": ", ".join(names)}, 11)
    if entry.properties:
        yield ""
        yield from clean(entry.properties).splitlines()


COMMAND = ShowCommand
