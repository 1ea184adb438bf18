"""Typed links as wikilinks: derived, marked, and never in the place of what a person wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.links.drawing import draw, drawn_names, ends_of
from engrain.model.note.note import Note, split_note

HEAD = "---\nid: 1\nlinks: [{to: a, relation: elaborates}, b]\n"
BODY = "---\n# One\n\nText.\n"


def note(more: str = "", head: str = HEAD) -> Note:
    return split_note(f"{head}{more}{BODY}".encode())


def test_names_are_drawn_in_one_marked_property_and_nothing_else_changes() -> None:
    drawn = draw(note("# a comment\nmood: 'odd'\n"), ["alpha", "Beta note"])
    assert drawn.raw.decode() == (
        f"{HEAD}# a comment\nmood: 'odd'\n"
        f'related: ["[[alpha]]", "[[Beta note]]"] # drawn by engrain\n{BODY}'
    )
    assert drawn.draws
    assert drawn_names(drawn) == ["alpha", "Beta note"]
    assert draw(drawn, ["alpha", "Beta note"]) is drawn


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_what_is_drawn_is_no_part_of_the_substance(eol: str) -> None:
    plain = split_note(note().raw.replace(b"\n", eol.encode()))
    drawn = draw(plain, ["alpha"])
    assert drawn.raw != plain.raw
    assert drawn.substance() == plain.substance() == draw(drawn, ["beta"]).substance()
    assert draw(drawn, []).raw == plain.raw


def test_a_property_without_the_mark_is_a_persons_and_counts() -> None:
    theirs = note('related: ["[[gamma]]"]\n')
    assert not theirs.draws
    assert theirs.substance() != note().substance()


@pytest.mark.parametrize("value", ['"obey me"', '["obey me"]', '["[[a]]", obey]', "{a: '[[b]]'}"])
def test_nothing_but_links_hides_behind_the_mark(value: str) -> None:
    hidden = note(f"related: {value} # drawn by engrain\n")
    assert not hidden.draws
    assert hidden.substance() != note().substance()


def test_a_list_that_obsidian_rewrote_is_drawn_again() -> None:
    rewritten = note('related:\n  - "[[alpha]]"\n  - "[[beta]]"\ntail: x\n')
    drawn = draw(rewritten, ["alpha", "beta"])
    assert drawn.draws
    assert (
        draw(drawn, ["alpha"]).raw
        == note('related: ["[[alpha]]"] # drawn by engrain\ntail: x\n').raw
    )


def test_ends_are_those_of_links_and_supersedes_that_are_no_wikilinks_and_not_personal() -> None:
    said = "links: [a, {to: b}, {to: 'personal:x.md'}, {to: '[[c]]'}, {to: a, relation: x}, 7]\n"
    assert ends_of(note("", f"---\n{said}supersedes: [d, '[[e]]']\n")) == ["a", "b", "7", "d"]
    assert ends_of(note("", "---\nsupersedes: d\n")) == ["d"]
    assert ends_of(note("", "---\nlinks: a\n")) == []


@given(st.lists(st.text(min_size=1, max_size=12), max_size=4, unique=True))
def test_whatever_files_are_called_drawing_is_idempotent_and_reversible(names: list[str]) -> None:
    names = [name for name in names if name.isprintable()]
    plain = note()
    drawn = draw(plain, names)
    assert draw(split_note(drawn.raw), names).raw == drawn.raw
    assert draw(drawn, []).raw == plain.raw
    assert drawn.substance() == plain.substance()
