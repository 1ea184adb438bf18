"""The `tiered` profile: from whom a query names to what it asks, and no further than it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.recalled import Recall
from engrain.engine.core.scope import Scope
from engrain.engine.core.store import Store
from engrain.engine.recall.tiered.answering import MOST_FACTS, MOST_SUMMARIES, TieredRecall
from engrain.language.text.instants import format_instant, parse_instant
from engrain.lifecycle.synthesizing.running import synthesize
from engrain.model.facts.entity import Entity
from engrain.model.facts.fact import Fact, FactEdge
from engrain.model.facts.summaries import write_summary
from support.entities import file_entity

INITECH = Fact(
    "f1",
    "Alice works at Initech.",
    status="historical",
    created_at="2025-01-02T00:00:00Z",
    valid_to="2026-03-01T00:00:00Z",
    edge=FactEdge("alice-moreau", "works_at", "initech"),
    trust="operator",
)
ACME = Fact(
    "f2",
    "Alice is a designer with Acme Corp.",
    created_at="2026-03-01T00:00:00Z",
    supersedes="f1",
    edge=FactEdge("alice-moreau", "works_at", "acme-corp"),
    trust="operator",
)
BERLIN = Fact("f3", "Alice lives in Berlin.", created_at="2026-02-01T00:00:00Z", trust="agent")
PEANUTS = Fact("f4", "Alice can't eat peanuts.", created_at="2026-02-01T00:00:00Z")
CATS = Fact("g1", "Bob has two cats.", created_at="2026-02-01T00:00:00Z", trust="agent")


@pytest.fixture
def store(memory: Memory) -> Store:
    store = memory._open_store()
    facts = [INITECH, ACME, BERLIN, PEANUTS]
    file_entity(store, "alice-moreau", "Alice Moreau", facts, aliases=["alice@acme.com"])
    file_entity(store, "bob-lee", "Bob Lee", [CATS])
    return store


def ask(memory: Memory, query: str, **options: object) -> TieredRecall:
    found: Recall = memory.recall(query, profile="tiered", **options)  # type: ignore[arg-type]
    assert isinstance(found, TieredRecall)
    return found


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "query", ["where does Alice work now", "alice moreau's employer", "who employs alice@acme.com?"]
)
def test_the_fact_that_holds_leads_and_what_held_comes_behind(memory: Memory, query: str) -> None:
    found = ask(memory, query)
    assert found.results[0].fact == "f2"
    assert found.results[0].text == "Alice is a designer with Acme Corp.\n"
    assert [one.fact for one in found.facts] == ["f2", "f1"]
    assert [one.row.title for one in found.summaries] == ["Alice Moreau"]
    assert found.facts[1].row.status == "superseded"


def test_what_is_still_to_begin_is_no_answer_yet(memory: Memory) -> None:
    acme = Fact(
        "f1", "Ann works at Acme.", created_at="2026-01-01T00:00:00Z", valid_to="2199-01-01"
    )
    globex = Fact(
        "f2", "Ann works at Globex.", created_at="2026-02-01T00:00:00Z", valid_from="2199-01-01"
    )
    file_entity(memory._open_store(), "ann-roy", "Ann Roy", [acme, globex])
    found = ask(memory, "where does Ann Roy work now")
    assert [one.fact for one in found.facts] == ["f1", "f2"]
    later = ask(memory, "where does Ann Roy work", scope=Scope(as_of=parse_instant("2199-02-01")))
    assert [one.fact for one in later.facts] == ["f2"]


@pytest.mark.usefixtures("store")
def test_as_of_an_earlier_date_the_earlier_fact_is_the_answer(memory: Memory) -> None:
    scope = Scope(as_of=parse_instant("2025-06-01"))
    found = ask(memory, "where does Alice work", scope=scope)
    assert [one.fact for one in found.facts] == ["f1"]
    assert "Acme" not in "".join(one.text for one in found.results)
    before = ask(memory, "where does Alice work", scope=Scope(as_of=parse_instant("2024-06-01")))
    assert before.results == ()


@pytest.mark.usefixtures("store")
def test_whom_a_query_only_names_gets_a_summary_and_no_more(memory: Memory) -> None:
    found = ask(memory, "Alice", explain=True)
    assert [(one.row.title, one.fact) for one in found.results] == [("Alice Moreau", "")]
    assert found.explanation is not None
    assert found.explanation.stages == [
        "entities that are named: Alice Moreau",
        "summaries: 1; enough: the query only names them",
    ]


@pytest.mark.usefixtures("store")
def test_a_fact_is_found_where_nobody_is_named(memory: Memory) -> None:
    found = ask(memory, "who has cats", explain=True)
    assert [(one.row.title, one.fact) for one in found.results] == [("Bob Lee", "g1")]
    assert found.explanation is not None
    assert found.explanation.stages[0] == "no entity is named"
    assert found.explanation.stages[-1].endswith("enough")


@pytest.mark.usefixtures("store")
def test_who_is_told_of_in_the_facts_of_others_is_found_there(memory: Memory, store: Store) -> None:
    file_entity(
        store, "acme-corp", "Acme Corp", [Fact("a1", "Acme makes anvils.")], type_="company"
    )
    found = ask(memory, "who works at Acme Corp")
    assert [one.fact for one in found.facts] == ["f2"]


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("query", ["where do I live", "my employer", "what work do I do"])
def test_where_the_operator_is_not_known_nobody_elses_fact_answers(
    memory: Memory, query: str
) -> None:
    assert ask(memory, query).facts == ()


def test_what_the_operator_said_leads_whatever_outsiders_say_since(memory: Memory) -> None:
    said = Fact(
        "o1", "Ann works at Acme.", created_at="2020-01-01T00:00:00Z", trust="operator",
        disputes=["x1"],
    )  # fmt: skip
    told = Fact("x1", "Ann works at Evilcorp.", created_at="2026-03-01T00:00:00Z", disputes=["o1"])
    file_entity(memory._open_store(), "ann-roy", "Ann Roy", [said, told])
    found = ask(memory, "where does Ann Roy work now")
    assert [one.fact for one in found.facts] == ["o1", "x1"]


@pytest.mark.usefixtures("store")
def test_notes_of_the_last_days_are_asked_last(memory: Memory) -> None:
    memory.save("Alice presents the roadmap on Friday.", kind="daily", title="today")
    found = ask(memory, "when does Alice present the roadmap", explain=True)
    assert [one.text for one in found.daily] == ["Alice presents the roadmap on Friday.\n"]
    assert found.explanation is not None
    assert found.explanation.stages[-1] == "daily notes of 7 days: 1"
    direct = ask(memory, "where does Alice live", explain=True)
    assert direct.daily == ()


@pytest.mark.usefixtures("store")
def test_notes_of_the_last_days_that_are_too_long_are_counted(memory: Memory) -> None:
    memory.save("Alice presents the roadmap on Friday. " * 9, kind="daily", title="today")
    found = ask(memory, "when does Alice present the roadmap", budget=60)
    assert (found.daily, found.over_budget) == ((), 2)  # with her summary


@pytest.mark.usefixtures("store")
def test_where_nothing_fits_it_is_silent(memory: Memory) -> None:
    found = ask(memory, "how do I bake sourdough bread")
    assert found.results == ()


@pytest.mark.usefixtures("store")
def test_where_nothing_fits_the_nearest_are_shown(memory: Memory) -> None:
    found = ask(memory, "which vineyard near Zaragoza did Marguerite live in")
    assert (found.results, found.rejected) == ((), True)
    assert found.nearest


@pytest.mark.usefixtures("store")
def test_each_fact_says_whom_it_comes_from(memory: Memory) -> None:
    assert ask(memory, "where does Alice live").results[0].row.source == "agent"
    assert ask(memory, "which peanuts can Alice eat").results[0].row.source == "external"


def test_what_another_program_wrote_vouches_for_nothing(
    memory: Memory, store: Store, vault: Path
) -> None:
    place = vault / "Memory/entities/bob-lee/items.json"
    place.write_text(place.read_text().replace("two cats", "three cats"))
    found = ask(memory, "how many cats does Bob have")
    assert found.results[0].text == "Bob has three cats.\n"
    assert found.results[0].row.source == "external"


def test_of_two_that_answer_alike_the_later_leads(memory: Memory, store: Store) -> None:
    now = store.clock.now()
    facts = [
        Fact(f"h{days}", f"Cara runs trail {days}.", created_at=format_instant(now - days * 86_400))
        for days in (90, 0, 30)
    ]
    file_entity(store, "cara", "Cara", facts)
    found = ask(memory, "which trail does Cara run")
    assert [one.fact for one in found.facts] == ["h0", "h30", "h90"]
    scores = [one.row.score for one in found.facts]
    assert scores[1] / scores[0] == pytest.approx(0.75, abs=0.01)  # half of the half that fades


@pytest.mark.usefixtures("store")
def test_a_summary_of_which_no_line_fits_the_budget_is_counted_and_not_shown(
    memory: Memory,
) -> None:
    found = ask(memory, "Alice Moreau", budget=20)
    assert (found.summaries, found.over_budget) == ((), 1)


def test_no_more_come_than_five_summaries_and_ten_facts(memory: Memory, store: Store) -> None:
    for name in ("Ames", "Bell", "Cole", "Dunn", "Ford", "Gray", "Hale", "Ives"):
        facts = [Fact(f"{name}-{n}", f"Kim {name} plays sport {n}.") for n in range(4)]
        file_entity(store, f"kim-{name.lower()}", f"Kim {name}", facts)
    found = ask(memory, "which sport does Kim play", budget=100_000)
    assert len(found.summaries) == MOST_SUMMARIES
    assert len(found.facts) == MOST_FACTS


def test_a_summary_that_somebody_wrote_is_reported_and_a_generated_one_that_is_old_is_not(
    memory: Memory, store: Store, vault: Path
) -> None:
    place = vault / "Memory/entities/bob-lee/summary.md"
    place.write_text("# Bob Lee\n\nBob lives with two cats.\n")
    [told] = ask(memory, "Bob Lee").summaries
    assert (told.text, told.row.source) == ("Bob lives with two cats.\n", "external")
    place.write_text(write_summary(Entity("Bob Lee", "person"), store.clock.now()))
    [told] = ask(memory, "Bob Lee").summaries
    assert (told.text, told.row.source) == ("Bob has two cats.\n", "agent")
    synthesize(memory._open_store())
    [told] = ask(memory, "Bob Lee").summaries
    assert (told.text, told.row.source) == ("Bob has two cats.\n", "agent")


def test_what_is_not_so_answers_no_question_of_what_is(memory: Memory, store: Store) -> None:
    edge = FactEdge("eve", "works_at", "hooli")
    facts = [
        Fact("e1", "Eve joined Globex.", edge=FactEdge("eve", "works_at", "globex"),
             created_at="2025-01-01T00:00:00Z"),
        Fact("e2", "Eve no longer works at Hooli.", edge=edge, created_at="2026-01-01T00:00:00Z"),
    ]  # fmt: skip
    file_entity(store, "eve", "Eve", facts)
    assert [one.fact for one in ask(memory, "where does Eve work now").facts] == ["e1", "e2"]
    assert ask(memory, "where does Eve not work any more").facts[0].fact == "e2"


def test_whose_memory_it_is_is_meant_by_my(
    memory: Memory, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_entity(store, "dana-fox", "Dana Fox", [Fact("d1", "Dana drives a blue van.")])
    monkeypatch.setitem(store.settings, "operator.name", "Dana Fox")
    assert [one.fact for one in ask(memory, "what colour is my van").facts] == ["d1"]
    assert ask(memory, "where do I work").facts == ()  # though others work somewhere


def test_a_fact_without_a_relation_is_read_for_the_one_that_is_asked(
    memory: Memory, store: Store
) -> None:
    facts = [
        Fact("d2", "Dana started at Initech.", created_at="2026-02-01T00:00:00Z"),
        Fact("d1", "Dana works long hours.", created_at="2026-03-01T00:00:00Z"),
    ]
    file_entity(store, "dana-fox", "Dana Fox", facts, aliases=["Dana"])
    assert ask(memory, "who employs Dana").facts[0].fact == "d2"
