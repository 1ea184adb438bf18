"""`archive` and back: a summary stays, tags and links lead to it, the original returns (S1.9)."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import ConflictError, Memory, NotFoundError, Scope
from engrain.engine.core.moving import demote_entry, promote_entry
from engrain.engine.verbs.archive import summarize
from support.vaults import make_memory
from unit.engine.core.vault_files import find, notes, put, titles

LONG = (
    "The pooler drops prepared statements. "
    + "We decided to set `prepareThreshold=0` on 2026-03-14. "
    + "Nothing much happened on that day and people went home. " * 30
    + "See [[advisory-lock]] and [[elaborates:: pooler-notes|notes]]. "
    + "Afterwards it was quiet for quite some time in the team. " * 30
)


def test_an_archived_entry_keeps_its_metadata_and_the_first_sentences_of_its_text(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix", tags=["pg", "pool"])
    memory.link(saved.id, memory.save("x", title="Other", kind="fix").id)
    before = memory.show(saved.id).entry
    archived = memory.archive(saved.id, "the pooler is gone")
    assert (archived.outcome, archived.locator) == ("updated", "Memory/_archive/fix/pooler.md")
    assert not (vault / saved.locator).exists()
    shown = memory.show(saved.id)
    entry = shown.entry
    assert entry.status == "archived"
    assert entry.fields["summary"] == "extract"
    kept = ("id", "kind", "tags", "links", "created", "source")
    assert [entry.fields[name] for name in kept] == [before.fields[name] for name in kept]
    assert "prepareThreshold=0" in entry.text
    assert len(entry.text.split()) < len(before.text.split()) / 2
    assert [target for target, _, _ in shown.links_from][:2] == ["advisory-lock", "pooler-notes"]
    last = entry.text.strip().splitlines()[-1]
    assert f"`engrain restore {saved.id}`" in last
    change = memory.history(saved.id)[0]
    assert (change.op, change.reason) == ("archive", "the pooler is gone")
    assert memory.archive(saved.id).outcome == "unchanged"


def test_links_that_the_summary_drops_are_listed_so_that_the_graph_stays_whole(
    memory: Memory,
) -> None:
    links = [f"[[note-{number}]]" for number in range(40)]
    text = "\n\n".join(f"Sentence {number} tells of {link}." for number, link in enumerate(links))
    saved = memory.save(text, title="Many", kind="fix")
    before = {target for target, _, _ in memory.show(saved.id).links_from}
    memory.archive(saved.id)
    assert {target for target, _, _ in memory.show(saved.id).links_from} == before


def test_restoring_puts_the_original_back_byte_for_byte(memory: Memory, vault: Path) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix", tags=["pg"])
    before = notes(vault)
    memory.archive(saved.id)
    restored = memory.restore(saved.id)
    assert (restored.outcome, restored.locator) == ("restored", saved.locator)
    assert notes(vault) == before
    assert find(memory, "prepared statements") == ["Pooler"]
    assert memory._open_store().device.local.last_recalls().keys() == {saved.id}


def test_a_history_of_moves_does_not_confuse_restoring(memory: Memory, vault: Path) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    store = memory._ready()
    promote_entry(store, saved.id)
    demote_entry(store, saved.id)
    memory.archive(saved.id)
    memory.restore(saved.id)
    shown = memory.show(saved.id).entry
    memory.edit(saved.id, expect=shown.hash, text=LONG + "And more.")
    promote_entry(store, saved.id)
    before = notes(vault)
    memory.archive(saved.id)
    assert memory.restore(saved.id).locator == "Memory/_always-load/pooler.md"
    assert notes(vault) == before


def test_an_entry_whose_place_is_taken_is_restored_beside_it(memory: Memory, vault: Path) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    raw = (vault / saved.locator).read_bytes()
    memory.archive(saved.id)
    other = memory.save("Another.", title="Pooler", kind="fix")
    assert other.locator == saved.locator
    restored = memory.restore(saved.id)
    assert restored.locator == f"Memory/fix/pooler--{saved.id[-8:]}.md"
    assert (vault / restored.locator).read_bytes() == raw
    assert memory.show(other.id).entry.text == "Another.\n"


def test_an_archived_text_that_was_edited_is_not_thrown_away(memory: Memory, vault: Path) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    archived = memory.archive(saved.id)
    path = vault / archived.locator
    path.write_bytes(path.read_bytes() + b"\nMine.\n")
    before = notes(vault)
    with pytest.raises(ConflictError, match="edited since"):
        memory.restore(saved.id)
    assert notes(vault) == before


def test_an_archived_entry_is_found_by_tag_and_in_the_archive_and_not_else(memory: Memory) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix", tags=["pg"])
    memory.archive(saved.id)
    assert find(memory, "pooler prepared statements") == []
    assert titles(memory.list(scope=Scope(tags=["pg"]))) == []
    listed = memory.list(scope=Scope(tags=["pg"], include_archive=True))
    assert [(row.title, row.status) for row in listed.rows] == [("Pooler", "archived")]
    recalled = memory.recall("#pg", profile="associative").results
    assert [(found.row.title, found.row.status) for found in recalled] == [("Pooler", "archived")]
    deep = memory.recall("prepared statements", scope=Scope(include_archive=True)).results
    assert [found.row.status for found in deep] == ["archived"]


def test_undoing_an_archiving_gives_identical_bytes_and_keeps_it_from_fading(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    before = notes(vault)
    memory.archive(saved.id)
    memory.undo()
    assert notes(vault) == before
    assert saved.id in memory._open_store().device.local.last_recalls()


def test_what_is_gone_is_not_archived(memory: Memory) -> None:
    old = memory.save("One.", title="Lock", kind="fix")
    memory.evolve(old.id, "Two.")
    forgotten = memory.save("x", title="Gone", kind="fix")
    memory.forget(forgotten.id)
    for id_, status in ((old.id, "superseded"), (forgotten.id, "deleted")):
        with pytest.raises(ConflictError, match=status):
            memory.archive(id_)
    with pytest.raises(NotFoundError):
        memory.archive("zebra")


def test_only_the_operator_archives_what_is_theirs_or_kept(tmp_path: Path) -> None:
    with make_memory(tmp_path) as agent:
        value = agent.save("Be honest.", title="Honest", kind="value")
        plan = agent.save("1. Do.", title="Plan", kind="plan", project="billing")
        for id_ in (value.id, plan.id):
            with pytest.raises(ConflictError):
                agent.archive(id_)
    with make_memory(tmp_path, trust="operator") as operator:
        assert operator.archive(value.id).locator == "Memory/_archive/core/honest.md"
        archived = operator.archive(plan.id)
        assert archived.locator == "_archive/projects/billing/_harness/plan.md"
        assert operator.show(plan.id).entry.project == "billing"


def test_a_note_without_frontmatter_keeps_kind_title_and_its_original(
    memory: Memory, vault: Path
) -> None:
    path = put(vault, "Memory/fix/by-hand.md", LONG)
    raw = path.read_bytes()
    archived = memory.archive("by-hand")
    entry = memory.show(archived.id).entry
    assert (entry.kind, entry.title, entry.slug) == ("fix", "by-hand", "by-hand")
    memory.restore(archived.id)
    assert path.read_bytes() == raw


def test_a_fence_that_is_left_open_does_not_swallow_the_links(memory: Memory) -> None:
    saved = memory.save("```\ncode\n\n" + "[[a]] " * 3, title="Open", kind="fix")
    memory.archive(saved.id)
    text = memory.show(saved.id).entry.text
    assert text.splitlines().count("```") == 2
    assert text.index("Archived on") > text.rindex("```")


def test_undoing_an_archiving_moves_what_was_forgotten_in_its_place_aside(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save(LONG, title="Pooler", kind="fix")
    raw = (vault / saved.locator).read_bytes()
    memory.archive(saved.id)
    archiving = memory.history(saved.id)[0].change
    other = memory.save("Another.", title="Pooler", kind="fix")
    with pytest.raises(ConflictError, match="changed later"):
        memory.undo(archiving)
    memory.forget(other.id)
    before = notes(vault)
    undone = memory.undo(archiving)
    assert (vault / saved.locator).read_bytes() == raw
    assert memory.restore(other.id).locator == f"Memory/fix/pooler--{other.id[-8:]}.md"
    memory.undo()
    memory.undo(undone.change)
    assert notes(vault) == before


FILLER = "Nothing much happened on that day and people went home early again."


def test_a_text_of_few_words_stays_whole() -> None:
    assert summarize("One.\n\n- two\n- three\n") == "One.\n\n- two\n- three"
    assert summarize("") == ""


def test_a_summary_is_the_first_sentences_of_a_text_and_a_quarter_of_its_words() -> None:
    summary = summarize(" ".join([f"Number {number} is said here." for number in range(400)]))
    assert summary.startswith("Number 0 is said here. Number 1 is said here.")
    assert summary.endswith("Number 99 is said here.")


def test_a_list_is_cut_after_an_item() -> None:
    summary = summarize("\n".join(["- rotate the key every day"] * 60))
    assert summary.splitlines() == ["- rotate the key every day"] * 15


def test_a_text_without_blanks_between_words_is_cut_at_its_sentences() -> None:
    text = "今日は会議をした。天気は良かった。" * 20
    assert summarize(text) == "今日は会議をした。天気は良かった。" * 7


def test_a_text_without_any_sentence_mark_is_cut_at_its_words() -> None:
    assert summarize("word " * 80) == ("word " * 60).rstrip() + "…"


@given(
    st.lists(
        st.sampled_from(
            ["It rains.", FILLER, "\n\n", "\n", "## H\n", "- item ", "```\n", "| a | b |\n", "字。",
             "> q ", "[[a|b]] ", "…", "\t", "1. x\n", "e\u0301 ", "\U0001f3fb"]
        ),
        max_size=60,
    ).map(" ".join)
)  # fmt: skip
def test_a_summary_is_a_beginning_of_its_text(text: str) -> None:
    summary = summarize(text)
    assert len(summary) <= len(text)
    assert text.strip().startswith(summary.removesuffix("…"))
    assert bool(summary) == bool(text.strip())


@pytest.mark.parametrize("piece", ["a", "1.", "[[ ", "`", ". ", "- \n", "字", "aB", "\n\n", ".'"])
def test_a_hostile_text_is_summarized_as_fast_as_a_plain_one(piece: str) -> None:
    text = (piece * 100_000)[:100_000] + " b" * 100
    began = process_time()
    summarize(text)
    assert process_time() - began < 5
