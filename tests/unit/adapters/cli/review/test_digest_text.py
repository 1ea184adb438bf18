"""The digest as it is shown: nothing of an entry drives a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from engrain.adapters.cli.review.digest import HEADINGS, describe_digest, digest_lines
from engrain.adapters.present.text import unstyle
from engrain.engine.core.contradictions import CONTRADICTS
from engrain.lifecycle.upkeep import digest as sections
from engrain.lifecycle.upkeep.digest import Digest, DigestItem
from engrain.model.note.tiers import ACTIVE, INBOX, WORKING

AT = 1_790_000_000.0


def plain_lines(digest: Digest) -> list[str]:
    return list(map(unstyle, digest_lines(digest)))


def make(items: dict[str, list[DigestItem]], *, since: float | None = AT, inbox: int = 0,
         unattested: int = 0) -> Digest:  # fmt: skip
    return Digest(since, AT + 60, items, inbox=inbox, unattested=unattested, heads={})


HOSTILE = [
    "\x1b[31mred\x1b[0m", "two\nlines", "a\r\n## Heading\n- item", "\u202eturned",
    "zero\u200bwidth", "**bold** _it_ `code` ~~gone~~", "[click](https://x)", "![pic](x)",
    "[[Note]]", "<script>x</script>", "# Heading", "| a | b |", "> quote", "back\\slash",
    "%% hidden %%", "==mark==", "$$x$$", "&lt;b&gt;",
]  # fmt: skip


def everywhere(text: str) -> Digest:
    """A digest in which a text stands wherever one can."""
    item = DigestItem(
        title=text,
        path=text,
        entry=text,
        change=text,
        op="edit",
        at=AT,
        agent=text,
        trust=text,
        reason=text,
    )
    return make({name: [item] for name in HEADINGS})


def test_every_section_has_a_heading() -> None:
    names = {
        value
        for name, value in vars(sections).items()
        if name.isupper() and not name.startswith("_") and isinstance(value, str)
    } - {ACTIVE, INBOX, WORKING, CONTRADICTS}
    assert set(HEADINGS) == names


def test_nothing_is_said_to_be_nothing() -> None:
    told = "Since 2026-09-21T14:13:20Z: nothing to report"
    assert plain_lines(make({})) == [told]
    assert plain_lines(make({}, since=None)) == ["Since the beginning: nothing to report"]


def test_an_item_is_reported_with_what_takes_it_back() -> None:
    item = DigestItem(
        title="Lock",
        path="fixes/lock.md",
        entry="01a",
        change="d1-7",
        op="edit",
        at=AT,
        agent="eng-001",
        trust="agent",
        reason="was wrong",
    )
    lines = "\n".join(plain_lines(make({"curated": [item]})))
    assert "Since 2026-09-21T14:13:20Z: 1 to report" in lines
    assert "Changed in what you share (1)  take one back with `engrain undo CHANGE`" in lines
    assert "  edit: Lock\n    2026-09-21T14:13:20Z d1-7 01a by eng-001 was wrong" in lines


def test_what_has_no_title_goes_by_its_place_or_id() -> None:
    items = [DigestItem(path="Memory/x.md", entry="01x"), DigestItem(entry="01y")]
    lines = plain_lines(make({"edited": items}))
    assert "  Memory/x.md" in lines
    assert "  01y" in lines


def test_a_person_is_shown_twenty_of_a_section_and_a_program_all() -> None:
    digest = make({"edited": [DigestItem(title=f"Note {n}") for n in range(23)]})
    lines = plain_lines(digest)
    assert sum("Note" in line for line in lines) == 20
    assert any("3 more" in line for line in lines)
    assert len(describe_digest(digest)["edited"]) == 23  # type: ignore[arg-type]


def test_what_waits_is_counted() -> None:
    text = "\n".join(plain_lines(make({}, inbox=3, unattested=2)))
    assert "3 in the inbox: `engrain list --status inbox --all-projects`." in text
    assert "2 of the agent's own have no proof of who wrote them" in text


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_on_a_terminal_a_text_is_one_line_of_what_can_be_seen(text: str) -> None:
    lines = plain_lines(everywhere(text))
    assert all(line.isprintable() for line in lines)
    assert len(lines) == len(plain_lines(everywhere("x")))


def test_a_program_gets_every_section_and_texts_that_can_be_seen() -> None:
    said = describe_digest(everywhere("a\x1b[31m\u202eb"))
    for name in HEADINGS:
        items: list[Any] = said[name]  # type: ignore[assignment]
        (item,) = items
        assert item["title"] == item["path"] == item["reason"] == "a[31mb"
        assert item["at"] == "2026-09-21T14:13:20Z"
    assert (said["since"], said["until"]) == ("2026-09-21T14:13:20Z", "2026-09-21T14:14:20Z")
    empty = describe_digest(make({}, since=None))
    assert empty["since"] is None
    assert [empty[name] for name in HEADINGS] == [[]] * len(HEADINGS)
