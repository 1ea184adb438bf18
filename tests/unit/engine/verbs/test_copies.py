"""Conflict copies of structured files: two devices, two real folders, and a synchroniser between
them that keeps both where both wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.model.facts.fact import FactDraft
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note, split_note
from engrain.seam.locator import Locator
from support.two_devices import Pair
from unit.engine.core.vault_files import put

ITEMS = "Memory/entities/acme/items.json"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    made = Pair(tmp_path)
    yield made
    made.left.close()
    made.right.close()


def add(memory: Memory, *contents: str, entity: str = "Acme") -> None:
    memory.facts.add_all(
        [FactDraft(entity, content, entity_type="company") for content in contents]
    )


def contents(text: str) -> set[str]:
    return {item["content"] for item in json.loads(text)["items"]}


def both_say(pair: Pair, path: str) -> dict[str, Any]:
    assert pair.read(path) == pair.read(path, "right")
    found: dict[str, Any] = json.loads(pair.read(path))
    return found


BEGUN = {"Acme sells bolts.", "Acme sits in Ghent."}


@pytest.mark.parametrize("keep", ["left", "right"])
def test_facts_that_two_devices_added_both_stay(pair: Pair, keep: str) -> None:
    add(pair.left, *BEGUN)
    pair.sync()
    pair.scan()
    add(pair.left, "Acme hired a welder.")
    add(pair.right, "Acme bought a crane.")
    assert len(pair.sync(keep=keep)) == 1
    pair.settle()
    assert pair.copies() == []
    document = both_say(pair, ITEMS)
    assert contents(json.dumps(document)) == BEGUN | {
        "Acme hired a welder.",
        "Acme bought a crane.",
    }


def test_both_devices_make_the_same_bytes_by_themselves(pair: Pair) -> None:
    add(pair.left, *BEGUN)
    pair.sync()
    pair.scan()
    add(pair.left, "Acme hired a welder.")
    add(pair.right, "Acme bought a crane.")
    pair.sync()
    pair.scan()
    assert pair.read(ITEMS) == pair.read(ITEMS, "right")
    assert pair.sync() == []


def test_entities_that_two_devices_began_are_one(pair: Pair) -> None:
    add(pair.left, "Acme sells bolts.")
    add(pair.right, "Acme sits in Ghent.")
    assert len(pair.sync()) == 1
    pair.settle()
    assert contents(json.dumps(both_say(pair, ITEMS))) == BEGUN
    assert pair.copies() == []


def test_a_fact_that_one_device_forgot_stays_forgotten(pair: Pair) -> None:
    add(pair.left, *BEGUN)
    pair.sync()
    pair.scan()
    (fact,) = [one for one in pair.left.facts.entity("Acme").entity.facts if "bolts" in one.content]
    pair.left.facts.forget("Acme", fact.id)
    add(pair.right, "Acme bought a crane.")
    pair.sync()
    pair.settle()
    assert contents(json.dumps(both_say(pair, ITEMS))) == {
        "Acme sits in Ghent.", "Acme bought a crane.",
    }  # fmt: skip


def test_lines_of_a_day_stand_in_the_order_of_their_times(pair: Pair) -> None:
    for number in range(4):
        (pair.left, pair.right)[number % 2].work.today(f"Line {number}.")
        pair.clock.at += 60
    pair.sync()
    pair.settle()
    assert pair.copies() == []
    (day,) = (pair.folder / "left" / "Memory/daily").glob("*.md")
    lines = [line for line in day.read_text().splitlines() if line.startswith("- ")]
    assert [line.partition(" Line ")[2] for line in lines] == ["0.", "1.", "2.", "3."]


def test_features_ledgers_and_hand_offs_are_merged(pair: Pair) -> None:
    pair.left.within("shop").work.set_feature("Log in")
    pair.left.handoffs.save_ledger("ann", files=["a.py"], completed=1)
    pair.sync()
    pair.scan()
    pair.left.within("shop").work.set_feature("Log out")
    pair.right.within("shop").work.set_feature("Log in", status="done")
    pair.left.handoffs.save_ledger("ann", files=["b.py"], added=2)
    pair.right.handoffs.save_ledger("ann", files=["c.py"], added=1, task="Weld")
    assert len(pair.sync()) == 2
    pair.settle()
    assert pair.copies() == []
    features = both_say(pair, "projects/shop/_harness/features.json")["features"]
    assert {(one["name"], one["status"]) for one in features} >= {("Log in", "done")}
    assert {one["name"] for one in features} == {"Log in", "Log out"}
    ledger = both_say(pair, "Memory/ledgers/ann.json")
    assert set(ledger["state"]["files_modified"]) == {"a.py", "b.py", "c.py"}
    assert (ledger["tasks_completed"], ledger["current_task"]) == (4, "Weld")


def test_both_sides_stay_in_the_history_and_the_merge_can_be_undone(pair: Pair) -> None:
    add(pair.left, *BEGUN)
    pair.sync()
    pair.scan()
    add(pair.left, "Acme hired a welder.")
    add(pair.right, "Acme bought a crane.")
    (copy,) = pair.sync()
    before = pair.read(ITEMS), pair.read(copy)
    pair.left.scan()
    done = [one for one in pair.left.history() if one.op == "consolidate"]
    (merge,) = {change.change for change in done if change.locator == ITEMS}
    pair.left.undo(merge)
    assert (pair.read(ITEMS), pair.read(copy)) == before
    pair.left.scan()
    assert (pair.read(ITEMS), pair.read(copy)) == before
    assert [flaw.place for flaw in pair.left.check(["copy"]).found] == [copy]


def test_no_merge_records_an_edit_of_another_program(pair: Pair) -> None:
    add(pair.left, *BEGUN)
    pair.sync()
    pair.scan()
    add(pair.left, "Acme hired a welder.")
    add(pair.right, "Acme bought a crane.")
    pair.sync()
    pair.settle()
    assert {change.op for change in pair.left.history()} <= {"save", "learn", "consolidate"}


def test_a_merge_is_trusted_no_more_than_either_side(pair: Pair) -> None:
    add(pair.left, *BEGUN)
    pair.sync()
    pair.scan()
    add(pair.left, "Acme hired a welder.")
    copy = ITEMS.replace("items", "items.sync-conflict-1")
    text = json.loads(pair.read(ITEMS))
    text["items"].append({**text["items"][0], "id": "f-planted", "content": "Acme pays twice."})
    put(pair.folder / "left", copy, json.dumps(text))
    pair.left.scan()
    assert "pays twice" not in pair.read(ITEMS)
    pair.clock.at += 86_500
    pair.left.scan()
    assert "pays twice" in pair.read(ITEMS)
    (row,) = pair.left.list(scope=Scope(kinds=["entity"])).rows
    assert row.source == "external"


def test_a_copy_waits_for_its_history(pair: Pair) -> None:
    add(pair.left, *BEGUN)
    pair.sync()
    pair.scan()
    add(pair.left, "Acme hired a welder.")
    add(pair.right, "Acme bought a crane.")
    (copy,) = pair.sync(history=False)
    pair.scan()
    assert pair.copies() == [copy, copy]
    assert [flaw.place for flaw in pair.left.check(["copy"]).found] == [copy]
    pair.sync()
    pair.settle()
    assert pair.copies() == []
    assert len(contents(json.dumps(both_say(pair, ITEMS)))) == 4
    assert "external" not in {one.op for one in pair.left.history() if one.locator == copy}


def test_a_copy_of_prose_is_left_to_a_person(pair: Pair) -> None:
    (path,) = [path for path in pair.last if path.startswith("Memory/") and path.endswith(".md")]
    copy = path.replace(".md", ".sync-conflict-1.md")
    put(pair.folder / "left", copy, pair.read(path).replace("Begin.", "Begin again."))
    pair.left.scan()
    assert (pair.folder / "left" / copy).exists()
    assert any(flaw.place == copy for flaw in pair.left.check(["copy"]).found)


def counted(raw: str, count: int, more: str = "") -> str:
    return raw.replace("\n---\n", f"\nrecall_count: {count}\n---\n", 1) + more


@pytest.mark.parametrize("keep", ["left", "right"])
@pytest.mark.parametrize("more", ["", "Edited on one of them.\n"])
def test_a_note_that_both_devices_counted_is_merged_and_one_edit_stays(
    pair: Pair, keep: str, more: str
) -> None:
    (path,) = [path for path in pair.last if path.startswith("Memory/") and path.endswith(".md")]
    for memory, count in ((pair.left, 2), (pair.right, 5)):
        store = memory._ready()

        def change(entry: Entry, count: int = count) -> Note:
            text = more if count == 2 else ""
            return split_note(counted(entry.note.raw.decode(), count, text).encode())

        store.update(Locator(path), change, "fold")
    assert len(pair.sync(keep=keep)) == 1
    pair.settle()
    assert pair.copies() == []
    assert pair.read(path) == pair.read(path, "right")
    assert "recall_count: 5\n" in pair.read(path)
    assert pair.read(path).endswith(more)
    assert pair.left.check(["copy"]).found == []


def test_a_copy_of_a_generated_file_is_dropped(pair: Pair) -> None:
    add(pair.left, *BEGUN)
    pair.left.scan()
    pair.left.facts.reindex()
    index = pair.read("Memory/entities/index.json")
    put(pair.folder / "left", "Memory/entities/index.sync-conflict-1.json", index)
    own = put(pair.folder / "left", "Memory/entities/acme/summary (1).md", "# My own words\n")
    pair.left.scan()
    assert not (pair.folder / "left/Memory/entities/index.sync-conflict-1.json").exists()
    assert own.exists()
    assert pair.read("Memory/entities/index.json") == index


@pytest.mark.parametrize("name", ["items (1).json", "items 2.json", "items-LAPTOP.json"])
def test_copies_of_other_synchronisers_are_merged(pair: Pair, name: str) -> None:
    add(pair.left, *BEGUN)
    pair.sync()
    pair.scan()
    add(pair.left, "Acme hired a welder.")
    add(pair.right, "Acme bought a crane.")
    (copy,) = pair.sync(lambda path, _: path.replace("items.json", name))
    assert copy.endswith(name)
    pair.settle()
    assert not (pair.folder / "left" / copy).exists()
    assert len(contents(json.dumps(both_say(pair, ITEMS)))) == 4


def test_a_prompt_never_merges(pair: Pair) -> None:
    add(pair.left, *BEGUN)
    pair.sync()
    pair.scan()
    add(pair.left, "Acme hired a welder.")
    add(pair.right, "Acme bought a crane.")
    (copy,) = pair.sync()
    pair.left.recall("crane", scan=False)
    pair.left._open_store().freshness.ensure_quickly()
    assert (pair.folder / "left" / copy).exists()


def test_two_records_with_names_like_copies_stay_two(pair: Pair) -> None:
    pair.left.handoffs.save_ledger("ann", task="Weld")
    pair.left.handoffs.save_ledger("ann 2", task="Saw")
    pair.left.scan()
    pair.left.scan()
    assert len(pair.left.handoffs.list_ledgers()) == 2
    assert pair.left.check(["copy"]).found == []
