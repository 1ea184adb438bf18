"""What is wrong in a tree of the layout is told, and what is here is never overwritten. The files
of the layout: which are read, in which order, and what they may be called. What came in by the
loki layout goes out as it was, and what goes out comes in again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.core.attesting import attest_entry
from engrain.engine.core.scope import Scope
from engrain.engine.core.store import Actor
from engrain.engine.episodes.episode import save_episode
from engrain.interchange.loki import LOKI, LokiImporter
from engrain.interchange.table import ExportNames, canonical, read_file
from engrain.model.errors import MalformedError
from support.loki import EPISODE, PATTERN, TREE, list_lost, read_tree
from support.vaults import make_memory, write_as
from unit.interchange.trees import take_in, write_out

PATTERNS = "semantic/patterns.json"
HANDOFF = "handoffs/handoff-001.json"


def document(memory: Memory, name: str, id_: str) -> dict[str, Any]:
    """One document of an export, without the date and the slug that it got here."""
    value = json.loads(write_out(memory)[name])
    listed = next(iter(value.values())) if isinstance(value, dict) else value
    found: dict[str, Any]
    [found] = [one for one in listed if one.get("id") == id_]
    own = found.pop("engrain", {})
    own = {key: part for key, part in own.items() if key not in ("created", "slug")}
    return {**found, "engrain": own} if own else found


def test_ids_are_kept_and_found(memory: Memory) -> None:
    take_in(memory, TREE)
    kinds = {
        id_: memory.show(id_).entry.kind
        for id_ in ("sem-001", "ep-2026-01-06-001", "handoff-001", "fact-1", "api-implementation")
    }
    assert list(kinds.values()) == [
        "pattern", "episode", "handoff", "domain-reference", "procedural",
    ]  # fmt: skip
    assert memory.show("sem-001").entry.derived_from == ("ep-2026-01-06-001", "ep-2026-01-05-012")
    found = memory.recall("explicit return types in handlers").results
    assert "sem-001" in [one.row.id for one in found]


def test_what_comes_in_is_from_outside_but_by_the_operators_word(
    memory: Memory, tmp_path: Path
) -> None:
    take_in(memory, {PATTERNS: [PATTERN]})
    assert memory.show("sem-001").origin == "external"
    with make_memory(tmp_path / "theirs", trust="operator") as theirs:
        take_in(theirs, {PATTERNS: [PATTERN]})
        assert theirs.show("sem-001").origin == "operator"


@pytest.mark.parametrize(
    "broken",
    [
        b"{not json", b"[1e999]", b'{"id": "\xff"}', b"[" * 100_000, b'"text"', b"[1]",
        b'[{"id": "x", "pattern": "\\ud800"}]', b"[{\"a\": " * 70 + b"1" + b"}]" * 70, b"",
    ],
)  # fmt: skip
def test_a_corrupt_file_among_good_ones_is_reported(memory: Memory, broken: bytes) -> None:
    imported = take_in(memory, {"semantic/facts.json": broken, PATTERNS: [PATTERN]})
    assert imported.counts == {"created": 1, "left out": 1}
    [(path, message)] = imported.problems
    assert path.startswith("semantic/facts.json")
    assert message


def test_a_bad_document_among_good_ones_is_reported(memory: Memory) -> None:
    imported = take_in(
        memory,
        {
            PATTERNS: [PATTERN, "text", None, {**PATTERN, "id": "sem-2", "pattern": "a\0b"}],
            "episodic/2026-01-06/e.json": {**EPISODE, "context": {}},
        },
    )
    assert imported.counts == {"created": 1, "left out": 4}
    assert [path for path, _ in imported.problems] == [
        "episodic/2026-01-06/e.json: item 1",
        f"{PATTERNS}: item 2",
        f"{PATTERNS}: item 3",
        f"{PATTERNS}: sem-2",
    ]


def test_an_episode_that_is_not_as_it_should_be_is_mended_and_reported(memory: Memory) -> None:
    log = [{"t": 9, "action": "late"}, {"t": 1, "action": "early"}, "nothing"]
    episode = {**EPISODE, "action_log": log, "outcome": "great", "x": 1}
    imported = take_in(memory, {"episodic/2026-01-06/e.json": episode})
    assert imported.counts == {"created": 1}
    [(_, message)] = imported.problems
    assert "outcome 'great' is unknown" in message
    files = write_out(memory)
    kept = json.loads(files["episodic/2026-01-06/e.json"])
    assert [action["action"] for action in kept["action_log"]] == ["early", "late"]
    assert (kept["outcome"], kept["x"]) == ("unknown", 1)


@pytest.mark.parametrize("log", [True, 5, [{"t": "x", "action": "a"}, {"t": 1, "action": "b"}]])
def test_an_odd_log_of_one_episode_stops_no_other(memory: Memory, log: Any) -> None:
    tree = {"episodic/2026-01-06/e.json": [{**EPISODE, "action_log": log}, {**EPISODE, "id": "e2"}]}
    imported = take_in(memory, tree)
    assert (imported.counts, len(imported.problems)) == ({"created": 2}, 1)


def test_secrets_do_not_get_in(memory: Memory, vault: Path) -> None:
    token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    told = {**PATTERN, "correct_approach": f"use {token}", "extra": {"token": token}}
    assert take_in(memory, {PATTERNS: [told]}).redacted == 1
    assert not [path for path in vault.rglob("*") if path.is_file() and token in path.read_text()]


def test_secrets_in_names_of_files_and_of_fields_do_not_get_in(
    memory: Memory, tmp_path: Path
) -> None:
    secret = "ghp_" + "aB3dE6gH9" * 4
    imported = take_in(
        memory,
        {
            f"episodic/2026-01-06/{secret}.json": {**EPISODE, secret: {secret: 1}},
            f"skills/{secret}.md": b"# Skill: Deploy\n\n## Steps\n1. Push\n",
        },
        name=f"tree-{secret}",
    )
    assert imported.counts == {"created": 2}
    memory.close()
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in kept if secret[4:].lower() in str(path).lower()]
    assert not [path for path in kept if secret.encode() in path.read_bytes()]


def test_an_id_that_is_taken_stays_with_whom_has_it(memory: Memory) -> None:
    take_in(memory, {PATTERNS: [PATTERN]}, name="one")
    other = {**PATTERN, "pattern": "Something else", "links": []}
    citing = {**PATTERN, "id": "sem-9", "links": [{"to": "sem-001", "relation": "elaborates"}]}
    tree = {PATTERNS: [citing, other]}
    imported = take_in(memory, tree, name="two")
    assert imported.counts == {"created": 1, "similar": 1}
    [(_, message)] = imported.problems
    assert message == "another entry is 'sem-001' here: taken in as 'sem-001-two'"
    assert memory.show("sem-001").entry.title == PATTERN["pattern"]
    assert memory.show("sem-001-two").entry.title == "Something else"
    assert memory.show("sem-9").entry.links == (("sem-001-two", "elaborates"),)
    again = take_in(memory, tree, name="two")
    assert (again.counts, again.problems) == ({"unchanged": 2}, [])


def test_no_record_takes_the_id_of_an_entry_by_saying_it_twice(memory: Memory) -> None:
    mine = memory.save("Rebase before you push.", title="Rebase")
    taking = {"engrain": {"id": mine.id}}
    take_in(
        memory,
        {
            "episodic/2026-01-06/e.json": {**EPISODE, "id": "ep-theirs", **taking},
            "ledgers/l.json": {"agent_id": "eng-9", **taking},
        },
    )
    assert memory.show(mine.id).entry.title == "Rebase"
    assert memory.episodes.read("ep-theirs")[0] == "ep-theirs"
    rows = memory.list(scope=Scope(kinds=("ledger",))).rows
    assert [row.id.startswith(f"{mine.id}-") for row in rows] == [True]


def test_the_same_id_twice_in_one_tree_loses_neither(memory: Memory) -> None:
    twice = {**PATTERN, "pattern": "Something else"}
    imported = take_in(memory, {PATTERNS: [PATTERN, PATTERN, twice]})
    assert imported.counts == {"unchanged": 1, "created": 1, "similar": 1}
    assert memory.show("sem-001-tree").entry.title == "Something else"


def test_what_changed_in_the_tree_alone_is_renewed(memory: Memory) -> None:
    take_in(memory, {PATTERNS: [PATTERN]})
    renewed = {**PATTERN, "confidence": 0.5, "usage_count": 9, "x": "new"}
    assert take_in(memory, {PATTERNS: [renewed]}).counts == {"updated": 1}
    kept = document(memory, PATTERNS, "sem-001")
    assert kept == renewed


def test_what_changed_here_alone_stays(memory: Memory) -> None:
    take_in(memory, {PATTERNS: [PATTERN]})
    entry = memory.show("sem-001").entry
    memory.edit("sem-001", expect=entry.hash, text="Another text")
    again = take_in(memory, {PATTERNS: [PATTERN]})
    assert (again.counts, again.problems) == ({"unchanged": 1}, [])
    told = take_in(memory, {PATTERNS: [{**PATTERN, "confidence": 0.5}]})
    assert told.counts == {"kept": 1}
    assert [message for _, message in told.problems] == [
        "it changed there and here: what is here stays"
    ]


def test_what_the_operator_vouches_for_is_not_renewed_from_outside(memory: Memory) -> None:
    take_in(memory, {PATTERNS: [PATTERN]})
    attest_entry(memory._ready(), "sem-001")
    told = take_in(memory, {PATTERNS: [{**PATTERN, "confidence": 0.1}]})
    assert (told.counts, len(told.problems)) == ({"kept": 1}, 1)
    assert memory.show("sem-001").entry.confidence == 0.95


def test_what_was_forgotten_here_does_not_come_back(memory: Memory) -> None:
    take_in(memory, {PATTERNS: [PATTERN]})
    memory.forget("sem-001")
    told = take_in(memory, {PATTERNS: [PATTERN]})
    assert (told.counts, [id_ for _, id_ in told.deleted]) == ({"stays deleted": 1}, ["sem-001"])
    assert memory.show("sem-001").entry.status == "deleted"


def test_a_ledger_of_an_agent_that_has_one_here_is_left(memory: Memory) -> None:
    memory.handoffs.save_ledger("eng-001-backend", task="now")
    name = "ledgers/eng-001-backend.json"
    imported = take_in(memory, {name: TREE[name]})
    assert (imported.counts, len(imported.problems)) == ({"kept": 1}, 1)
    assert memory.handoffs.show_ledger("eng-001-backend")["current_task"] == "now"


def test_links_are_seen_from_both_ends(memory: Memory) -> None:
    one = {**PATTERN, "links": [{"to": "sem-005", "relation": "contradicts"}]}
    other = {**PATTERN, "id": "sem-005", "links": []}
    links = [
        {"from": "sem-005", "to": "sem-001", "relation": "elaborates"},
        {"from": "ep-2026-01-06-001", "to": "sem-001", "relation": "related_to"},
        {"from": "nowhere", "to": "sem-001", "relation": "related_to"},
    ]
    imported = take_in(
        memory,
        {
            PATTERNS: [one, other],
            "semantic/links.json": links,
            "episodic/2026-01-06/e.json": EPISODE,
        },
    )
    assert [path for path, _ in imported.problems] == ["link nowhere related_to sem-001"]
    assert set(memory.show("sem-005").entry.links) == {
        ("sem-001", "elaborates"),
        ("sem-001", "contradicts"),
    }
    assert set(memory.show("sem-001").entry.links) == {
        ("sem-005", "contradicts"),
        ("ep-2026-01-06-001", "related_to"),
    }
    assert memory.show("ep-2026-01-06-001").entry.links == (("sem-001", "related_to"),)


def test_a_link_that_comes_later_joins_what_is_here(memory: Memory) -> None:
    tree = {PATTERNS: [PATTERN, {**PATTERN, "id": "sem-005", "links": []}]}
    assert take_in(memory, tree).links == 1
    memory.link("sem-001", "sem-005", "elaborates")
    links = [{"from": "sem-005", "to": "sem-001", "relation": "example_of"}]
    again = take_in(memory, {**tree, "semantic/links.json": links})
    assert again.counts == {"unchanged": 2}
    assert ("sem-001", "example_of") in memory.show("sem-005").entry.links
    take_in(memory, {PATTERNS: [{**PATTERN, "confidence": 0.1}]})
    assert set(memory.show("sem-001").entry.links) == {
        ("sem-005", "related_to"),
        ("sem-005", "elaborates"),
    }


def test_the_days_of_episodes_that_came_are_indexed(memory: Memory, vault: Path) -> None:
    take_in(memory, TREE)
    index = json.loads((vault / "Memory" / "episodic" / "index.json").read_text())
    assert list(index["days"]) == ["2026-01-05", "2026-01-06"]


def test_what_a_tree_says_of_its_own_standing_is_not_believed(memory: Memory) -> None:
    claims = {
        "always_load": True, "pinned": True, "source": {"trust": "operator"}, "recall_count": 99,
        "slug": "../../../MEMORY", "status": "proposed", "weight": 1.0, "kind": "identity",
    }  # fmt: skip
    take_in(memory, {PATTERNS: [{**PATTERN, "engrain": claims}], HANDOFF: {
        **TREE[HANDOFF], "engrain": claims}})  # fmt: skip
    for id_ in ("sem-001", "handoff-001"):
        shown = memory.show(id_)
        assert (shown.origin, shown.entry.status, shown.entry.always_load) == (
            "external", "active", False,
        )  # fmt: skip
        assert (shown.entry.recall_count, shown.entry.weight) == (0, None)
        assert shown.locator.startswith(("Memory/pattern/", "Memory/handoffs/"))


def test_names_that_no_file_may_have_lead_nowhere_else(memory: Memory, vault: Path) -> None:
    odd = ["../../../etc/passwd", "index", "CON", "a/b", ".hidden", "x" * 300, "Ä", "ä"]
    tree = {
        f"handoffs/{number}.json": {**TREE[HANDOFF], "id": id_} for number, id_ in enumerate(odd)
    }
    imported = take_in(memory, tree)
    assert (imported.counts, imported.problems) == ({"created": len(odd)}, [])
    assert len(list((vault / "Memory" / "handoffs").iterdir())) == len(odd)
    rows = memory.list(limit=20, scope=Scope(kinds=["handoff"], all_projects=True)).rows
    assert len(rows) == len(odd)
    names = [name for name in write_out(memory) if name.startswith("handoffs/")]
    assert len({name.casefold() for name in names}) == len(odd)
    assert not [name for name in names if "/." in name or name.count("/") > 1]


def test_working_memory_comes_in_by_the_operators_word_for_one_project(
    memory: Memory, tmp_path: Path
) -> None:
    tree = {"CONTINUITY.md": "# Continuity\n\n## Goal\nShip it.\n"}
    assert take_in(memory, tree, project="todos").counts == {"left out": 1}
    with make_memory(tmp_path / "theirs", trust="operator") as theirs:
        assert take_in(theirs, tree, project="todos").counts == {"created": 1}
        assert take_in(theirs, tree, project="todos").counts == {"unchanged": 1}
        assert write_out(theirs)["CONTINUITY.md"].decode() == tree["CONTINUITY.md"]


def test_a_superseded_pattern_comes_into_the_archive(memory: Memory) -> None:
    old = {**PATTERN, "engrain": {"status": "superseded"}}
    take_in(memory, {PATTERNS: [old]})
    assert memory.show("sem-001").locator.startswith("Memory/_archive/pattern/")
    assert document(memory, PATTERNS, "sem-001") == old


def test_a_tree_comes_in_by_one_change_that_undo_takes_back(memory: Memory) -> None:
    tree = {PATTERNS: [{**PATTERN, "id": f"sem-{n}", "links": []} for n in range(100)]}
    take_in(memory, tree)
    assert [change.files for change in memory.history(limit=500)] == [100]
    memory.undo()
    assert memory.list(scope=Scope(all_projects=True)).total == 0


def test_a_project_that_is_named_is_that_of_all(memory: Memory) -> None:
    take_in(memory, TREE, project="todos")
    scope = Scope(project="todos", kinds=["pattern", "handoff", "procedural"])
    rows = memory.list(limit=50, scope=scope).rows
    assert len(rows) == 6
    assert {row.project for row in rows} == {"todos"}
    assert json.loads(write_out(memory, project="other")[PATTERNS]) == {"patterns": []}


def test_an_agent_that_is_from_outside_writes_as_such(memory: Memory) -> None:
    store = memory._ready().acting_as(Actor("eng", "tool"))
    LokiImporter(store, "x", None, None).run([(PATTERNS, json.dumps([PATTERN]).encode())])
    assert memory.show("sem-001").origin == "external"


ANTI = "semantic/anti-patterns.json"


def test_a_mistake_whose_confidence_nobody_said_is_not_doubted(memory: Memory) -> None:
    mistake = {"id": "anti-1", "what_fails": "Restarting the pooler", "why": "It drops statements"}
    take_in(memory, {ANTI: [mistake, {**mistake, "id": "anti-2", "confidence": 0.0}]})
    unknown, doubted = (memory.show(id_).entry.confidence for id_ in ("anti-1", "anti-2"))
    assert (unknown, doubted) == (None, 0.0)
    found = {one.row.id: one.asking for one in memory.recall("restarting the pooler").results}
    assert found["anti-1"] == ""
    assert "engrain" not in document(memory, ANTI, "anti-1")
    assert document(memory, ANTI, "anti-2")["engrain"] == {"confidence": 0.0}


def test_a_link_of_one_document_is_not_written_into_the_other(memory: Memory) -> None:
    one = {**PATTERN, "id": "one", "links": [{"to": "two", "relation": "contradicts"}]}
    two = {**PATTERN, "id": "two", "pattern": "Something else altogether", "links": []}
    take_in(memory, {PATTERNS: [one, two]})
    assert ("one", "contradicts") in memory.show("two").entry.links
    assert [document(memory, PATTERNS, id_) for id_ in ("one", "two")] == [one, two]
    links = {"semantic/links.json": [{"from": "two", "to": "one", "relation": "related_to"}]}
    take_in(memory, {PATTERNS: [one, two], **links})
    said = {id_: document(memory, PATTERNS, id_)["links"] for id_ in ("one", "two")}
    assert said == {"one": one["links"], "two": [{"to": "one", "relation": "related_to"}]}


def test_a_list_that_stands_under_a_key_comes_in(memory: Memory) -> None:
    loki_mode = {"version": "1.1.0", "patterns": [PATTERN], "last_updated": "2026-01-06T14:00:00Z"}
    mistakes = {"anti_patterns": [{"id": "anti-1", "what_fails": "ENOSPC"}]}
    facts = {"facts": [{"id": "fact-1", "fact": "Ports are free"}], "source": "manual"}
    tree = {PATTERNS: loki_mode, ANTI: mistakes, "semantic/facts.json": facts}
    shapes = 2  # that of the mistakes is the usual one
    assert take_in(memory, tree).counts == {"created": 3 + shapes}
    assert take_in(memory, tree).counts == {"unchanged": 3 + shapes}
    [written] = json.loads(write_out(memory)[PATTERNS])["patterns"]
    assert {key: written[key] for key in PATTERN} == PATTERN
    learned = {"learnings/2026-01-06.json": {"lesson": "One"}}
    take_in(memory, learned)
    files = {name: json.loads(raw) for name, raw in write_out(memory).items()}
    assert list(files[PATTERNS]) == ["version", "patterns", "last_updated"]
    assert files[PATTERNS]["version"] == "1.1.0"
    assert list(files["semantic/facts.json"]) == ["facts", "source"]
    assert files["learnings/2026-01-06.json"]["lesson"] == "One"
    later = {**loki_mode, "last_updated": "2026-01-07T14:00:00Z"}
    assert take_in(memory, {PATTERNS: later}).counts == {"unchanged": 1, "updated": 1}
    assert json.loads(write_out(memory)[PATTERNS])["last_updated"] == later["last_updated"]


def test_a_link_keeps_what_else_is_said_of_it(memory: Memory) -> None:
    link = {"from": "sem-001", "to": "sem-002", "relation": "elaborates", "note": "by Ada"}
    two = [PATTERN | {"links": []}, PATTERN | {"id": "sem-002", "links": []}]
    take_in(memory, {PATTERNS: two, "semantic/links.json": {"links": [{**link, "made": "x"}]}})
    assert json.loads(write_out(memory)["semantic/links.json"]) == {"links": [link]}


def test_an_episode_keeps_the_name_of_its_file(memory: Memory) -> None:
    name = f"episodic/2026-01-06/task-{EPISODE['id']}.json"
    take_in(memory, {name: EPISODE})
    assert json.loads(write_out(memory)[name]) == EPISODE


def test_the_name_that_a_record_came_by_leads_nowhere_else(memory: Memory) -> None:
    take_in(memory, {"episodic/2026-01-06/e.json": EPISODE})
    found = memory.show(EPISODE["id"]).entry
    for ref in ("tree/episodic/../../../x.json#e", "tree/episodic/a/..b/x.json#e"):
        source: Any = {"kind": "loki", "ref": ref}
        write_as(memory, "external", found.path, found.note.patch({"source": source}).raw.decode())
        names = [name for name in write_out(memory) if name.startswith("episodic/")]
        assert names == [f"episodic/2026-01-06/task-{EPISODE['id']}.json", "episodic/index.json"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("episodic/2026-01-06/task-001.json", "episode"),
        ("episodic/index.json", ""),
        ("episodic/2026-01-06/index.json", ""),
        ("semantic/patterns.json", "pattern"),
        ("semantic/links.json", "link"),
        ("semantic/other.json", ""),
        ("skills/debugging.md", "procedural"),
        ("skills/debugging.json", ""),
        ("learnings/2026-01-06.json", "learning"),
        ("CONTINUITY.md", "continuity"),
        ("README.md", ""),
    ],
)
def test_a_file_is_known_by_its_name(name: str, kind: str) -> None:
    row = LOKI.row_at(name)
    assert (row.kind if row else "") == kind


def test_links_and_sources_come_before_what_they_are_for() -> None:
    names = ["handoffs/a.json", "semantic/patterns.json", "episodic/d/e.json", "x.txt"]
    assert LOKI.in_reading_order([*names, "semantic/links.json"]) == [
        "semantic/links.json",
        "episodic/d/e.json",
        "semantic/patterns.json",
        "handoffs/a.json",
    ]


@pytest.mark.parametrize(
    "said", ['[{"id": 1}]', '{"patterns": [{"id": 1}]}', '{"version": 1, "patterns": [{"id": 1}]}']
)
def test_a_list_may_stand_under_a_key(said: str) -> None:
    assert read_file(LOKI.row_of("pattern"), said.encode()) == [{"id": 1}]


def test_a_file_without_one_list_is_refused() -> None:
    with pytest.raises(MalformedError):
        read_file(LOKI.row_of("pattern"), b'{"a": [], "b": []}')


def test_names_of_files_never_meet_on_any_file_system() -> None:
    names = ExportNames()
    wanted = ["a", "A", "a", "index", "con", "x/y", "x-y", "", "é", "é"]
    got = [names.reserve("handoffs", name, ".json") for name in wanted]
    assert len({name.casefold() for name in got}) == len(wanted)
    assert got[0] == "handoffs/a.json"
    assert all(name.count("/") == 1 for name in got)


def test_equal_values_have_one_spelling_and_others_another() -> None:
    assert canonical({"a": 1, "b": [None]}) == canonical({"b": [None], "a": 1})
    assert len({canonical(value) for value in (1, 1.0, True, "1")}) == 4


def test_every_field_of_an_imported_tree_comes_back(memory: Memory) -> None:
    imported = take_in(memory, TREE)
    assert imported.problems == []
    assert imported.counts == {"created": 17}
    assert list_lost(TREE, write_out(memory)) == []


def test_the_same_tree_again_changes_nothing(memory: Memory) -> None:
    take_in(memory, TREE)
    before = len(memory.history())
    again = take_in(memory, TREE)
    assert (again.counts, again.problems) == ({"unchanged": 17}, [])
    assert len(memory.history()) == before


def test_an_export_comes_into_another_vault_and_out_of_it_the_same(
    memory: Memory, tmp_path: Path
) -> None:
    take_in(memory, TREE)
    first = write_out(memory)
    with make_memory(tmp_path / "other") as other:
        imported = take_in(other, first)
        assert imported.problems == []
        assert read_tree(write_out(other)) == read_tree(first)


def test_an_export_comes_back_into_its_own_vault_unchanged(memory: Memory) -> None:
    take_in(memory, TREE)
    again = take_in(memory, write_out(memory), name="myself")
    assert (again.counts, again.problems) == ({"unchanged": 17}, [])


def test_what_was_made_here_comes_into_another_vault_and_out_of_it_the_same(
    memory: Memory, tmp_path: Path
) -> None:
    fill(memory)
    first = write_out(memory)
    assert {name.partition("/")[0] for name in first} == {
        "episodic", "semantic", "skills", "ledgers", "handoffs", "learnings",
    }  # fmt: skip
    with make_memory(tmp_path / "other") as other:
        imported = take_in(other, first)
        assert imported.problems == []
        assert read_tree(write_out(other)) == read_tree(first)
        again = take_in(other, first)
        assert (set(again.counts), again.problems) == ({"unchanged"}, [])


def test_what_was_made_here_has_the_fields_of_the_seed(memory: Memory) -> None:
    fill(memory)
    files = write_out(memory)
    assert [name for name in files if name.endswith("/task-ep-1.json")]
    seen = 0
    for name, raw in files.items():
        if name.endswith(".json") and name.startswith(("episodic/2", "semantic", "handoffs")):
            value = json.loads(raw)
            if name in ("semantic/anti-patterns.json", "semantic/patterns.json"):
                [value] = value.values()
            for document in value if isinstance(value, list) else [value]:
                folder, _, rest = name.partition("/")
                assert set(document) <= SEED[rest[:-5] if folder == "semantic" else folder]
                seen += 1
    assert seen >= 5
    statuses = {
        document["id"]: document["engrain"]["status"]
        for document in json.loads(files["semantic/patterns.json"])["patterns"]
        if "status" in document.get("engrain", {})
    }
    assert list(statuses.values()) == ["superseded"]


def fill(memory: Memory) -> None:
    """Two alike episodes, what consolidation makes of them, and an entry of each other kind."""
    store = memory._ready()
    for number in (1, 2):
        document: dict[str, Any] = {**EPISODE, "id": f"ep-{number}"}
        document["timestamp"] = f"2026-09-2{number}T00:00:00Z"
        save_episode(store, document, project="todos")
    memory.episodes.consolidate(since=0)
    memory.save("The API listens on port 8080.\n\nBehind a proxy.", kind="domain-reference")
    memory.save(str(TREE["skills/api-implementation.md"]), kind="procedural", tags=["api"])
    handoff = memory.handoffs.create("qa-001", "Implemented the endpoint", agent="eng-001")
    memory.handoffs.claim(handoff.id, "qa-001")
    memory.handoffs.save_ledger("eng-001", task="task-042", goal="CRUD")
    first, second = memory.list(limit=2, scope=Scope(all_projects=True)).rows
    memory.link(first.id, second.id, "elaborates")
    alike = [{**PATTERN, "id": f"sem-{number}", "links": []} for number in (1, 2)]
    take_in(memory, {"semantic/patterns.json": alike})
    memory.jobs.dream(only=["duplicate"])
    memory.review.accept_all("merge")
    memory.archive("ep-2")


OURS = {"engrain"}
SEED = {
    "patterns": set(PATTERN) | OURS,
    "anti-patterns": {"id", "what_fails", "why", "prevention", "source"} | OURS,
    "facts": {"id", "fact", "category", "confidence", "source_episodes"} | OURS,
    "links": {"from", "to", "relation"},
    "handoffs": set(TREE["handoffs/handoff-001.json"]) | OURS,
    "episodic": set(EPISODE) | OURS,
}
