"""A workspace of three layers comes in as it is and goes out the same; what is wrong in it is told,
and what is here is never overwritten. Which files of a workspace are read, and what they hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.core.store import Actor
from engrain.interchange.table import day_in
from engrain.interchange.three_layer import (
    THREE_LAYER,
    ThreeLayerImporter,
    read_foreign_fact,
    read_index,
    read_items,
    told_apart,
    type_of,
)
from engrain.lifecycle.synthesizing.running import synthesize
from engrain.model.errors import MalformedError
from engrain.model.facts.entity import Entity, read_entity
from engrain.model.facts.fact import Fact
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import is_id
from support.layouts import (
    ALICE,
    DAY,
    FACT,
    INDEX,
    OLD_FACT,
    WORKSPACE,
    take_workspace,
    write_workspace,
)
from support.vaults import make_memory, write_as

PLACE = "Memory/entities/alice/items.json"


def entity(memory: Memory, slug: str = "alice") -> Entity:
    note = memory._ready().read_entry(f"Memory/entities/{slug}/items.json").note  # type: ignore[arg-type]
    assert isinstance(note, JsonNote)
    return read_entity(note.document, note.own, slug)


def origin(memory: Memory, slug: str = "alice") -> str:
    return memory.show(f"Memory/entities/{slug}/items.json").origin


def test_facts_come_in_with_all_that_they_say(memory: Memory) -> None:
    imported = take_workspace(memory, WORKSPACE)
    assert imported.counts == {"created": 6, "left out": 1}
    assert [path for path, _ in imported.problems] == imported.withheld == ["MEMORY.md"]
    alice = entity(memory)
    assert (alice.name, alice.type, alice.aliases) == ("Alice Moreau", "person", ("Ali", "alm"))
    assert [fact.document() for fact in alice.facts] == [OLD_FACT, FACT]
    assert {fact.trust for fact in alice.facts} == {"external"}
    assert "Alice told about" in memory.show("Memory/daily/2026-01-28.md").entry.text
    found = memory.recall("where does Alice work").results
    assert "Acme Corp" in found[0].text


def test_every_fact_has_the_keys_of_the_seed_and_its_validity(memory: Memory) -> None:
    take_workspace(memory, WORKSPACE)
    for fact in json.loads(write_workspace(memory)[ALICE]):
        assert list(fact) == [
            "id", "content", "source", "sourceRef", "entityType", "createdAt", "status",
            "supersedes", "edge", "valid_from", "valid_to",
        ]  # fmt: skip


def test_importing_twice_adds_nothing(memory: Memory) -> None:
    take_workspace(memory, WORKSPACE)
    before = len(memory.history(limit=500))
    again = take_workspace(memory, WORKSPACE)
    assert again.counts == {"unchanged": 6, "left out": 1}
    assert len(memory.history(limit=500)) == before


@pytest.mark.parametrize("key", ["items", "facts"])
def test_a_list_of_facts_may_stand_under_a_key(memory: Memory, key: str) -> None:
    assert take_workspace(memory, {ALICE: {key: [FACT]}}).counts == {"created": 1}
    assert [fact.id for fact in entity(memory).facts] == [FACT["id"]]


@pytest.mark.parametrize(
    "index",
    [
        [{"slug": "alice", "name": "Alice Moreau", "type": "person", "aliases": ["Ali", 3]}],
        {"alice": {"name": "Alice Moreau", "entityType": "person", "aliases": ["Ali"]}},
        {"entities": [{"id": "alice", "name": " Alice\nMoreau", "type": "person",
                       "aliases": ["Ali", "Ali"]}]},
    ],
)  # fmt: skip
def test_names_types_and_aliases_are_those_of_the_index(memory: Memory, index: Any) -> None:
    take_workspace(memory, {ALICE: [FACT], INDEX: index})
    alice = entity(memory)
    assert (alice.name, alice.type, alice.aliases) == ("Alice Moreau", "person", ("Ali",))


def test_without_an_index_the_folder_names_it_and_the_facts_say_what_it_is(memory: Memory) -> None:
    take_workspace(memory, {ALICE.replace("alice", "alice-van_dam"): [FACT, OLD_FACT]})
    alice = entity(memory, "alice-van-dam")
    assert (alice.name, alice.type) == ("Alice Van Dam", "person")


@pytest.mark.parametrize(
    "broken",
    [
        b"{not json", b"[1e999]", b'[{"id": "\xff"}]', b"[" * 100_000, b'"text"', b'{"other": []}',
        b"{}", b"", b'{"items": 3}',
    ],
)  # fmt: skip
def test_a_broken_file_among_good_ones_is_reported(memory: Memory, broken: bytes) -> None:
    bob = ALICE.replace("alice", "bob")
    imported = take_workspace(memory, {ALICE: [FACT], bob: broken, INDEX: broken})
    assert imported.counts == {"created": 1, "left out": 1}
    assert {path for path, _ in imported.problems} <= {bob, INDEX}
    assert bob in {path for path, _ in imported.problems}


def test_a_broken_fact_among_good_ones_is_reported(memory: Memory) -> None:
    nested: Any = 1
    for _ in range(70):
        nested = [nested]
    broken = [
        "text", None, {"id": "x"}, {"id": "y", "content": "  \n "}, {"id": "n", "content": "a\0b"},
        {"id": "deep", "content": "a", "x": nested}, {"id": "z", "content": "\ud800"},
    ]  # fmt: skip
    raw = json.dumps([*broken, FACT]).encode()
    imported = take_workspace(memory, {ALICE: raw})
    assert imported.counts == {"created": 1}
    told = [path for path, _ in imported.problems]
    assert told == [f"{ALICE}: fact {number}" for number in range(1, 8)]
    assert [fact.id for fact in entity(memory).facts] == [FACT["id"]]


def test_a_fact_without_an_id_gets_one_that_is_always_the_same(memory: Memory) -> None:
    nameless = {"content": "Alice likes tea"}
    take_workspace(memory, {ALICE: [nameless, {**nameless, "id": 7}]})
    ids = [fact.id for fact in entity(memory).facts]
    assert ids[0].startswith("fact-")
    assert ids[1] == "7"
    again = take_workspace(memory, {ALICE: [nameless, {**nameless, "id": 7}]})
    assert (again.counts, again.problems) == ({"unchanged": 1}, [])


def test_two_facts_of_one_id_lose_neither(memory: Memory) -> None:
    other = {**FACT, "content": "Alice plays chess"}
    imported = take_workspace(memory, {ALICE: [FACT, FACT, other]})
    [(_, message)] = imported.problems
    assert message.startswith(f"another fact is {FACT['id']!r} in it: taken in as ")
    assert [fact.content for fact in entity(memory).facts] == [FACT["content"], other["content"]]
    assert take_workspace(memory, {ALICE: [FACT, FACT, other]}).counts == {"unchanged": 1}
    assert len(entity(memory).facts) == 2


def test_facts_join_those_of_an_entity_that_is_here(memory: Memory) -> None:
    take_workspace(memory, {ALICE: [OLD_FACT], INDEX: WORKSPACE[INDEX]}, name="one")
    later = {INDEX: {"alice": {"name": "Another", "aliases": ["Mallory"]}}, ALICE: [FACT]}
    assert take_workspace(memory, later, name="two").counts == {"updated": 1}
    alice = entity(memory)
    assert [fact.id for fact in alice.facts] == [OLD_FACT["id"], FACT["id"]]
    assert (alice.name, alice.aliases) == ("Alice Moreau", ("Ali", "alm"))


def test_only_the_operator_gives_an_entity_that_is_here_further_names(
    memory: Memory, tmp_path: Path
) -> None:
    with make_memory(tmp_path / "theirs", trust="operator") as theirs:
        take_workspace(theirs, {ALICE: [FACT], INDEX: WORKSPACE[INDEX]})
        more = {ALICE: [FACT], INDEX: {"alice": {"aliases": ["Moreau", "Ali"]}}}
        assert take_workspace(theirs, more).counts == {"updated": 1}
        assert entity(theirs).aliases == ("Ali", "alm", "Moreau")


def test_what_changed_in_the_tree_alone_is_renewed(memory: Memory) -> None:
    take_workspace(memory, {ALICE: [FACT]})
    ended = {**FACT, "status": "historical", "valid_to": "2026-06-01T00:00:00Z"}
    imported = take_workspace(memory, {ALICE: [ended]})
    assert (imported.counts, imported.problems) == ({"updated": 1}, [])
    assert [fact.document() for fact in entity(memory).facts] == [ended]


def edit(memory: Memory, **changes: Any) -> None:
    """Change the first fact of Alice as another program would, and have it recorded."""
    note = memory._ready().read_entry(PLACE).note  # type: ignore[arg-type]
    assert isinstance(note, JsonNote)
    [first, *rest] = note.document["items"]
    text = note.with_document(
        {**note.document, "items": [{**first, **changes}, *rest]}
    ).raw.decode()
    write_as(memory, "external", PLACE, text)


def test_what_changed_here_alone_stays(memory: Memory) -> None:
    take_workspace(memory, {ALICE: [FACT]})
    edit(memory, status="historical")
    again = take_workspace(memory, {ALICE: [FACT]})
    assert (again.counts, again.problems) == ({"unchanged": 1}, [])
    told = take_workspace(memory, {ALICE: [{**FACT, "content": "Alice left"}, OLD_FACT]})
    assert told.counts == {"updated": 1}
    [(label, message)] = told.problems
    assert label == f"{ALICE}: {FACT['id']}"
    assert message == "it changed there and here: what is here stays"
    facts = entity(memory).facts
    assert [fact.status for fact in facts] == ["historical", "historical"]
    assert facts[0].content == FACT["content"]


def test_what_the_operator_vouches_for_is_not_changed_from_outside(
    memory: Memory, tmp_path: Path
) -> None:
    with make_memory(tmp_path / "theirs", trust="operator") as theirs:
        take_workspace(theirs, {ALICE: [FACT], DAY: "# Day\n"})
        assert origin(theirs) == "operator"
        outside = theirs._ready().acting_as(Actor("", "external"))
        ended = json.dumps([{**FACT, "status": "historical"}]).encode()
        told = ThreeLayerImporter(outside, "ws", None, None).run(
            [(ALICE, ended), (DAY, b"# Other\n")]
        )
        assert [message for _, message in told.problems] == [
            "the operator vouches for what is here, which stays"
        ] * 2
        assert entity(theirs).facts[0].active
        assert theirs.show("Memory/daily/2026-01-28.md").entry.text == ""


def test_an_entity_is_trusted_as_little_as_the_least_of_what_came_to_it(
    memory: Memory, tmp_path: Path
) -> None:
    with make_memory(tmp_path / "theirs", trust="operator") as theirs:
        take_workspace(theirs, {ALICE: [FACT]})
        store = theirs._ready().acting_as(Actor("", "agent"))
        ThreeLayerImporter(store, "other", None, None).run(
            [(ALICE, json.dumps([OLD_FACT]).encode())]
        )
        assert origin(theirs) == "external"
        assert [fact.trust for fact in entity(theirs).facts] == ["operator", "external"]
        take_workspace(theirs, {ALICE: [{**FACT, "id": "third", "content": "Alice sings"}]})
        assert origin(theirs) == "external"


def test_what_was_forgotten_or_archived_here_does_not_come_back(memory: Memory) -> None:
    take_workspace(memory, {ALICE: [FACT]})
    memory.forget(PLACE)
    told = take_workspace(memory, {ALICE: [FACT, OLD_FACT]})
    assert (told.counts, told.problems) == ({"stays deleted": 1}, [])
    assert [label for label, _ in told.deleted] == [ALICE]
    assert len(entity(memory).facts) == 1


def test_the_facts_of_a_merged_entity_go_to_the_one_that_has_them_now(memory: Memory) -> None:
    bob = ALICE.replace("alice", "bob")
    take_workspace(memory, {ALICE: [FACT], bob: [OLD_FACT]})
    note = memory._ready().read_entry("Memory/entities/bob/items.json").note  # type: ignore[arg-type]
    merged = note.patch({"status": "superseded", "merged_into": "alice"}).raw.decode()
    write_as(memory, "external", "Memory/entities/bob/items.json", merged)
    assert take_workspace(memory, {bob: [OLD_FACT]}).counts == {"updated": 1}
    assert [fact.id for fact in entity(memory).facts] == [FACT["id"], OLD_FACT["id"]]
    assert take_workspace(memory, {bob: [OLD_FACT]}).counts == {"unchanged": 1}


def test_folders_whose_names_come_to_one_are_two_entities(memory: Memory) -> None:
    tree = {
        ALICE.replace("alice", folder): [{**FACT, "id": folder, "content": f"Of {folder}"}]
        for folder in ("Alice", "alice", "ALICE")
    }
    imported = take_workspace(memory, tree)
    assert imported.counts == {"created": 3}
    assert len(imported.problems) == 2
    assert [fact.id for fact in entity(memory).facts] == ["alice"]
    again = take_workspace(memory, tree)
    assert again.counts == {"unchanged": 3}
    names = [name for name in write_workspace(memory) if name.endswith("items.json")]
    assert len({name.casefold() for name in names}) == 3


def test_folders_that_no_entity_may_have_lead_nowhere_else(memory: Memory, vault: Path) -> None:
    odd = ["..", ".hidden", "CON", "x" * 300, "index", "_x", "a b", "Ä", "...", "~"]
    tree = {ALICE.replace("alice", folder): [{**FACT, "id": folder}] for folder in odd}
    tree["memory/entities/../../../etc/passwd/items.json"] = [FACT]
    tree["/memory/entities/abs/items.json"] = [FACT]
    imported = take_workspace(memory, tree)
    assert (imported.counts, imported.problems) == ({"created": len(odd)}, [])
    folders = [path for path in (vault / "Memory" / "entities").iterdir() if path.is_dir()]
    assert len(folders) == len(odd)
    assert not [folder for folder in folders if folder.name[0] in "._"]
    names = [name for name in write_workspace(memory) if name.endswith("items.json")]
    assert len({name.casefold() for name in names}) == len(odd)


def test_secrets_do_not_get_in(memory: Memory, tmp_path: Path) -> None:
    secret = "ghp_" + "aB3dE6gH9" * 4
    imported = take_workspace(
        memory,
        {
            ALICE: [{**FACT, "content": f"Alice's token is {secret}", secret: secret}],
            ALICE.replace("alice", secret): [{**FACT, "id": secret}],
            INDEX: {"alice": {"name": f"Alice {secret}", "aliases": [secret]}},
            DAY: f"# Day\n\n- {secret}\n",
            "memory/logs/extract.log": f"key {secret}\n",
        },
        name=f"tree-{secret}",
    )
    assert imported.counts == {"created": 4}
    memory.close()
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in kept if secret[4:].lower() in str(path).lower()]
    assert not [path for path in kept if secret.encode() in path.read_bytes()]


def test_an_entity_that_is_too_large_is_reported(memory: Memory) -> None:
    many = [{**FACT, "id": str(number), "content": "x" * 400} for number in range(1500)]
    bob = ALICE.replace("alice", "bob")
    imported = take_workspace(memory, {ALICE: many, bob: [FACT]})
    assert imported.counts == {"created": 1, "left out": 1}
    [(path, message)] = imported.problems
    assert (path, "over the limit" in message) == (ALICE, True)


def test_what_is_known_of_the_operator_comes_in_by_their_word(
    memory: Memory, tmp_path: Path
) -> None:
    page = {"MEMORY.md": WORKSPACE["MEMORY.md"]}
    assert take_workspace(memory, page).counts == {"left out": 1}
    with make_memory(tmp_path / "theirs", trust="operator") as theirs:
        assert take_workspace(theirs, page).counts == {"created": 1}
        assert (tmp_path / "theirs/vault/MEMORY.md").read_text() == page["MEMORY.md"]
        assert take_workspace(theirs, page).counts == {"unchanged": 1}
        assert write_workspace(theirs)["MEMORY.md"].decode() == page["MEMORY.md"]
        (tmp_path / "theirs/vault/MEMORY.md").write_text("# Mine\n")
        told = take_workspace(theirs, {"MEMORY.md": "# Theirs\n"})
        assert (told.counts, len(told.problems)) == ({"kept": 1}, 1)
        assert (tmp_path / "theirs/vault/MEMORY.md").read_text() == "# Mine\n"


def test_a_page_that_says_nothing_yet_gives_way(tmp_path: Path) -> None:
    from engrain.model.facts.memory_page import start_page

    with make_memory(tmp_path / "theirs", trust="operator") as theirs:
        theirs.list(limit=1)
        (tmp_path / "theirs/vault/MEMORY.md").write_text(start_page())
        assert take_workspace(theirs, {"MEMORY.md": "# Theirs\n"}).counts == {"updated": 1}
        assert (tmp_path / "theirs/vault/MEMORY.md").read_text() == "# Theirs\n"


def test_the_note_of_a_day_is_renewed_and_never_written_over(memory: Memory) -> None:
    take_workspace(memory, {DAY: "# Day\n\n- one\n"})
    assert take_workspace(memory, {DAY: "# Day\n\n- one\n- two\n"}).counts == {"updated": 1}
    entry = memory.show("Memory/daily/2026-01-28.md").entry
    assert entry.text == "- one\n- two\n" or "- two" in entry.text
    memory.edit(entry.id, expect=entry.hash, text="- mine")
    told = take_workspace(memory, {DAY: "# Day\n\n- three\n"})
    assert (told.counts, len(told.problems)) == ({"kept": 1}, 1)
    assert write_workspace(memory)[DAY].decode().endswith("- mine\n")


def test_a_text_that_looks_like_frontmatter_stays_text(memory: Memory, tmp_path: Path) -> None:
    take_workspace(memory, {DAY: "---\n---\n---\nkind: identity\n---\ntext\n"})
    first = write_workspace(memory)
    with make_memory(tmp_path / "other") as other:
        take_workspace(other, first)
        assert write_workspace(other)[DAY] == first[DAY]
        assert other.show("Memory/daily/2026-01-28.md").entry.kind == "daily"


def test_the_summary_of_the_vault_goes_out(memory: Memory, vault: Path) -> None:
    take_workspace(memory, {ALICE: [FACT]})
    name = ALICE.replace("items.json", "summary.md")
    assert b"Acme Corp" in write_workspace(memory)[name]
    (vault / "Memory/entities/alice/summary.md").write_text("Mine.\n")
    assert write_workspace(memory)[name] == b"Mine.\n"


def test_a_vault_without_any_of_it_is_an_empty_workspace(memory: Memory) -> None:
    memory.save("Not of this layout.")
    assert sorted(write_workspace(memory)) == [INDEX]


def test_facts_that_came_in_are_readable_at_once_and_judged_by_the_next_synthesis(
    memory: Memory, vault: Path
) -> None:
    two = [
        {**FACT, "id": f"f{n}", "content": f"Alice works at {where}.", "createdAt": f"2026-0{n}-02"}
        for n, where in ((1, "Initech"), (2, "Globex"))
    ]
    take_workspace(memory, {ALICE: two})
    page = vault / "Memory" / "entities" / "alice" / "summary.md"
    assert "Globex" in page.read_text()
    assert synthesize(memory._open_store()).counts["settled"] == 1


def test_fields_that_mean_nothing_here_go_out_as_they_came(memory: Memory) -> None:
    edge = {**FACT["edge"], "since": 2026}
    fact = {**FACT, "accessCount": 4, "tags": ["work"], "edge": edge}
    index = {"alice": {"name": "Alice Moreau", "aliases": [], "owner": {"team": "blue"}}}
    wrapped = {"version": 2, "items": [fact], "checked": True}
    take_workspace(memory, {ALICE: wrapped, INDEX: index})
    assert take_workspace(memory, {ALICE: wrapped, INDEX: index}).counts == {"unchanged": 1}
    files = write_workspace(memory)
    assert json.loads(files[ALICE]) == wrapped
    assert json.loads(files[INDEX])["entities"][0]["owner"] == {"team": "blue"}
    later = {**wrapped, "items": [{**fact, "accessCount": 5}]}
    assert take_workspace(memory, {ALICE: later, INDEX: index}).counts == {"updated": 1}
    assert json.loads(write_workspace(memory)[ALICE]) == later


def test_the_note_of_a_day_has_the_date_of_its_name(memory: Memory) -> None:
    take_workspace(memory, {DAY: "# Day\n\n- one\n"})
    entry = memory.show("Memory/daily/2026-01-28.md").entry
    assert entry.created == 1_769_558_400.0
    assert is_id(str(entry.fields["id"]))


KEPT: dict[str, Any] = {
    "memory/checkpoints/morning.md": "# Morning\n",
    "memory/metrics/access.json": {"alice": 4},
    "memory/logs/extract.log": "09:00 ran\n",
    "memory/status.json": {"lastExtraction": "2026-01-28T23:00:00Z"},
    "memory/pipelines/retrieve-memory.sh": "exit 1\n",
}


def test_checkpoints_metrics_logs_and_the_status_go_out_as_they_came(memory: Memory) -> None:
    assert take_workspace(memory, KEPT).counts == {"created": len(KEPT)}
    assert take_workspace(memory, KEPT).counts == {"unchanged": len(KEPT)}
    files = write_workspace(memory)
    for name, content in KEPT.items():
        text = files[name].decode()
        assert (json.loads(text) if isinstance(content, dict) else text) == content
    later = {**KEPT, "memory/metrics/access.json": {"alice": 5}}
    assert take_workspace(memory, later).counts == {"unchanged": len(KEPT) - 1, "updated": 1}
    assert json.loads(write_workspace(memory)["memory/metrics/access.json"]) == {"alice": 5}


def test_a_kept_file_that_is_no_text_is_reported(memory: Memory) -> None:
    done = take_workspace(memory, {"memory/metrics/access.bin": b"\xff\x00"})
    assert done.counts == {"left out": 1}
    assert [path for path, _ in done.problems] == ["memory/metrics/access.bin"]


def test_a_checkpoint_is_loaded_by_its_name_and_goes_out_as_it_came(memory: Memory) -> None:
    name, content = "memory/checkpoints/2300.json", {"task": "write the report", "notes": ["a"]}
    take_workspace(memory, {name: content})
    assert json.loads(write_workspace(memory)[name]) == {**content, "engrain": {"id": "2300"}}
    assert memory.handoffs.load_checkpoint("2300").snapshot == {"given": content}
    assert memory.recall("write the report").results == ()


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("MEMORY.md", "MEMORY.md"),
        ("memory/entities/index.json", "index"),
        ("memory/entities/alice/items.json", "entity"),
        ("memory/2026-01-28.md", "daily"),
        ("memory/entities/alice/summary.md", ""),
        ("memory/entities/a/b/items.json", ""),
        ("memory/entities/items.json", ""),
        ("memory/ARCHITECTURE.md", "kept-file"),
        ("memory/MEMORY.md", ""),
        ("memory/logs/2026-01-28.md", "kept-file"),
        ("memory/checkpoints/a/b.json", "checkpoint"),
        ("memory/metrics/.hidden", ""),
        ("memory/status.json", "kept-file"),
        ("memory/2026-13-28.md", ""),
        ("2026-01-28.md", ""),
        ("../MEMORY.md", ""),
        ("/MEMORY.md", ""),
    ],
)
def test_a_file_is_known_by_its_name_and_place(name: str, part: str) -> None:
    row = THREE_LAYER.row_at(name)
    assert (row.kind if row else "") == part


@pytest.mark.parametrize(
    "file",
    ["2026-13-01", "2026-00-01", "2026-01-32", "2026-1-1", "x2026-01-1", "٢٠٢٦-01-01",
     "-2026-01-1"],
)  # fmt: skip
def test_what_is_no_day_is_none(file: str) -> None:
    assert day_in(file) == ""


def test_names_come_before_facts_and_a_folder_of_its_own_name_before_those_alike() -> None:
    names = [
        "memory/2026-01-28.md", "MEMORY.md", "memory/entities/Bob/items.json",
        "memory/entities/bob/items.json", "memory/entities/index.json", "memory/other.md",
    ]  # fmt: skip
    assert THREE_LAYER.in_reading_order(names) == [
        "memory/entities/index.json", "memory/entities/bob/items.json",
        "memory/entities/Bob/items.json", "memory/2026-01-28.md", "MEMORY.md",
    ]  # fmt: skip


def test_a_byte_order_mark_is_no_part_of_it() -> None:
    assert read_items("\ufeff[1]".encode()) == ([1], {})


def test_a_file_of_more_than_any_entity_holds_is_not_even_read() -> None:
    with pytest.raises(MalformedError, match="an entity holds"):
        read_items(b"[" + b" " * (5 * 2**20) + b"]")
    assert read_items(b"[" + b" " * 2**20 + b"]") == ([], {})


def test_what_an_index_says_of_no_folder_is_left_out() -> None:
    said: dict[str, Any] = {"a": {"name": 5, "owner": "x"}, "b": None, "": {"name": "none"}}
    found = read_index(json.dumps(said).encode())
    assert found == {"a": {"slug": "a", "name": 5, "owner": "x"}, "b": {"slug": "b"}}


def test_an_edge_that_lacks_an_end_is_none() -> None:
    said = {"id": "1", "content": "x", "edge": {"subject": "a"}, "by": ["me"]}
    fact, unknown = read_foreign_fact(said, "external")
    assert fact.edge is None
    assert unknown == {"by": ["me"], "edge": {"subject": "a"}}


@pytest.mark.parametrize("item", ["text", None, 5, [], {"content": ""}, {"id": "x"}])
def test_what_says_nothing_is_no_fact(item: Any) -> None:
    with pytest.raises(MalformedError):
        read_foreign_fact(item, "external")


def test_facts_alike_are_one_and_those_of_one_id_are_told_apart() -> None:
    first, same, other = Fact("1", "a"), Fact("1", "a"), Fact("1", "b")
    found = [(fact.id, fact.content, id_) for fact, id_ in told_apart([first, same, other, other])]
    assert found[0] == ("1", "a", "1")
    assert len(found) == 2
    assert found[1][0].startswith("1-")
    assert found[1][1:] == ("b", "1")


def test_the_type_is_what_most_facts_say() -> None:
    said = ["person", "", "company", "company"]
    assert (
        type_of(Fact(str(n), "x", entity_type=type_) for n, type_ in enumerate(said)) == "company"
    )
    assert type_of([Fact("1", "x")]) == ""
