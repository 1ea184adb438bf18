"""What somebody says of themselves, told of them."""

from __future__ import annotations

import pytest

from engrain.language.text.instants import parse_instant
from engrain.learn.extraction.phrasing import resolve_times, to_third


@pytest.mark.parametrize(
    ("first", "third"),
    [
        ("love my dog", "loves their dog"),
        ("am from Sweden", "is from Sweden"),
        ("have two kids", "has two kids"),
        ("do not eat meat", "does not eat meat"),
        ("study history", "studies history"),
        ("teach maths", "teaches maths"),
        ("moved out when I was young", "moved out when they were young"),
        ("no longer work at Acme", "no longer works at Acme"),
        ("am carving out some me-time", "is carving out some me-time"),
        ("was asked to bring mine to us", "was asked to bring theirs to them"),
    ],
)
def test_pronouns_and_verbs_agree_with_the_name(first: str, third: str) -> None:
    assert to_third(first) == third


AT = parse_instant("2023-05-24T12:00:00Z")  # a Wednesday


@pytest.mark.parametrize(
    ("said", "written", "begun"),
    [
        ("ran a race yesterday", "ran a race on 23 May 2023", "2023-05-23"),
        ("ran a race last week", "ran a race in the week of 15 May 2023", "2023-05-15"),
        ("ran a race last Friday", "ran a race on 19 May 2023", "2023-05-19"),
        ("ran a race last weekend", "ran a race on the weekend of 20 May 2023", "2023-05-20"),
        ("ran a race last month", "ran a race in April 2023", "2023-04-01"),
        ("ran a race two years ago", "ran a race in 2021", "2021-01-01"),
        ("moved to Oslo in March", "moved to Oslo in March 2023", "2023-03-01"),
        ("moved to Oslo in June", "moved to Oslo in June 2022", "2022-06-01"),
        ("moved to Oslo in June 2019", "moved to Oslo in June 2019", "2019-06-01"),
        ("booked a trip for next month", "booked a trip for June 2023", "2023-06-01"),
        ("am getting married in June", "am getting married in June 2023", "2023-06-01"),
    ],
)
def test_a_time_is_reported_as_a_date(said: str, written: str, begun: str) -> None:
    timed = resolve_times(said, AT)
    assert (timed.text, timed.begun) == (written, parse_instant(begun))


def test_vague_times_are_dropped_and_so_is_all_that_nobody_can_date() -> None:
    assert resolve_times("joined a club recently", AT).text == "joined a club"
    timed = resolve_times("joined a club yesterday", None)
    assert (timed.text, timed.begun) == ("joined a club", None)


def test_what_lasts_is_reported_by_when_it_began() -> None:
    timed = resolve_times("have been painting for seven years now", AT)
    assert timed.text == "have been painting since about 2016"
    timed = resolve_times("have worked at Acme for three months", AT)
    assert timed.text == "have worked at Acme since February 2023"
