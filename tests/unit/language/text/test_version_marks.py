"""Version marks: which version of a text a title names."""

from __future__ import annotations

import pytest

from engrain.language.text.version_marks import read_version


@pytest.mark.parametrize(
    ("title", "number"),
    [("Deploy procedure", 0), ("Deploy procedure v2", 2), ("Deploy procedure (v3)", 3),
     ("Deploy procedure, second edition", 2), ("Old deploy procedure", -1)],
)  # fmt: skip
def test_versions_of_one_title_have_one_base(title: str, number: int) -> None:
    version = read_version(title)
    assert (version.base, version.number, version.plain) == ("deploy procedure", (number,), True)


def test_a_version_of_what_a_note_is_about_is_no_version_of_the_note() -> None:
    assert not read_version("Client API v2").plain
