"""Skills as hosts load them, in the Agent Skills format (S2.4)."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from engrain.model.experience.skills import MOST_DESCRIPTION, skill_name, write_skill
from engrain.model.note.note import split_note

BODY = "# Skill: Release\n\nWhen a version goes out.\n\n## Steps\n1. Tag\n2. Push\n"


def test_a_skill_that_is_written_is_what_a_host_loads() -> None:
    name, raw = write_skill("release", BODY, ["ci", "pypi"])
    assert name == "release"
    fields = split_note(raw).fields
    assert list(fields) == ["name", "description", "metadata"]
    assert fields["name"] == "release"
    assert fields["description"] == "When a version goes out."
    assert fields["metadata"] == {"engrain-tags": "ci pypi"}
    assert split_note(raw).body == "\n" + BODY


@given(st.text())
def test_a_name_is_one_that_the_format_allows(slug: str) -> None:
    assert re.fullmatch("(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*", skill_name(slug))


def test_a_name_keeps_what_the_format_allows_of_it() -> None:
    assert skill_name("café--au lait") == "cafe-au-lait"
    assert skill_name("日本") != skill_name("中国")


def test_a_long_description_is_cut_at_a_word() -> None:
    _, raw = write_skill("a", f"# A\n\n{'word ' * 400}\n\n## Steps\n1. x\n")
    said = split_note(raw).fields["description"]
    assert isinstance(said, str)
    assert len(said) <= MOST_DESCRIPTION
    assert said.endswith("word …")


def test_the_frontmatter_is_one_that_the_formats_own_reader_takes() -> None:
    _, raw = write_skill("x", "# X\n\nFirst --- then: second.\n", ["t"])
    assert split_note(raw).front == (
        'name: x\ndescription: "First -\\u002d- then: second."\nmetadata:\n  engrain-tags: t\n'
    )
