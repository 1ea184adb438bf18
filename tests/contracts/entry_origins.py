"""The contract of an index about origins: whom it says that an entry comes from.

An index's own test file is a subclass with the fixture `reopen` of `contracts.search_index`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.search_index import IndexContract, document
from engrain.index.sqlite_index import SearchIndex
from engrain.model.history.record import FileChange, Record
from engrain.model.note.tiers import ORIGINS
from engrain.seam.batches import Batch, Document
from engrain.seam.rows import Filter

PLACE = "Memory/fix/a.md"


def note(text: str, place: str = PLACE, id_: str = "01a", **fields: Any) -> Document:
    return document(place, f"# A\n\n{text}\n", id=id_, **fields)


def record(
    n: int,
    op: str,
    trust: str,
    *files: tuple[str, str, Document | None, Document | None],
    attested: bool = True,
    device: str = "laptop",
) -> Record:
    """A change of files, each as (place, entry, before, after)."""
    changes = [
        FileChange(place, entry, hash_of(before), hash_of(after), None)
        for place, entry, before, after in files
    ]
    entries = list(dict.fromkeys(file.entry for file in changes))
    return Record(
        device, n, float(n), op, entries, changes, trust=trust, attested=attested
    )  # fmt: skip


def hash_of(state: Document | None) -> str | None:
    return None if state is None else state.entry.hash


def here(
    before: Document | None, after: Document | None
) -> tuple[str, str, Document | None, Document | None]:
    return (PLACE, "01a", before, after)


def origin(index: SearchIndex, id_: str = "01a") -> tuple[str, bool]:
    (row,) = index.lookup(id_)
    return row.source, row.attested


def is_by_hand(index: SearchIndex, place: str = PLACE) -> bool:
    (row,) = index.lookup(place)
    return row.by_hand


ONE, TWO, THREE = note("one"), note("two"), note("three")
CARRYING = (
    "fold", "archive", "restore", "promote", "demote", "pin", "forget", "link", "undo", "decide",
    "erase", "erasing", "something new",
)  # fmt: skip
GIVING = ("save", "edit", "evolve", "import", "attest", "propose")


class EntryOriginsContract(IndexContract):
    def show(self, index: SearchIndex, now: Document, *records: Record) -> tuple[str, bool]:
        index.rebuild([Batch(records=records), Batch(documents=[now])])
        return origin(index, now.entry.id)

    @pytest.mark.parametrize("claim", [*ORIGINS, "OPERATOR", ""])
    def test_a_claim_of_the_file_counts_for_nothing(self, index: SearchIndex, claim: str) -> None:
        claiming = note("x", source={"trust": claim})
        assert self.show(index, claiming) == ("external", False)
        assert self.show(index, note("x", "preferences/a.md", source={"trust": claim})) == (
            "operator", False,
        )  # fmt: skip

    @pytest.mark.parametrize("trust", ORIGINS)
    @pytest.mark.parametrize("op", GIVING)
    def test_what_gave_the_content_tells_whom_it_is_from(
        self, index: SearchIndex, op: str, trust: str
    ) -> None:
        assert self.show(index, TWO, record(1, op, trust, here(ONE, TWO))) == (trust, True)

    @pytest.mark.parametrize("place", [PLACE, "preferences/a.md"])
    def test_a_record_that_is_not_attested_tells_nothing(
        self, index: SearchIndex, place: str
    ) -> None:
        now = note("one", place)
        wrote = record(1, "save", "operator", (place, "01a", None, now), attested=False)
        expected = "operator" if place[0] == "p" else "external"
        assert self.show(index, now, wrote) == (expected, False)

    @pytest.mark.parametrize("place", [PLACE, "preferences/a.md"])
    def test_another_programs_edit_is_the_operators_in_t2_and_external_in_t3(
        self, index: SearchIndex, place: str
    ) -> None:
        now = note("one", place)
        found = record(1, "external", "external", (place, "01a", now, now))
        expected = "operator" if place[0] == "p" else "external"
        assert self.show(index, now, found) == (expected, False)

    def test_bytes_that_were_changed_since_are_not_attested(self, index: SearchIndex) -> None:
        assert self.show(index, TWO, record(1, "save", "agent", here(None, ONE))) == (
            "external", False,
        )  # fmt: skip

    def test_bytes_that_another_entry_had_are_not_attested(self, index: SearchIndex) -> None:
        wrote = record(1, "save", "operator", (PLACE, "01other", None, ONE))
        assert self.show(index, ONE, wrote) == ("external", False)

    @pytest.mark.parametrize("trust", ORIGINS)
    @pytest.mark.parametrize("op", CARRYING)
    def test_what_only_carries_keeps_the_origin(
        self, index: SearchIndex, op: str, trust: str
    ) -> None:
        wrote = record(1, "save", trust, here(None, ONE))
        carried = record(2, op, "operator", here(ONE, TWO))
        again = record(3, op, "operator", here(TWO, THREE))
        assert self.show(index, THREE, wrote, carried, again) == (trust, True)

    @pytest.mark.parametrize("place", [PLACE, "preferences/a.md"])
    def test_what_carries_bytes_that_nobody_attests_leaves_them_so(
        self, index: SearchIndex, place: str
    ) -> None:
        before, after = note("one", place), note("two", place)
        carried = record(1, "link", "operator", (place, "01a", before, after))
        expected = "operator" if place[0] == "p" else "external"
        assert self.show(index, after, carried) == (expected, False)

    def test_a_move_carries(self, index: SearchIndex) -> None:
        wrote = record(1, "save", "tool", here(None, ONE))
        there = note("two", "Memory/_always-load/a.md")
        moved = record(
            2, "promote", "operator", here(ONE, None), (there.locator, "01a", None, there)
        )
        assert self.show(index, there, wrote, moved) == ("tool", True)

    def test_a_move_by_another_program_keeps_the_origin(self, index: SearchIndex) -> None:
        moved = note("one", "preferences/a.md")
        assert moved.entry.hash == ONE.entry.hash
        wrote = record(1, "save", "external", here(None, ONE))
        found = record(2, "external", "external", (moved.locator, "01a", moved, moved))
        assert self.show(index, moved, wrote, found) == ("external", True)

    def test_evolving_gives_the_successor_its_origin_and_leaves_the_old_one_its_own(
        self, index: SearchIndex
    ) -> None:
        wrote = record(1, "save", "external", here(None, ONE))
        retired = note("one", "Memory/_archive/fix/a.md", status="superseded")
        new = note("two", id_="02b")
        evolved = record(
            2, "evolve", "operator",
            (retired.locator, "01a", None, retired), (PLACE, "02b", ONE, new),
        )  # fmt: skip
        records = Batch(records=[wrote, evolved])
        index.rebuild([records, Batch(documents=[retired, new])])
        assert origin(index) == ("external", True)
        assert origin(index, "02b") == ("operator", True)

    def test_an_undo_gives_the_origin_of_the_bytes_it_brings_back(self, index: SearchIndex) -> None:
        records = [
            record(1, "save", "tool", here(None, ONE)),
            record(2, "edit", "operator", here(ONE, TWO)),
            record(3, "undo", "agent", here(TWO, ONE)),
        ]
        assert self.show(index, ONE, *records) == ("tool", True)

    def test_the_operators_word_raises_an_entry_as_it_stands_and_no_further(
        self, index: SearchIndex
    ) -> None:
        records = [
            record(1, "save", "external", here(None, ONE)),
            record(2, "attest", "operator", here(ONE, ONE)),
        ]
        assert self.show(index, ONE, *records) == ("operator", True)
        assert self.show(index, TWO, *records) == ("external", False)

    def test_a_circle_of_changes_that_carry_ends(self, index: SearchIndex) -> None:
        records = [
            record(1, "undo", "operator", here(ONE, TWO)),
            record(2, "undo", "operator", here(TWO, ONE)),
        ]
        assert self.show(index, ONE, *records) == ("external", False)

    def test_a_long_chain_of_folds_is_followed_to_its_beginning(self, index: SearchIndex) -> None:
        states = [note(f"state {number}") for number in range(1500)]
        records = [record(1, "save", "agent", here(None, states[0]))]
        for number in range(1, 1500):
            step = here(states[number - 1], states[number])
            records.append(record(number + 1, "fold", "agent", step))
        assert self.show(index, states[-1], *records) == ("agent", True)

    def test_a_copy_has_the_origin_of_its_own_bytes(self, index: SearchIndex) -> None:
        copy = note("planted", "Memory/fix/a (1).md")
        records = [record(1, "save", "agent", here(None, ONE))]
        index.rebuild([Batch(records=records), Batch(documents=[ONE, copy])])
        found = {row.locator: (row.source, row.attested) for row in index.lookup("01a")}
        assert found == {PLACE: ("agent", True), copy.locator: ("external", False)}

    def test_what_nobody_attests_is_found_by_filter(self, index: SearchIndex) -> None:
        other = note("other", "Memory/fix/b.md", "02b")
        hand = note("hand", "preferences/c.md", "03c")
        records = [record(1, "save", "agent", here(None, ONE))]
        index.rebuild([Batch(records=records), Batch(documents=[ONE, other, hand])])
        assert [row.id for row in index.find(Filter(unattested=True))] == ["03c", "02b"]
        only = Filter(unattested=True, tiers=("T3",))
        assert [row.id for row in index.find(only)] == ["02b"]

    def test_what_records_tell_is_reported_though_they_are_not_attested(
        self, index: SearchIndex
    ) -> None:
        records = [
            record(1, "save", "tool", here(None, ONE), attested=False),
            record(2, "link", "agent", here(ONE, TWO), attested=False),
            record(3, "external", "external", here(THREE, THREE)),
        ]
        index.rebuild([Batch(records=records)])
        told = [index.told_origin("01a", state.entry.hash) for state in (ONE, TWO, THREE)]
        assert told == ["tool", "tool", None]

    def test_a_new_note_that_claims_nothing_is_by_hand(self, index: SearchIndex) -> None:
        plain = document(PLACE, "# A\n\none\n")
        self.show(index, plain)
        assert is_by_hand(index)

    @pytest.mark.parametrize(
        "claim", [{"id": "01a"}, {"source": {"trust": "tool"}}, {"always_load": True}]
    )
    def test_a_new_note_that_claims_an_id_an_origin_or_every_session_is_not_by_hand(
        self, index: SearchIndex, claim: dict[str, Any]
    ) -> None:
        self.show(index, document(PLACE, "# A\n\none\n", **claim))
        assert not is_by_hand(index)

    def test_a_note_in_the_operators_part_needs_no_hand(self, index: SearchIndex) -> None:
        self.show(index, document("preferences/a.md", "# A\n\none\n"))
        assert not is_by_hand(index, "preferences/a.md")

    def test_an_edit_of_an_attested_entry_is_by_hand_unless_it_came_from_outside(
        self, index: SearchIndex
    ) -> None:
        self.show(index, TWO, record(1, "save", "agent", here(None, ONE)))
        assert is_by_hand(index)
        self.show(index, TWO, record(1, "save", "external", here(None, ONE)))
        assert not is_by_hand(index)

    def test_bytes_that_a_record_explains_are_not_by_hand(self, index: SearchIndex) -> None:
        plain = document(PLACE, "# A\n\none\n")
        self.show(index, plain)
        file = (PLACE, plain.id, None, plain)
        index.apply(Batch(records=[record(1, "save", "agent", file, attested=False)]))
        assert not is_by_hand(index)

    def test_a_change_tells_whether_it_is_attested(self, index: SearchIndex) -> None:
        signed = record(1, "save", "agent", here(None, ONE))
        plain = record(2, "edit", "agent", here(ONE, TWO), attested=False)
        index.apply(Batch(records=[signed, plain]))
        assert [change.attested for change in index.changes()] == [False, True]

    def test_sources_are_told_both_ways(self, index: SearchIndex) -> None:
        child = note("child", "Memory/fix/b.md", "02b", derived_from=["01a", "gone"])
        twin = note("twin", "Memory/fix/c.md", "03c", derived_from=["01a"])
        index.apply(Batch(documents=[ONE, child, twin]))
        assert index.sources_of("02b") == ["01a", "gone"]
        assert index.sources_of("01a") == []
        assert [row.id for row in index.derived_from(["01a"])] == ["02b", "03c"]
        assert [row.id for row in index.derived_from(["gone", "01a"])] == ["02b", "03c"]
        index.apply(Batch(gone=[child.locator]))
        assert index.sources_of("02b") == []
        assert [row.id for row in index.derived_from(["01a"])] == ["03c"]

    @given(data=st.data())
    @settings(
        max_examples=25,
        # The index is filled anew in each example, and a class for each index tries them.
        suppress_health_check=list(HealthCheck),
    )
    def test_it_is_the_same_in_whatever_order_devices_are_replayed(
        self, index: SearchIndex, data: st.DataObject
    ) -> None:
        states = [note(f"state {number}") for number in range(4)]
        pick = st.sampled_from(states)
        chains: list[list[Record]] = []
        for device in ("a", "b", "c"):
            count = data.draw(st.integers(0, 4))
            chains.append(
                [
                    record(
                        n + 1,
                        data.draw(st.sampled_from([*GIVING, "fold", "undo", "external"])),
                        data.draw(st.sampled_from(ORIGINS)),
                        here(data.draw(pick), data.draw(pick)),
                        attested=data.draw(st.booleans()),
                        device=device,
                    )
                    for n in range(count)
                ]
            )
        now = data.draw(pick)
        order = data.draw(st.permutations(chains))
        at_once = self.show(index, now, *(one for chain in chains for one in chain))
        by_hand = is_by_hand(index)
        index.rebuild([])
        batches: Sequence[Batch] = [Batch(documents=[now])]
        for batch in (*batches, *(Batch(records=chain) for chain in order)):
            index.apply(batch)
        assert origin(index) == at_once
        assert is_by_hand(index) == by_hand
