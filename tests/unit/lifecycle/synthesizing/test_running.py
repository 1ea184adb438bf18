"""What is known of each entity is brought in order and told anew."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from engrain import Memory
from engrain.engine.core.store import Actor
from engrain.engine.entities.files import read_filed, write_entity
from engrain.language.text.instants import format_instant
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.synthesizing.running import run, synthesize
from engrain.model.facts.fact import HISTORICAL, Fact, FactEdge
from support.entities import file_entity
from support.vaults import START, FakeClock, make_memory
from unit.lifecycle.sessions.living import DAY, entry_of, store_of

LONG = "Alice was on call for the billing service every second weekend of the month, with Dan."

# The process dies before it puts the file of the given number.
SYNTHESIZE = """
import os, signal, sys
from engrain import open_memory
from engrain.backends import applying
from engrain.lifecycle.synthesizing.running import synthesize
vault, state, left = sys.argv[1], sys.argv[2], int(sys.argv[3])
put = applying._place
def die(*arguments):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return put(*arguments)
applying._place = die
with open_memory(vault, state_dir=state, backend="device-local") as memory:
    synthesize(memory._open_store())
"""


def fact(number: int, content: str, **options: object) -> Fact:
    said = {"created_at": format_instant(START - (100 - number) * DAY), "trust": "operator"}
    return Fact(f"f{number:02}", content, **{**said, **options})  # type: ignore[arg-type]


def works_at(number: int, company: str, **options: object) -> Fact:
    edge = FactEdge("alice", "works_at", company)
    return fact(number, f"Alice works at {company}.", edge=edge, **options)


def summary(vault: Path, slug: str = "alice") -> str:
    return (vault / "Memory" / "entities" / slug / "summary.md").read_text()


def test_the_summary_is_written_once_and_again_only_when_a_fact_changed(
    memory: Memory, vault: Path, clock: FakeClock
) -> None:
    store = store_of(memory)
    file_entity(store, "alice", "Alice", [works_at(1, "Acme"), fact(2, "Alice lives in Berlin.")])
    assert synthesize(memory._open_store()).counts["summaries"] == 1
    first = summary(vault)
    assert "Alice works at Acme. Alice lives in Berlin." in first
    before = len(memory.history())
    clock.at += 30 * DAY
    report = synthesize(memory._open_store())
    assert (report.counts["summaries"], report.lines) == (0, ())
    assert len(memory.history()) == before
    assert summary(vault) == first
    filed = read_filed(store, "alice")
    more = filed.entity.replace(facts=[*filed.entity.facts, fact(3, "Alice is vegetarian.")])
    write_entity(store, "alice", filed, more, {})
    assert "Alice is vegetarian." in summary(vault)  # at once
    assert synthesize(memory._open_store()).counts["summaries"] == 0


def test_a_fact_that_another_contradicts_turns_historical_by_the_path_of_a_new_one(
    memory: Memory, vault: Path
) -> None:
    store = store_of(memory)
    id_ = file_entity(store, "alice", "Alice", [works_at(1, "Initech"), works_at(2, "Acme")])
    report = synthesize(memory._open_store())
    assert report.counts["settled"] == 1
    old, new = read_filed(store, "alice").entity.facts
    assert (old.status, old.valid_to, new.supersedes) == (HISTORICAL, new.created_at, "f01")
    assert "Alice works at Acme (since June 2026)." in summary(vault)
    assert "Alice works at Initech (until 15 June 2026)." in summary(vault)
    assert [change.op for change in memory.history(id_)] == ["learn", "learn"]


def test_what_the_operator_took_back_is_not_decided_again(memory: Memory) -> None:
    store = store_of(memory)
    id_ = file_entity(store, "alice", "Alice", [works_at(1, "Initech"), works_at(2, "Acme")])
    synthesize(memory._open_store())
    memory.undo(memory.history(id_)[0].change)
    report = synthesize(memory._open_store())
    assert report.counts["settled"] == 0
    assert len(read_filed(store, "alice").entity.active) == 2


def test_what_is_trusted_less_turns_nothing_historical_and_that_is_reported(
    memory: Memory, vault: Path
) -> None:
    store = store_of(memory)
    file_entity(
        store, "alice", "Alice", [works_at(1, "Initech"), works_at(2, "Acme", trust="external")]
    )
    synthesize(memory._open_store())
    assert [one.disputes for one in read_filed(store, "alice").entity.facts] == [("f02",), ("f01",)]
    assert "Not settled: Alice works at Initech (said on " in summary(vault)
    assert synthesize(memory._open_store()).lines == ()


def test_what_held_long_ago_is_cut_short_and_undo_gives_it_back(
    memory: Memory, clock: FakeClock
) -> None:
    store = store_of(memory)
    ended = format_instant(START - 10 * DAY)
    edge = FactEdge("alice", "member_of", "on-call")
    old = fact(1, LONG, status=HISTORICAL, valid_to=ended, edge=edge)
    id_ = file_entity(store, "alice", "Alice", [old, fact(2, LONG + " She liked it.")])
    assert synthesize(memory._open_store()).counts["truncated"] == 0
    clock.at += 180 * DAY
    assert synthesize(memory._open_store()).counts["truncated"] == 1
    cut, kept = read_filed(store, "alice").entity.facts
    assert len(cut.content) <= 80
    assert cut.content.endswith(" …")
    assert cut.truncated
    assert (cut.valid_to, cut.edge is not None) == (ended, True)
    assert kept.content == LONG + " She liked it."
    [change, *_] = memory.history(id_)
    assert (change.op, change.agent) == ("synthesize", "engrain")
    memory.undo(change.change)
    assert read_filed(store, "alice").entity.facts[0].content == LONG
    assert synthesize(memory._open_store()).counts["truncated"] == 0


def test_a_summary_whose_first_line_is_gone_is_the_persons(memory: Memory, vault: Path) -> None:
    store = store_of(memory)
    file_entity(store, "alice", "Alice", [works_at(1, "Acme")])
    synthesize(memory._open_store())
    path = vault / "Memory" / "entities" / "alice" / "summary.md"
    path.write_text("# Alice\n\nAn old friend.\n")
    assert synthesize(memory._open_store()).counts["own"] == 1
    assert path.read_text() == "# Alice\n\nAn old friend.\n"


def test_a_change_under_the_first_line_is_lost_as_it_says(memory: Memory, vault: Path) -> None:
    store = store_of(memory)
    file_entity(store, "alice", "Alice", [works_at(1, "Acme")])
    synthesize(memory._open_store())
    whole = summary(vault)
    path = vault / "Memory" / "entities" / "alice" / "summary.md"
    path.write_text(whole + "Alice is the queen.\n")
    synthesize(memory._open_store())
    assert summary(vault) == whole


def test_an_entity_that_is_none_any_more_has_no_summary(memory: Memory, vault: Path) -> None:
    store = store_of(memory)
    ids = [
        file_entity(store, name.lower(), name, [fact(1, f"{name} plays chess.")])
        for name in ("Alice", "Bob")
    ]
    synthesize(memory._open_store())
    (vault / "Memory" / "entities" / "bob" / "summary.md").write_text("# Bob\nMine.\n")
    for id_ in ids:
        memory.forget(id_)
    report = synthesize(memory._open_store())
    assert report.lines == ("dropped the summary of alice",)
    assert not (vault / "Memory" / "entities" / "alice" / "summary.md").exists()
    assert summary(vault, "bob") == "# Bob\nMine.\n"
    memory.restore(ids[0])
    synthesize(memory._open_store())
    assert "Alice plays chess." in summary(vault)


def test_a_summary_is_no_entry(memory: Memory) -> None:
    file_entity(store_of(memory), "alice", "Alice", [works_at(1, "Acme")])
    synthesize(memory._open_store())
    assert [row.kind for row in memory.list().rows] == ["entity"]
    assert memory.check().found == []


def test_a_dry_run_tells_and_writes_nothing(memory: Memory, vault: Path) -> None:
    store = store_of(memory)
    old = fact(3, LONG, status=HISTORICAL, valid_to="2020-01-01")
    file_entity(store, "alice", "Alice", [works_at(1, "Initech"), works_at(2, "Acme"), old])
    before = len(memory.history())
    report = synthesize(memory._open_store(), dry_run=True)
    assert {what: count for what, count in report.counts.items() if count} == {
        "entities": 1,
        "summaries": 1,
        "settled": 1,
        "truncated": 1,
    }
    assert len(memory.history()) == before
    assert not (vault / "Memory" / "entities" / "alice" / "summary.md").exists()


def test_one_that_can_not_be_read_stops_no_other(memory: Memory, vault: Path) -> None:
    store = store_of(memory)
    file_entity(store, "alice", "Alice", [works_at(1, "Acme")])
    file_entity(store, "bob", "Bob", [fact(2, "Bob plays chess.")])
    (vault / "Memory" / "entities" / "alice" / "items.json").write_text("{")
    report = synthesize(memory._open_store())
    assert "Bob plays chess." in summary(vault, "bob")
    assert (report.counts["entities"], report.counts["summaries"]) == (1, 1)


def test_out_of_time_the_next_round_does_the_rest(memory: Memory, vault: Path) -> None:
    store = store_of(memory)
    for number in range(4):
        file_entity(store, f"p{number}", f"P{number}", [fact(number, f"P{number} plays chess.")])
    looks = iter([False, False, True])
    report = synthesize(store, out_of_time=lambda: next(looks))
    assert (report.unfinished, report.counts["summaries"]) == (True, 2)
    report = run(store, Run())
    assert (report.unfinished, report.counts["summaries"]) == (False, 2)


def test_one_that_is_killed_leaves_whole_files_and_the_next_does_the_rest(
    memory: Memory, tmp_path: Path, vault: Path
) -> None:
    store = store_of(memory)
    for number in range(300):
        file_entity(store, f"p{number}", f"P{number}", [fact(1, f"P{number} plays chess.")])
    store.upkeep.flush()
    for put in (0, 20, 150):
        arguments = [str(vault), str(tmp_path / "state"), str(put)]
        died = subprocess.run([sys.executable, "-c", SYNTHESIZE, *arguments], check=False)
        assert died.returncode == -signal.SIGKILL
    with make_memory(tmp_path) as again:
        synthesize(again._open_store())
        assert synthesize(again._open_store()).counts["summaries"] == 0
        assert all(chain.wrong is None for chain in again.trust.survey().chains)
    for number in range(300):
        assert summary(vault, f"p{number}").endswith(f"P{number} plays chess.\n")


def test_external_facts_stay_external_whatever_is_done_to_them(
    memory: Memory, clock: FakeClock
) -> None:
    store = store_of(memory)
    old = fact(1, LONG, status=HISTORICAL, valid_to="2020-01-01", trust="external")
    other = store.acting_as(Actor("", "external"))
    id_ = file_entity(other, "alice", "Alice", [old])
    synthesize(memory._open_store())
    [row] = memory.list().rows
    assert (row.id, row.source) == (id_, "external")
    assert entry_of(memory, id_).trust == "external"


def test_what_the_operator_said_stays_theirs_when_it_is_cut_short(memory: Memory) -> None:
    old = fact(1, LONG, status=HISTORICAL, valid_to="2020-01-01")
    operator = store_of(memory).acting_as(Actor("", "operator"))
    file_entity(operator, "alice", "Alice", [old])
    assert synthesize(memory._open_store()).counts["truncated"] == 1
    [row] = memory.list().rows
    assert row.source == "operator"
