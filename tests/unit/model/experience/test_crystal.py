"""A digest as a note: its sections, its citations, its bounds (S1.17)."""

from __future__ import annotations

import pytest

from engrain.lifecycle.synthesizing.crystals import (
    FINDINGS,
    LONGEST_LINE,
    MOST_LINES,
    OPEN,
    QUESTION,
    SECTIONS,
    Line,
    Span,
    compose_body,
)

AT = 1_790_000_000.0


def whole(sections: dict[str, list[Line]]) -> dict[str, list[Line]]:
    return {name: sections.get(name, []) for name in SECTIONS}


def name(id_: str) -> str:
    return {"a": "wire-rope"}.get(id_, id_)


def test_each_line_cites_by_the_name_that_links_mean_and_empty_sections_are_left_out() -> None:
    sections = whole({QUESTION: [Line("Safe?", ["a"])], OPEN: [Line("the brake", ["b", "a", "b"])]})
    body = compose_body(Span("work", "harbour", AT, AT), sections, name)
    assert body == (
        "# Work on harbour, 2026-09-21: Safe?\n\n"
        "## Question\n\n- Safe? [[wire-rope]]\n\n"
        "## Open threads\n\n- the brake [[b]] [[wire-rope]]\n"
    )


def test_a_section_and_a_line_are_bounded_and_what_is_left_out_is_counted() -> None:
    lines = [Line(f"{n} " + "word " * 200, [f"id-{n}"]) for n in range(MOST_LINES + 3)]
    sections = whole({FINDINGS: lines})
    body = compose_body(Span("work", "", AT, AT), sections, name)
    assert "\nAnd 3 more.\n" in body
    assert max(len(line.partition(" [[")[0]) for line in body.splitlines()) <= LONGEST_LINE + 2


@pytest.mark.parametrize("id_", ["x]] and [[y", "x|y", "x#y", "x\ny"])
def test_an_id_that_no_link_can_have_is_reported_and_not_linked(id_: str) -> None:
    body = compose_body(
        Span("work", "", AT, AT), whole({OPEN: [Line("text", [id_])]}), lambda id_: id_
    )
    assert "[[" not in body.replace(f"`{' '.join(id_.split())}`", "")


def test_a_stretch_is_called_by_what_it_is_and_told_from_any_other_of_its_project() -> None:
    phase = Span("work", "harbour", AT, AT + 86_400)
    assert phase.heading == "Work on harbour, 2026-09-21 to 2026-09-22"
    again = Span("work", "harbour", AT, AT + 86_401)
    assert len({one.ref for one in (phase, again)}) == 2
    assert Span("work", "", AT, AT + 5).heading == "Work, 2026-09-21"
