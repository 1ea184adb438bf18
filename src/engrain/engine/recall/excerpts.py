"""Shortens episodes and learnings to the part that helps before a task (S2.10)."""

from __future__ import annotations

from engrain.engine.core.recalled import MISTAKEN, Recalled
from engrain.language.text.fences import shorten
from engrain.model.experience.episode import render_episode
from engrain.model.note.documents import objects_of
from engrain.model.note.note import Note
from engrain.seam.rows import Row

_MOST_ERRORS = 5
_MOST_CHARS = 300
"""The most characters that are kept of an error's field."""
_LEARNED = (("", "message"), ("Resolution: ", "resolution"))
_REMEDIES = ("## Prevention\n", "Resolution: ")
"""Marks in a text after which it says what to do about a mistake."""


def excerpt_record(note: Note, row: Row) -> str | None:
    """Return the context, outcome and errors of an episode with their resolutions, or the error and
    resolution of a learning; None for other notes, which are shown whole."""
    if row.kind == "episode":
        return _retell_episode(note)
    if row.kind == "learning":
        lines = (
            f"{label}{shorten(str(note.document.get(name)), _MOST_CHARS)}"
            for label, name in _LEARNED
            if note.document.get(name)
        )
        return "\n".join(lines) + "\n"
    return None


def summarise(found: Recalled) -> str:
    """Return an entry in one line: its title, and for a mistake what to do about it."""
    title = " ".join(found.row.title.split())
    for mark in _REMEDIES if found.row.kind in MISTAKEN else ():
        remedy = found.text.partition(mark)[2].strip().partition("\n")[0].strip()
        if remedy:
            return f"{title}: {remedy}"
    return title


def _retell_episode(note: Note) -> str:
    errors = objects_of(note.document.get("errors_encountered"))
    document = {
        "outcome": note.document.get("outcome"),
        "context": note.document.get("context"),
        "errors_encountered": [
            {key: shorten(str(value), _MOST_CHARS) for key, value in error.items() if value}
            for error in errors[:_MOST_ERRORS]
        ],
    }
    text = render_episode(document)[1]
    left = len(errors) - _MOST_ERRORS
    return f"{text}and {left} more errors\n" if left > 0 else text
