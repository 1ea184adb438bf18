"""Which entries answer where a tool fails or a file is touched, as a choice over what was found."""

from __future__ import annotations

import pytest

from engrain.engine.recall.tool_moment import Fit, choose, list_programs, names_path, read_message


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


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("See `cart/total.ts`.", True),
        ("See web/cart/total.ts, line 3", True),
        ("/srv/shop/web/cart/total.ts", True),
        ("See total.ts.", False),
        ("other/cart/total.ts", False),
        ("cart/total.tsx", False),
        ("The folder web/cart", False),
        ("", False),
    ],
)
def test_a_text_names_a_file_by_its_last_two_parts_or_more(text: str, named: bool) -> None:
    assert names_path(text, "/srv/shop/web/cart/total.ts", "/srv/shop") is named


def test_a_file_in_the_folder_itself_is_named_by_its_name() -> None:
    assert names_path("`pyproject.toml` is pinned", "/srv/shop/pyproject.toml", "/srv/shop")
    assert not names_path("`pyproject.toml` is pinned", "/srv/shop/api/pyproject.toml", "/srv/shop")
