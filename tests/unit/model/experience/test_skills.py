"""Skills as values and in loki's template (S2.4). Skills as hosts load them, in the Agent Skills
format (S2.4)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.experience.skills import (
    MOST_DESCRIPTION,
    Skill,
    compose_skill,
    describe_skill,
    parse_skill,
    skill_name,
    write_skill,
)
from engrain.model.note.note import split_note

SEED = """\
# Skill: API Endpoint Implementation

## Prerequisites
- OpenAPI spec exists at .loki/specs/openapi.yaml
- Database schema defined

## Steps
1. Read endpoint spec from openapi.yaml
2. Create route handler in src/routes/{resource}.ts
3. Run tests, verify passing

## Common Errors & Fixes
- Missing return type: Add `: void` to handler
- Schema mismatch: Regenerate types from spec

## Exit Criteria
- All contract tests pass
- No TypeScript errors
"""

LINES = st.lists(
    st.sampled_from(
        [
            "# Skill: Title", "# Other", "## Steps", "## steps ##", "## Exit Criteria", "### Deep",
            "## Whatever", "1. One", "- item", "  continued", "\tline", "```", "~~~~", "````",
            "text", "", "  ", "- a: b", "* c `x: y`: d", "\ufeff# Marked", "> said", "# Skill:",
        ]
    )
).map("\n".join)  # fmt: skip


def without_fences(body: str) -> str:
    """A block of code that nobody closes has all behind it."""
    return body.replace("```", "").replace("~~~", "")


def test_the_seeds_example_is_read_field_by_field() -> None:
    skill = parse_skill(SEED)
    assert skill.name == "API Endpoint Implementation"
    assert skill.description == ""
    assert skill.prerequisites == [
        "OpenAPI spec exists at .loki/specs/openapi.yaml",
        "Database schema defined",
    ]
    assert skill.steps[1] == "Create route handler in src/routes/{resource}.ts"
    assert skill.errors == [
        ("Missing return type", "Add `: void` to handler"),
        ("Schema mismatch", "Regenerate types from spec"),
    ]
    assert skill.exit_criteria == ["All contract tests pass", "No TypeScript errors"]


def test_a_skill_composed_fresh_is_the_seeds_template() -> None:
    read = parse_skill(SEED)
    fresh = Skill(
        read.name,
        prerequisites=read.prerequisites,
        steps=read.steps,
        errors=read.errors,
        exit_criteria=read.exit_criteria,
    )
    assert compose_skill(fresh) == SEED


@given(st.one_of(LINES, st.text(), LINES.map(lambda text: text.replace("\n", "\r\n"))))
def test_what_was_not_changed_is_written_back_as_it_was(body: str) -> None:
    assert compose_skill(parse_skill(body)) == body


@given(LINES.map(without_fences), st.sampled_from(["prerequisites", "steps", "exit_criteria"]))
def test_a_changed_part_reads_back_and_the_others_stay(body: str, field: str) -> None:
    skill = parse_skill(body, "Name")
    others = {name: list(getattr(skill, name)) for name in ("steps", "errors", "exit_criteria")}
    others.pop(field, None)
    setattr(skill, field, ["first", "second\nmore"])
    again = parse_skill(compose_skill(skill), "Name")
    assert getattr(again, field) == ["first", "second\nmore"]
    assert {name: getattr(again, name) for name in others} == others


def test_headings_by_other_names_and_bullets_for_numbers_are_read() -> None:
    skill = parse_skill(
        "# Release\n\nWhen a version goes out.\nSoon.\n\n## requirements\n* CI is green\n\n"
        "## Procedure\n- Tag\n- Push\n\n## Troubleshooting\n- It hangs\n\n## Done when ##\n1) out\n"
    )
    assert (skill.name, skill.description) == ("Release", "When a version goes out.\nSoon.")
    assert (skill.prerequisites, skill.steps) == (["CI is green"], ["Tag", "Push"])
    assert (skill.errors, skill.exit_criteria) == ([("It hangs", "")], ["out"])


def test_what_the_template_has_no_place_for_is_the_rest() -> None:
    skill = parse_skill("# A\n\n> said\n\n## Steps\n1. x\n\n## Notes\nkept\n\n## Steps\n1. y\n")
    assert skill.steps == ["x"]
    assert skill.rest == "> said\n\n## Notes\nkept\n\n## Steps\n1. y\n"


def test_a_heading_or_a_number_in_a_block_of_code_is_neither() -> None:
    skill = parse_skill(
        "# A\n\n## Steps\n1. Run\n   ```\n   ## Exit Criteria\n   2. x\n   ```\n2. Go\n"
    )
    assert skill.steps == ["Run\n```\n## Exit Criteria\n2. x\n```", "Go"]
    assert skill.exit_criteria == []


def test_a_skill_without_a_heading_is_called_what_it_is_told_to_be() -> None:
    skill = parse_skill("Do it.\n\n## Steps\n1. x\n", "told")
    assert (skill.name, skill.description, skill.steps) == ("told", "Do it.", ["x"])


def test_a_name_and_a_description_can_be_changed() -> None:
    skill = parse_skill(SEED)
    skill.name, skill.description = "Endpoints", "For each endpoint."
    assert compose_skill(skill) == SEED.replace(
        "API Endpoint Implementation\n\n", "Endpoints\n\nFor each endpoint.\n\n"
    )


@pytest.mark.parametrize(
    ("skill", "said"),
    [
        (Skill("A", "What\nfor."), "What for."),
        (Skill("A", steps=["x", "y\nz", "v", "w"]), "A: x; y z; v"),
        (Skill("A"), "A"),
    ],
)
def test_it_says_on_one_line_what_it_is_for(skill: Skill, said: str) -> None:
    assert describe_skill(skill) == said


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
