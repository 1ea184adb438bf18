"""What a digest of work came to, as plain data and as text for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean, clean_line, counted
from engrain.language.text.instants import format_instant
from engrain.lifecycle.crystallizing.running import Crystallized

_TOLD = {
    "nothing": "nothing to say: nothing was done, found or left open in it",
    "forgotten": "its digest was forgotten, and stays so; `engrain restore {id}` takes it back",
    "own": "its digest is yours by now and stays as it is: {id}",
    "unchanged": "unchanged: {id} has it already",
}


def describe_crystal(done: Crystallized, *, dry_run: bool) -> Data:
    span, crystal = done.span, done.crystal
    return {
        "dry_run": dry_run,
        "outcome": done.outcome,
        "id": done.id or None,
        "path": done.path or None,
        "form": done.form,
        "scope": span.scope,
        "name": span.name or None,
        "project": span.project or None,
        "began": format_instant(span.began),
        "ended": format_instant(span.ended),
        "lines": {name: len(lines) for name, lines in crystal.sections.items()},
        "derived_from": list(crystal.sources),
        "redacted": list(done.redacted),
        "text": done.text or None,
    }


def crystal_lines(done: Crystallized, style: Style, *, dry_run: bool) -> Iterator[str]:
    span = done.span
    if told := _TOLD.get(done.outcome):
        yield style("dim", clean_line(f"{span.heading}: {told.format(id=done.id)}"))
        return
    sources = counted(len(done.crystal.sources), "source")
    would = "would be " if dry_run else ""
    told = f"  {would}{done.outcome} of {sources}, {done.form}"
    yield style("title", clean_line(span.heading)) + style("dim", told)
    if dry_run:
        yield clean(done.text).rstrip("\n")
    else:
        yield f"  {clean_line(done.id)}  {style('dim', clean_line(done.path))}"
