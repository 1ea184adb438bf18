"""What a recall finds, and what it answers when that is nothing (S1.1, S1.18)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory, UsageError
from unit.engine.core.vault_files import find, put


@pytest.mark.parametrize(
    ("title", "text", "tags", "query"),
    [
        ("Nightly lock", "Take it first.", [], "nightly"),
        ("Nightly lock", "Take it first.", [], "LOCKS"),
        ("Nightly lock", "The scheduler wakes at two.", [], "schedulers waking"),
        ("Nightly lock", "Take it first.", ["postgres"], "postgres"),
        ("データベース", "全文検索の設定を確認する。", [], "検索"),
        ("笔记", "数据库连接池太小", [], "连接"),
        ("메모", "데이터베이스를 다시 시작한다", [], "다시"),
        ("Ärger", "Die Brücke in Köln", [], "brucke"),
        ("Cafe", "The cafe is closed", [], "café"),
        ("Emoji", "Ship it 🚀 today", [], "🚀"),
        ("Code", "call pg_advisory_lock(42)", [], "pg_advisory_lock"),
        ("Quote", 'say "ahoy" AND (NOT) near*', [], '"ahoy" AND ( NOT'),
    ],
)
def test_an_entry_is_found_by_its_words(
    memory: Memory, title: str, text: str, tags: list[str], query: str
) -> None:
    memory.save("Nothing of the kind.", title="Something else", kind="fix")
    memory.save(text, title=title, kind="fix", tags=tags)
    assert find(memory, query) == [title]


@pytest.mark.parametrize("query", ["", "   ", "?!", "\0", "zebra", "\ud800"])
def test_a_query_that_meets_nothing_finds_nothing(memory: Memory, query: str) -> None:
    memory.save("Take it first.", title="Nightly lock", kind="fix")
    found = memory.recall(query)
    assert (found.results, found.degraded, found.elsewhere) == ((), None, 0)


def test_a_title_tells_more_than_a_mention(memory: Memory) -> None:
    memory.save("The lock is mentioned here.", title="Deployment", kind="fix")
    memory.save("Take it first.", title="Lock", kind="fix")
    found = memory.recall("lock", profile="deep").results
    assert [one.row.title for one in found] == ["Lock", "Deployment"]
    assert found[0].row.score > found[1].row.score > 0


def test_what_is_found_comes_with_its_place_source_and_text(memory: Memory) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix", tags=["pg"])
    (found,) = memory.recall("nightly").results
    row = found.row
    assert (row.id, row.locator, row.hash) == (saved.id, saved.locator, saved.hash)
    assert (row.kind, row.tags, row.source, row.tier) == ("fix", ("pg",), "agent", "T3")
    assert found.text == "Take it first.\n"


def test_as_many_are_found_as_asked_for(memory: Memory) -> None:
    for number in range(5):
        memory.save(f"The lock, part {number}", title=f"Part {number}", kind="fix")
    assert len(memory.recall("lock").results) == 5
    assert len(memory.recall("lock", limit=2).results) == 2
    assert len(memory.recall("lock", limit=10**30).results) == 5


@pytest.mark.parametrize("limit", [0, -1])
def test_a_recall_of_none_is_refused(memory: Memory, limit: int) -> None:
    with pytest.raises(UsageError, match="limit"):
        memory.recall("lock", limit=limit)


def test_a_note_without_frontmatter_is_found_by_its_name(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/domain-reference/dendron.ref.commands.md", "No heading, only words.\n")
    assert find(memory, "commands") == ["dendron.ref.commands"]
