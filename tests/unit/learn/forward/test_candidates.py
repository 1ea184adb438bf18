"""How near what is outside comes to what the vault is about."""

from __future__ import annotations

import pytest

from engrain import Memory
from engrain.learn.forward.items import Item, ItemPassage, read_passages
from engrain.learn.forward.run import Nearness, check_learning, measure_nearness
from engrain.model.errors import ConfigError
from unit.learn.forward.world import LOCKS, NOTES, PASTA
from unit.lifecycle.sessions.living import store_of


def look(memory: Memory, title: str, text: str) -> Nearness:
    store = store_of(memory)
    store.require_index(scan=True)
    return measure_nearness(store, ItemPassage(Item("k", title, "", "r"), "", text))


def test_what_an_entry_is_about_is_near_and_what_none_is_about_is_not(memory: Memory) -> None:
    near = look(memory, LOCKS["title"], LOCKS["description"])
    assert near.score > 0.5
    assert [row.title for row in near.touched] == [next(iter(NOTES))]
    assert look(memory, PASTA["title"], PASTA["description"]).score < 0.2
    assert look(memory, "", "ok").score == 0.0


def test_an_item_is_read_in_passages_and_without_text_by_its_title() -> None:
    long = Item("k", "T", "## One\n\n" + "Words. " * 100 + "\n\n## Two\n\n" + "More. " * 200, "r")
    assert [one.heading for one in read_passages(long)][:2] == ["One", "Two"]
    assert [one.text for one in read_passages(Item("k", "Only a title", "", "r"))] == [
        "Only a title"
    ]
    assert list(read_passages(Item("", "", "", ""))) == []


@pytest.mark.parametrize(
    "settings",
    [{"learn.limit": "-1"}, {"learn.limit": "five"}, {"learn.limit": "9" * 20}],
)  # fmt: skip
def test_a_setting_that_is_none_is_told(settings: dict[str, str | None]) -> None:
    with pytest.raises(ConfigError):
        check_learning(settings)
