"""The contract of an index about successions: which entries it says were replaced by others.

An index's own test file is a subclass with the fixture `reopen` of `contracts.search_index`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.entry_origins import record
from contracts.search_index import IndexContract, document
from engrain.engine.core.reading import read_references
from engrain.index.sqlite_index import SearchIndex
from engrain.index.succession import list_claims, list_waiting
from engrain.model.history.record import Record
from engrain.model.note.entry import read_entry
from engrain.seam.batches import Batch, Document
from engrain.seam.locator import Locator
from engrain.seam.rows import ATTESTED, COUNTED, Filter
from support.examples import SHARED_FIXTURE

ORIGIN = {"operator": 0, "agent": 1, "tool": 2, "external": 3}


def fix(id_: str, text: str = "", **fields: Any) -> Document:
    return document(f"Memory/fix/{id_}.md", f"# {id_}\n\n{text}\n", id=id_, **fields)


def vouch(index: SearchIndex, *documents: Document, trust: str = "agent", first: int = 1) -> None:
    """Take documents in with the records that say from whom they come."""
    records = [
        record(first + n, "save", trust, (one.locator, one.entry.id, None, one))
        for n, one in enumerate(documents)
    ]
    index.apply(Batch(documents=documents, records=records))


def replaced(index: SearchIndex, bit: int = COUNTED) -> list[str]:
    return sorted(row.id for row in index.find(Filter()) if row.replaced & bit)


def claims(index: SearchIndex, *ids: str) -> list[tuple[str, str, str, int]]:
    """(older, newer, by, counts) of what is said, from some entries on or all of it."""
    with index.view() as view:
        places = [row.locator for id_ in ids for row in index.lookup(id_)]
        numbers = [number for place in places if (number := view.number(place)) is not None]
        found = view.ask(list_claims, numbers if ids else None)
        rows = view.rows([n for one in found for n in (one.older, one.newer)])
    return sorted(
        (rows[one.older].id, rows[one.newer].id, rows[one.by].id, one.counts) for one in found
    )


SAID: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("frontmatter", {"supersedes": "old"}, {}),
    ("several", {"supersedes": ["nobody", "old"]}, {}),
    ("property", {"supersedes": "[[old]]"}, {}),
    ("link", {"links": [{"to": "old", "relation": "supersedes"}]}, {}),
    ("text", {"text": "It [[supersedes:: old]]."}, {}),
    ("backward", {}, {"superseded_by": "new"}),
    ("backward link", {}, {"links": [{"to": "new", "relation": "superseded_by"}]}),
    ("backward text", {}, {"text": "Now [[superseded_by:: new]]."}),
]


class SuccessionsContract(IndexContract):
    @pytest.mark.parametrize(("_", "new", "old"), SAID, ids=[name for name, *_ in SAID])
    def test_an_entry_is_replaced_in_whatever_form_that_is_said_and_wherever(
        self, index: SearchIndex, _: str, new: dict[str, Any], old: dict[str, Any]
    ) -> None:
        vouch(index, fix("old", **old))
        assert replaced(index) == []
        vouch(index, fix("new", **new), first=2)
        assert replaced(index) == ["old"]
        hidden = Filter(statuses=("active",), successions=COUNTED)
        assert [row.id for row in index.find(hidden)] == ["new"]
        shown = Filter(statuses=("superseded",), successions=COUNTED)
        assert [row.id for row in index.find(shown)] == ["old"]
        index.apply(Batch(gone=[Locator("Memory/fix/new.md")]))
        assert replaced(index) == []

    @pytest.mark.parametrize("status", ["deleted", "archived", "proposed", "inbox"])
    def test_a_successor_that_is_not_in_force_replaces_nothing(
        self, index: SearchIndex, status: str
    ) -> None:
        vouch(index, fix("old"), fix("new", supersedes="old"))
        assert replaced(index) == ["old"]
        vouch(index, fix("new", supersedes="old", status=status), first=3)
        assert replaced(index) == []
        vouch(index, fix("new", supersedes="old"), first=4)
        assert replaced(index) == ["old"]

    def test_a_successor_that_was_replaced_itself_stands_for_what_replaced_it(
        self, index: SearchIndex
    ) -> None:
        vouch(index, fix("a"), fix("b", supersedes="a", status="superseded"))
        vouch(index, fix("c", supersedes="b"), first=3)
        assert replaced(index) == ["a"]
        assert [row.id for row in index.find(Filter(statuses=("active",), successions=1))] == ["c"]

    @pytest.mark.parametrize("older", ORIGIN)
    @pytest.mark.parametrize("newer", ORIGIN)
    def test_a_successor_counts_that_comes_from_no_less_trusted_an_origin(
        self, index: SearchIndex, older: str, newer: str
    ) -> None:
        claim = {"kind": "session", "trust": "operator"}
        vouch(index, fix("old", source={"trust": "external"}), trust=older)
        vouch(index, fix("new", supersedes="old", source=claim), trust=newer, first=2)
        assert replaced(index) == (["old"] if ORIGIN[newer] <= ORIGIN[older] else [])

    def test_an_origin_that_is_learned_later_decides_anew(self, index: SearchIndex) -> None:
        new = fix("new", supersedes="old")
        vouch(index, fix("old"))
        index.apply(Batch(documents=[new]))
        assert replaced(index) == []
        said = record(2, "attest", "operator", (new.locator, "new", new, new))
        index.apply(Batch(records=[said]))
        assert replaced(index) == ["old"]

    def test_what_a_hand_wrote_in_the_operator_s_part_replaces_where_edits_are_not_held(
        self, index: SearchIndex
    ) -> None:
        vouch(index, fix("old"), trust="operator")
        index.apply(Batch(documents=[document("preferences/new.md", id="new", supersedes="old")]))
        assert replaced(index) == ["old"]
        assert replaced(index, ATTESTED) == []

    @pytest.mark.parametrize(
        ("old", "new", "counts"),
        [("", "", True), ("", "billing", False), ("billing", "", True),
         ("billing", "billing", True), ("billing", "search", False)],
    )  # fmt: skip
    def test_a_successor_counts_that_is_seen_wherever_the_old_entry_is(
        self, index: SearchIndex, old: str, new: str, counts: bool
    ) -> None:
        vouch(index, fix("old", project=old), fix("new", project=new, supersedes="old"))
        assert replaced(index) == ["old"] * counts
        vouch(index, fix("new", project=old, supersedes="old"), first=3)
        assert replaced(index) == ["old"]

    def test_no_conflict_copy_says_what_was_replaced(self, index: SearchIndex) -> None:
        vouch(index, fix("old"), fix("new"))
        copy = document("Memory/fix/new (conflict).md", id="new", supersedes="old")
        index.apply(Batch(documents=[copy]))
        assert replaced(index) == []
        index.apply(Batch(gone=[Locator("Memory/fix/new.md")]))
        vouch(index, copy, first=3)
        assert replaced(index) == ["old"]

    def test_a_relation_that_a_fact_states_is_none_between_notes(self, index: SearchIndex) -> None:
        edge = {"subject": "acme", "predicate": "supersedes", "object": "old"}
        fact = {"id": "f", "content": "Acme supersedes old.", "edge": edge}
        place = Locator("Memory/entities/acme/items.json")
        entry = read_entry(place, json.dumps({"name": "Acme", "items": [fact]}).encode())
        vouch(index, fix("old"), Document(place, entry, read_references(entry), "s", True))
        with index.view() as view:
            number = view.number(place)
            assert number is not None
            assert [edge.relation for edge in view.edges_from([number])] == ["supersedes"]
        assert replaced(index) == []

    @pytest.mark.parametrize("length", [2, 3, 7])
    def test_entries_that_lead_round_in_a_circle_do_not_replace_each_other(
        self, index: SearchIndex, length: int
    ) -> None:
        ring = [fix(f"e{n}", supersedes=f"e{(n + 1) % length}") for n in range(length)]
        vouch(index, fix("outside"), *ring)
        assert replaced(index) == []
        vouch(index, fix("e0", "no longer"), first=20)
        assert replaced(index) == ["e0", *(f"e{n}" for n in range(2, length))]
        vouch(index, *ring, first=30)
        vouch(index, fix("last", supersedes="e1"), first=50)
        assert replaced(index) == ["e1"]

    def test_claims_lead_on_from_an_entry_whether_they_count_or_not(
        self, index: SearchIndex
    ) -> None:
        vouch(index, fix("a"), trust="operator")
        vouch(index, fix("b", supersedes="a"), fix("c", text="[[superseded_by:: b]]"), first=2)
        vouch(index, fix("d", supersedes="b"), fix("z", supersedes="c"), first=4)
        assert claims(index, "a") == [("a", "b", "b", 0), ("b", "d", "d", COUNTED | ATTESTED)]
        assert claims(index, "d") == []
        assert len(claims(index)) == 4

    def test_claims_about_names_that_nothing_goes_by_are_reported(self, index: SearchIndex) -> None:
        vouch(index, fix("a", supersedes="later"), fix("b", text="[[superseded_by:: Later]]"))
        vouch(index, fix("c", text="[[later]]"), first=3)
        with index.view() as view:
            waiting = view.ask(list_waiting, ["later", "other"])
            rows = view.rows([entry for entry, *_ in waiting])
        told = [(rows[entry].id, relation, name) for entry, relation, name in waiting]
        assert told == [("a", "supersedes", "later"), ("b", "superseded_by", "later")]
        vouch(index, fix("later"), first=4)
        with index.view() as view:
            assert view.ask(list_waiting, ["later"]) == []

    @settings(max_examples=25, suppress_health_check=SHARED_FIXTURE)
    @given(data=st.data())
    def test_whatever_happens_to_notes_the_flags_are_those_of_a_fresh_index(
        self, index: SearchIndex, data: st.DataObject
    ) -> None:
        index.rebuild([])
        places = [f"{folder}/{name}.md" for folder in ("Memory/fix", "notes") for name in "abc"]
        places.append("Memory/_archive/fix/a.md")
        kept: dict[str, Document] = {}
        said: list[Record] = []
        for n in range(1, data.draw(st.integers(1, 8)) + 1):
            batch: list[Document] = []
            gone: list[str] = []
            records: list[Record] = []
            for place in data.draw(st.lists(st.sampled_from(places), min_size=1, unique=True)):
                if data.draw(st.booleans()) and place in kept:
                    gone.append(place)
                    del kept[place]
                    continue
                named = st.sampled_from(["a", "b", "c", "notes/b", "id-a", "shared"])
                relation = st.sampled_from(["supersedes", "superseded_by"])
                fields: dict[str, Any] = {data.draw(relation): data.draw(named)}
                if data.draw(st.booleans()):
                    link = {"to": data.draw(named), "relation": data.draw(relation)}
                    fields["links"] = [link]
                kept[place] = document(
                    place,
                    f"[[{data.draw(relation)}:: {data.draw(named)}]] {n}",
                    id=data.draw(st.sampled_from([f"id-{place}", f"id-{place[-4]}", "shared"])),
                    status=data.draw(
                        st.sampled_from(["active", "active", "superseded", "deleted", "archived"])
                    ),
                    project=data.draw(st.sampled_from(["", "", "billing"])),
                    **fields,
                )
                batch.append(kept[place])
                trust = data.draw(st.sampled_from([*ORIGIN, ""]))
                if trust:
                    one = kept[place]
                    change = (place, one.entry.id, None, one)
                    records.append(record(len(said) + len(records) + 1, "save", trust, change))
            late = data.draw(st.booleans())
            index.apply(
                Batch(
                    documents=batch,
                    gone=[Locator(place) for place in gone],
                    records=() if late else records,
                    scanned_at=1.0,
                )
            )
            if late:
                index.apply(Batch(records=records))
            said += records
        lived = everything(index)
        index.rebuild(
            [
                Batch(records=said),
                Batch(documents=[kept[place] for place in sorted(kept)], scanned_at=1.0),
            ]
        )
        assert lived == everything(index)


def everything(index: SearchIndex) -> list[tuple[str, int, list[str]]]:
    """By place, for whom an entry is replaced, and at which moments of a day it held."""
    held = {
        moment: {row.locator for row in index.find(Filter(held_at=moment))}
        for moment in (0.0, 1e9, 2e9, 4e9)
    }
    return sorted(
        (row.locator, row.replaced, [str(at) for at, found in held.items() if row.locator in found])
        for row in index.find(Filter())
    )
