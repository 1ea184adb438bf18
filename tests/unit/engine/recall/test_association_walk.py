"""The walk: how near entries are to where it starts, on a real index."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.search_index import document
from engrain.engine.recall.gathering import ARRIVING, FAN_OUT, FRONT, HOPS, choose_most, walk
from engrain.index.sqlite_index import SearchIndex
from engrain.index.view import IndexView
from engrain.seam.batches import Batch, Document
from engrain.seam.references import Reference
from engrain.seam.rows import FACT, Edge
from support.examples import SHARED_FIXTURE
from support.vaults import START, FakeClock

Fill = Callable[..., None]
DAY = 86_400.0


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SearchIndex]:
    index = SearchIndex(str(tmp_path / "index"), FakeClock())
    index.rebuild([])
    yield index
    index.close()


def fill(index: SearchIndex, links: Mapping[str, str | Sequence[str]]) -> None:
    """Notes by name, with the names each links to."""
    index.rebuild([Batch(documents=[note(name, ends) for name, ends in links.items()])])


def note(name: str, ends: str | Sequence[str], **fields: object) -> Document:
    text = " ".join(f"[[{end}]]" for end in (ends.split() if isinstance(ends, str) else ends))
    return document(f"{name}.md", text, id=f"id-{name}", **fields)  # type: ignore[arg-type]


def near(
    index: SearchIndex,
    *starts: str,
    at: float = START,
    closed: Sequence[str] = (),
    watch: list[int] | None = None,
) -> dict[str, float]:
    """What a walk from some notes reaches, by name; it may not enter those that are closed."""
    with index.view() as view:
        seeds = {number: 1.0 for name in starts if (number := view.number(f"{name}.md"))}
        assert len(seeds) == len(starts)
        shut = {view.number(f"{name}.md") for name in closed}
        read = view if watch is None else _Counting(view, watch)
        found = walk(read, seeds, lambda entries: [e for e in entries if e not in shut], at)  # type: ignore[arg-type]
        rows = view.rows(list(found))
        return {str(rows[n].locator).removesuffix(".md"): got for n, got in found.items()}


class _Counting:
    """A view that notes how many edges are read of it."""

    def __init__(self, view: IndexView, counts: list[int]) -> None:
        self._view = view
        self._counts = counts

    def edges_from(self, entries: Sequence[int], most: int = 0) -> list[Edge]:
        return self._count(self._view.edges_from(entries, most))

    def edges_to(self, entries: Sequence[int], most: int = 0) -> list[Edge]:
        return self._count(self._view.edges_to(entries, most))

    def _count(self, edges: list[Edge]) -> list[Edge]:
        self._counts.append(len(edges))
        return edges


def test_what_is_nearer_is_worth_more_and_what_is_four_links_away_nothing(
    index: SearchIndex,
) -> None:
    fill(index, {"a": "b", "b": "c", "c": "d", "d": "e", "e": ""})
    found = near(index, "a")
    assert found["b"] > found["c"] > found["d"] > 0
    assert "e" not in found


def test_links_are_walked_against_their_direction_for_less(index: SearchIndex) -> None:
    fill(index, {"a": "forth", "forth": "", "back": "a"})
    found = near(index, "a")
    assert found["forth"] == pytest.approx(2 * found["back"])


def test_a_note_among_many_neighbours_is_worth_less_than_an_only_one(index: SearchIndex) -> None:
    fill(index, {"one": "x", "x": "", "many": "y p q r", **dict.fromkeys("ypqr", "")})
    assert near(index, "one")["x"] > near(index, "many")["y"]


def test_what_two_seeds_lead_to_is_worth_more_than_what_one_does(index: SearchIndex) -> None:
    fill(index, {"a": "both x", "b": "both y", "both": "", "x": "", "y": ""})
    found = near(index, "a", "b")
    assert found["both"] > found["x"] == found["y"]


def test_nothing_is_reached_through_a_hub_but_the_hub(index: SearchIndex) -> None:
    others = [f"n{number}" for number in range(FAN_OUT)]
    fill(index, {"a": "hub", "hub": others, **dict.fromkeys(others, "")})
    assert set(near(index, "a")) == {"hub"}
    fill(index, {"a": "hub", "hub": others[1:], **dict.fromkeys(others, "")})
    assert set(near(index, "a")) >= {"hub", "n1"}


def test_what_contradicts_is_not_near_and_a_predecessor_hardly(index: SearchIndex) -> None:
    links = [
        {"to": "id-foe", "relation": "contradicts"},
        {"to": "id-more", "relation": "elaborates"},
    ]
    documents = [
        note("a", "", links=links, supersedes="id-old", derived_from=["id-source"]),
        *(note(name, "") for name in ("foe", "more", "old", "source")),
    ]
    index.rebuild([Batch(documents=documents)])
    found = near(index, "a")
    assert "foe" not in found
    assert found["more"] > found["source"] > found["old"] > 0


def test_an_edge_is_followed_only_while_it_holds(index: SearchIndex) -> None:
    a, b = note("a", ""), note("b", "")
    works = Reference("id-b", "works_at", FACT, valid_from=START, valid_to=START + DAY)
    a = Document(a.locator, a.entry, [works], a.stamp, a.settled)
    index.rebuild([Batch(documents=[a, b])])
    reached = ["b" in near(index, "a", at=START + at) for at in (-1, 0, DAY - 1, DAY)]
    assert reached == [False, True, True, False]


def test_the_walk_goes_through_no_closed_door(index: SearchIndex) -> None:
    fill(index, {"a": "b c", "b": "d", "c": "", "d": ""})
    assert set(near(index, "a", closed="b")) == {"a", "c"}


def test_cycles_and_links_to_oneself_come_to_an_end(index: SearchIndex) -> None:
    fill(index, {"a": "a b", "b": "c", "c": "a"})
    found = near(index, "a")
    assert set(found) == {"a", "b", "c"}
    assert all(0 < got <= 1 for got in found.values())


def test_from_nowhere_nothing_is_reached(index: SearchIndex) -> None:
    fill(index, {"a": "b", "b": ""})
    assert near(index) == {}


def test_a_note_that_links_to_very_many_costs_no_more_than_a_hub_may(index: SearchIndex) -> None:
    others = [f"n{number}" for number in range(5000)]
    fill(index, {"all": others, **dict.fromkeys(others, "all")})
    read: list[int] = []
    assert near(index, "all", watch=read) == {}
    assert sum(read) <= 2 * (FAN_OUT + 1)


def test_whatever_the_vault_few_edges_are_read(index: SearchIndex) -> None:
    chance = random.Random(5)
    names = [f"n{number}" for number in range(600)]
    fill(index, {name: chance.sample(names, 15) for name in names})
    read: list[int] = []
    found = near(index, *names[:40], watch=read)
    assert sum(read) <= HOPS * FRONT * 2 * (FAN_OUT + 1)
    assert len(found) <= 3 * ARRIVING


webs = st.dictionaries(
    st.sampled_from("abcdefgh"), st.sets(st.sampled_from("abcdefgh"), max_size=4), min_size=1
)


@given(web=webs, order=st.randoms(use_true_random=False))
@settings(max_examples=25, suppress_health_check=SHARED_FIXTURE)
def test_in_whatever_order_notes_came_the_same_is_as_near(
    index: SearchIndex, web: dict[str, set[str]], order: random.Random
) -> None:
    links = {name: sorted(ends) for name, ends in web.items()}
    fill(index, links)
    start = sorted(links)[0]
    told = near(index, start)
    names = sorted(links)
    order.shuffle(names)
    fill(index, {name: links[name] for name in names})
    assert near(index, start) == told


def test_of_what_ties_for_the_last_places_none_is_chosen() -> None:
    assert choose_most({1: 0.5, 2: 0.9, 3: 0.5, 4: 0.1}, 2) == [2]
    assert choose_most({1: 0.5, 2: 0.9, 3: 0.4, 4: 0.1}, 2) == [2, 1]
    assert choose_most({1: 0.5, 2: 0.5}, 2) == [1, 2]
    assert choose_most(dict.fromkeys(range(FRONT + 1), 0.3), FRONT) == []
