"""Links to what was replaced are led to what stands in its place."""

from __future__ import annotations

from engrain import Memory
from engrain.lifecycle.reviewing.table import plan_redirects
from unit.lifecycle.dreaming.sleepers import put
from unit.lifecycle.sessions.living import store_of


def lead_on(memory: Memory, gone: list[str], by: str) -> dict[str, str]:
    """The texts of the notes that change."""
    store = store_of(memory)
    entries = [memory.show(id_).entry for id_ in gone]
    found = plan_redirects(store, entries, memory.show(by).entry)
    return {rewrite.id: rewrite.note.body.partition("\n")[2] for rewrite in found}


def test_every_way_to_write_a_link_is_led_on_and_nothing_else_changes(memory: Memory) -> None:
    old = put(memory, "Memory/fix/old.md", "Old way", "Was so.")
    new = put(memory, "Memory/fix/new.md", "New way", "Is so.")
    text = "[[old]], [[Old way|as it was]], ![[Memory/fix/old#Why]] and `[[old]]`, not [[new]]."
    pointer = put(memory, "Memory/fix/pointer.md", "Pointer", text)
    put(memory, "Memory/fix/other.md", "Other", "[[new]] and [[pointer]].")
    assert lead_on(memory, [old], new) == {
        pointer: "[[new]], [[New way|as it was]], ![[Memory/fix/new#Why]] and `[[old]]`,"
        " not [[new]].\n"
    }


def test_several_that_are_gone_are_led_on_in_one_note(memory: Memory) -> None:
    first = put(memory, "Memory/fix/first.md", "First", "Was so.")
    second = put(memory, "Memory/fix/second.md", "Second", "Was so too, see [[first]].")
    new = put(memory, "Memory/fix/new.md", "New", "Is so, see [[first]] for what was.")
    pointer = put(memory, "Memory/fix/pointer.md", "Pointer", "[[first]] and [[second]].")
    assert lead_on(memory, [first, second], new) == {pointer: "[[new]] and [[new]].\n"}


def test_what_tells_where_something_comes_from_stays(memory: Memory) -> None:
    old = put(memory, "Memory/fix/old.md", "Old", "Was so.")
    new = put(memory, "Memory/fix/new.md", "New", "Is so.")
    put(
        memory, "Memory/fix/heir.md", "Heir", "Text.",
        more=[f"derived_from: [{old}]", f"links: [{{to: {old}, relation: supersedes}}]"],
    )  # fmt: skip
    assert lead_on(memory, [old], new) == {}


def test_what_is_archived_or_waits_for_review_stays(memory: Memory) -> None:
    old = put(memory, "Memory/fix/old.md", "Old", "Was so.")
    new = put(memory, "Memory/fix/new.md", "New", "Is so.")
    pointer = put(memory, "Memory/fix/pointer.md", "Pointer", "Look at [[old]] for that.")
    memory.review.propose("archive", pointer, "see [[old]]")
    memory.archive(pointer)
    assert lead_on(memory, [old], new) == {}
