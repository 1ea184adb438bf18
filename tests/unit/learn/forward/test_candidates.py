"""How near what is outside comes to what the vault is about."""

from __future__ import annotations

import pytest

from engrain import Memory
from engrain.learn.forward.candidates import Nearness, Topics
from engrain.learn.forward.items import Item, ItemPassage, read_passages
from engrain.learn.forward.run import read_bounds
from engrain.model.errors import ConfigError
from unit.learn.forward.world import LOCKS, NOTES, PASTA
from unit.lifecycle.sessions.living import store_of


def look(memory: Memory, title: str, text: str) -> Nearness:
    store = store_of(memory)
    store.require_index(scan=True)
    return Topics(store).look(ItemPassage(Item("k", title, "", "r"), "", text))


def test_what_an_entry_is_about_is_near_and_what_none_is_about_is_not(memory: Memory) -> None:
    near = look(memory, LOCKS["title"], LOCKS["description"])
    assert near.score > 0.6
    assert [row.title for row in near.touched] == [next(iter(NOTES))]
    assert {"vacuum", "advisory"} <= near.words
    assert look(memory, PASTA["title"], PASTA["description"]).score < 0.3
    assert look(memory, "", "ok").score == 0.0


def test_a_name_that_the_vault_knows_brings_it_nearer(memory: Memory) -> None:
    memory.save("The parser is slow.", title="Parser", project="Blue Lantern")
    memory.facts.add("Orla Kelly", "Orla Kelly prints timetables.", type="person")
    text = "The berths were planned by tide tables, and some other words are said here too."
    plain = look(memory, "A page", text)
    for name in ("Blue Lantern", "Orla Kelly"):
        inside, titled = look(memory, "A page", f"{text} {name} said so."), look(memory, name, text)
        assert inside.names == titled.names == [name]
        assert plain.score < inside.score
        assert plain.names == []
    assert look(memory, "A page", "blue lantern festival").names == ["Blue Lantern"]


def test_a_name_of_one_word_is_one_where_it_is_written_as_a_name(memory: Memory) -> None:
    memory.save("It plans.", title="Plan", project="Beacon")
    assert look(memory, "A page", "the Beacon is lit").names == ["Beacon"]
    assert look(memory, "A page", "the beacon is lit").names == []


def test_its_one_project_is_that_of_all_it_touches(memory: Memory) -> None:
    memory.save("Cranes lift containers by hydraulic spreaders.", title="Cranes", project="harbour")
    near = look(memory, "Hydraulic spreaders", "Hydraulic spreaders of cranes lift containers.")
    assert near.project == "harbour"
    assert look(memory, LOCKS["title"], LOCKS["description"]).project is None
    assert Nearness().project is None


def test_an_item_is_read_in_passages_and_without_text_by_its_title() -> None:
    long = Item("k", "T", "## One\n\n" + "Words. " * 100 + "\n\n## Two\n\n" + "More. " * 200, "r")
    assert [one.heading for one in read_passages(long)][:2] == ["One", "Two"]
    assert [one.text for one in read_passages(Item("k", "Only a title", "", "r"))] == [
        "Only a title"
    ]
    assert list(read_passages(Item("", "", "", ""))) == []


@pytest.mark.parametrize(
    "settings",
    [{"learn.relevance": "2"}, {"learn.relevance": "much"}, {"learn.relevance": "nan"},
     {"learn.limit": "-1"}, {"learn.limit": "five"}, {"learn.limit": "9" * 20}],
)  # fmt: skip
def test_a_setting_that_is_none_is_told(settings: dict[str, str | None]) -> None:
    with pytest.raises(ConfigError):
        read_bounds(settings)
