"""`graph`: neighbours, paths, what lies around an entry, and the whole."""

from __future__ import annotations

import pytest

from engrain import Memory, NotFoundError, UsageError
from engrain.engine.core.scope import Scope
from engrain.engine.graph import LINKS_TO
from engrain.language.text.instants import parse_instant

EVERYWHERE = Scope(all_projects=True)


def save(memory: Memory, title: str, text: str = "", **more: str) -> str:
    return memory.save(text or f"Text of {title}.", title=title, kind="fix", **more).id  # type: ignore[arg-type]  # of the keywords' types


def beside(memory: Memory, id_: str, **more: object) -> list[tuple[str, str, bool]]:
    _, found, _ = memory.graph.neighbors(id_, **more)  # type: ignore[arg-type]  # of the keywords' types
    return [(one.relation, one.row.title, one.outward) for one in found]


def way(memory: Memory, start: str, goal: str, hops: int = 6) -> list[str]:
    graph, numbers = memory.graph.path(start, goal, hops=hops)
    return [graph.rows[number].title for number in numbers]


@pytest.fixture
def chain(memory: Memory) -> list[str]:
    """One → Two → Three → Four, and Far, which nothing joins."""
    titles = ["Four", "Three", "Two", "One"]
    after = ""
    ids = []
    for title in titles:
        text = f"Text of {title}, see [[{after}]]." if after else "The last."
        ids.append(save(memory, title, text))
        after = title
    save(memory, "Far")
    return ids[::-1]


def test_neighbours_are_reported_with_relation_and_direction(
    memory: Memory, chain: list[str]
) -> None:
    memory.link(chain[1], chain[3], "elaborates")
    assert beside(memory, chain[1]) == [
        (LINKS_TO, "Three", True),
        ("elaborates", "Four", True),
        (LINKS_TO, "One", False),
    ]
    assert beside(memory, chain[1], direction="in") == [(LINKS_TO, "One", False)]
    assert beside(memory, chain[1], relations=["elaborates"]) == [("elaborates", "Four", True)]
    assert beside(memory, chain[1], relations=[LINKS_TO], direction="out") == [
        (LINKS_TO, "Three", True)
    ]


def test_of_many_neighbours_as_many_are_reported_as_were_asked_for(memory: Memory) -> None:
    for number in range(5):
        save(memory, f"Leaf {number}", f"Number {number} hangs on [[Hub]].")
    hub = save(memory, "Hub", "The middle.")
    _, found, left = memory.graph.neighbors(hub, limit=2)
    assert (len(found), left) == (2, 3)


def test_an_entry_is_meant_by_any_name_that_a_link_would_use(
    memory: Memory, chain: list[str]
) -> None:
    assert memory.graph.neighbors("three")[0].id == chain[2]
    assert memory.graph.neighbors("THREE")[0].id == chain[2]
    with pytest.raises(NotFoundError):
        memory.graph.neighbors("nobody")


def test_a_path_is_the_shortest_whichever_way_its_links_point(
    memory: Memory, chain: list[str]
) -> None:
    assert way(memory, chain[0], chain[3]) == ["One", "Two", "Three", "Four"]
    assert way(memory, chain[3], chain[0]) == ["Four", "Three", "Two", "One"]
    memory.link(chain[3], chain[0], "elaborates")
    assert way(memory, chain[0], chain[3]) == ["One", "Four"]
    assert way(memory, chain[0], chain[0]) == ["One"]


def test_where_nothing_joins_two_within_the_hops_there_is_no_path(
    memory: Memory, chain: list[str]
) -> None:
    assert way(memory, chain[0], "far") == []
    assert way(memory, chain[0], chain[3], hops=2) == []
    assert way(memory, chain[0], chain[3], hops=3) != []


@pytest.mark.parametrize("hops", [0, -1, 13])
def test_hops_that_make_no_sense_are_refused(memory: Memory, chain: list[str], hops: int) -> None:
    with pytest.raises(UsageError):
        memory.graph.path(chain[0], chain[1], hops=hops)
    with pytest.raises(UsageError):
        memory.graph.around(chain[0], hops=hops)


def test_what_lies_around_an_entry_comes_with_the_edges_among_it(
    memory: Memory, chain: list[str]
) -> None:
    _, graph = memory.graph.around(chain[1], hops=1)
    assert {row.title for row in graph.rows.values()} == {"One", "Two", "Three"}
    assert len(graph.edges) == 2
    assert not graph.cut
    _, graph = memory.graph.around(chain[1], hops=2, limit=3)
    assert (len(graph.rows), graph.cut) == (3, True)


def test_links_in_a_circle_and_to_oneself_end_every_walk(memory: Memory) -> None:
    save(memory, "A", "To [[B]] and to [[A]].")
    save(memory, "B", "To [[C]].")
    save(memory, "C", "To [[A]].")
    save(memory, "D", "Alone.")
    _, graph = memory.graph.around("a", hops=12)
    assert len(graph.rows) == 3
    assert len(graph.edges) == 3
    assert way(memory, "a", "d", hops=12) == []
    whole = memory.graph.read()
    assert (len(whole.rows), len(whole.edges)) == (4, 3)


def test_other_projects_are_seen_only_when_asked_for(memory: Memory) -> None:
    here = save(memory, "Here", "See [[There]].")
    save(memory, "There", project="harbour")
    assert beside(memory, here) == []
    assert way(memory, here, "There") == ["Here", "There"], "what is named is seen"
    assert beside(memory, here, scope=EVERYWHERE) == [(LINKS_TO, "There", True)]
    assert len(memory.graph.read().rows) == 1
    assert len(memory.graph.read(EVERYWHERE).rows) == 2


def test_facts_are_edges_that_hold_for_their_time(memory: Memory) -> None:
    memory.facts.add(
        "Alice",
        "Alice works at Acme.",
        edge=("works_at", "Acme"),
        valid_from=parse_instant("2020-01-01"),
    )
    memory.facts.add("Acme", "Acme builds cranes.")
    memory.facts.add("Initech", "Initech sells software.")
    memory.facts.add(
        "Alice",
        "Alice works at Initech.",
        edge=("works_at", "Initech"),
        valid_from=parse_instant("2024-01-01"),
    )
    told = {(relation, title) for relation, title, _ in beside(memory, "alice")}
    assert ("works_at", "Acme") in told
    assert ("works_at", "Initech") in told

    def employers(day: str) -> set[str]:
        scope = Scope(as_of=parse_instant(day))
        found = beside(memory, "alice", relations=["works_at"], scope=scope)
        return {title for _, title, _ in found}

    assert employers("2022-06-01") == {"Acme"}
    assert employers("2025-06-01") == {"Initech"}


def test_what_supersedes_and_what_is_derived_are_edges(memory: Memory) -> None:
    old = save(memory, "Old")
    new = memory.evolve(old, "What holds now.").id
    memory.save("Follows from it.", title="Derived", kind="insight", derived_from=[new])
    scope = Scope(include_superseded=True)
    assert ("supersedes", "Old", True) in beside(memory, new, scope=scope)
    assert ("derived_from", "Derived", False) in beside(memory, new)


def test_the_whole_graph_has_every_entry_and_every_edge_once(
    memory: Memory, chain: list[str]
) -> None:
    graph = memory.graph.read()
    titles = sorted(row.title for row in graph.rows.values())
    assert titles == ["Far", "Four", "One", "Three", "Two"]
    edges = [(edge["source"], edge["target"]) for edge in graph.describe_edges()]
    assert sorted(edges) == sorted([(chain[i], chain[i + 1]) for i in range(3)])
