from __future__ import annotations

from pathlib import Path

import pytest

from engrain.language import lexicons

FILES = sorted(Path(lexicons.__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_row_of_a_lexicon_has_a_name_of_its_own_and_a_text(path: Path) -> None:
    sections = lexicons._read_file(path.stem)
    assert sections
    for section, rows in sections.items():
        assert rows, section
        assert path.stem == "places" or all("".join(lines) for lines in rows.values()), section


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_line_of_a_lexicon_is_outside_of_a_row(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("[")
    assert [line for line in lines if len(line) > 100] == []
    indented = [line for line in lines if line.startswith(" ")]
    assert [line for line in indented if not line.startswith("    ") or line != line.rstrip()] == []


def test_a_fragment_stands_for_an_earlier_one() -> None:
    assert lexicons.expand("(?:{NAME}|{PET}){0,2}", {"NAME": "[A-Z]{2}", "PET": "cat"}) == (
        "(?:[A-Z]{2}|cat){0,2}"
    )


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"a+ \s* .*? (?:b|c)+", r"a{1,60} \s{0,20} .{0,400}? (?:b|c){1,8}"),
        (r"[*+\]]+ \*+ x{2,} y{3}", r"[*+\]]{1,60} \*{1,60} x{2,60} y{3}"),
        (r"(?P<n>\d++) (?:a?)*+ [+]", r"(?P<n>\d++) (?:a?)*+ [+]"),
    ],
)
def test_each_repetition_gets_a_bound_and_one_that_is_possessive_keeps_its_form(
    written: str, read: str
) -> None:
    assert lexicons.expand(written, {}) == read
    assert lexicons.expand(read, {}) == read


def test_synonyms_lead_to_the_name_of_their_row() -> None:
    assert lexicons.read_synonyms("words", "abbreviations")["nyc"] == "new york"
