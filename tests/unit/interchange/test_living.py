"""A living memory comes in with its ids, use and weight, and goes out the same; what is wrong in it
is told, and what is here is never overwritten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engrain import Memory
from engrain.model.note.entry import Entry
from engrain.model.note.note import split_note
from support.layouts import LIVING, PROJECT, take_living, write_living
from support.vaults import make_memory

NOTE = "active/a.md"
FIELDS = [
    "id", "created", "last_recalled", "recall_count", "emotional_weight", "tags", "links",
    "sessions_since_recall",
]  # fmt: skip


def note(id_: str = "m-1", body: str = "# A\n\nText.\n", **fields: Any) -> str:
    lines = [f"{key}: {value}" for key, value in {"id": id_, **fields}.items()]
    return "\n".join(["---", *lines, "---", body])


def entry(memory: Memory, id_: str) -> Entry:
    return memory.show(id_).entry


def front(files: dict[str, bytes], name: str) -> dict[str, Any]:
    return dict(split_note(files[name]).fields)


def test_a_memory_comes_in_with_its_use_and_its_weight(memory: Memory) -> None:
    imported = take_living(memory, LIVING)
    assert (imported.counts, imported.problems) == ({"created": 7}, [])
    assert (imported.links, imported.broken) == (2, 0)
    found = entry(memory, "abc12345")
    assert (found.kind, found.weight, found.recall_count) == ("memory", 0.8, 5)
    assert (found.sessions_since_recall, found.tags) == (2, ("coordination", "agents"))
    assert found.links == (("def45678", "related_to"),)
    assert found.created == 1769874420.0
    assert memory.recall("what does the project depend on").results[0].row.id == "abc12345"


def test_each_folder_is_a_kind_and_the_archive_is_archived(memory: Memory) -> None:
    take_living(memory, LIVING)
    said = {
        id_: (entry(memory, id_).kind, memory.show(id_).locator)
        for id_ in ("core0001", "core0002", "def45678", "ghi78901", "proc0001")
    }
    assert said == {
        "core0001": ("identity", "Memory/core/identity.md"),
        "core0002": ("relationship", "Memory/core/relationships.md"),
        "def45678": ("memory", "Memory/active/meeting-def456.md"),
        "ghi78901": ("memory", "Memory/_archive/active/compressed-ghi789.md"),
        "proc0001": ("procedural", "Memory/procedural/operations.md"),
    }
    assert entry(memory, "ghi78901").status == "archived"


def test_the_frontmatter_is_that_of_the_seed(memory: Memory) -> None:
    take_living(memory, {PROJECT: LIVING[PROJECT]})
    fields = front(write_living(memory), PROJECT)
    assert list(fields) == FIELDS
    assert fields == {
        "id": "abc12345", "created": "2026-01-31T15:47:00",
        "last_recalled": "2026-01-31T17:30:00", "recall_count": 5, "emotional_weight": 0.8,
        "tags": ["coordination", "agents"], "links": ["def45678"], "sessions_since_recall": 2,
    }  # fmt: skip


def test_what_was_made_here_goes_to_the_folders_with_all_it_is(
    memory: Memory, tmp_path: Path
) -> None:
    fix = memory.save("Restart it.", title="Restart", kind="fix", project="todos", tags=["a b"])
    value = memory.save("Be kind.", title="Kindness", kind="value")
    skill = memory.save("# Skill: Deploy\n\n1. Push\n", kind="procedural")
    taste = memory.save("Short answers.", title="Taste", kind="preference", confidence=0.4)
    own = memory.save("My own kind.", title="Own", kind="recipe")
    memory.save("# Plan\n", kind="plan", project="todos", title="Plan")
    memory.link(fix.id, taste.id, "derived_from")
    memory.archive(own.id)
    first = write_living(memory)
    assert sorted(first) == [
        "active/restart.md", "active/taste.md", "archive/own.md", "core/kindness.md",
        "procedural/skill-deploy.md",
    ]  # fmt: skip
    assert 0 <= front(first, "core/kindness.md")["emotional_weight"] <= 1
    with make_memory(tmp_path / "other") as other:
        assert take_living(other, first).counts == {"created": 5}
        assert write_living(other) == first
        kinds = [entry(other, made.id).kind for made in (fix, value, skill, taste, own)]
        assert kinds == ["fix", "value", "procedural", "preference", "recipe"]
        assert entry(other, fix.id).links == ((taste.id, "derived_from"),)
        assert entry(other, fix.id).project == "todos"
        assert entry(other, taste.id).confidence == 0.4


def test_a_note_without_frontmatter_is_one_memory(memory: Memory) -> None:
    take_living(memory, {"active/plain.md": "Just text.\n"})
    assert take_living(memory, {"active/plain.md": "Just other text.\n"}).counts == {"updated": 1}
    assert take_living(memory, {"active/plain.md": "Just text.\n"}, name="b").counts == {
        "created": 1
    }


def test_odd_values_are_believed_only_where_they_can_be(memory: Memory, tmp_path: Path) -> None:
    odd = note(
        "007", created="someday", last_recalled="[1]", recall_count="-3", emotional_weight="9",
        tags="{a: b}", links="[x, [y], {to: z, relation: contradicts}, 5]", status="deleted",
        sessions_since_recall="often", weight="0.9", kind="identity",
    )  # fmt: skip
    imported = take_living(memory, {NOTE: odd})
    assert (imported.counts, imported.problems) == ({"created": 1}, [])
    found = entry(memory, "007")
    assert (found.kind, found.status, found.weight, found.created) == (
        "memory", "active", None, None,
    )  # fmt: skip
    assert (found.recall_count, found.tags) == (0, ())
    assert found.links == (("x", "related_to"), ("z", "contradicts"), ("5", "related_to"))
    out = front(write_living(memory), NOTE)
    assert (out["created"], out["recall_count"], out["kind"]) == (None, 0, "identity")
    assert out["links"] == ["x", "z", "5"]
    with make_memory(tmp_path / "other") as other:
        first = write_living(memory)
        take_living(other, first)
        assert write_living(other) == first


def test_what_changed_in_the_tree_alone_is_renewed_but_not_its_use(memory: Memory) -> None:
    take_living(memory, {NOTE: note(recall_count=3, emotional_weight=0.5)})
    renewed = {NOTE: note(recall_count=9, emotional_weight=0.9, body="Other text\n", mood="new")}
    assert take_living(memory, renewed).counts == {"updated": 1}
    found = entry(memory, "m-1")
    assert (found.text, found.recall_count, found.weight) == ("Other text\n", 3, 0.5)
    assert found.fields["mood"] == "new"
    used = {NOTE: note(recall_count=50, body="Other text\n", mood="new")}
    assert take_living(memory, used).counts == {"unchanged": 1}


def test_a_memory_that_faded_there_is_not_cut_here(memory: Memory) -> None:
    take_living(memory, {NOTE: note()})
    faded = {"archive/a.md": note(body="# A\n\nShort.\n")}
    assert take_living(memory, faded).counts == {"unchanged": 1}
    assert (entry(memory, "m-1").status, "Text." in entry(memory, "m-1").text) == ("active", True)


def test_what_was_superseded_goes_to_the_archive_and_stays_superseded(
    memory: Memory, tmp_path: Path
) -> None:
    old = memory.save("The API listens on port 80.", title="Port", kind="domain-reference")
    new = memory.evolve(old.id, text="The API listens on port 8080.")
    first = write_living(memory)
    assert {name.partition("/")[0] for name in first} == {"active", "archive"}
    with make_memory(tmp_path / "other") as other:
        assert take_living(other, first).problems == []
        assert write_living(other) == first
        assert (entry(other, old.id).status, entry(other, new.id).status) == (
            "superseded", "active",
        )  # fmt: skip
        assert [found.row.id for found in other.recall("port of the API").results] == [new.id]


def test_one_end_of_a_link_is_reported_at_the_other(memory: Memory) -> None:
    text = "{relations: [{to: m-2, relation: supersedes}]}"
    tree = {NOTE: note(links="[m-2]", engrain=text), "active/b.md": note("m-2", body="# B\n")}
    imported = take_living(memory, tree)
    assert (imported.links, imported.broken) == (1, 0)
    assert entry(memory, "m-2").links == (("m-1", "superseded_by"),)
    assert take_living(memory, tree).counts == {"unchanged": 2}


def test_nobody_is_said_to_have_written_a_link_back(memory: Memory) -> None:
    tree = {NOTE: note("a", links="[b]"), "active/b.md": note("b", links="[]")}
    take_living(memory, tree)
    assert entry(memory, "b").links == (("a", "related_to"),)
    assert front(write_living(memory), "active/b.md")["links"] == []
    take_living(memory, {**tree, "active/b.md": note("b", "New words.\n", links="[]")})
    assert entry(memory, "b").links == (("a", "related_to"),)
    assert front(write_living(memory), "active/b.md")["links"] == []
    take_living(memory, {**tree, "active/b.md": note("b", "Newer words.\n", links="[a]")})
    assert front(write_living(memory), "active/b.md")["links"] == ["a"]
