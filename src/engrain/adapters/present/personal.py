"""The operator's own notes and the log of their uses, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from engrain.adapters.present.text import Style, clean_line
from engrain.language.text.instants import format_instant
from engrain.seam.personal import Changed, Use
from engrain.seam.storage import Stored

Data: TypeAlias = "dict[str, object]"


def describe_note(place: str, note: Stored) -> Data:
    return {"place": place, "hash": note.hash, "text": note.raw.decode()}


def describe_changed(changed: Changed) -> Data:
    return {
        "place": changed.place,
        "hash": changed.after,
        "before": changed.before,
        "kept": changed.kept,
        "redacted": changed.redacted,
    }


def describe_uses(uses: Sequence[Use]) -> Data:
    return {
        "uses": [
            {
                "at": format_instant(use.at),
                "agent": use.agent,
                "verb": use.verb,
                "place": use.place,
                "outcome": use.outcome,
                "before": use.before,
                "after": use.after,
            }
            for use in uses
        ]
    }


def note_lines(place: str, note: Stored, style: Style) -> Iterator[str]:
    yield style("title", clean_line(place))
    yield f"{style('dim', 'hash       ')}{note.hash}"
    yield ""
    yield from note.raw.decode().splitlines()


def changed_lines(changed: Changed, style: Style) -> Iterator[str]:
    outcome = "written" if changed.before else "created"
    yield f"{outcome}  {style('title', clean_line(changed.place))}"
    yield f"{style('dim', 'hash       ')}{changed.after}"
    if changed.redacted:
        yield style("warning", "secrets in it were replaced by placeholders")
    if changed.kept:
        yield style("dim", f"what was there is kept in {clean_line(changed.kept)}")


def use_lines(uses: Sequence[Use], style: Style) -> Iterator[str]:
    for use in uses:
        by = f" by {clean_line(use.agent)}" if use.agent else ""
        outcome = use.outcome if use.outcome == "done" else style("warning", use.outcome)
        what = f"{clean_line(use.verb)} {clean_line(use.place) or '(the root)'}"
        yield f"{format_instant(use.at)}  {what}{by}: {outcome}"
    if not uses:
        yield "The operator's own notes have not been used."
