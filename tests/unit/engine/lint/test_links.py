"""Spelling: one letter more or less is a mistake, another number is another name."""

from __future__ import annotations

import pytest

from engrain.engine.lint.links import is_misspelled, variants


@pytest.mark.parametrize(
    "written", ["legder locks", "ledger lokcs", "ledgerlocks", "ledger loccks", "ladger locks"]
)
def test_one_letter_is_a_mistake(written: str) -> None:
    assert is_misspelled(written, "ledger locks")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("ledger locks", "ledger rocket"),
        ("report 2025-01", "report 2025-02"),
        ("plan v2 final", "plan v final"),
        ("lock", "lick"),
    ],
)
def test_another_word_and_another_number_are_other_names(written: str, name: str) -> None:
    assert not is_misspelled(written, name)


def test_a_short_name_has_no_variants() -> None:
    assert variants("lock") == set()
    assert "ledger lock" in variants("ledger locks")
