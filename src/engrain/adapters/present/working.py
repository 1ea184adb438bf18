"""Working memory as plain data, and as text for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.adapters.present.jobs import request_lines
from engrain.adapters.present.records import Data, instant_of
from engrain.adapters.present.text import Style, clean, clean_line
from engrain.agents.continuity import Continuity
from engrain.agents.features import Feature
from engrain.agents.phases import PhaseEnd
from engrain.language.text.instants import format_instant
from engrain.lifecycle.jobs.runner import Request
from engrain.model.note.entry import Entry

_COLOURS = {"todo": "title", "doing": "warning", "done": "good", "blocked": "bad"}


def describe_continuity(found: Continuity | None) -> Data:
    if found is None:
        return {"found": False}
    return {
        "found": True,
        **describe_note(found.entry),
        "project": found.project,
        **describe_phase(found),
        "goal": found.goal,
        "goal_from_prompt": found.prompted,
        "state": found.state,
        "next_step": found.next_step,
        "relevant": list(found.relevant),
        "mistakes": list(found.mistakes),
        "text": found.entry.note.body,
    }


def describe_phase(found: Continuity | None) -> Data:
    began = None if found is None else found.began
    return {
        "phase": found.phase or None if found is not None else None,
        "began": instant_of(began),
        "agent": found.agent or None if found is not None else None,
    }


def describe_note(entry: Entry) -> Data:
    return {"id": entry.id, "path": entry.path, "hash": entry.hash}


def describe_feature(feature: Feature) -> Data:
    return {
        "id": feature.id,
        "name": feature.name,
        "status": feature.status,
        "notes": feature.notes,
    }


def describe_phase_end(ended: PhaseEnd, asked: Sequence[Request]) -> Data:
    return {
        "phase": ended.name,
        "began": instant_of(ended.began),
        "episodes": ended.episodes,
        "features": list(ended.features),
        "progress": {"id": ended.outcome.id, "path": ended.outcome.locator},
        "queued": [{"job": one.name, "known": one.known} for one in asked],
    }


def note_lines(entry: Entry, style: Style) -> Iterator[str]:
    """A note's text as it stands."""
    yield from clean(entry.note.body).strip("\n").splitlines()
    yield style("dim", f"{clean_line(entry.id)}  {clean(entry.path)}")


def phase_lines(found: Continuity | None, style: Style) -> Iterator[str]:
    if found is None or not found.phase:
        yield "no phase is on; `engrain phase begin NAME` begins one"
        return
    since = "" if found.began is None else f" since {format_instant(found.began)}"
    by = f", begun by {clean_line(found.agent)}" if found.agent else ""
    yield f"phase {style('title', clean_line(found.phase))}{since}{by}"


def phase_end_lines(ended: PhaseEnd, asked: Sequence[Request], style: Style) -> Iterator[str]:
    yield f"ended  {style('title', ended.name)}"
    count = sum(ended.episodes.values())
    each = ", ".join(f"{number} {outcome}" for outcome, number in ended.episodes.items())
    yield f"  episodes: {count} ({each})" if count else "  episodes: none"
    for line in ended.features:
        yield f"  feature {clean_line(line)}"
    yield style("dim", f"  written to {clean(ended.outcome.locator)}")
    for line in request_lines(asked, style):
        yield f"  {line}"


def feature_lines(features: Sequence[Feature], style: Style) -> Iterator[str]:
    for one in features:
        status = f"{clean_line(one.status):<8}"
        shown = style(_COLOURS[one.status], status) if one.status in _COLOURS else status
        notes = f"  {style('dim', clean_line(one.notes))}" if one.notes else ""
        yield f"{shown} {clean_line(one.name)}  {style('dim', clean_line(one.id))}{notes}"
    if not features:
        yield "no features; `engrain feature set NAME --status todo` adds one"


def progress_lines(pieces: Sequence[tuple[str, str]], style: Style) -> Iterator[str]:
    for when, text in pieces:
        yield style("dim", clean_line(when))
        yield from (f"  {line}" for line in clean(text).splitlines())
    if not pieces:
        yield "no progress yet; `engrain progress add TEXT` adds some"
