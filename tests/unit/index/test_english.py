"""How surprising words are in general English."""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.index import english
from engrain.index.english import find_surprises

SHA256 = "30c5384f09cd3a3f139f00880d211f88de877f872b8c154050fd5661d4995953"
MOST_BYTES = 300_000
ROOT = Path(__file__).parents[3]
UNKNOWN = 2.056
LEAST = 0.05


# The table


def test_the_table_is_the_one_that_was_made() -> None:
    raw = Path(english.TABLE).read_bytes()
    assert len(raw) == english.BUCKETS * english.BUCKET_BYTES <= MOST_BYTES
    assert hashlib.sha256(raw).hexdigest() == SHA256


def test_who_made_the_words_is_named_beside_the_table_with_licence_and_checksum() -> None:
    told = Path(english.TABLE).with_suffix(".md").read_text(encoding="utf-8")
    for wanted in (
        "wordfreq",
        "3.1.1",
        "Robyn Speer",
        "CC BY-SA 4.0",
        "bench.make_english",
        SHA256,
    ):
        assert wanted in told
    assert "english.md" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_is_in_the_package_and_nothing_leaves_it_out_of_a_wheel() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    wheel = build["build"]["targets"]["wheel"]
    assert "src/engrain" in wheel["packages"] and wheel.keys() == {"packages"}
    assert Path(english.TABLE).is_relative_to(ROOT / "src" / "engrain")
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert not any(re.search(r"\.bin$|^src", line) for line in ignored)


def test_each_word_costs_one_seek_and_one_read_of_a_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    seeks, reads = [], []
    seek, read = os.lseek, os.read

    def count_seek(table: int, to: int, how: int) -> int:
        seeks.append(to)
        return seek(table, to, how)

    def count_read(table: int, size: int) -> bytes:
        reads.append(size)
        return read(table, size)

    monkeypatch.setattr(os, "lseek", count_seek)
    monkeypatch.setattr(os, "read", count_read)
    find_surprises(["crane", "harbour", "zorblatt", "42"])
    assert len(seeks) == 3
    assert reads == [english.BUCKET_BYTES] * 3


def test_a_table_that_is_gone_is_an_error_of_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(english, "TABLE", str(tmp_path / "english.bin"))
    with pytest.raises(FileNotFoundError):
        find_surprises(["crane"])


def test_nothing_asked_is_nothing_told() -> None:
    assert find_surprises([]) == []


# The words


def test_the_rarer_a_word_is_in_english_the_more_it_surprises() -> None:
    words = ["the", "time", "work", "house", "database", "crane", "lighthouse", "kubernetes"]
    found = find_surprises(words)
    assert found[0] == LEAST
    assert all(one < other for one, other in pairwise(found))


@pytest.mark.parametrize("word", ["zorblatt", "строка", "x" * 5000, "\ud800", ""])
def test_a_word_that_english_does_not_know_surprises_the_most(word: str) -> None:
    """So the vault's own rarity decides what a word of another language counts for."""
    assert find_surprises([word]) == pytest.approx([UNKNOWN], abs=0.001)


def test_a_pair_of_a_script_without_spaces_is_less_than_a_word() -> None:
    """A word of an alphabet such as Thai is many pairs, one of Chinese or Japanese one or two."""
    assert find_surprises(["デー", "数据", "데이", "ท่"]) == [1.0, 1.0, 1.0, 0.35]


def test_a_number_is_the_plainer_the_shorter_it_is() -> None:
    assert find_surprises(["7", "42", "443", "2024", "29120"]) == [0.3, 0.6, 1.0, 1.0, 1.0]


def test_a_word_is_the_same_in_capitals() -> None:
    assert find_surprises(["CRANE", "Crane"]) == find_surprises(["crane"] * 2)


@given(st.lists(st.text(max_size=20), max_size=8))
def test_any_word_has_a_surprise_within_the_bounds(words: list[str]) -> None:
    found = find_surprises(words)
    assert len(found) == len(words)
    assert all(LEAST <= surprise <= UNKNOWN + 0.001 for surprise in found)
