"""Notes as turns."""

from __future__ import annotations

import pytest

from engrain.language.text.fences import close_fence, open_fence
from engrain.language.text.instants import format_instant
from engrain.learn.sources.notes import find_day
from support.sources import AT, Read

MARK = "0123456789abcdef"


def day(at: float | None) -> str:
    return "" if at is None else format_instant(at)


def test_of_a_note_each_paragraph_and_each_item_is_a_turn() -> None:
    read = Read(
        "# Apollo\n\nIt uses\nPostgres.\n\n- Ada leads it\n  since May\n- [ ] 1. Ship\n", "a.md"
    )
    assert read.format == "notes"
    assert read.said == [
        ("", "document", "# Apollo"),
        ("", "document", "It uses Postgres."),
        ("", "document", "Ada leads it since May"),
        ("", "document", "1. Ship"),
    ]
    assert {one.at for one in read.conversations} == {AT}


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: X\ntags: [a]\n---\nSeen.\n",
        "```py\nhidden = 1\n```\nSeen.\n",
        "~~~\n```\nhidden\n~~~\nSeen.\n",
        "<!-- hidden\nand this -->\nSeen.\n",
        "Seen.<!-- hidden -->\n",
        f"{open_fence(MARK)}\nhidden\n\nhidden\n{close_fence(MARK)}\nSeen.\n",
        "Seen.\n\n---\n",
    ],
)
def test_what_nobody_says_in_a_note_is_no_turn(text: str) -> None:
    assert Read(text, "a.md").texts == ["Seen."]


def test_an_unclosed_memory_fence_hides_no_text() -> None:
    assert Read(f"{open_fence(MARK)}\nSeen.\n", "a.md").texts[-1].endswith("Seen.")


def test_frontmatter_that_does_not_end_is_text() -> None:
    assert Read("---\nSeen.\n", "a.md").texts == ["Seen."]


@pytest.mark.parametrize(
    ("name", "head", "told"),
    [
        ("2026-02-03.md", "", "2026-02-03"),
        ("x/20260203 Sync.md", "", "2026-02-03"),
        ("sync.md", "---\ndate: 2026-02-03\n---\n", "2026-02-03"),
        ("sync.md", "**Date:** 3 February 2026\n", "2026-02-03"),
        ("sync.md", "# Sync of 3 Feb 2026\n", "2026-02-03"),
        ("sync.md", "# Sync, 3 February\n", ""),
        ("sync.md", "# Launch in ten days\n", ""),
        ("sync.md", "In March 2026 we met on 2026-02-03.\n", ""),
        ("v1.20260299.md", "", ""),
    ],
)
def test_the_day_of_a_text_is_reported_by_its_name_or_its_head(
    name: str, head: str, told: str
) -> None:
    assert day(find_day(name, head))[:10] == told


def test_a_days_note_is_of_that_day_and_its_entries_of_their_minutes() -> None:
    read = Read("# Today\n- 09:15 I met Ada.\n- Later.\n", "daily/2026-02-03.md")
    assert read.format == "notes"
    assert [(day(turn.at), turn.text) for turn in read.turns] == [
        ("2026-02-03T00:00:00Z", "# Today"),
        ("2026-02-03T09:15:00Z", "I met Ada."),
        ("2026-02-03T09:15:00Z", "Later."),
    ]
    assert read.conversations[0].kind == "manual"


def test_a_days_times_are_told_from_how_far_they_are_from_utc() -> None:
    front = '---\nutc_offset: "+02:00"\n---\n'
    read = Read(f"{front}- 09:15 [apollo] I met Ada.\n- 09:20 (-05:00) Later.\n", "2026-02-03.md")
    assert [(day(turn.at), turn.text) for turn in read.turns] == [
        ("2026-02-03T07:15:00Z", "I met Ada."),
        ("2026-02-03T14:20:00Z", "Later."),
    ]


def test_headings_that_are_dates_date_what_stands_below_them() -> None:
    read = Read(
        "## 2026-01-06\nOne.\n## Mon, 5 January 2026\nTwo.\n## Launch on 2026-02-01\nThree.\n",
        "log.md",
    )
    assert [day(turn.at)[:10] for turn in read.turns if turn.text[0] != "#"] == [
        "2026-01-06",
        "2026-01-05",
        "2026-01-05",
    ]


@pytest.mark.parametrize("name", ["standup.md", "2026-02-03-1on1-ada.md", "weekly sync.txt"])
def test_a_meetings_notes_are_known_by_their_name(name: str) -> None:
    assert [one.kind for one in Read("We use Postgres.\n", name).conversations] == ["meeting"]


def test_a_meetings_notes_are_known_by_their_heading() -> None:
    read = Read("# Sync with Ada, 2026-02-03\n\n- Ada: I moved.\n- Risk: none\n", "a.md")
    assert [one.kind for one in read.conversations] == ["meeting"]
    assert read.said[1:] == [("", "document", "Ada: I moved."), ("", "document", "Risk: none")]
    assert {day(turn.at)[:10] for turn in read.turns} == {"2026-02-03"}
