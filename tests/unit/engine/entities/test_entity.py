"""Whom a name means: names, aliases, legal forms, first names, types and merges (S4.1)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.entities.facts import FactOutcome
from engrain.engine.entities.files import read_filed
from engrain.engine.entities.resolution import Resolver, list_entities, open_entity
from engrain.lifecycle.synthesizing.running import synthesize
from engrain.model.errors import MalformedError, NotFoundError, UsageError
from engrain.model.facts.fact import FactDraft
from support.vaults import make_memory


def know(memory: Memory, *said: tuple[str, str]) -> Sequence[FactOutcome]:
    """Have an entity of each name and type."""
    drafts = [FactDraft(name, f"{name} is known.", entity_type=type_) for name, type_ in said]
    return [memory.facts.add_all([draft])[0] for draft in drafts]


def slug(memory: Memory, name: str, type_: str = "") -> str:
    return Resolver(memory._ready()).resolve(name, type_).slug


def test_a_name_nobody_has_yet_is_its_slug(memory: Memory) -> None:
    resolved = Resolver(memory._ready()).resolve("Alice Moreau", "person")
    assert (resolved.slug, resolved.name, resolved.maybe) == ("alice-moreau", "Alice Moreau", ())


@pytest.mark.parametrize(
    "name", ["Alice Moreau", "alice-moreau", "ALICE MOREAU", "Dr. Alice Moreau", "[[Alice Moreau]]"]
)
def test_a_name_means_who_has_it_however_it_is_written(memory: Memory, name: str) -> None:
    know(memory, ("Alice Moreau", "person"))
    assert slug(memory, name) == "alice-moreau"


def test_an_alias_an_address_and_a_handle_mean_who_goes_by_it(memory: Memory) -> None:
    know(memory, ("Robert Lee", "person"))
    for alias in ("Bob", "bob@example.com", "@blee"):
        memory.facts.add_alias("robert-lee", alias)
        assert slug(memory, alias) == "robert-lee"


def test_a_secret_is_nobodys_name(memory: Memory) -> None:
    know(memory, ("Robert Lee", "person"))
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    for name in (memory.facts.add_alias, memory.facts.rename):
        with pytest.raises(UsageError, match="secret"):
            name("robert-lee", secret)
    assert (
        memory.facts.entity("robert-lee").entity.name,
        memory.facts.entity("robert-lee").entity.aliases,
    ) == ("Robert Lee", ())


def test_an_address_that_a_fact_tells_is_a_name_from_then_on(tmp_path: Path) -> None:
    mail = ("email", "bob@example.com")
    said = "Bob's address is bob@example.com."
    with make_memory(tmp_path) as memory:
        memory.facts.add_all([FactDraft("Bob", said, edge=mail, trust="external")])
        assert memory.facts.entity("bob").entity.aliases == ()
        memory.facts.add_all([FactDraft("Bob", said, edge=mail, ref="card")])
        assert memory.facts.entity("bob@example.com").slug == "bob"
        memory.facts.add_all([FactDraft("Ann", "Ann uses bob@example.com.", edge=mail)])
        assert memory.facts.entity("ann").entity.aliases == ()


@pytest.mark.parametrize("name", ["Acme", "Acme Corp.", "ACME, Inc.", "Acme GmbH", "acme-corp"])
@pytest.mark.parametrize("known", ["Acme Corp", "Acme"])
def test_a_company_is_one_with_and_without_its_legal_form(
    memory: Memory, known: str, name: str
) -> None:
    (made,) = know(memory, (known, "company"))
    assert slug(memory, name) == made.slug
    assert slug(memory, name, "company") == made.slug


def test_a_first_name_means_the_one_person_who_has_it(memory: Memory) -> None:
    know(memory, ("Alice Moreau", "person"), ("Alice Springs", "place"))
    assert slug(memory, "Alice") == "alice-moreau"
    assert slug(memory, "alice", "person") == "alice-moreau"
    assert slug(memory, "Alice", "company") == "alice"


def test_a_first_name_that_two_have_is_somebody_of_that_name_alone(memory: Memory) -> None:
    know(memory, ("Alice Moreau", "person"), ("Alice Kim", "person"))
    resolved = Resolver(memory._ready()).resolve("Alice", "person")
    assert resolved.slug == "alice"
    assert resolved.maybe == ("alice-kim", "alice-moreau")
    know(memory, ("Alice", "person"))
    assert read_filed(memory._ready(), "alice").maybe == ("alice-kim", "alice-moreau")


def test_whole_names_and_first_names_that_come_together_are_one(memory: Memory) -> None:
    drafts = [
        FactDraft("Alice", "Alice likes tea."),
        FactDraft("Alice Moreau", "Alice Moreau lives in Lyon.", entity_type="person"),
    ]
    assert {outcome.slug for outcome in memory.facts.add_all(drafts)} == {"alice-moreau"}
    assert memory.facts.entity("alice").entity.name == "Alice Moreau"


def test_names_of_different_types_never_meet(memory: Memory) -> None:
    know(memory, ("Apollo", "project"))
    assert slug(memory, "Apollo", "company") == "apollo-company"
    know(memory, ("Apollo", "company"))
    assert slug(memory, "Apollo", "company") == "apollo-company"
    assert slug(memory, "Apollo", "project") == "apollo"
    assert Resolver(memory._ready()).resolve("Apollo").maybe == ("apollo-company",)


def test_who_was_of_no_type_gets_the_first_that_is_told(memory: Memory) -> None:
    know(memory, ("Apollo", ""), ("Apollo", "project"))
    assert read_filed(memory._ready(), "apollo").entity.type == "project"


def test_names_that_would_have_one_slug_get_two(memory: Memory) -> None:
    know(memory, ("C", "project"), ("C++", "project"))
    assert slug(memory, "C") == "c"
    assert slug(memory, "C++").startswith("c-")
    assert len(list_entities(memory._ready())) == 2


def test_one_that_was_merged_leads_to_where_it_went(memory: Memory) -> None:
    know(memory, ("Bob", "person"), ("Robert Lee", "person"), ("Rob Lee", "person"))
    memory.facts.merge("rob-lee", "bob")
    memory.facts.merge("robert-lee", "rob-lee")
    for name in ("Bob", "bob", "Rob Lee"):
        assert slug(memory, name) == "robert-lee"
        assert open_entity(memory._ready(), name).slug == "robert-lee"


def test_an_entity_is_opened_by_any_of_its_names(memory: Memory) -> None:
    know(memory, ("Alice Moreau", "person"))
    filed = open_entity(memory._ready(), "alice-moreau")
    for reference in (filed.id, filed.locator, "Alice Moreau", "alice"):
        assert open_entity(memory._ready(), reference).id == filed.id


def test_what_names_nobody_or_several_is_reported(memory: Memory) -> None:
    know(memory, ("Alice Moreau", "person"), ("Alice Kim", "person"))
    with pytest.raises(NotFoundError):
        open_entity(memory._ready(), "Zoe")
    with pytest.raises(UsageError, match="alice-kim"):
        open_entity(memory._ready(), "Alice")


def test_entities_are_listed_by_name_by_type_and_by_what_held(memory: Memory) -> None:
    know(memory, ("Zed", "person"), ("Ann", "person"), ("Mir", "project"))
    memory.facts.add("Old Mill", "Old Mill burned.", type="company", at=1_000_000_000.0)
    assert [filed.slug for filed in list_entities(memory._ready())] == [
        "ann",
        "mir",
        "old-mill",
        "zed",
    ]
    assert [filed.slug for filed in list_entities(memory._ready(), "person")] == ["ann", "zed"]
    held = list_entities(memory._ready(), as_of=1_100_000_000.0)
    assert [filed.slug for filed in held] == ["old-mill"]


def test_a_bare_file_by_hand_is_an_entity(memory: Memory, vault: Path) -> None:
    folder = vault / "Memory/entities/ada-byron"
    folder.mkdir(parents=True)
    fact = {"id": "f1", "content": "Ada Byron counts."}
    (folder / "items.json").write_text(json.dumps({"items": [fact]}))
    memory.list()
    assert open_entity(memory._ready(), "ada-byron").entity.name == "Ada Byron"
    outcome = memory.facts.add("Ada Byron", "Ada Byron writes.")
    assert outcome.slug == "ada-byron"
    assert [fact.id for fact in read_filed(memory._ready(), "ada-byron").entity.facts] == [
        "f1",
        outcome.id,
    ]


@pytest.mark.parametrize("raw", [b"{", b"[]", b'{"items": {"a": 1}}', b"\xff", b""])
def test_a_broken_file_is_reported_and_loses_nothing(
    memory: Memory, vault: Path, raw: bytes
) -> None:
    know(memory, ("Bob", "person"))
    place = vault / "Memory/entities/bob/items.json"
    place.write_bytes(raw)
    with pytest.raises(MalformedError):
        memory.facts.add("Bob", "Bob sings.")
    with pytest.raises(MalformedError):
        memory.facts.entity("bob")
    refused, other = memory.facts.add_all(
        [FactDraft("Bob", "Bob sings."), FactDraft("Ann", "Ann sings.")]
    )
    assert (refused.outcome, other.outcome) == ("refused", "created")
    assert refused.reason
    assert place.read_bytes() == raw


def test_a_conflict_copy_that_says_the_same_goes_and_is_no_second_entity(
    memory: Memory, vault: Path
) -> None:
    know(memory, ("Bob", "person"))
    folder = vault / "Memory/entities/bob"
    copy = folder / "items (conflict).json"
    copy.write_bytes((folder / "items.json").read_bytes())
    assert memory.check(["copy"]).found == []
    assert not copy.exists()
    assert [filed.slug for filed in list_entities(memory._ready())] == ["bob"]


def test_what_was_archived_takes_no_facts_until_it_is_restored(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        (made,) = know(memory, ("Bob", "person"))
        memory.archive("bob")
        (refused,) = memory.facts.add_all([FactDraft("Bob", "Bob sings.")])
        assert (refused.outcome, refused.remedy is not None) == ("refused", True)
        assert not memory.facts.entities()
        memory.restore("bob")
        assert memory.facts.add("Bob", "Bob sings.").slug == made.slug
        assert len(memory.facts.entity("bob").entity.facts) == 2


def test_what_was_forgotten_takes_no_facts_until_it_is_restored(memory: Memory) -> None:
    (made,) = know(memory, ("Bob", "person"))
    id_ = memory.facts.entity("bob").id
    memory.forget(id_)
    (refused,) = memory.facts.add_all([FactDraft("Bob", "Bob sings.")])
    assert refused.outcome == "refused"
    assert refused.remedy == f"`engrain restore {id_}` takes it back"
    memory.restore(id_)
    assert memory.facts.add("Bob", "Bob sings.").slug == made.slug


def test_a_note_about_somebody_is_no_second_one_of_them(memory: Memory) -> None:
    memory.save("Met at the fair.", title="Ada Byron", kind="entity")
    outcome = memory.facts.add("Ada Byron", "Ada Byron writes.")
    assert memory.facts.entity("ada-byron").entity.find(outcome.id)
    assert memory.facts.entity("Ada Byron").slug == "ada-byron"
    report = synthesize(memory._open_store())
    assert (report.counts["entities"], report.counts["left"]) == (1, 0)
