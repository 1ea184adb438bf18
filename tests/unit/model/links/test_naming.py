"""What a note is called when it gets another title (S1.11)."""

from __future__ import annotations

import pytest

from engrain.model.links.relinking import (
    Called,
    is_linkable,
    name_file,
    rename_heading,
    rename_link,
)
from engrain.model.note.entry import read_entry


@pytest.mark.parametrize(
    ("path", "text", "title", "stem"),
    [
        ("My Note.md", "text", "Other: Note?", "Other- Note-"),
        ("rust.md", "# rust\n", "Go Lang", "Go Lang"),
        ("Memory/fix/pg-lock.md", "---\nslug: pg-lock\n---\n# PG lock\n", "Locks", "locks"),
        ("Memory/fix/pg-lock--0abcdef1.md", "---\nslug: pg-lock\n---\n# PG lock\n", "X", "x"),
        ("a.b.links.md", "---\ntitle: Links\n---\n", "All Links", "a.b.all-links"),
        ("some-file.md", "# Something Else\n", "New Name", "new-name"),
        ("Some File.md", "# Something Else\n", "New Name", "New Name"),
        ("v1.2 plan.md", "text", "v1.3 plan", "v1.3 plan"),
        ("My Note.md", "text", "A [b] #c ^d | e", "A -b- -c -d - e"),
    ],
)
def test_a_file_is_named_in_the_manner_of_its_old_name(
    path: str, text: str, title: str, stem: str
) -> None:
    assert name_file(read_entry(path, text.encode()), title) == stem


OLD = Called("01id", "Old Title", "old-stem", "old-slug", ["Nick"])


@pytest.mark.parametrize(
    ("written", "now"),
    [
        ("Old Title", "New Title"),
        ("old title", "New Title"),
        ("old-stem", "new-stem"),
        ("OLD-STEM", "new-stem"),
        ("old-slug", "new-slug"),
        ("a/b/old-stem", "a/b/new-stem"),
        ("../old-stem", "../new-stem"),
        ("01id", "01id"),
        ("Nick", "Nick"),
    ],
)
def test_a_link_says_the_new_name_for_the_old_one_of_its_sort(written: str, now: str) -> None:
    new = Called("01id", "New Title", "new-stem", "new-slug", ["Nick"])
    assert rename_link(written, OLD, new) == now


@pytest.mark.parametrize("title", ["A|B", "A#B", "A^B", "[A]", "A/B", "A\\B"])
def test_a_title_that_no_link_can_say_is_said_by_its_file(title: str) -> None:
    assert not is_linkable(title)
    assert rename_link("Old Title", OLD, Called("01id", title, "a-b", "a-b", [])) == "a-b"


@pytest.mark.parametrize(
    ("written", "now"),
    [
        ("Old Title", "New: Title"),
        ("old-title", "new-title"),
        ("old-title,1:#*", "new-title,1:#*"),
        ("Old Title#Part", "New: Title#Part"),
        ("Part", "Part"),
        ("^block", "^block"),
    ],
)
def test_a_heading_that_is_the_title_is_renamed_with_it(written: str, now: str) -> None:
    assert rename_heading(written, "Old Title", "New: Title") == now.replace(": T", " T")


def test_a_title_that_was_no_heading_leaves_headings_alone() -> None:
    assert rename_heading("Old Title", "", "") == "Old Title"
