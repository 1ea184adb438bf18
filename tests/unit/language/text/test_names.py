"""Names of agents and snapshots, and the files they stand in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.folding import fold, safe_component
from engrain.model.errors import UsageError
from engrain.model.experience.ledger import check_name, file_stem
from engrain.model.note.tiers import Naming

names = st.text(min_size=1, max_size=60).filter(str.isprintable).filter(str.strip)


def test_a_plain_name_is_the_name_of_its_file() -> None:
    assert file_stem("eng-001-backend") == "eng-001-backend"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("eng-001", "ENG-001"), ("a/b", "a-b"), ("nul", "NUL"), ("é", "E\u0301"),
        ("ß", "SS"), ("a" * 300, "a" * 301), ("a\u200bb", "ab"), ("x.", "x"),
    ],
)  # fmt: skip
def test_two_names_that_one_file_system_takes_for_one_have_two_files(one: str, other: str) -> None:
    assert fold(file_stem(one)) != fold(file_stem(other))


@pytest.mark.parametrize("name", ["index", "_index", ".hidden", "con", "../../etc", "a" * 200])
def test_every_name_has_a_file_that_is_an_entrys(name: str) -> None:
    assert Naming("Memory/ledgers").admits(f"{file_stem(name)}.json")


@given(names)
def test_a_files_name_is_one_on_every_file_system_and_always_the_same(name: str) -> None:
    stem = file_stem(name)
    assert stem == file_stem(name) == safe_component(stem)
    assert fold(stem) == stem
    assert len(stem.encode()) <= 250


@given(names, names)
def test_no_two_names_share_a_file(one: str, other: str) -> None:
    assert (file_stem(one) == file_stem(other)) == (one == other)


def test_a_name_is_taken_without_blanks_around_it_and_composed() -> None:
    assert check_name("  e\u0301ng ", "an agent") == "éng"


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\0b", "a\x1b[0m", "\ud800", "x" * 201])
def test_what_can_name_nobody_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        check_name(name, "the agent")
