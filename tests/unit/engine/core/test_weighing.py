"""The weight of an entry nobody weighed: four factors, each by its rule (S3.3)."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.weighing import NO_GOALS, Weighing, read_weight
from engrain.model.errors import UsageError
from engrain.model.facts.fact import Fact
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.strength import weigh
from support.entities import file_entity
from unit.engine.core.vault_files import put


def note(text: str, *, title: str = "Title", kind: str = "fix", head: str = "") -> Entry:
    """An entry that is not in the vault."""
    raw = f"---\nid: 01new\nkind: {kind}\ncreated: 2030-01-01T00:00:00Z\n{head}---\n# {title}\n"
    return read_entry("Memory/fix/new.md", f"{raw}{text}\n".encode())


def estimate(memory: Memory, entry: Entry) -> dict[str, float]:
    return Weighing(memory._ready(scan=True)).estimate(entry)


def factor(memory: Memory, name: str, text: str, *, title: str = "Title", kind: str = "fix",
           head: str = "") -> float:  # fmt: skip
    return estimate(memory, note(text, title=title, kind=kind, head=head))[name]


def test_in_an_empty_vault_an_entry_is_new_and_nothing_else_is_known(memory: Memory) -> None:
    assert estimate(memory, note("Advisory locks.")) == {
        "surprise": 1.0, "goal": NO_GOALS, "social": 0.0, "utility": 0.0,
    }  # fmt: skip


def test_a_weight_that_is_written_counts(memory: Memory) -> None:
    weighing = Weighing(memory._ready())
    assert weighing.weight_of(note("x", head="weight: 0.25\n")) == 0.25
    assert weighing.weight_of(note("x", head="weight: 0\n")) == 0.0
    entry = note("Advisory locks.")
    assert weighing.weight_of(entry) == weigh(weighing.estimate(entry))


@pytest.mark.parametrize("written", ["1.5", "-0.1", "heavy", ".nan", "[0.5]", "true"])
def test_a_weight_written_wrongly_is_estimated(memory: Memory, written: str) -> None:
    weighing = Weighing(memory._ready())
    plain = weighing.weight_of(note("Advisory locks."))
    assert weighing.weight_of(note("Advisory locks.", head=f"weight: {written}\n")) == plain


def test_the_same_entry_weighs_the_same_each_time(memory: Memory) -> None:
    for number in range(6):
        memory.save(f"Advisory locks hold the nightly job {number}.", title=f"Lock {number}")
    entry = note("Advisory locks hold the nightly job.")
    assert len({str(estimate(memory, entry)) for _ in range(3)}) == 1


# -- surprise ------------------------------------------------------------------------------------


def test_the_more_of_it_an_older_entry_says_the_less_it_surprises(memory: Memory) -> None:
    memory.save("Advisory locks hold the nightly job.", title="Title")
    told = factor(memory, "surprise", "Advisory locks hold the nightly job.")
    half = factor(memory, "surprise", "Advisory locks hold every harbour crane somehow.")
    new = factor(memory, "surprise", "Zebras wander.", title="Other")
    assert told == 0.0
    assert 0.2 < half < 0.9
    assert new == 1.0


@pytest.mark.parametrize(
    "head", ["supersedes: 01old\n", "links: [{to: 01old, relation: contradicts}]\n"]
)
def test_what_contradicts_or_replaces_something_surprises_whatever_it_says(
    memory: Memory, head: str
) -> None:
    memory.save("Advisory locks hold.", title="Title")
    assert factor(memory, "surprise", "Advisory locks hold.") == 0.0
    assert factor(memory, "surprise", "Advisory locks hold.", head=head) == 1.0


def test_what_came_later_and_the_entry_itself_take_no_surprise_away(
    memory: Memory, vault: Path
) -> None:
    first = memory.save("Advisory locks hold the job.", title="One")
    before = estimate(memory, memory.show(first.id).entry)
    assert before["surprise"] == 1.0
    put(vault, "Memory/fix/later.md",
        "---\nid: 01later\ncreated: 2031-01-01T00:00:00Z\n---\n"
        "# One\nAdvisory locks hold the job.\n")  # fmt: skip
    assert estimate(memory, memory.show(first.id).entry) == before


def test_an_entry_without_words_surprises_nobody(memory: Memory) -> None:
    assert factor(memory, "surprise", "… !?", title="—") == 0.0


def test_a_neighbour_that_broke_since_is_passed_over(memory: Memory, vault: Path) -> None:
    memory.save("Advisory locks hold.", title="Title", kind="fix")
    store = memory._ready(scan=True)
    (vault / "Memory" / "fix" / "title.md").write_bytes(b"---\nid: [\n")
    assert Weighing(store).estimate(note("Advisory locks hold."))["surprise"] == 1.0


# -- goal ----------------------------------------------------------------------------------------


@pytest.fixture
def goals(vault: Path, memory: Memory) -> None:
    memory.list()
    put(vault, "projects/billing/roadmap.md",
        "---\nid: 01road\nkind: roadmap\n---\n# Roadmap\nMigrate invoices; encrypt ledgers; settle"
        " refunds; reconcile payments nightly.\n")  # fmt: skip
    put(vault, "Memory/core/value.md",
        "---\nid: 01value\nkind: value\n---\n# Value\nHonesty toward customers.\n")  # fmt: skip


@pytest.mark.usefixtures("goals")
def test_what_speaks_of_its_projects_goals_is_relevant(memory: Memory) -> None:
    billing = "project: billing\n"
    assert factor(memory, "goal", "Zebras wander around.", title="Zoo", head=billing) == 0.0
    some = factor(memory, "goal", "Zebras migrate; others wander.", title="Zoo", head=billing)
    assert 0 < some < 1
    text = "Migrate invoices, encrypt ledgers, settle refunds, reconcile payments."
    assert factor(memory, "goal", text, head=billing) == 1.0
    assert factor(memory, "goal", "Invoices.", title="Refunds", head=billing) == 1.0


@pytest.mark.usefixtures("goals")
def test_another_projects_goals_are_not_its_own_and_values_are_everyones(memory: Memory) -> None:
    text = "Migrate invoices, encrypt ledgers."
    assert factor(memory, "goal", text, head="project: orchard\n") == 0.0
    assert factor(memory, "goal", "Honesty, customers.", head="project: orchard\n") > 0.5
    assert factor(memory, "goal", "Honesty, customers.") > 0.5


# -- social --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["identity", "relationship", "commitment", "preference"])
def test_what_is_about_people_is_social(memory: Memory, kind: str) -> None:
    assert factor(memory, "social", "Nobody here.", kind=kind) == 1.0


def test_who_is_known_is_known_by_name_and_alias_as_a_whole_word(
    memory: Memory, vault: Path
) -> None:
    memory.list()
    put(vault, "Memory/entities/ada.md",
        "---\nid: 01ada\nkind: entity\naliases: [Countess, 'Ådå B.', 7, null]\n---\n"
        "# Ada Lovelace\nWrote notes.\n")  # fmt: skip
    weighing = Weighing(memory._ready(scan=True))

    def social(text: str) -> float:
        return weighing.estimate(note(text))["social"]

    assert [social(text) for text in ("ADA LOVELACE said.", "the countess", "by ådå b.x")] == [
        1
    ] * 3
    assert [social(text) for text in ("Ada", "Countesses", "adalovelace", "nobody")] == [0] * 4


@pytest.mark.parametrize(
    ("type_", "social"), [("person", 1.0), ("", 1.0), ("company", 0.0), ("project", 0.0)]
)
def test_a_company_or_project_is_nobody(memory: Memory, type_: str, social: float) -> None:
    store = memory._open_store()
    file_entity(store, "acme", "Acme", [Fact("f1", "Acme sells anvils.")], type_=type_)
    assert factor(memory, "social", "A meeting with Acme.") == social


@pytest.mark.parametrize("name", ["\u200b", "\u200b\u2060", " \u00ad "])
def test_a_name_that_nobody_can_see_is_nobodys(memory: Memory, vault: Path, name: str) -> None:
    memory.list()
    put(
        vault,
        "Memory/entities/x.md",
        f"---\nid: 01x\nkind: entity\naliases: ['{name}']\n---\n# Bob\n",
    )
    assert factor(memory, "social", "Nobody, or so it seems.") == 0.0
    assert factor(memory, "social", "It seems that Bob came.") == 1.0


HOSTILE = [".*", "(a+)+$", "[", "\\", "a|", "$^", "(?P<x>", "]]", "{1,99999}", "*", "\\b"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_no_regular_expression(memory: Memory, vault: Path, name: str) -> None:
    memory.list()
    put(vault, "Memory/entities/x.md",
        f"---\nid: 01x\nkind: entity\ntitle: {name!r}\n"
        f"aliases: [{name!r}]\n---\nText.\n")  # fmt: skip
    began = time.monotonic()
    assert factor(memory, "social", "a" * 5000 + "! and nobody that anyone knows") == 0.0
    assert time.monotonic() - began < 10


def test_thousands_of_names_are_looked_for_at_once(memory: Memory, vault: Path) -> None:
    memory.list()
    aliases = ", ".join(f"'Person {number}'" for number in range(3000))
    put(vault, "Memory/entities/all.md", f"---\nid: 01x\nkind: entity\naliases: [{aliases}]\n---\n")
    assert factor(memory, "social", "person " * 500 + "person 2999") == 1.0
    assert factor(memory, "social", "person " * 500 + "person 3000") == 0.0


# -- utility -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("recalls", "utility"), [(0, 0.0), (1, 0.2), (5, 1.0), (10**9, 1.0)])
def test_what_was_recalled_is_of_use(memory: Memory, recalls: int, utility: float) -> None:
    assert factor(memory, "utility", "x", head=f"recall_count: {recalls}\n") == utility


# -- what a caller gives -------------------------------------------------------------------------


def test_factors_that_are_given_are_taken_as_they_are(memory: Memory) -> None:
    weighing, entry = Weighing(memory._ready()), note("Advisory locks.")
    own = weighing.estimate(entry)
    assert weighing.estimate(entry, {"goal": 0.9}) == {**own, "goal": 0.9}
    everything = {"surprise": 0.1, "goal": 0.2, "social": 0.3, "utility": 0.4}
    assert weighing.estimate(entry, everything) == everything


def test_a_weight_is_one_number_or_some_of_the_factors(memory: Memory) -> None:
    store, entry = memory._ready(), note("Advisory locks.")
    assert [read_weight(store, entry, number) for number in (0, 0.3, 1)] == [0.0, 0.3, 1.0]
    own = Weighing(store).estimate(entry)
    assert read_weight(store, entry, {"goal": 1}) == weigh({**own, "goal": 1})


@pytest.mark.parametrize(
    "given",
    [-0.01, 1.01, 7, math.nan, math.inf, {"goal": 1.5}, {"goal": math.nan}, {"size": 0.5},
     {"goal": 0.5, "utility": -1}],
)  # fmt: skip
def test_what_is_no_weight_is_reported(memory: Memory, given: float | dict[str, float]) -> None:
    with pytest.raises(UsageError) as caught:
        read_weight(memory._ready(), note("x"), given)
    assert caught.value.remedy == "weights and factors go from 0 to 1"
    assert "\n" not in caught.value.message
