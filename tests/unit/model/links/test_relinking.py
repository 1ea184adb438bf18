"""Links rewritten to another name, and nothing else changed (S1.11). What a note is called when it
gets another title (S1.11)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.links.link import Link, note_name
from engrain.model.links.relinking import (
    LABEL,
    TARGET,
    Called,
    LinkRewrite,
    draw,
    drawn_names,
    ends_of,
    is_linkable,
    name_file,
    relink,
    relink_front,
    relink_value,
    rename_heading,
    rename_link,
)
from engrain.model.note.entry import read_entry
from engrain.model.note.note import Note, split_note

bodies = st.lists(
    st.sampled_from([
        "[[old]]", "![[old#h|l]]", "[[x]]", "`[[old]]`", "```\n", "\n", "\r\n", "<!--", "-->", "%%",
        "[t](old.md)", "[t](<a/old.md>)", "[[", "]]", "|", "old", " ", "\ufeff", "é", "[", "](",
    ]),
    max_size=30,
).map("".join)  # fmt: skip


def name(written: str) -> str:
    folder, slash, last = written.rpartition("/")
    return folder + slash + "New Name" if last.casefold() == "old" else written


def decide(link: Link) -> LinkRewrite:
    label = link.label or ""
    side = LABEL if name(note_name(label).rpartition("/")[2]) == "New Name" else TARGET
    return LinkRewrite(name, lambda heading: heading.replace("Old", "New"), side)


def rewrite(text: str) -> str:
    return relink(text, decide)[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[old]]", "[[New Name]]"),
        ("[[ old ]]", "[[ New Name ]]"),
        ("[[OLD|label]]", "[[New Name|label]]"),
        ("[[old#h#h2|label]]", "[[New Name#h#h2|label]]"),
        ("[[old#^b]]", "[[New Name#^b]]"),
        ("[[old#Old part]]", "[[New Name#New part]]"),
        ("![[old|300]]", "![[New Name|300]]"),
        ("[[a/b/old.md]]", "[[a/b/New Name.md]]"),
        ("[[elaborates:: old]]", "[[elaborates:: New Name]]"),
        ("[[elaborates::old#h]]", "[[elaborates::New Name#h]]"),
        (r"| [[old\|in a table]] |", r"| [[New Name\|in a table]] |"),
        ("[[label|old]]", "[[label|New Name]]"),
        ("[[label|dendron://vault/old#h,1]]", "[[label|dendron://vault/New Name#h,1]]"),
        ("![[dendron://vault/old#h:#*]]", "![[dendron://vault/New Name#h:#*]]"),
        ("![[|dendron://vault/old]]", "![[|dendron://vault/New Name]]"),
        ("[text](old.md)", "[text](New%20Name.md)"),
        ("[text](<old.md>)", "[text](<New Name.md>)"),
        ('[text](../x%20y/old.md#h "t")', '[text](../x%20y/New%20Name.md#h "t")'),
        ("![text](x/old.md)", "![text](x/New%20Name.md)"),
        ("[old](other.md)", "[old](other.md)"),
        ("[text](https://host/old.md)", "[text](https://host/old.md)"),
        ("`[[old]]` [[old]]", "`[[old]]` [[New Name]]"),
        ("```\n[[old]]\n[t](old.md)\n```", "```\n[[old]]\n[t](old.md)\n```"),
        ("<!-- [[old]] -->", "<!-- [[old]] -->"),
        (r"\[[old]]", r"\[[old]]"),
    ],
)
def test_the_name_in_a_link_changes_and_nothing_else(before: str, after: str) -> None:
    assert rewrite(before) == after


def test_it_says_how_many_links_it_rewrote() -> None:
    assert relink("[[old]] [[x]] [t](old.md)\r\n  ", decide)[1] == 2


@given(bodies)
def test_bytes_outside_of_names_stay(body: str) -> None:
    after = rewrite(body)
    assert after.replace("New%20Name", "old").replace("New Name", "old") == body


@given(bodies)
def test_rewriting_again_changes_nothing(body: str) -> None:
    once = rewrite(body)
    assert rewrite(once) == once


def test_links_in_the_values_of_frontmatter_are_rewritten_at_any_depth() -> None:
    value, count = relink_value(["[[old]]", {"up": "see [[old|x]]", "n": 3}, "old"], decide)
    assert (value, count) == (["[[New Name]]", {"up": "see [[New Name|x]]", "n": 3}, "old"], 2)


def test_in_the_text_of_frontmatter_only_links_change() -> None:
    front = 'up: "[[old]]"   # a comment\nold: [a,  b]\n'
    assert relink_front(front, decide) == 'up: "[[New Name]]"   # a comment\nold: [a,  b]\n'


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
