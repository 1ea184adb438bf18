"""Conflict copies of structured files: two devices, two real folders, and a synchroniser between
them that keeps both where both wrote."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.scope import Scope
from engrain.model.facts import FactDraft
from support.vaults import START, FakeClock, make_memory
from unit.engine.vault_files import put

ITEMS = "Memory/entities/acme/items.json"


class Pair:
    """Two devices with a folder each, and what was there when they were last in step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = FakeClock(START)
        self.left = make_memory(folder, name="left", device="laptop", clock=self.clock, seed=1)
        self.left.save("Begin.", title="Begin", kind="fix")
        shutil.copytree(folder / "left", folder / "right")
        self.right = make_memory(folder, name="right", device="desktop", clock=self.clock, seed=2)
        self.last = self._files("left")
        self._suffix = 0

    def _files(self, side: str) -> dict[str, bytes]:
        root = self.folder / side
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file()
        }

    def sync(
        self,
        name: Callable[[str, int], str] | None = None,
        *,
        keep: str = "right",
        history: bool = True,
    ) -> list[str]:
        """Bring both in step, as Syncthing does: of what both changed, one side's version gets
        another name. The names of the copies."""
        sides = {side: self._files(side) for side in ("left", "right")}
        wanted: dict[str, bytes] = {}
        copies = []
        paths = sides["left"].keys() | sides["right"].keys() | self.last.keys()
        if not history:
            paths = {path for path in paths if not path.startswith(".engrain/")}
        for path in sorted(paths):
            base, one, other = (found.get(path) for found in (self.last, *sides.values()))
            changed = [version for version in (one, other) if version != base]
            there = [version for version in changed if version is not None]
            if len(there) == 2 and one != other:
                self._suffix += 1
                stem, _, ending = path.rpartition(".")
                copy = f"{stem}.sync-conflict-2026-{self._suffix:06}.{ending}"
                copy = name(path, self._suffix) if name else copy
                wanted[path], wanted[copy] = there[::-1] if keep == "right" else there
                copies.append(copy)
            elif there:
                wanted[path] = there[0]
            elif not changed and base is not None:
                wanted[path] = base
        for side, found in sides.items():
            for path in paths & found.keys() - wanted.keys():
                (self.folder / side / path).unlink()
            for path, raw in wanted.items():
                if found.get(path) != raw:
                    put(self.folder / side, path, raw)
        kept = {path: raw for path, raw in self.last.items() if path not in paths}
        self.last = {**kept, **wanted}
        return copies

    def scan(self) -> None:
        """Each device looks at its folder, by itself."""
        for memory in (self.left, self.right):
            memory.scan()

    def settle(self, *, most: int = 6) -> None:
        """Scan and synchronise until both folders are alike and stay so."""
        for _ in range(most):
            self.scan()
            if not self.sync() and self._notes("left") == self._notes("right"):
                return
        raise AssertionError("the two devices don't come to rest")

    def _notes(self, side: str) -> dict[str, bytes]:
        found = self._files(side)
        return {path: raw for path, raw in found.items() if not path.startswith(".engrain/")}

    def copies(self) -> list[str]:
        """What is left of copies, on either side."""
        return [
            path for side in ("left", "right") for path in self._notes(side) if "conflict" in path
        ]

    def read(self, path: str, side: str = "left") -> str:
        return (self.folder / side / path).read_text()


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    made = Pair(tmp_path)
    yield made
    made.left.close()
    made.right.close()


def add(memory: Memory, *contents: str, entity: str = "Acme") -> None:
    memory.add_facts([FactDraft(entity, content, entity_type="company") for content in contents])


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
    (fact,) = [one for one in pair.left.entity("Acme").entity.facts if "bolts" in one.content]
    pair.left.forget_fact("Acme", fact.id)
    add(pair.right, "Acme bought a crane.")
    pair.sync()
    pair.settle()
    assert contents(json.dumps(both_say(pair, ITEMS))) == {
        "Acme sits in Ghent.", "Acme bought a crane.",
    }  # fmt: skip


def test_lines_of_a_day_stand_in_the_order_of_their_times(pair: Pair) -> None:
    for number in range(4):
        (pair.left, pair.right)[number % 2].today(f"Line {number}.")
        pair.clock.at += 60
    pair.sync()
    pair.settle()
    assert pair.copies() == []
    (day,) = (pair.folder / "left" / "Memory/daily").glob("*.md")
    lines = [line for line in day.read_text().splitlines() if line.startswith("- ")]
    assert [line.partition(" Line ")[2] for line in lines] == ["0.", "1.", "2.", "3."]


def test_features_ledgers_and_hand_offs_are_merged(pair: Pair) -> None:
    pair.left.set_feature("Log in", project="shop")
    pair.left.save_ledger("ann", files=["a.py"], completed=1)
    pair.sync()
    pair.scan()
    pair.left.set_feature("Log out", project="shop")
    pair.right.set_feature("Log in", status="done", project="shop")
    pair.left.save_ledger("ann", files=["b.py"], added=2)
    pair.right.save_ledger("ann", files=["c.py"], added=1, task="Weld")
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
    (merge,) = {change.change for change in pair.left.history() if change.op == "consolidate"}
    pair.left.undo(merge)
    assert (pair.read(ITEMS), pair.read(copy)) == before
    pair.left.scan()
    assert (pair.read(ITEMS), pair.read(copy)) == before


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
    assert any(finding.path == copy for finding in pair.left.diagnose())


def test_a_copy_of_a_generated_file_is_dropped(pair: Pair) -> None:
    add(pair.left, *BEGUN)
    pair.left.scan()
    pair.left.reindex_entities()
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
    pair.left._open_store().upkeep.ensure(scan=False, hurried=True)
    assert (pair.folder / "left" / copy).exists()


def test_two_records_with_names_like_copies_stay_two(pair: Pair) -> None:
    pair.left.save_ledger("ann", task="Weld")
    pair.left.save_ledger("ann 2", task="Saw")
    pair.left.scan()
    pair.left.scan()
    assert len(pair.left.ledgers()) == 2
