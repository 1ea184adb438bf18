"""Links in a note's body (S1.11, S2.9)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.link_tokens import prose
from engrain.model.links.link import (
    INVERSE,
    RELATIONS,
    Link,
    field_links,
    is_at,
    leads_to_file,
    parse_links,
    read_links,
    resolve_path,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.model.note.field import Value

bodies = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from([
            "[", "[[", "]]", "![[", "|", "#", "^", "::", "`", "``", "```", "~~~", "\n", "\r\n",
            "\n\n", " ", "a", "b c", "\\", "<!--", "-->", "%%", "> ", "- ", "1. ", "é", "\ud800",
            "[[a]]", "![[b|c]]", "[[supersedes:: d]]",
        ]),
        max_size=40,
    ).map("".join),
)  # fmt: skip


def targets(body: str) -> list[str]:
    return [link.target for link in parse_links(body)]


@pytest.mark.parametrize(
    ("written", "link"),
    [
        ("[[target]]", Link("target")),
        ("[[ Two words ]]", Link("Two words")),
        ("[[target|a label]]", Link("target", label="a label")),
        ("[[target|]]", Link("target")),
        ("[[target|see [1] there]]", Link("target", label="see [1] there")),
        ("[[target|`code`]]", Link("target", label="`code`")),
        ("[[target#heading]]", Link("target", heading="heading")),
        ("[[target#one#two|label]]", Link("target", label="label", heading="one#two")),
        ("[[target#^block]]", Link("target", heading="^block")),
        ("![[embed]]", Link("embed")),
        ("![[note#a:#b]]", Link("note", heading="a:#b")),
        ("[[path/to/target]]", Link("path/to/target")),
        ("[[elaborates:: target]]", Link("target", relation="elaborates")),
        ("[[elaborates::target]]", Link("target", relation="elaborates")),
        ("[[Derived-From:: t#h|l]]", Link("t", "l", "derived_from", "h")),
        ("[[depends_on:: target]]", Link("target", relation="depends_on")),
        ("[[std::vector]]", Link("std::vector")),
        ("[[elaborates:: ]]", Link("elaborates::")),
        (r"[[target\|in a table]]", Link("target", label="in a table")),
        ("[[label|dendron://vault/target]]", Link("label", label="dendron://vault/target")),
        ("![[|dendron://vault/target#h]]", Link("dendron://vault/target", None, None, "h")),
        ("[t](a.md)", Link("a.md", offset=2, markdown=True)),
        ("[](<a b.md#h c> 'title')", Link("a b.md", heading="h c", offset=1, markdown=True)),
        ("![t](../x/N%20m.MD#h%20i)", Link("../x/N m.MD", None, None, "h i", 3, True)),
        ("[`c` [i]](f(1).md)", Link("f(1).md", offset=8, markdown=True)),
    ],
)
def test_each_form_of_link_is_read(written: str, link: Link) -> None:
    assert parse_links(written) == [link]


@pytest.mark.parametrize("relation", RELATIONS)
def test_each_relation_of_ours_is_read(relation: str) -> None:
    assert parse_links(f"[[{relation}:: x]]") == [Link("x", relation=relation)]


def test_links_are_reported_in_order_with_their_offsets() -> None:
    body = "é [[a]], ![[b]] and\n[[c]]"
    assert [(link.target, link.offset) for link in parse_links(body)] == [
        ("a", 2),
        ("b", 9),
        ("c", 20),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "[[]]",
        "[[ ]]",
        "[[|label]]",
        "[[#heading of this note]]",
        "[[a\nb]]",
        "[[a",
        "[a]]",
        "[[a]b]]",
        r"\[[a]]",
        "[[1]](https://example.org/cite)",
        "[[1]](#cite-1)",
        "[t](https://host/a.md)",
        "[t](//host/a.md)",
        "[t](a.png)",
        "[t](#a.md)",
        "[t](a b.md)",
        "[t](a.md",
        "[t](a.md?x)",
        r"[t\](a.md)",
    ],
)
def test_what_only_looks_like_a_link_is_text(body: str) -> None:
    assert parse_links(body) == []


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n[[x]]\n```",
        "```python\n[[x]]\n``\n````",
        "~~~~\n[[x]]\n~~~\n```\n[[x]]\n~~~~",
        "  - ```\n    [[x]]\n    ```",
        "> ```\n> [[x]]\n> ```",
        "```\r\n[[x]]\r\n```",
        "`[[x]]`",
        "``a ` [[x]]``",
        "`over\ntwo lines [[x]]`",
        "``` [[x]] ``` and",
        "<!-- [[x]] -->",
        "<!--\n```\n[[x]]\n-->",
        "%% [[x]] %%",
        "%%\n\n[[x]]\n\n%%",
    ],
)
def test_what_stands_in_code_or_comments_is_no_link(hidden: str) -> None:
    assert targets(f"[[before]]\n{hidden}\n[[after]]") == ["before", "after"]


@pytest.mark.parametrize(
    "body",
    [
        "a stray ` and [[x]]",
        "a stray ` ends here\n\n[[x]] and another `",
        "- a stray ` ends here\n- [[x]] and another `",
        "`` [[x]] `",
        r"an escaped \` [[x]] `",
        "<!-- never closed [[x]]",
        "100%% [[x]]",
        "    [[x]] indented",
        "[[[[x]]",
        r"\\[[x]]",
        r"\![[x]]",
        "```not a fence``` [[x]]",
        "in the middle ~~~ [[x]]",
    ],
)
def test_what_is_not_closed_hides_no_link(body: str) -> None:
    assert targets(body) == ["x"]


def test_a_fence_that_is_not_closed_runs_to_the_end() -> None:
    assert targets("[[a]]\n```\n[[b]]\n\n[[c]]") == ["a"]


def test_prose_blanks_code_and_comments_and_moves_nothing() -> None:
    assert prose("a `b` [[c]] %%d%% e\n```\nf\n```") == f"a {'':3} [[c]] {'':5} e\n{'':9}"


def test_an_inverse_is_a_relation_whose_inverse_leads_back() -> None:
    for relation, inverse in INVERSE.items():
        assert relation in RELATIONS
        assert INVERSE[inverse] == relation
    assert "elaborates" not in INVERSE


@given(bodies)
def test_any_body_is_read_and_each_offset_is_where_a_link_opens(body: str) -> None:
    last = -1
    for link in parse_links(body):
        assert body.startswith(("![[", "[["), link.offset)
        assert link.offset > last
        assert link.target == link.target.strip() != ""
        assert link.target in body
        last = link.offset


@given(bodies)
def test_links_are_those_of_the_prose(body: str) -> None:
    assert len(prose(body)) == len(body)
    visible = [link.offset for link in parse_links(body)]
    assert all(prose(body)[offset] == body[offset] for offset in visible)


@given(st.text(st.characters(exclude_characters="[]|#\\\r\n"), min_size=1), bodies)
def test_a_link_after_a_closed_block_is_found(name: str, body: str) -> None:
    if name.strip() and "::" not in name:
        fenced = "~" * (len(body) + 3)
        link = parse_links(f"{fenced}\n{body}\n{fenced}\n[[{name}]]")[-1]
        assert link.target == name.strip()


LENGTH = 60_000


@pytest.mark.parametrize(
    "unit",
    [
        "[", "[[a", "[[a|", "![[", "[[a|[b", "[[a]", "[[a]]", "`", "` ", "`\n\n", "``a`", "<!--",
        "%% ", "```\n~~~\n", " ", "- ", "   \n>", "[[\n", "#",
        "](", "](a", "](a(b", '](a "', "](a 'b", "](<a", "](a.md ", "](a.md)", "](a\\",
    ],
)  # fmt: skip
def test_a_hostile_body_is_read_in_linear_time(unit: str) -> None:
    body = unit * (LENGTH // len(unit))
    started = time.process_time()
    parse_links("[[x .md " + body)
    parse_links("[[" + body + " ]]")
    assert time.process_time() - started < 2  # quadratic takes many minutes, linear a moment


def test_runs_of_backticks_of_every_length_are_read_in_linear_time() -> None:
    body = "[[x]]" + "".join("`" * length + " " for length in range(1, 1_400))
    started = time.process_time()
    assert targets(body) == ["x"]
    assert time.process_time() - started < 5


def test_links_within_a_note_are_read_where_they_are_asked_for() -> None:
    body = "[[#one]] [[a]] [[#^b|label]] [[#]]"
    assert [(link.target, link.heading) for link in read_links(body)] == [
        ("", "one"),
        ("a", None),
        ("", "^b"),
    ]


def test_links_in_texts_of_frontmatter_are_reported_in_order_but_for_our_own_field() -> None:
    fields: dict[str, Value] = {
        "up": "[[a]]",
        "links": ["[[own]]"],
        "n": 1,
        "see": ["x", "[[b|l]] and [[c]]", {"deep": "[[d#h]]"}],
    }
    assert [link.target for link in field_links(fields)] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("name", ["a.png", "dir/A.PDF", "Board.canvas", "x.excalidraw", "b.base"])
def test_what_ends_as_a_file_does_leads_to_one(name: str) -> None:
    assert leads_to_file(name)


@pytest.mark.parametrize(
    "name", ["note", "dendron.topic.links", "v1.2", "Mr. Smith", "n.md", ".png"]
)
def test_dots_in_a_name_make_no_file_of_it(name: str) -> None:
    assert not leads_to_file(name)


@pytest.mark.parametrize(
    "written", ["n", "b/n", "a/b/n", "/a/b/n", "A/B/N.md", "./n", "../b/n.md", "any/Title"]
)
def test_a_path_that_is_the_notes_is_its_place(written: str) -> None:
    assert is_at(written, "a/b/n.md", "any/Title", "a/b")


@pytest.mark.parametrize("written", ["c/n", "a/n", "b/n/n", "./b/n", "../n"])
def test_a_path_that_is_another_is_not(written: str) -> None:
    assert not is_at(written, "a/b/n.md", "N", "a/b")


def test_no_relative_path_leads_above_the_vault() -> None:
    assert resolve_path("../../../x", "a/b") == "x"
    assert resolve_path("./../c/x", "a/b") == "a/c/x"
