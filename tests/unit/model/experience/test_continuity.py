"""CONTINUITY.md as a text: its sections, what a person wrote among them, references."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.blocks import tame
from engrain.model.experience.continuity import (
    GOAL,
    LAST_ASKED,
    MISTAKES,
    NEXT_STEP,
    RELEVANT,
    SECTIONS,
    STATE,
    list_references,
    make_reference,
    read_section,
    start_body,
    write_references,
    write_section,
)
from engrain.model.links.link import parse_links

PERSONS = """\
# Continuity: harbour

What I think of it.

## Goal
Ship it.

## Notes of mine
- a list
  with more

```
## Goal
not this
```

## State
Half done.
"""

texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=60)
names = st.sampled_from(SECTIONS)


@given(st.lists(st.tuples(names, texts), max_size=6))
def test_what_is_written_into_a_section_is_read_from_it(writes: list[tuple[str, str]]) -> None:
    body, said = PERSONS, {}
    for name, text in writes:
        body, said[name] = write_section(body, name, text), tame(text)
        assert {name: read_section(body, name) for name in said} == said


@given(names, texts)
def test_writing_a_section_again_changes_no_byte(name: str, text: str) -> None:
    once = write_section(PERSONS, name, text)
    assert write_section(once, name, text) == once


@given(st.lists(st.tuples(names, texts), max_size=4))
def test_what_a_person_wrote_stays(writes: list[tuple[str, str]]) -> None:
    body = PERSONS
    for name, text in writes:
        body = write_section(body, name, text)
    assert "What I think of it.\n" in body
    assert "## Notes of mine\n- a list\n  with more\n\n```\n## Goal\nnot this\n```\n" in body


def test_sections_come_in_their_order_whatever_is_written_first() -> None:
    body = start_body("harbour")
    for name in (MISTAKES, STATE, LAST_ASKED, GOAL, RELEVANT, NEXT_STEP):
        body = write_section(body, name, "text")
    heads = [line.removeprefix("## ") for line in body.splitlines() if line.startswith("## ")]
    assert heads == list(SECTIONS)
    assert body.startswith("# Continuity: harbour\n\n## Goal\ntext\n\n## Last Asked\n")


def test_an_empty_text_takes_a_section_out() -> None:
    assert write_section(PERSONS, GOAL, "").count("## Goal") == 1  # the one in the fence
    assert write_section(start_body("x"), GOAL, "") == start_body("x")


def test_references_are_written_anew_and_a_persons_lines_stay() -> None:
    body = write_references(start_body("x"), MISTAKES, ["- [a] Old (fix)"])
    body = body.replace("- [a]", "- Run the tests first\n- [a]")
    body = write_references(body, MISTAKES, ["- [b] New (fix)", "- [c] Newer (fix)"])
    assert list_references(body, MISTAKES) == [
        "Run the tests first", "[b] New (fix)", "[c] Newer (fix)",
    ]  # fmt: skip
    assert list_references(write_references(body, MISTAKES, []), MISTAKES) == [
        "Run the tests first"
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_references_are_read_whatever_the_line_ends(line_end: str) -> None:
    body = f"# C\n\n## {RELEVANT}\n- [a] One (fix)\n\n- [b] Two (fix)\n".replace("\n", line_end)
    assert list_references(body, RELEVANT) == ["[a] One (fix)", "[b] Two (fix)"]


def test_an_entry_is_named_by_its_id_and_a_skill_by_its_slug() -> None:
    assert make_reference("sem-001", "Handlers need\n types", "pattern", "handlers") == (
        "- [sem-001] Handlers need types (pattern)"
    )
    assert make_reference("01k8", "How to do it", "procedural", "api-implementation") == (
        "- [skill: api-implementation] How to do it"
    )


def test_the_title_of_another_is_no_link_and_no_image_there() -> None:
    line = make_reference("ep-1", "Fix [[index]] ![](http://evil.example/x.png)", "episode")
    assert line == "- [ep-1] `Fix [[index]] ![](http://evil.example/x.png)` (episode)"
    cut = make_reference("a", "`" + "word " * 30 + "[[index]]`", "pattern")
    assert list(parse_links(cut.removeprefix("- [a] "))) == []


def test_a_long_title_is_cut() -> None:
    line = make_reference("a", "word " * 100, "fix")
    assert len(line) < 140
    assert line.endswith(" … (fix)")
