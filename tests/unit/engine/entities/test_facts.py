"""The one validated path: what is refused, what is met again, what replaces what (S4.2, S4.3)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.entities import files
from engrain.engine.entities.facts import FactOutcome
from engrain.language.secrets.finding import redact
from engrain.language.text.instants import parse_instant
from engrain.model.errors import ConflictError, UsageError
from engrain.model.facts.fact import MOST_CONTENT, MOST_REFS, Fact, FactDraft
from engrain.model.note.note import path_id
from engrain.seam.changes import Write
from engrain.seam.locator import Locator
from support.vaults import START, FakeClock, make_memory

TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
SEED = [
    "id", "content", "source", "sourceRef", "entityType", "createdAt", "status", "supersedes",
    "edge", "valid_from", "valid_to",
]  # fmt: skip


def works(where: str, on: str | None = None, *, ref: str | None = None, **more: Any) -> FactDraft:
    at = None if on is None else parse_instant(on)
    said = f"Bob works at {where}."
    return FactDraft("Bob", said, edge=("works_at", where), at=at, ref=ref or on, **more)


def letters(number: int) -> str:
    """A word that no other number has."""
    return "".join(chr(ord("b") + int(digit)) for digit in str(number)) + "a"


def add(memory: Memory, *drafts: FactDraft) -> list[str]:
    return [outcome.outcome for outcome in memory.facts.add_all(drafts)]


def facts(memory: Memory, entity: str = "bob") -> Sequence[Fact]:
    return memory.facts.entity(entity).entity.facts


def active(memory: Memory, entity: str = "bob") -> list[str]:
    return sorted(fact.content for fact in facts(memory, entity) if fact.active)


def test_a_fact_stands_with_the_seeds_fields_and_all_else_beside_it(
    memory: Memory, vault: Path
) -> None:
    outcome = memory.facts.add(
        "Alice Moreau",
        "Alice Moreau works at Acme Corp.",
        type="person",
        edge=("employer", "Acme Corp"),
        source="meeting",
        ref="standup-7",
        at=parse_instant("2026-01-02"),
        confidence=0.9,
    )
    assert (outcome.outcome, outcome.slug) == ("created", "alice-moreau")
    whole = json.loads((vault / "Memory/entities/alice-moreau/items.json").read_text())
    (item,) = whole["items"]
    assert list(item) == SEED
    assert item == {
        "id": outcome.id,
        "content": "Alice Moreau works at Acme Corp.",
        "source": "meeting",
        "sourceRef": "standup-7",
        "entityType": "person",
        "createdAt": "2026-01-02T00:00:00Z",
        "status": "active",
        "supersedes": None,
        "edge": {"subject": "alice-moreau", "predicate": "works_at", "object": "acme-corp"},
        "valid_from": None,
        "valid_to": None,
    }
    assert whole["engrain"]["facts"] == {outcome.id: {"trust": "agent", "confidence": 0.9}}
    assert memory.show("alice-moreau").origin == "agent"


@pytest.mark.parametrize(
    "draft",
    [
        FactDraft("", "Somebody sings."),
        FactDraft("Bob", " \n "),
        FactDraft("Bob", "…!"),
        FactDraft("Bob", "x" * (MOST_CONTENT + 1)),
        FactDraft("Bob", "Bob \ud800."),
        FactDraft("Bob", "Bob sings.", source="hearsay"),
        FactDraft("Bob", "Bob sings.", at=9e15),
        FactDraft("Bob", "Bob sings.", valid_from=2e9, valid_to=1e9),
        FactDraft("Bob", "Bob sings.", confidence=1.5),
        FactDraft("Bob", "Bob sings.", trust="god"),
        FactDraft("Bob", "Bob sings.", edge=("", "x")),
        FactDraft(TOKEN, "It is a secret."),
    ],
)
def test_what_is_no_fact_is_refused_and_stops_no_other(memory: Memory, draft: FactDraft) -> None:
    refused, fine = memory.facts.add_all([draft, FactDraft("Ann", "Ann sings.")])
    assert (refused.outcome, fine.outcome) == ("refused", "created")
    assert refused.reason
    assert [filed.slug for filed in memory.facts.entities()] == ["ann"]


def test_one_that_is_refused_alone_raises(memory: Memory) -> None:
    with pytest.raises(UsageError):
        memory.facts.add("Bob", "")


def test_secrets_never_get_in(memory: Memory, vault: Path) -> None:
    assert redact(TOKEN)[1]
    outcome = memory.facts.add("Bob", f"Bob uses the token {TOKEN} at work.", ref=f"t-{TOKEN}")
    assert outcome.redacted
    for path in vault.rglob("*"):
        assert path.is_dir() or TOKEN.encode() not in path.read_bytes()


def test_a_secret_is_no_type_and_no_relation(memory: Memory, vault: Path) -> None:
    add(
        memory,
        FactDraft("Bob", "Bob sings.", entity_type=TOKEN),
        FactDraft("Bob", "Bob has a key ring.", edge=(TOKEN, "ring")),
    )
    left = TOKEN.removeprefix("ghp_").lower().encode()
    for path in vault.rglob("*"):
        assert path.is_dir() or left not in path.read_bytes().lower()


def test_what_is_said_to_be_said_tomorrow_was_said_now(memory: Memory) -> None:
    memory.facts.add("Bob", "Bob sings.", at=START + 1e7)
    (fact,) = facts(memory)
    said = parse_instant(fact.created_at or "")
    assert START <= said <= START + 1000


def test_the_same_from_elsewhere_makes_it_surer_and_no_second_one(memory: Memory) -> None:
    add(memory, FactDraft("Bob", "Bob sings.", ref="s1", at=START - 1e6, confidence=0.5))
    again = FactDraft("Bob", "bob  sings", ref="s2", at=START - 1e5, confidence=0.7)
    assert add(memory, again) == ["reinforced"]
    (fact,) = facts(memory)
    assert (fact.seen, fact.refs, fact.confidence) == (1, ("s2",), 0.7)
    assert fact.met is not None
    assert fact.created_at is not None
    assert fact.created_at < fact.met


def test_the_same_from_the_same_place_changes_nothing(memory: Memory) -> None:
    drafts = [FactDraft("Bob", "Bob sings.", ref="s1"), FactDraft("Ann", "Ann sings.", ref="s1")]
    assert add(memory, *drafts) == ["created", "created"]
    changes = len(memory.history())
    assert add(memory, *drafts) == ["unchanged", "unchanged"]
    assert len(memory.history()) == changes


def test_reading_many_sources_again_changes_nothing(memory: Memory) -> None:
    drafts = [FactDraft("Bob", "Bob sings.", ref=f"s{n}") for n in range(MOST_REFS * 3)]
    add(memory, *drafts)
    changes = len(memory.history())
    assert set(add(memory, *drafts)) == {"unchanged"}
    assert len(memory.history()) == changes
    (fact,) = facts(memory)
    assert len(fact.refs) == MOST_REFS


def test_what_is_stated_by_hand_counts_each_time(memory: Memory) -> None:
    for outcome in ("created", "reinforced", "reinforced"):
        assert memory.facts.add("Bob", "Bob sings.").outcome == outcome
    assert facts(memory)[0].seen == 2


def test_a_later_employer_turns_the_earlier_one_historical(memory: Memory) -> None:
    assert add(memory, works("Initech", "2020-01-01"), works("Acme", "2024-06-01")) == [
        "created",
        "superseding",
    ]
    old, new = facts(memory)
    assert (old.status, old.valid_to) == ("historical", "2024-06-01T00:00:00Z")
    assert (new.status, new.supersedes) == ("active", old.id)
    entity = memory.facts.entity("bob").entity
    assert [fact.id for fact in entity.held_at(parse_instant("2022-01-01"))] == [old.id]
    assert [fact.id for fact in entity.held_at(parse_instant("2025-01-01"))] == [new.id]


def test_what_was_said_earlier_and_comes_later_held_until_then(memory: Memory) -> None:
    drafts = [works("Acme", "2024-06-01"), works("Initech", "2020-01-01")]
    assert add(memory, *drafts) == ["created", "historical"]
    assert active(memory) == ["Bob works at Acme."]
    assert facts(memory)[1].valid_to == "2024-06-01T00:00:00Z"
    assert add(memory, works("Hooli", "2022-01-01")) == ["historical"]
    ends = {fact.content: fact.valid_to for fact in facts(memory)}
    assert ends == {
        "Bob works at Acme.": None,
        "Bob works at Hooli.": "2024-06-01T00:00:00Z",
        "Bob works at Initech.": "2022-01-01T00:00:00Z",
    }


def test_who_comes_back_works_there_again(memory: Memory) -> None:
    add(memory, works("Acme", "2020-01-01"), works("Initech", "2022-01-01"))
    assert add(memory, works("Acme", "2024-01-01")) == ["superseding"]
    assert active(memory) == ["Bob works at Acme."]
    assert len(facts(memory)) == 3


def test_what_was_confirmed_since_is_not_outdated_by_what_lies_between(memory: Memory) -> None:
    add(memory, works("Acme", "2020-01-01"), works("Acme", "2024-01-01"))
    assert add(memory, works("Initech", "2022-01-01")) == ["historical"]
    assert active(memory) == ["Bob works at Acme."]


def test_two_that_can_not_both_be_so_on_one_day_are_both_kept_and_marked(memory: Memory) -> None:
    drafts = [works("Acme", "2024-01-01", ref="a"), works("Initech", "2024-01-01", ref="b")]
    assert add(memory, *drafts) == ["created", "disputed"]
    one, other = facts(memory)
    assert one.active
    assert other.active
    assert (one.disputes, other.disputes) == ((other.id,), (one.id,))
    assert [filed.slug for filed in memory.facts.entities(disputed=True)] == ["bob"]


def test_what_settles_it_leaves_nothing_disputed(memory: Memory) -> None:
    add(memory, works("Acme", "2024-01-01", ref="a"), works("Initech", "2024-01-01", ref="b"))
    one, other = facts(memory)
    filed, held = memory.facts.settle("bob", one.id)
    assert held.active
    assert not held.disputes
    assert not filed.disputed
    assert active(memory) == [one.content]
    with pytest.raises(UsageError):
        memory.facts.settle("bob", other.id)


def test_a_later_word_settles_it_too(memory: Memory) -> None:
    add(memory, works("Acme", "2024-01-01", ref="a"), works("Initech", "2024-01-01", ref="b"))
    add(memory, works("Hooli", "2025-01-01"))
    assert active(memory) == ["Bob works at Hooli."]
    assert not memory.facts.entities(disputed=True)


@pytest.mark.parametrize("order", [1, -1])
def test_a_source_that_is_trusted_less_never_overrules(tmp_path: Path, order: int) -> None:
    drafts = [
        works("Acme", "2020-01-01", trust="operator"),
        works("Initech", "2024-01-01", trust="external"),
    ]
    with make_memory(tmp_path, trust="operator") as memory:
        assert add(memory, *drafts[::order]) == ["created", "disputed"]
        assert len(active(memory)) == 2
        assert memory.show("bob").origin == "external"


def test_nobody_raises_a_draft_above_himself(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="external") as memory:
        add(memory, FactDraft("Bob", "Bob sings.", trust="operator"))
        assert facts(memory)[0].trust == "external"
        assert memory.show("bob").origin == "external"


def test_what_a_trusted_source_says_too_stands_in_its_words(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        add(memory, FactDraft("Bob", "bob SINGS", trust="external", ref="a"))
        add(memory, FactDraft("Bob", "Bob sings.", trust="operator", ref="b"))
        (fact,) = facts(memory)
        assert (fact.content, fact.trust) == ("Bob sings.", "operator")


def test_facts_by_another_program_do_not_rise_by_what_they_claim(
    memory: Memory, vault: Path
) -> None:
    add(memory, FactDraft("Bob", "Bob sings."))
    place = vault / "Memory/entities/bob/items.json"
    whole = json.loads(place.read_text())
    (id_,) = whole["engrain"]["facts"]
    whole["engrain"]["facts"][id_]["trust"] = "operator"
    whole["items"][0]["content"] = "Bob owes Mallory money."
    place.write_text(json.dumps(whole))
    add(memory, FactDraft("Bob", "Bob dances."))
    assert memory.show("bob").origin == "external"


def test_what_ended_comes_in_as_past_and_ends_what_is_known(memory: Memory) -> None:
    ended = works("Acme", "2020-01-01", valid_to=parse_instant("2021-01-01"))
    assert add(memory, ended) == ["historical"]
    add(memory, FactDraft("Ann", "Ann sings.", ref="a"))
    end = FactDraft("Ann", "Ann sings.", ref="b", valid_to=parse_instant("2026-02-01"))
    add(memory, end)
    assert active(memory) == []
    assert active(memory, "ann") == []


def test_keys_and_items_of_others_stay(memory: Memory, vault: Path) -> None:
    folder = vault / "Memory/entities/bob"
    folder.mkdir(parents=True)
    odd: dict[str, Any] = {"name": "Bob", "colour": "blue", "items": ["a note", {"x": 1}]}
    (folder / "items.json").write_text(json.dumps(odd))
    add(memory, FactDraft("Bob", "Bob sings."))
    whole = json.loads((folder / "items.json").read_text())
    assert whole["colour"] == "blue"
    assert whole["items"][1:] == ["a note", {"x": 1}]


def test_a_full_file_takes_what_fits_and_tells_the_rest(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_NOTE_BYTES", 20_000)
    drafts = [
        FactDraft("Bob", f"{letters(n)} {letters(n + 9000) * 90}", ref=f"s{n}", at=START - n)
        for n in range(40)
    ]
    outcomes = memory.facts.add_all([*drafts, FactDraft("Ann", "Ann sings.")])
    words = [outcome.outcome for outcome in outcomes]
    assert words[-1] == "created"
    assert words.count("refused") > 10
    assert words.count("created") == len(facts(memory)) + 1
    refused = next(outcome for outcome in outcomes if outcome.outcome == "refused")
    assert "no room" in refused.reason
    assert "synthesize" in (refused.remedy or "")


def test_many_facts_of_one_entity_are_one_commit(memory: Memory) -> None:
    before = len(memory.history(limit=None))
    drafts = [FactDraft("Bob", f"Bob {letters(n)}.", ref=f"s{n}") for n in range(300)]
    assert set(add(memory, *drafts)) == {"created"}
    made = memory.history(limit=None)[: -before or None]
    assert [one.locator for one in made] == [
        "Memory/entities/bob/items.json", "Memory/entities/bob/summary.md",
    ]  # fmt: skip
    assert len({one.change for one in made}) == 1


def test_undo_takes_facts_back(memory: Memory) -> None:
    add(memory, works("Initech", "2020-01-01"))
    add(memory, works("Acme", "2024-06-01"))
    memory.undo()
    assert active(memory) == ["Bob works at Initech."]


def test_a_forgotten_fact_comes_back_by_hand_alone(memory: Memory) -> None:
    said = FactDraft("Bob", "Bob sings.", source="conversation", ref="s1")
    add(memory, said, FactDraft("Bob", "Bob dances.", source="conversation", ref="s1"))
    gone = memory.facts.forget("bob", facts(memory)[0].id, "a joke")[1]
    assert gone.content == "Bob sings."
    assert active(memory) == ["Bob dances."]
    assert add(memory, said) == ["unchanged"]
    assert active(memory) == ["Bob dances."]
    assert memory.facts.add("Bob", "Bob sings.").outcome == "created"
    assert add(memory, said) == ["reinforced"]


def test_a_fact_is_found_by_the_beginning_or_the_end_of_its_id(memory: Memory) -> None:
    id_ = memory.facts.add("Bob", "Bob sings.").id
    for reference in (id_, id_[:12], id_[-8:]):
        assert memory.facts.show("bob", reference)[1].id == id_


def test_an_object_that_is_known_by_another_name_is_reported_by_its_slug(memory: Memory) -> None:
    memory.facts.add("Acme Corp", "Acme Corp makes anvils.", type="company")
    memory.facts.add("Bob", "Bob works at Acme.", edge=("works_at", "Acme"))
    edge = facts(memory)[0].edge
    assert edge is not None
    assert edge.object == "acme-corp"


def test_no_folder_is_made_for_an_object(memory: Memory) -> None:
    add(memory, works("Acme"))
    assert [filed.slug for filed in memory.facts.entities()] == ["bob"]


def test_the_clock_of_another_source_that_is_ahead_does_no_harm(tmp_path: Path) -> None:
    clock = FakeClock(START)
    with make_memory(tmp_path, clock=clock) as memory:
        ahead = FactDraft("Bob", "Bob works at Acme.", edge=("works_at", "Acme"), at=START + 9e5)
        add(memory, ahead)
        clock.at += 86400 * 3
        later = FactDraft(
            "Bob", "Bob works at Initech.", edge=("works_at", "Initech"), at=clock.at, ref="x"
        )
        assert add(memory, later) == ["superseding"]


def test_who_is_refused_in_a_commit_is_told_by_name(memory: Memory) -> None:
    memory.facts.add("Bob", "Bob sings.")
    memory.forget(memory.facts.entity("bob").id)
    with pytest.raises(ConflictError, match="bob is deleted"):
        memory.facts.add("Bob", "Bob dances.")


def outcomes_of(found: Sequence[FactOutcome]) -> list[str]:
    return [outcome.outcome for outcome in found]


def test_what_is_stated_by_hand_a_moment_later_holds(memory: Memory) -> None:
    first = memory.facts.add("Bob", "Bob lives in Rome.", edge=("lives_in", "Rome"))
    second = memory.facts.add("Bob", "Bob lives in Oslo.", edge=("lives_in", "Oslo"))
    assert outcomes_of([first, second]) == ["created", "superseding"]
    assert active(memory) == ["Bob lives in Oslo."]


def test_facts_are_readable_beside_the_record_at_once_and_go_with_an_undo(
    memory: Memory, vault: Path
) -> None:
    page = vault / "Memory" / "entities" / "ada" / "summary.md"
    add(memory, FactDraft("Ada", "Ada lives in Bern."))
    first = page.read_text()
    assert "Ada lives in Bern." in first
    add(memory, FactDraft("Ada", "Ada plays the cello."))
    assert "Ada lives in Bern. Ada plays the cello." in page.read_text()
    assert memory.check().found == []
    memory.undo()
    assert page.read_text() == first
    memory.undo()
    assert not page.exists()
    assert memory.check().found == []


def test_a_summary_that_a_person_wrote_or_made_theirs_stays(memory: Memory, vault: Path) -> None:
    page = vault / "Memory" / "entities" / "ada" / "summary.md"
    add(memory, FactDraft("Ada", "Ada lives in Bern."))
    page.write_text(page.read_text().partition("\n")[2])
    mine = page.read_text()
    add(memory, FactDraft("Ada", "Ada plays the cello."))
    assert page.read_text() == mine
    memory.undo()
    assert page.read_text() == mine


def test_a_summary_that_was_made_anew_hinders_no_undo(memory: Memory, vault: Path) -> None:
    page = vault / "Memory" / "entities" / "ada" / "summary.md"
    add(memory, FactDraft("Ada", "Ada lives in Bern."))
    change = memory.history(limit=1)[0].change
    place = Locator("Memory/entities/ada/summary.md")
    store = memory._ready()
    known = store.backend.read(place)
    again = Write(place, known.raw + b"\nMore.\n", path_id(place), known.hash)
    store.commit("index", [again])
    memory.undo(change)
    assert not [one for one in memory.facts.entities() if one.slug == "ada"]
    assert page.read_text().endswith("More.\n")  # the job drops it
