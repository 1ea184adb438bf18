"""What of a stretch of work is told, and in which section (S1.17)."""

from __future__ import annotations

from typing import TypeAlias

from engrain.lifecycle.synthesizing.crystals import (
    INVESTIGATION,
    LESSONS,
    OPEN,
    QUESTION,
    Line,
    Span,
    make_sections,
)
from engrain.model.experience.traces import Trace
from engrain.model.note.entry import Entry, read_entry
from unit.lifecycle.experience import episode, met

SPAN = Span("work", "harbour", 0.0, 1e6)


def trace(id_: str, goal: str, at: float, outcome: str = "success", **more: object) -> Trace:
    return Trace(id_, episode(id_, goal, at, outcome=outcome, **more), at=at)  # type: ignore[arg-type]


def note(id_: str, kind: str, title: str, text: str = "", **fields: str) -> Entry:
    front = "".join(
        f"{key}: {value}\n" for key, value in {"id": id_, "kind": kind, **fields}.items()
    )
    return read_entry(f"Memory/{kind}/{id_}.md", f"---\n{front}---\n# {title}\n{text}\n".encode())


Material: TypeAlias = "tuple[list[Trace], list[Entry], list[Entry]]"


def told(material: Material, section: str, span: Span = SPAN) -> list[str]:
    return [line.text for line in make_sections(span, *material)[section]]


def of(*traces: Trace, notes: tuple[Entry, ...] = (), learned: tuple[Entry, ...] = ()) -> Material:
    return [*traces], [*notes], [*learned]


def test_the_first_task_is_the_question_where_nobody_wrote_a_goal_down() -> None:
    material = of(trace("a", "Raise the crane", 1), trace("b", "Light the pier", 2))
    assert told(material, QUESTION) == ["Raise the crane"]
    goal = Span("work", "harbour", 0, 9, {QUESTION: [Line("Make it safe", ["p"])]})
    assert told(material, QUESTION, goal) == ["Make it safe"]


def test_how_a_task_ended_is_reported_however_long_what_it_wanted_is() -> None:
    [line] = told(of(trace("a", "Raise the crane " * 40, 1, "partial")), INVESTIGATION)
    assert line.endswith(" …: partial")
    assert len(line) < 180


def test_a_task_that_failed_is_open_until_one_that_wanted_the_same_succeeds() -> None:
    failed = trace("a", "Raise the northern crane", 1, "failure")
    assert told(of(failed), OPEN) == ["Raise the northern crane: failure"]
    before = trace("b", "Raise the northern crane", 0)
    assert told(of(before, failed), OPEN) == ["Raise the northern crane: failure"]
    later = trace("c", "raise the northern  crane", 2)
    assert told(of(failed, later), OPEN) == []


def test_an_error_is_a_lesson_once_it_was_mended() -> None:
    first = trace("a", "Raise it", 1, "failure", errors=(met(4, resolution=""),))
    assert told(of(first), LESSONS) == []
    second = trace("b", "Raise it", 2, errors=(met(8),))
    assert len(told(of(first, second), LESSONS)) == 1


def test_an_error_that_became_a_mistake_to_avoid_is_reported_as_that_alone() -> None:
    first = trace("a", "Raise it", 1, errors=(met(4),))
    signature = first.errors[0].signature
    anti = note("anti-1", "anti-pattern", "Missing return type", signature=f'"{signature}"')
    assert told(of(first, learned=(anti,)), LESSONS) == ["Missing return type"]


def test_promises_that_are_open_and_ideas_are_threads() -> None:
    notes = (
        note("c-1", "commitment", "Paint the hut", state="open"),
        note("c-2", "commitment", "Mend the net", state="kept"),
        note("i-1", "idea", "A second crane"),
    )
    assert told(of(notes=notes), OPEN) == ["Paint the hut", "A second crane"]


def test_what_was_tried_is_reported_in_the_order_in_which_it_was() -> None:
    span = Span("work", "harbour", 0, 9, {INVESTIGATION: [Line("Looked around", ["p"], 1.5)]})
    sections = make_sections(span, *of(trace("a", "First", 1), trace("b", "Second", 2)))
    assert [line.text for line in sections[INVESTIGATION]] == [
        "First: success",
        "Looked around",
        "Second: success",
    ]
