"""Working notes as the commands of this folder show them."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import Style, clean, clean_line
from engrain.agents.continuity import Continuity
from engrain.language.text.instants import format_instant
from engrain.model.note.entry import Entry


def note_lines(entry: Entry, style: Style) -> Iterator[str]:
    """A note's text as it stands."""
    yield from clean(entry.note.body).strip("\n").splitlines()
    yield style("dim", f"{clean_line(entry.id)}  {clean(entry.path)}")


def describe_phase(found: Continuity | None) -> Data:
    """The phase that is on."""
    if found is None:
        return {"phase": None, "began": None, "agent": None}
    return fields(found, "phase? began@ agent?")


def phase_lines(found: Continuity | None, style: Style) -> Iterator[str]:
    """The current phase, when it began, and the agent that began it."""
    if found is None or not found.phase:
        yield "no phase is on; `engrain phase begin NAME` begins one"
        return
    since = "" if found.began is None else f" since {format_instant(found.began)}"
    by = f", begun by {clean_line(found.agent)}" if found.agent else ""
    yield f"phase {style('title', clean_line(found.phase))}{since}{by}"
