"""Pages of maps: valid for Obsidian whatever entries are called, bounded, and stable."""

from __future__ import annotations

import re

import pytest

from engrain.model.links.link import parse_links
from engrain.model.map_pages import (
    FIRST_LINE,
    MOST_BYTES,
    MOST_INLINE,
    MOST_ON_PAGE,
    MapItem,
    MapSection,
    as_text,
    compose_link,
    compose_map,
    find_gist,
    is_generated_map,
    sections_of,
)
from engrain.model.note.note import MAX_NOTE_BYTES
from engrain.model.note.tiers import Naming, is_generated, is_map, map_page

STRANGE = [
    "A [bracketed] title",
    "Ends with a bracket]",
    "Two]] ends [[and a link]]",
    "A pipe | in it",
    "Lines\nbroken\r\nin three",
    "Emoji 🦊 and ümlauts",
    "C# and #tags",
    "<!-- hidden --> <script>",
    "%%comment%% and $$maths$$",
    "`code` and ```fence```",
    "Very long " * 400,
    "ends as a block ^id",
    "日本語の題名",
]


def tell(item: MapItem) -> str:
    [section] = sections_of([item], projects=True)
    [line] = section.lines
    return line


@pytest.mark.parametrize("title", STRANGE)
def test_a_line_has_one_link_whatever_the_title_is(title: str) -> None:
    line = tell(MapItem("Memory/fix/a.md", title, "fix", gist=title, tags=[title], project=title))
    [link] = parse_links(line)
    assert link.target == "Memory/fix/a"
    assert link.label
    assert "\n" not in line
    assert len(line) < 700


@pytest.mark.parametrize("title", STRANGE)
def test_nothing_of_an_entry_is_markup(title: str) -> None:
    said = as_text(title, 5000)
    assert not re.search(r"%%|\$\$|<|>|`|\[|\]|\|", said)
    assert not re.search(r"(?<!\S)#\S", said)
    assert not re.search(r"\s\^\w+$", said)


@pytest.mark.parametrize(
    "place", ["a#b.md", "Memory/x [y].md", "Memory/a|b.md", "c^d.md", "100%%.md"]
)
def test_a_file_that_no_wikilink_can_name_gets_a_markdown_link(place: str) -> None:
    link = compose_link(place, "Its title")
    assert re.fullmatch(r"\[Its title\]\([\w/%.-]+\)", link)
    [read] = parse_links(link)
    assert read.target == place


def test_an_entry_without_a_title_can_be_clicked() -> None:
    assert compose_link("a.md", " \n") == "[[a|untitled]]"


@pytest.mark.parametrize(
    ("fields", "text", "gist"),
    [
        ({"description": "Said so."}, "Another.", "Said so."),
        ({"summary": "In short."}, "Another.", "In short."),
        ({"description": " "}, "First. Second.", "First."),
        ({}, "\n## Heading\n\nBelow it? Yes.", "Below it?"),
        ({}, "```\ncode. more\n```\n- An item. More", "An item."),
        ({}, "> quoted text\n", "quoted text"),
        ({}, "| a | b |\n|---|---|\n", ""),
        ({}, "~~~\n```\nstill code\n~~~\nText", "Text"),
        ({}, "```\nnever closed", ""),
        ({"description": ["a", "list"]}, "", ""),
        ({}, "最初の文。次の文。", "最初の文。"),
    ],
)
def test_a_gist_is_what_frontmatter_says_or_how_the_text_begins(
    fields: dict[str, object], text: str, gist: str
) -> None:
    assert find_gist(fields, text) == gist


def test_a_gist_with_links_shows_their_words() -> None:
    item = MapItem("a.md", "A", "fix", gist="See [[x|the x]], [[y]] and [z](z.md) #now")
    assert tell(item) == r"- [[a|A]] — See the x, y and z \#now"


def test_a_line_tells_what_is_not_active() -> None:
    assert tell(MapItem("a.md", "A", "fix", "superseded")) == "- [[a|A]] (superseded)"


def test_kinds_are_sections_in_order_and_entries_are_sorted_by_title() -> None:
    items = [
        MapItem(f"{n}.md", n, kind) for n, kind in (("b", "fix"), ("A", "fix"), ("c", "decision"))
    ]
    sections = sections_of(items, projects=False)
    assert [section.title for section in sections] == ["decision (1)", "fix (2)"]
    assert sections[1].lines == ["- [[A|A]]", "- [[b|b]]"]
    assert [s.lines for s in sections_of(items[::-1], projects=False)] == [
        s.lines for s in sections
    ]


def test_kinds_that_differ_by_case_share_a_section() -> None:
    items = [MapItem("a.md", "a", "fix"), MapItem("b.md", "b", "Fix")]
    [section] = sections_of(items, projects=False)
    assert len(section.lines) == 2


def test_hundreds_of_unknown_kinds_share_a_section() -> None:
    items = [MapItem(f"{n}.md", str(n), f"kind{n}") for n in range(300)]
    [section] = sections_of(items, projects=False)
    assert section.title == "other (300)"


def test_a_long_section_gets_pages_and_the_map_leads_to_them() -> None:
    lines = [f"- [[n{at}|{at}]]" for at in range(MOST_ON_PAGE + 1)]
    sections = [MapSection("fix", "fix", lines), MapSection("idea", "idea", lines[:MOST_INLINE])]
    pages = dict(compose_map("Memory", "Map", ["2 notes."], sections))
    assert list(pages) == ["Memory/_index.md", "Memory/_index/fix.md", "Memory/_index/fix.2.md"]
    first = pages["Memory/_index.md"]
    assert "## fix (501)\n\n- [[Memory/_index/fix|Map: fix, 1 of 2]] (500)\n" in first
    assert lines[MOST_INLINE - 1] in first
    assert pages["Memory/_index/fix.2.md"].splitlines()[-1] == lines[-1]
    assert "Part of [[Memory/_index|Map]]." in pages["Memory/_index/fix.md"]


def test_pages_stay_below_what_a_note_may_have() -> None:
    wide = ["- " + "🦊" * 500 for _ in range(MOST_ON_PAGE)]
    sections = [MapSection(f"k{at}", f"k{at}", wide[:150]) for at in range(20)]
    sections.append(MapSection("long", "long", wide))
    for _, text in compose_map("", "Map", [], sections):
        assert len(text.encode()) < MOST_BYTES + 4096 < MAX_NOTE_BYTES


def test_a_map_is_a_persons_once_its_first_line_is_out() -> None:
    [(_, text)] = compose_map("", "Map", [], [])
    assert text.startswith(FIRST_LINE + "\n")
    assert is_generated_map(text.encode())
    assert is_generated_map(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert not is_generated_map(text.partition("\n")[2].encode())
    assert not is_generated_map(b"")
    assert not is_generated_map(b"\xff\xfe")


@pytest.mark.parametrize(
    ("place", "generated"),
    [
        ("_index.md", True),
        ("_index/fix.md", True),
        ("Memory/_index/fix.2.md", True),
        ("projects/a/_index/_projects.md", True),
        ("Memory/_index/fix.txt", False),
        ("Memory/fix/_index/fix.md", False),
        ("notes/_index/fix.md", False),
        ("projects/_index/fix.md", False),
        ("_index-fix.md", True),
        ("Memory/_index-fix_2.md", True),
        ("projects/a/_index-_projects.md", True),
        ("Memory/fix/_index-fix.md", False),
        ("notes/_index-fix.md", False),
        ("projects/_index-fix.md", False),
        ("projects/a/designs/_index-fix.md", False),
        ("_index.sync-conflict-20260921-101500-ABCDEFG.md", True),
        ("Memory/_index 2.md", True),
        ("_index (conflicted copy 2026-09-21).md", True),
        ("_index of recipes.md", False),
        ("_index.old.md", False),
        ("_indexed.md", False),
        ("Memory/_index-fix.txt", False),
    ],
)
def test_further_pages_are_generated_only_where_a_map_may_be(place: str, generated: bool) -> None:
    folder, _, name = place.rpartition("/")
    assert is_map(place) is is_generated(place) is generated
    if name.endswith(".md"):
        assert Naming(folder).admits(name) is not generated


def test_pages_are_numbered_apart_from_the_slugs_of_kinds() -> None:
    assert map_page("") == "_index.md"
    assert map_page("Memory", "fix-2") == "Memory/_index/fix-2.md"
    assert map_page("Memory", "fix", 2) == "Memory/_index/fix.2.md"
