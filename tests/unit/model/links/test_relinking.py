"""Links rewritten to another name, and nothing else changed (S1.11)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.links.link import Link, note_name
from engrain.model.links.relinking import LABEL, TARGET, Rewrite, relink, relink_front, relink_value

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


def decide(link: Link) -> Rewrite:
    label = link.label or ""
    side = LABEL if name(note_name(label).rpartition("/")[2]) == "New Name" else TARGET
    return Rewrite(name, lambda heading: heading.replace("Old", "New"), side)


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
