"""A project's progress.md: what was done, the newest last (S1.4, S1.22)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.agents.harness import Harness, find_harness
from engrain.agents.rewriting import (
    Change,
    clean_given,
    open_note,
    read_live,
    rewrite_notes,
    start_note,
)
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import Store
from engrain.language.text.outline import join_outline, split_outline, tame
from engrain.model.errors import UsageError
from engrain.model.note.entry import Entry, split_heading
from engrain.model.note.ids import make_id
from engrain.model.note.note import Note
from engrain.model.note.tiers import archive_folder

_LONGEST = 8000
"""Characters of one piece of progress."""
_MOST_BYTES = 128 * 1024
"""Of the whole file; beyond, its older half goes into the archive."""


def add_progress(store: Store, text: str, project: str | None = None) -> Outcome:
    """Add a piece of progress with the time at the end of the file. Raises UsageError for none."""
    harness = find_harness(store, project)
    text = clean_given(store, text, "piece of progress", _LONGEST)
    if not text:
        raise UsageError("there is no progress in that", remedy="say what was done")
    outcomes = rewrite_notes(store, plan_progress(store, harness, text))
    return outcomes[harness.progress]


def plan_progress(store: Store, harness: Harness, text: str) -> dict[str, Change]:
    """The changes that add a piece of progress: of its file, and of an archived one where that has
    grown too long."""
    at = store.now
    section = (f"## {at}\n", "\n".join(line for line in tame(text).split("\n") if line.strip()))
    dropped = ""

    def add(entry: Entry | None) -> Note:
        nonlocal dropped
        note = open_note(store, entry, "progress", harness.project, _title(harness))
        head, sections = split_outline(note.body)
        kept, dropped = _roll(head, [*sections, (section[0], section[1] + "\n")])
        return note.with_body(kept)

    def archive(_: Entry | None) -> Note | None:
        if not dropped:
            return None
        note = start_note(store, "progress", harness.project, _title(harness) + "\n" + dropped)
        return note.patch({"status": "archived"})

    old = f"progress-{make_id(store.clock.now(), store.entropy.draw(10))}.md"
    return {harness.progress: add, f"{archive_folder(harness.progress)}/{old}": archive}


def list_progress(store: Store, project: str | None = None) -> list[tuple[str, str]]:
    """The pieces of progress that are there, oldest first: what their headings say, which is the
    time (of what a person wrote, anything), and the text. Text before the first section is a piece
    with the heading "". Raises MalformedError."""
    entry = read_live(store, find_harness(store, project).progress)
    if entry is None:
        return []
    head, sections = split_outline(entry.note.body)
    before = split_heading(head)[1].strip()
    pieces = [(line.lstrip("#").strip(), text.strip()) for line, text in sections]
    return [("", before), *pieces] if before else pieces


def _title(harness: Harness) -> str:
    return f"# Progress: {harness.project}\n"


def _roll(head: str, sections: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The text to be kept, and the older one that has no room in it any more, "" for none."""
    whole = join_outline(head, sections)
    if len(whole.encode()) <= _MOST_BYTES:
        return whole, ""
    half = len(sections) // 2
    return join_outline(head, sections[half:]), join_outline("", sections[:half])
