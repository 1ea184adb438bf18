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
    assert lexicons.expand("(?:{NAME}|{PET}){0,2}", {"NAME": "[A-Z]+", "PET": "cat"}) == (
        "(?:[A-Z]+|cat){0,2}"
    )


def test_synonyms_lead_to_the_name_of_their_row() -> None:
    assert lexicons.read_synonyms("words", "abbreviations")["nyc"] == "new york"
