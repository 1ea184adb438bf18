"""What becomes of known facts when another comes (S4.3)."""

from __future__ import annotations

import pytest

from engrain.language.text.instants import parse_instant
from engrain.model.facts.fact import Fact, FactEdge
from engrain.model.facts.intake import FactIntake

NOW = parse_instant("2026-01-01")


def fact(id_: str, content: str, on: str, **more: object) -> Fact:
    told = {"source": "conversation", "source_ref": id_, "trust": "agent", **more}
    return Fact(id_, content, created_at=f"{on}T00:00:00Z", **told)  # type: ignore[arg-type]


def lives(id_: str, town: str, on: str, **more: object) -> Fact:
    return fact(id_, f"Bob lives in {town}.", on, **more)


def spans(intake: FactIntake) -> dict[str, tuple[str, str | None]]:
    """Of each fact its day and its end."""
    return {
        one.id: ((one.created_at or "")[:10], one.valid_to and one.valid_to[:10])
        for one in intake.facts
    }


def take(*facts: Fact) -> FactIntake:
    intake = FactIntake([], ["Bob"], NOW)
    for one in facts:
        intake.add(one)
    return intake


A = lives("a", "Rome", "2020-01-01")
B = lives("b", "Oslo", "2022-01-01")
C = lives("c", "Lyon", "2024-01-01")


@pytest.mark.parametrize(
    "story", [(A, B, C), (C, B, A), (B, A, C), (C, A, B), (A, C, B), (B, C, A)]
)
def test_each_ends_where_the_next_begins_in_whatever_order_they_come(
    story: tuple[Fact, ...],
) -> None:
    assert spans(take(*story)) == {
        "a": ("2020-01-01", "2022-01-01"),
        "b": ("2022-01-01", "2024-01-01"),
        "c": ("2024-01-01", None),
    }


SOON = lives("d", "Bonn", "2025-06-01", valid_from="2027-01-01T00:00:00Z")


@pytest.mark.parametrize(
    "story", [(A, B, SOON), (SOON, B, A), (B, A, SOON), (SOON, A, B), (A, SOON, B), (B, SOON, A)]
)
def test_what_is_still_to_begin_ends_nothing_before_it_does(story: tuple[Fact, ...]) -> None:
    intake = take(*story)
    assert spans(intake) == {
        "a": ("2020-01-01", "2022-01-01"),
        "b": ("2022-01-01", "2027-01-01"),
        "d": ("2025-06-01", None),
    }
    assert {one.id for one in intake.facts if one.holds_at(NOW)} == {"b"}
    later = parse_instant("2027-02-01")
    assert {one.id for one in intake.facts if one.holds_at(later)} == {"d"}


def test_what_outsiders_say_is_to_come_gives_no_end_to_what_the_operator_said() -> None:
    own = lives("a", "Rome", "2025-01-01", trust="operator")
    told = lives("x", "Bonn", "2025-06-01", valid_from="2027-01-01T00:00:00Z", trust="external")
    for story in ((own, told), (told, own)):
        assert next(one for one in take(*story).facts if one.id == "a").valid_to is None


def test_what_is_said_again_was_true_from_the_first_to_the_last_time() -> None:
    intake = take(lives("b", "Rome", "2022-01-01"), lives("a", "Rome", "2020-01-01"))
    (only,) = intake.facts
    assert (only.created_at, only.met) == ("2020-01-01T00:00:00Z", "2022-01-01T00:00:00Z")
    assert (only.seen, only.refs) == (1, ("a",))


def test_an_edge_that_comes_later_is_taken_over() -> None:
    edge = FactEdge("bob", "lives_in", "Rome")
    intake = take(lives("a", "Rome", "2020-01-01"), lives("b", "Rome", "2021-01-01", edge=edge))
    assert intake.facts[0].edge is edge


def test_an_edge_to_a_slug_compares_with_what_a_text_says() -> None:
    first = fact(
        "a", "Bob works at Initech.", "2020-01-01", edge=FactEdge("bob", "works_at", "initech")
    )
    second = fact("b", "Bob works at Acme Corp.", "2022-01-01")
    assert [one.active for one in take(first, second).facts] == [False, True]


def test_what_has_an_end_in_the_past_disturbs_nothing_that_holds() -> None:
    past = lives(
        "p", "Kiel", "2025-01-01",
        valid_from="2010-01-01", valid_to="2012-01-01T00:00:00Z", status="historical",
    )  # fmt: skip
    intake = take(A, past)
    assert [one.active for one in intake.facts] == [True, False]


def test_an_end_that_is_told_later_ends_what_is_known() -> None:
    intake = take(A)
    end = lives("x", "Rome", "2025-01-01", valid_to="2023-01-01T00:00:00Z", status="historical")
    assert intake.add(end).outcome == "historical"
    assert spans(intake) == {"a": ("2020-01-01", "2023-01-01")}


def test_what_ends_in_the_future_still_holds() -> None:
    intake = take(lives("a", "Rome", "2020-01-01", valid_to="2030-01-01T00:00:00Z"))
    assert intake.facts[0].active
    assert intake.add(lives("b", "Oslo", "2025-01-01")).outcome == "superseding"


def test_two_of_one_moment_dispute_each_other_until_one_is_settled() -> None:
    intake = take(A, lives("b", "Oslo", "2020-01-01"))
    assert [one.disputes for one in intake.facts] == [("b",), ("a",)]
    assert intake.resolve("b") == ["a"]
    one, other = intake.facts
    assert (one.status, one.disputes, other.disputes) == ("historical", (), ())
    assert other.supersedes == "a"


def test_what_is_taken_out_is_disputed_no_more() -> None:
    intake = take(A, lives("b", "Oslo", "2020-01-01"))
    assert intake.drop("a").id == "a"
    (left,) = intake.facts
    assert left.disputes == ()


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [
        ("operator", "external", "disputed"),
        ("operator", "agent", "disputed"),
        ("agent", "external", "disputed"),
        ("agent", "agent", "superseding"),
        ("external", "operator", "superseding"),
    ],
)
def test_who_is_trusted_less_does_not_overrule(old: str, new: str, outcome: str) -> None:
    intake = take(lives("a", "Rome", "2020-01-01", trust=old))
    assert intake.add(lives("b", "Oslo", "2022-01-01", trust=new)).outcome == outcome


def test_what_held_once_is_kept_as_it_is_and_once() -> None:
    past = lives("p", "Kiel", "2010-01-01", status="historical", valid_to="2012-01-01T00:00:00Z")
    intake = take(A)
    intake.add_past(past)
    intake.add_past(past.replace(source_ref="elsewhere"))
    assert [one.id for one in intake.facts] == ["a", "p"]
