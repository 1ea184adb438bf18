"""Records go the way of every entry: one commit, an origin, no secrets, and back by undo."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.core.store import Store
from engrain.engine.verbs.records import (
    compose_record,
    list_records,
    read_record,
    save_record,
    update_record,
)
from engrain.language.secrets.finding import redact
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.model.note.json_note import JsonNote
from engrain.seam.locator import Locator
from support.vaults import make_memory

PLACE = Locator("Memory/handoffs/handoff-001.json")
DOCUMENT = {
    "id": "handoff-001",
    "from_agent": "eng-001",
    "to_agent": "qa-001",
    "timestamp": "2026-01-06T11:00:00Z",
    "context": {"what_was_done": "Implemented the endpoint", "artifacts": ["a.ts"]},
}
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture
def store(memory: Memory) -> Store:
    return memory._open_store()


def filed(store: Store) -> JsonNote:
    note = compose_record(store, "handoff", DOCUMENT, project="billing", source="test")
    save_record(store, PLACE, note)
    return note


def test_a_record_is_an_entry(memory: Memory, store: Store, vault: Path) -> None:
    filed(store)
    whole = json.loads((vault / PLACE).read_text())
    assert {key: whole[key] for key in DOCUMENT} == DOCUMENT
    shown = memory.show("handoff-001")
    assert (shown.entry.kind, shown.entry.project) == ("handoff", "billing")
    assert (shown.origin, shown.attested) == ("agent", True)
    [row] = memory.list(scope=Scope(kinds=["handoff"], project="billing")).rows
    assert row.zone == "working"


def test_recall_is_not_asked_for_the_working_zone(memory: Memory, store: Store) -> None:
    filed(store)
    assert not memory.recall("Implemented the endpoint", scope=Scope(project="billing")).results


def test_the_same_again_is_unchanged_and_another_is_refused(store: Store) -> None:
    note = filed(store)
    again = compose_record(store, "handoff", DOCUMENT, project="billing", source="test")
    assert save_record(store, PLACE, again).outcome == "unchanged"
    other = note.with_document({**DOCUMENT, "to_agent": "ops-001"})
    with pytest.raises(ConflictError):
        save_record(store, PLACE, other)
    assert read_record(store, PLACE).note.document == DOCUMENT


def test_secrets_are_taken_out_of_every_value(store: Store, vault: Path) -> None:
    assert redact(TOKEN)[1]
    document = {**DOCUMENT, "context": {"known_issues": [f"the token is {TOKEN}"]}}
    save_record(store, PLACE, compose_record(store, "handoff", document))
    assert TOKEN not in (vault / PLACE).read_text()

    def leak(note: JsonNote) -> JsonNote:
        return note.with_document({**note.document, "notes": [{"deep": TOKEN}]})

    update_record(store, PLACE, leak)
    assert TOKEN not in (vault / PLACE).read_text()


def test_an_update_is_undone_like_any_change(memory: Memory, store: Store) -> None:
    filed(store)
    outcome = update_record(
        store, PLACE, lambda note: note.patch({"claimed_by": "qa-001"}), "claim"
    )
    assert outcome.outcome == "updated"
    assert read_record(store, PLACE).note.own["claimed_by"] == "qa-001"
    assert update_record(store, PLACE, lambda note: note).outcome == "unchanged"
    memory.undo()
    assert "claimed_by" not in read_record(store, PLACE).note.own


def test_no_update_of_many_is_lost(store: Store) -> None:
    note = compose_record(store, "ledger", {"agent_id": "eng", "tasks_completed": 0})
    place = Locator("Memory/ledgers/eng.json")
    save_record(store, place, note)

    def one_more(before: JsonNote) -> JsonNote:
        done = before.document["tasks_completed"] + 1
        return before.with_document({**before.document, "tasks_completed": done})

    threads = [
        threading.Thread(target=lambda: [update_record(store, place, one_more) for _ in range(3)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_record(store, place).note.document["tasks_completed"] == 12


def test_a_record_without_an_id_gets_one_of_its_own(memory: Memory, store: Store) -> None:
    note = compose_record(store, "ledger", {"agent_id": "eng"})
    assert note.document == {"agent_id": "eng"}
    outcome = save_record(store, "Memory/ledgers/eng.json", note)
    assert memory.show(outcome.id).entry.title == "eng"


def test_a_broken_one_stops_no_other(memory: Memory, store: Store, vault: Path) -> None:
    filed(store)
    (vault / "Memory/handoffs/broken.json").write_text("{")
    memory.scan()
    assert [one.note.document["id"] for _, one in list_records(store, "handoff")] == ["handoff-001"]
    (flaw,) = memory.check(["unreadable"]).found
    assert ("broken.json" in flaw.place, "(json)" in flaw.message) == (True, True)


def test_what_is_generated_and_what_lies_elsewhere_is_no_entry(memory: Memory, vault: Path) -> None:
    for place in ("Memory/episodic/index.json", "Memory/fix/a.json", "package.json"):
        (vault / place).parent.mkdir(parents=True, exist_ok=True)
        (vault / place).write_text('{"id": "nothing"}')
    memory.scan()
    with pytest.raises(NotFoundError):
        memory.show("nothing")


def test_a_record_neither_evolves_nor_is_edited_as_text(memory: Memory, store: Store) -> None:
    filed(store)
    with pytest.raises(UsageError):
        memory.evolve("handoff-001", "other text")
    hash_ = memory.show("handoff-001").entry.hash
    with pytest.raises(UsageError):
        memory.edit("handoff-001", expect=hash_, text="other text")
    assert memory.edit("handoff-001", expect=hash_, tags=["urgent"]).outcome == "updated"
    assert "urgent" in memory.show("handoff-001").entry.tags


def test_an_episode_is_archived_with_its_document_and_restored(
    memory: Memory, store: Store, vault: Path
) -> None:
    document = {
        "id": "ep-1",
        "timestamp": "2026-01-06T11:00:00Z",
        "context": {"goal": "Rotate the signing keys of the gateway"},
        "outcome": "success",
    }
    place = "Memory/episodic/2026-01-06/ep-1.json"
    save_record(store, place, compose_record(store, "episode", document))
    assert memory.recall("rotate signing keys", scope=Scope(kinds=["episode"])).results
    before = (vault / place).read_bytes()
    memory.archive("ep-1", reason="old")
    archived = vault / "Memory/_archive/episodic/2026-01-06/ep-1.json"
    assert json.loads(archived.read_text())["context"] == document["context"]
    assert not memory.recall("rotate signing keys", scope=Scope(kinds=["episode"])).results
    memory.restore("ep-1")
    assert (vault / place).read_bytes() == before


def test_a_prompt_gets_no_episode_that_no_operator_vouches_for(
    memory: Memory, store: Store, vault: Path
) -> None:
    document = {"id": "ep-1", "context": {"goal": "Rotate the signing keys of the gateway"}}
    place = "Memory/episodic/2026-01-06/ep-1.json"
    save_record(store, place, compose_record(store, "episode", document))
    asked = "rotate the signing keys of the gateway"
    assert not memory.recall(asked).results
    assert memory.recall(asked, profile="deep").results
    saved = memory.save("Signing keys of the gateway rotate in May.", kind="episode").id
    assert not memory.recall(asked).results
    operator = make_memory(vault.parent, trust="operator")
    operator.edit(saved, expect=operator.show(saved).entry.hash, title="Rotate the signing keys")
    assert [found.row.id for found in memory.recall(asked).results] == [saved]


def test_an_erased_record_leaves_a_tombstone(memory: Memory, store: Store, vault: Path) -> None:
    filed(store)
    memory.erase(memory.plan_erasure(["handoff-001"]))
    assert not (vault / PLACE).exists()
    left = b"".join(path.read_bytes() for path in vault.rglob("*") if path.is_file())
    assert b"Implemented" not in left


def test_an_import_of_notes_tells_records_and_goes_on(memory: Memory, tmp_path: Path) -> None:
    source = tmp_path / "other"
    (source / "Memory/handoffs").mkdir(parents=True)
    (source / "Memory/handoffs/a.json").write_text('{"id": "a"}')
    (source / "note.md").write_text("# A note\nof its own\n")
    done = memory.import_folder(str(source), name="other")
    assert done.counts == {"left out": 1, "created": 1}
    assert [place for place, _ in done.problems] == ["Memory/handoffs/a.json"]


def test_erasing_a_trace_leaves_one_of_the_same_task_that_reads_the_same(
    memory: Memory, store: Store, vault: Path
) -> None:
    goal = {"goal": "Rotate the signing keys of the gateway"}
    for id_ in ("ep-1", "ep-2"):
        note = compose_record(store, "episode", {"id": id_, "context": goal})
        save_record(store, f"Memory/episodic/2026-01-06/{id_}.json", note)
    plan = memory.plan_erasure(["ep-1"])
    assert [file.id for file in plan.files] == ["ep-1"]
    memory.erase(plan)
    copy = json.dumps({"id": "ep-1", "context": goal})
    (vault / "Memory/episodic/2026-01-06/back.json").write_text(copy)
    memory.scan()
    assert memory.show("ep-2").entry.title == goal["goal"]
    assert not (vault / "Memory/episodic/2026-01-06/back.json").exists()
