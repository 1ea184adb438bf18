"""Locators: opaque names that never leave the store (S1.3)."""

from __future__ import annotations

import pickle
from os import PathLike
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.errors import ForbiddenPathError
from engrain.seam.locator import Locator, is_part, make_locator


@pytest.mark.parametrize(
    ("text", "folder", "name"),
    [
        ("MEMORY.md", "", "MEMORY.md"),
        ("Memory/fix/pg-lock.md", "Memory/fix", "pg-lock.md"),
        ("Memory/日本/é.md", "Memory/日本", "é.md"),
        ("a b/c:d/e..f", "a b/c:d", "e..f"),
    ],
)
def test_a_name_below_the_root_is_a_locator(text: str, folder: str, name: str) -> None:
    locator = make_locator(text)
    assert (locator, locator.folder, locator.name) == (text, folder, name)


@pytest.mark.parametrize(
    "text",
    [
        "", "/", "/etc/passwd", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "./a", "a/./b",
        ".engrain/vault.json", ".obsidian/x.md", "a/.hidden.md", "...", "a\\b", "..\\a", "C:\\a",
        "a\0b", "a\nb", "a\tb", "a\x1b[31m", "a\x7f", "a" * 256, "é" * 128, "x/" + "a" * 256,
        "a\udcff", "\ud800.md",
    ],
)  # fmt: skip
def test_a_name_that_escapes_hides_or_can_not_be_held_is_refused(text: str) -> None:
    with pytest.raises(ForbiddenPathError) as caught:
        make_locator(text)
    error = caught.value
    assert error.remedy
    # What is shown can be printed on one line of any terminal.
    assert (error.message + (error.path or "")).isprintable()
    assert len(error.message) < 2000


def test_the_longest_part_counts_bytes() -> None:
    assert is_part("a" * 255)
    assert is_part("é" * 127)
    assert not is_part("é" * 128)


@given(st.text(st.sampled_from("ab./\\\0\né ~:")))
def test_what_is_accepted_stays_below_its_root(text: str) -> None:
    try:
        locator = make_locator(text)
    except ForbiddenPathError:
        return
    parts = PurePath("/root", locator).parts
    assert parts[:2] == ("/", "root")
    assert "/".join(parts[2:]) == text
    assert not any(part.startswith(".") for part in parts)


def test_a_locator_is_a_key_and_no_path() -> None:
    locator = make_locator("Memory/a.md")
    assert locator in {"Memory/a.md"}
    assert not isinstance(locator, PathLike)
    assert pickle.loads(pickle.dumps(locator)) == locator  # noqa: S301
    with pytest.raises(AttributeError):
        locator.note = "x"  # type: ignore[attr-defined]
    assert isinstance(Locator("x"), str)
