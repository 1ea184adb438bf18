"""Neighbours: each the nearest of the other by rare words, neither a copy nor one of a series."""

from __future__ import annotations

from engrain.engine.core.active_notes import Memo
from engrain.engine.links.suggestions import Neighbourhood
from engrain.model.note.entry import read_entry

WORDS = "marzipan almond praline nougat ganache"
FILLER = ["quay", "harbour", "vessel", "captain", "anchor", "sailor", "lantern", "keeper"]


def pairs(*texts: str) -> list[tuple[int, int]]:
    """Which of some notes, each with its title in the first line, are neighbours."""
    near = Neighbourhood()
    memos = [
        Memo(read_entry(f"n{at}.md", f"# {text}".encode()), "agent")
        for at, text in enumerate(texts)
    ]
    for memo in memos:
        near.count(memo)
    for at, memo in enumerate(memos):
        near.place(at, memo)
    return [(one, other) for one, other, _, _ in near.pairs()]


def test_notes_that_share_rare_words_are_neighbours() -> None:
    assert pairs(f"Sweets\n{WORDS} winter", f"Orders\n{WORDS} tray", "Ships\nquay") == [(0, 1)]


def test_words_that_many_have_bring_nothing_together() -> None:
    others = [f"Note {'x' * number}\n{WORDS}" for number in range(20)]
    assert pairs(f"Sweets\n{WORDS}", f"Orders\n{WORDS}", *others) == []


def test_only_the_nearest_of_each_other_are_told() -> None:
    found = pairs(
        f"Sweets\n{WORDS} caramel fondant winter frost icicle sledge",
        f"Orders\n{WORDS} caramel fondant tray parcel invoice stamp",
        f"Cakes\n{WORDS} oven",
    )
    assert found == [(0, 1)]


def test_copies_and_parts_of_a_series_are_no_neighbours() -> None:
    text = f"{WORDS} {' '.join(FILLER)}"
    assert pairs(f"Sweets\n{text}", f"Orders\n{text}") == []
    assert pairs(f"Report 1\n{WORDS} winter", f"Report 2\n{WORDS} tray") == []


def test_what_stands_in_code_and_addresses_is_not_shared() -> None:
    code = "`marzipan almond praline nougat ganache`"
    assert pairs(f"Sweets\n{code}", f"Orders\n{code}") == []
