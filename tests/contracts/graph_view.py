"""What every index's graph must do: links find their ends, and lose them, as notes come and go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.search_index import IndexContract, document
from engrain.index.links import each_link, list_links, list_meant
from engrain.index.sqlite_index import SearchIndex
from engrain.seam.batches import Batch, Document
from engrain.seam.locator import Locator
from engrain.seam.references import Written
from engrain.seam.rows import AMBIGUOUS, BROKEN, RESOLVED, STATES, Filter
from support.examples import SHARED_FIXTURE


def take(index: SearchIndex, *documents: Document, gone: Sequence[str] = ()) -> None:
    index.apply(Batch(documents=documents, gone=[Locator(place) for place in gone]))


def ends(index: SearchIndex, place: str) -> list[str | None]:
    """Where the links of the entry at a place lead, in order."""
    with index.view() as view:
        number = view.number(place)
        assert number is not None
        written = view.ask(list_links, number)
        rows = view.rows([one.end for one in written if one.end is not None])
        return [None if one.end is None else rows[one.end].locator for one in written]


def states(index: SearchIndex) -> dict[str, int]:
    with index.view() as view:
        return {state: sum(1 for _ in each_link(view, state)) for state in STATES}


def everything(index: SearchIndex) -> list[tuple[object, ...]]:
    """All that the graph says, by places."""
    with index.view() as view:

        def tell(one: Written) -> tuple[object, ...]:
            numbers = [one.source] if one.end is None else [one.source, one.end]
            at = {number: row.locator for number, row in view.rows(numbers).items()}
            end = None if one.end is None else at[one.end]
            return at[one.source], one.place, one.reference.target, end, one.rivals

        return sorted(map(tell, each_link(view)), key=repr)


class GraphViewContract(IndexContract):
    def test_a_link_has_an_end_from_when_it_is_there_until_it_is_gone(
        self, index: SearchIndex
    ) -> None:
        take(index, document("from.md", "[[later]]"))
        assert ends(index, "from.md") == [None]
        assert states(index) == {RESOLVED: 0, AMBIGUOUS: 0, BROKEN: 1}
        take(index, document("later.md"))
        assert ends(index, "from.md") == ["later.md"]
        take(index, gone=["later.md"])
        assert ends(index, "from.md") == [None]

    def test_an_end_stays_when_its_note_is_written_again_or_moves(self, index: SearchIndex) -> None:
        take(index, document("from.md", "[[to]]"), document("to.md", id="to"))
        with index.view() as view:
            before = view.number("to.md")
        take(index, document("to.md", "another text", id="to"))
        take(index, document("below/to.md", id="to"), gone=["to.md"])
        assert ends(index, "from.md") == ["below/to.md"]
        with index.view() as view:
            assert view.number("below/to.md") == before

    def test_a_file_s_name_comes_before_a_slug_an_alias_and_a_title(
        self, index: SearchIndex
    ) -> None:
        take(index, document("from.md", "[[x]]"), document("d.md", "# X", id="d"))
        assert ends(index, "from.md") == ["d.md"]
        take(index, document("c.md", id="c", aliases=["X"]))
        assert ends(index, "from.md") == ["c.md"]
        take(index, document("b.md", id="b", slug="x"))
        assert ends(index, "from.md") == ["b.md"]
        take(index, document("x.md", id="a"))
        assert ends(index, "from.md") == ["x.md"]
        assert states(index)[AMBIGUOUS] == 0

    @pytest.mark.parametrize(
        "names", [{"aliases": ["Dark/light mode"]}, {"title": "Dark/light mode"}]
    )
    def test_a_name_with_a_slash_is_no_path_and_is_meant_as_a_whole(
        self, index: SearchIndex, names: dict[str, Any]
    ) -> None:
        links = "[[light mode]] [[dark/light mode]] [[other/light mode]]"
        take(index, document("from.md", links))
        assert ends(index, "from.md") == [None, None, None]
        take(index, document("theme.md", id="theme", **names))
        assert ends(index, "from.md") == [None, "theme.md", None]
        take(index, document("far/light mode.md", id="far"))
        assert ends(index, "from.md") == ["far/light mode.md", "theme.md", "far/light mode.md"]
        take(index, document("dark/light mode.md", id="file"))
        assert ends(index, "from.md")[1] == "dark/light mode.md"
        take(index, gone=["dark/light mode.md", "far/light mode.md"])
        assert index.resolve(["light mode"]) == []
        assert [row.id for row in index.resolve(["dark/Light mode"])] == ["theme"]
        with index.view() as view:
            assert view.named(["light mode"], Filter(), 9) == []
            assert len(view.named(["dark/light mode"], Filter(), 9)) == 1

    def test_what_is_live_comes_before_what_was_superseded_or_forgotten(
        self, index: SearchIndex
    ) -> None:
        take(index, document("from.md", "[[x]]"), document("a/x.md", id="a", status="deleted"))
        assert ends(index, "from.md") == ["a/x.md"]
        take(index, document("b/x.md", id="b", status="superseded"))
        assert ends(index, "from.md") == ["b/x.md"]
        take(index, document("cc/c/x.md", id="c"))
        assert ends(index, "from.md") == ["cc/c/x.md"]
        take(index, document("cc/c/x.md", id="c", status="deleted"))
        assert ends(index, "from.md") == ["b/x.md"]

    def test_of_notes_of_one_name_the_one_below_the_link_is_meant_and_then_the_shorter_path(
        self, index: SearchIndex
    ) -> None:
        take(index, document("one/from.md", "[[x]]"), document("two/from.md", "[[x]]", id="2"))
        take(index, document("long/long/x.md", id="l"), document("two/sub/x.md", id="s"))
        take(index, document("a/x.md", id="a"))
        assert ends(index, "one/from.md") == ["a/x.md"]
        assert ends(index, "two/from.md") == ["two/sub/x.md"]
        assert states(index) == {RESOLVED: 0, AMBIGUOUS: 2, BROKEN: 0}
        with index.view() as view:
            assert [one.rivals for one in each_link(view, AMBIGUOUS)] == [2, 2]

    def test_a_path_says_which_is_meant_and_one_that_is_no_place_any_more_does_not_hide_it(
        self, index: SearchIndex
    ) -> None:
        take(
            index,
            document("a/x.md", id="a"),
            document("b/x.md", id="b"),
            document("only.md", id="only"),
            document("b/from.md", "[[a/x]] [[/b/x]] [[../a/x.md]] [[./x]] [[old/only]]"),
        )
        assert ends(index, "b/from.md") == ["a/x.md", "b/x.md", "a/x.md", "b/x.md", "only.md"]
        assert states(index)[RESOLVED] == 5

    @pytest.mark.parametrize(
        "written",
        ["Straße", "STRASSE", "cafe\u0301", "CAFÉ", "café#heading", "café|shown", "café.md"],
    )
    def test_case_and_forms_of_unicode_make_no_difference(
        self, index: SearchIndex, written: str
    ) -> None:
        take(index, document("straße.md", id="1"), document("caf\u00e9.md", id="2"))
        take(index, document("from.md", f"![[{written}]]"))
        assert None not in ends(index, "from.md")

    def test_a_dotted_file_name_behind_the_bar_is_the_target_unless_the_other_is_a_file(
        self, index: SearchIndex
    ) -> None:
        take(index, *(document(f"real.{n}.md", id=f"r{n}") for n in range(3)))
        take(index, document("1.md", "[[Here|real.1]]", id="i1"))
        assert ends(index, "1.md") == ["real.1.md"]
        take(index, document("spaced.md", "[[Here|real.2#A heading: spaced]]", id="spaced"))
        assert ends(index, "spaced.md") == ["real.2.md"]
        take(index, document("both.md", "[[real.0|real.1]]", id="both"))
        assert ends(index, "both.md") == ["real.0.md"]

    def test_what_people_read_of_a_link_is_no_note_that_it_leads_to(
        self, index: SearchIndex
    ) -> None:
        take(index, document("home.md", id="h"), document("from.md", "[[gone|home]]"))
        assert ends(index, "from.md") == [None]

    def test_a_note_at_the_root_is_meant_by_its_bare_name_from_everywhere(
        self, index: SearchIndex
    ) -> None:
        take(index, document("x.md", id="r"), document("a/x.md", id="a"))
        take(index, document("a/from.md", "[[x]]"))
        assert ends(index, "a/from.md") == ["x.md"]
        assert states(index)[AMBIGUOUS] == 0

    def test_a_link_in_a_property_is_an_edge(self, index: SearchIndex) -> None:
        take(index, document("up.md", id="up"), document("from.md", up="[[up]]"))
        assert ends(index, "from.md") == ["up.md"]

    def test_edges_come_from_links_fields_chains_and_sources(self, index: SearchIndex) -> None:
        links = [{"to": "to", "relation": "elaborates"}]
        take(
            index,
            document(
                "from.md",
                "[[to]] again [[to]], [[contradicts:: to]] and [[from]] itself",
                links=links,
                supersedes="to",
                derived_from=["to", "nobody"],
            ),
            document("to.md", id="to"),
        )
        with index.view() as view:
            source, target = view.number("from.md"), view.number("to.md")
            assert source is not None
            assert target is not None
            edges = view.edges_from([source])
            assert [(edge.relation, edge.origin) for edge in edges] == [
                ("", "text"),
                ("contradicts", "text"),
                ("elaborates", "field"),
                ("supersedes", "chain"),
                ("derived_from", "source"),
            ]
            assert {edge.target for edge in edges} == {target}
            assert len(view.edges_from([source], 2)) == 2
            assert len(view.edges_to([target])) == 5
            assert len(view.edges_to([target], 3)) == 3
            assert len(list(view.edges())) == 5

    def test_one_edge_is_reported_once_however_often_it_is_written(
        self, index: SearchIndex
    ) -> None:
        many = "[[a]] [[b]] " * 1500
        take(index, document("from.md", many), document("a.md", id="a"), document("b.md", id="b"))
        with index.view() as view:
            assert len(list(view.edges())) == 2

    def test_a_note_that_comes_with_a_copy_of_it_is_meant_at_once(self, index: SearchIndex) -> None:
        take(index, document("from.md", "[[b/x]]", id="f"), document("x.md", id="x"))
        take(index, document("b/x.md", id="i"), document("b/y.md", id="i"))
        with index.view() as view:
            source = view.number("from.md")
            assert source is not None
            assert [one.end for one in view.ask(list_links, source)] == [view.number("b/x.md")]

    def test_names_are_those_of_what_is_live(self, index: SearchIndex) -> None:
        take(
            index,
            document("one.md", "# The first", id="i", aliases=["uno"]),
            document("two.md", id="j", status="superseded"),
        )
        with index.view() as view:
            assert [name for name, _ in view.names()] == ["i", "one", "the first", "uno"]
            assert [view.rows([n])[n].id for n in view.ask(list_meant, "The First")] == ["i"]
            assert view.ask(list_meant, "nobody") == []

    def test_links_are_paged_whatever_their_number(self, index: SearchIndex) -> None:
        many = " ".join(f"[[n{number}]]" for number in range(2500))
        take(index, document("from.md", many), document("n7.md", id="7"))
        with index.view() as view:
            assert len(list(each_link(view))) == 2500
            assert [one.place for one in each_link(view, RESOLVED)] == [7]

    @settings(max_examples=25, suppress_health_check=SHARED_FIXTURE)
    @given(data=st.data())
    def test_whatever_happens_to_notes_the_ends_are_those_of_a_fresh_index(
        self, index: SearchIndex, data: st.DataObject
    ) -> None:
        index.rebuild([])
        places = ["a/x.md", "b/x.md", "b/y.md", "x.md", "_archive/x.md"]
        kept: dict[str, Document] = {}
        for _ in range(data.draw(st.integers(1, 8))):
            batch, gone = [], []
            for place in data.draw(st.lists(st.sampled_from(places), min_size=1, unique=True)):
                if data.draw(st.booleans()) and place in kept:
                    gone.append(place)
                    del kept[place]
                    continue
                targets = data.draw(
                    st.lists(st.sampled_from(["x", "y", "b/x", "One", "id-1", "X|y"]), max_size=3)
                )
                kept[place] = document(
                    place,
                    "# " + data.draw(st.sampled_from(["One", "X", "Two"])) + "\n\n"
                    + " ".join(f"[[{target}]]" for target in targets),
                    id=data.draw(st.sampled_from([f"id-{place}", "id-1"])),
                    status=data.draw(st.sampled_from(["active", "superseded", "deleted"])),
                )  # fmt: skip
                batch.append(kept[place])
            index.apply(
                Batch(documents=batch, gone=[Locator(place) for place in gone], scanned_at=1.0)
            )
        lived = everything(index)
        index.rebuild([Batch(documents=[kept[place] for place in sorted(kept)], scanned_at=1.0)])
        assert lived == everything(index)
