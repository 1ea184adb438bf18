"""Commitments as values: what is open, what is late, what comes first."""

from __future__ import annotations

import pytest

from engrain.language.text.instants import parse_instant
from engrain.model.errors import UsageError
from engrain.model.experience.commitments import BROKEN, KEPT, OPEN, Commitment, read_due
from engrain.model.note.entry import Entry, read_entry


def make_entry(*fields: str) -> Entry:
    front = "\n".join(("id: 01k8", "kind: commitment", *fields))
    return read_entry("Memory/core/x.md", f"---\n{front}\n---\n# Send it\n".encode())


@pytest.mark.parametrize("state", [OPEN, KEPT, BROKEN])
def test_a_state_is_what_the_entry_says(state: str) -> None:
    entry = make_entry(f"state: {state}")
    assert (Commitment(entry).state, entry.warnings) == (state, [])


def test_without_a_state_it_is_open_and_nothing_is_wrong() -> None:
    entry = make_entry()
    assert (Commitment(entry).state, entry.warnings) == (OPEN, [])


def test_a_state_that_is_none_of_the_three_counts_as_open_and_is_reported() -> None:
    entry = make_entry("state: maybe")
    assert Commitment(entry).state == OPEN
    assert entry.warnings == ["state is not one of open, kept, broken"]


def test_a_due_date_that_is_none_is_reported_and_never_late() -> None:
    entry = make_entry("due: soon")
    assert Commitment(entry).due is None
    assert not Commitment(entry).overdue(4e9)
    assert [warning[:3] for warning in entry.warnings] == ["due"]


def test_another_kind_may_have_a_state_of_its_own() -> None:
    entry = read_entry("Memory/fix/x.md", b"---\nkind: fix\nstate: Texas\n---\n# A\n")
    assert entry.warnings == []


def test_it_is_late_when_its_day_is_over_and_only_while_it_is_open() -> None:
    due = parse_instant("2026-10-01")
    for state, late in ((OPEN, True), (KEPT, False), (BROKEN, False)):
        commitment = Commitment(make_entry(f"state: {state}", "due: 2026-10-01"))
        assert not commitment.overdue(due + 86_399)
        assert commitment.overdue(due + 86_400) is late


def test_open_ones_come_first_and_of_those_what_is_due_first() -> None:
    entries = [
        make_entry("state: kept", "due: 2026-01-01"),
        make_entry("state: open"),
        make_entry("state: open", "due: 2026-12-01"),
        make_entry("state: open", "due: 2026-11-01"),
        make_entry("state: broken"),
    ]
    ordered = sorted((Commitment(entry) for entry in entries), key=Commitment.order)
    assert [entries.index(commitment.entry) for commitment in ordered] == [3, 2, 1, 0, 4]


def test_a_date_is_written_as_a_day() -> None:
    assert read_due("2026-10-01") == read_due("2026-10-01T12:30:00Z") == "2026-10-01"
    with pytest.raises(UsageError, match="no date"):
        read_due("next week")
