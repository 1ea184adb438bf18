"""Merges, names and aliases, the generated index, and an entity told (S4.1, S4.5)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.language.text.instants import parse_instant
from engrain.lifecycle.synthesizing.running import synthesize
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.facts.fact import FactDraft
from engrain.model.history.line import is_blank
from engrain.model.history.record import decode_record
from engrain.model.note.note import path_id
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from support.vaults import make_memory


def items(vault: Path, slug: str) -> dict[str, Any]:
    whole = json.loads((vault / f"Memory/entities/{slug}/items.json").read_text())
    assert isinstance(whole, dict)
    return whole


def said(memory: Memory, entity: str, *, holding: bool = True) -> set[str]:
    facts = memory.facts.entity(entity).entity.facts
    return {fact.content for fact in facts if fact.active == holding}


@pytest.fixture
def two(memory: Memory) -> Memory:
    """Bob, and Robert Lee, who is the same."""
    memory.facts.add_all(
        [
            FactDraft("Bob", "Bob lives in Rome.", edge=("lives_in", "Rome"), at=1e9, ref="a"),
            FactDraft("Bob", "Bob sings.", ref="b", entity_type="person"),
            FactDraft("Robert Lee", "Robert Lee sings.", ref="c", entity_type="person"),
            FactDraft("Robert Lee", "Robert Lee dances.", ref="c"),
        ]
    )
    memory.facts.add_alias("bob", "bob@example.com")
    return memory


def test_one_takes_over_the_facts_and_names_of_the_other_in_one_change(
    two: Memory, vault: Path
) -> None:
    before = len(two.history(limit=None))
    filed = two.facts.merge("Robert Lee", "Bob")
    assert len(two.history(limit=None)) == before + 4  # a line for each file of the one change
    assert len({change.change for change in two.history(limit=4)}) == 1
    assert filed.slug == "robert-lee"
    assert said(two, "robert-lee") >= {"Bob lives in Rome.", "Robert Lee dances."}
    assert filed.entity.aliases == ("Bob", "bob@example.com")
    gone = items(vault, "bob")["engrain"]
    assert (gone["status"], gone["merged_into"]) == ("superseded", "robert-lee")
    edges = [fact.edge for fact in filed.entity.facts if fact.edge]
    assert [edge.subject for edge in edges] == ["robert-lee"]
    assert [one.slug for one in two.facts.entities()] == ["robert-lee"]


def test_undo_gives_both_back(two: Memory, vault: Path) -> None:
    before = {slug: items(vault, slug) for slug in ("bob", "robert-lee")}
    two.facts.merge("robert-lee", "bob")
    two.undo()
    assert {slug: items(vault, slug) for slug in before} == before
    assert two.facts.entity("Bob").slug == "bob"


def test_the_summary_of_what_was_merged_goes_and_comes_back_by_undo(
    two: Memory, vault: Path
) -> None:
    synthesize(two._open_store())
    place = vault / "Memory/entities/bob/summary.md"
    before = place.read_bytes()
    two.facts.merge("robert-lee", "bob")
    assert not place.exists()
    two.undo()
    assert place.read_bytes() == before
    place.write_text("# Bob\n\nMine.\n")
    two.facts.merge("robert-lee", "bob")
    assert place.exists()


def test_what_both_knew_is_known_once(memory: Memory) -> None:
    memory.facts.add("Bob", "He sings in the choir.", ref="a")
    memory.facts.add("Robert Lee", "He sings in the choir.", ref="b")
    memory.facts.merge("robert-lee", "bob")
    (fact,) = memory.facts.entity("robert-lee").entity.facts
    assert (fact.seen, fact.refs) == (1, ("a",))


def test_a_merge_is_of_two_of_one_type(two: Memory) -> None:
    two.facts.add("Bob Ltd", "Bob Ltd sells boats.", type="company")
    for kept, other in (("bob", "bob"), ("bob", "bob-ltd")):
        with pytest.raises(UsageError):
            two.facts.merge(kept, other)
    with pytest.raises(NotFoundError):
        two.facts.merge("bob", "nobody")


def test_a_new_name_keeps_the_old_one_as_an_alias(two: Memory) -> None:
    filed = two.facts.rename("robert-lee", "Robert E. Lee")
    assert (filed.entity.name, filed.entity.aliases) == ("Robert E. Lee", ("Robert Lee",))
    assert two.facts.entity("Robert Lee").slug == "robert-lee"
    with pytest.raises(UsageError, match="bob"):
        two.facts.add_alias("robert-lee", "Bob")


def test_a_name_by_another_makes_the_entity_no_more_than_theirs(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        memory.facts.add("Bob", "Bob sings.")
        assert memory.show("bob").origin == "operator"
    with make_memory(tmp_path, trust="external") as memory:
        memory.facts.add_alias("bob", "Mallory")
        assert memory.show("bob").origin == "external"


def test_the_index_tells_of_all_and_is_written_only_where_it_would_change(
    two: Memory, vault: Path
) -> None:
    assert two.facts.reindex()
    assert not two.facts.reindex()
    whole = json.loads((vault / "Memory/entities/index.json").read_text())
    assert next(iter(whole)) == "_generated"
    assert whole["types"] == {"person": 2}
    assert [line["slug"] for line in whole["entities"]] == ["bob", "robert-lee"]
    line = whole["entities"][0]
    assert (line["name"], line["type"], line["aliases"]) == ("Bob", "person", ["bob@example.com"])
    assert (line["facts"], line["active"]) == (2, 2)
    two.facts.merge("robert-lee", "bob")
    assert two.facts.reindex()
    whole = json.loads((vault / "Memory/entities/index.json").read_text())
    assert [line["slug"] for line in whole["entities"]] == ["robert-lee"]
    assert len(two.list().rows) == 1  # it is no entry


@pytest.mark.parametrize("raw", [None, b"", b"{", b"[]", b'{"entities": 3}', b"\xff"])
def test_a_spoilt_index_is_made_again(two: Memory, vault: Path, raw: bytes | None) -> None:
    two.facts.reindex()
    place = vault / "Memory/entities/index.json"
    before = place.read_bytes()
    place.unlink() if raw is None else place.write_bytes(raw)
    assert two.facts.reindex()
    assert place.read_bytes() == before


def test_an_entity_is_reported_as_it_is_and_as_it_was(memory: Memory) -> None:
    memory.facts.add("Bob", "Bob lives in Rome.", at=parse_instant("2020-01-01"), ref="a")
    memory.facts.add("Bob", "Bob lives in Oslo.", at=parse_instant("2024-01-01"), ref="b")
    now = memory.facts.summary("bob")
    assert now.index("Oslo") < now.index("Rome")
    then = memory.facts.summary("bob", as_of=parse_instant("2022-01-01"))
    assert "Rome" in then
    assert "Oslo" not in then
    assert "Generated" not in now


def test_a_summary_by_hand_is_reported_as_it_stands_and_an_old_one_is_not(
    memory: Memory, vault: Path
) -> None:
    memory.facts.add("Bob", "Bob sings.")
    place = vault / "Memory/entities/bob/summary.md"
    place.write_text("# Bob\n\nMine.\n")
    assert memory.facts.summary("bob") == "# Bob\n\nMine.\n"
    place.write_text(
        "<!-- Generated by engrain from items.json (abcdef012345); x -->\n# Bob\n\nOld.\n"
    )
    assert "Old." not in memory.facts.summary("bob")


def test_nothing_of_an_erased_entity_stays(two: Memory, vault: Path) -> None:
    two.facts.reindex()
    two.facts.add("Bob", "Bob keeps a secret called zanzibarite.")
    folder = vault / "Memory/entities/bob"
    place = Locator("Memory/entities/bob/summary.md")
    store = two._open_store()
    hash_ = store.backend.read(place).hash
    page = Write(place, b"# Bob\n\nzanzibarite\n", path_id(place), hash_)
    store.commit("index", [page])
    two.erase(two.plan_erasure(["bob"]))
    assert not (folder / "summary.md").exists()
    assert not (folder / "items.json").exists()
    whole = json.loads((vault / "Memory/entities/index.json").read_text())
    assert [line["slug"] for line in whole["entities"]] == ["robert-lee"]
    for path in vault.rglob("*"):
        assert path.is_dir() or b"zanzibarite" not in path.read_bytes()
    for link in store.backend.chain(store.backend.device):
        if not is_blank(link.payload):
            files = decode_record(link.line, link.payload).files or ()
            assert not any(b"zanzibarite" in (file.after or b"") for file in files)
    assert two.facts.entity("robert-lee").entity.facts


def test_what_was_merged_into_an_erased_entity_goes_with_it(two: Memory, vault: Path) -> None:
    two.facts.add("Bob", "Bob keeps a secret called zanzibarite.")
    two.facts.merge("robert-lee", "bob")
    two.erase(two.plan_erasure(["robert-lee"]))
    assert not list((vault / "Memory/entities").rglob("items.json"))
    store = two._open_store()
    for link in store.backend.chain(store.backend.device):
        if not is_blank(link.payload):
            files = decode_record(link.line, link.payload).files or ()
            assert not any(b"zanzibarite" in (file.after or b"") for file in files)
