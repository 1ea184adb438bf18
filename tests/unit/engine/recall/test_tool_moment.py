"""Which entries answer where a tool fails or a file is touched, as a choice over what was found."""

from __future__ import annotations

import pytest

from engrain.engine.recall.tool_moment import (
    Fit,
    choose,
    find_name,
    list_programs,
    read_message,
    read_paths,
    read_tests,
)


def test_the_entry_that_says_most_of_an_error_comes_and_nothing_far_behind() -> None:
    assert choose({1: Fit(3.0, 0.8), 2: Fit(2.6, 0.7), 3: Fit(0.4, 0.1)}) == [1, 2]
    assert choose({1: Fit(6.0, 0.9), 2: Fit(2.0, 0.3)}) == [1]


def test_neither_a_common_word_nor_the_program_alone_is_enough() -> None:
    assert choose({}) == []
    assert choose({1: Fit(0.4, 1.0, program=3.0)}) == []
    assert choose({1: Fit(program=9.0, coded=True)}) == []


def test_a_code_counts_more_than_a_word() -> None:
    assert choose({1: Fit(1.4, 0.1)}) == []
    assert choose({1: Fit(1.4, 0.1, coded=True)}) == [1]
    assert choose({1: Fit(0.9, 0.1, coded=True)}) == []


def test_the_message_of_an_output_is_its_error_without_paths() -> None:
    trace = "Traceback (most recent call last):\n  File \"/srv/a.py\", line 3\nKeyError: 'vat'\n"
    message, told = read_message("collecting\n" * 50 + trace)
    assert "keyerror" in message and "srv" not in message
    assert told == "KeyError: 'vat'"
    assert read_message("fine\n" * 40) == ("", "")


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("cd /srv && source .venv/bin/activate && uv pip install -e .", ["uv", "pip"]),
        ("DATABASE_URL=x /usr/bin/pytest -q | tail -3", ["pytest", "tail"]),
        ("sudo docker compose up", ["docker", "compose"]),
        ("", []),
    ],
)
def test_the_programs_of_a_command_line(command: str, programs: list[str]) -> None:
    assert list_programs(command) == programs


def test_the_tests_and_paths_that_failed_are_read_from_an_output() -> None:
    output = "collected 9 items\nsrc/a.py fine\nE   KeyError: 'vat' in src/vat.py\n"
    output += "FAILED api/tests/test_vat.py::test_no_vat_id - KeyError: 'vat'\n1 failed in 2.1s"
    assert read_paths(output) == ["api/tests/test_vat.py", "src/vat.py"]
    assert read_tests(output) == ["test_no_vat_id"]
    assert read_tests("--- FAIL: TestVat (0.00s)\nok  shop/cart") == ["TestVat"]


def test_an_output_that_only_says_that_a_test_failed_tells_no_error() -> None:
    assert read_message("E   assert 3 == 2\nFAILED a/test_a.py::test_x - assert 3 == 2")[0] == ""


def test_a_path_of_the_error_counts_beside_a_word_and_a_failed_test_by_itself() -> None:
    assert choose({1: Fit(0.6, 0.3)}) == []
    assert choose({1: Fit(0.6, 0.3, placed=True)}) == [1]
    assert choose({1: Fit(0.0, 0.0, placed=True)}) == []
    assert choose({1: Fit(0.0, 0.0, tested=True)}) == [1]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("See `cart/total.ts`.", "cart/total.ts"),
        ("See web/cart/total.ts, line 3, or cart/total.ts", "web/cart/total.ts"),
        ("/srv/shop/web/cart/total.ts", "srv/shop/web/cart/total.ts"),
        ("Maud reads web/.", "web/"),
        ("Run it before a change of `web/cart/`", "web/cart/"),
        ("See total.ts.", ""),
        ("other/cart/total.ts", ""),
        ("cart/total.tsx", ""),
        ("The folder web/cart", ""),
        ("b/cart/", ""),
        ("", ""),
    ],
)
def test_a_text_names_a_file_by_its_last_parts_or_a_folder_with_a_slash(
    text: str, named: str
) -> None:
    assert find_name(text, "/srv/shop/web/cart/total.ts", "/srv/shop") == named


@pytest.mark.parametrize("name", ["queryKeys.ts", "rotate_db.py", "visual-diff.yml"])
def test_a_name_of_several_words_names_a_file_in_any_folder(name: str) -> None:
    assert find_name(f"The keys are in {name}.", f"/srv/shop/web/{name}") == name


def test_a_file_in_the_folder_itself_is_named_by_its_name() -> None:
    assert find_name("`pyproject.toml` is pinned", "/srv/shop/pyproject.toml", "/srv/shop")
    assert not find_name("`pyproject.toml` is pinned", "/srv/shop/api/pyproject.toml", "/srv/shop")


def test_a_text_names_a_test_as_a_whole_word() -> None:
    assert find_name("test_vat needs a clock", "test_vat") == "test_vat"
    assert find_name("test_vat_id needs a clock", "test_vat") == ""
