"""Items are read in passages, and settings are checked."""

from __future__ import annotations

import pytest

from engrain.learn.forward.items import Item, read_passages
from engrain.learn.forward.run import check_learning
from engrain.model.errors import ConfigError


def test_an_item_is_read_in_passages_and_without_text_by_its_title() -> None:
    long = Item("k", "T", "## One\n\n" + "Words. " * 100 + "\n\n## Two\n\n" + "More. " * 200, "r")
    assert [one.heading for one in read_passages(long)][:2] == ["One", "Two"]
    assert [one.text for one in read_passages(Item("k", "Only a title", "", "r"))] == [
        "Only a title"
    ]
    assert list(read_passages(Item("", "", "", ""))) == []


@pytest.mark.parametrize(
    "settings",
    [{"sources.limit": "-1"}, {"sources.limit": "five"}, {"sources.limit": "9" * 20}],
)  # fmt: skip
def test_a_setting_that_is_none_is_told(settings: dict[str, str | None]) -> None:
    with pytest.raises(ConfigError):
        check_learning(settings)
