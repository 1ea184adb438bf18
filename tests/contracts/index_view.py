"""The contract of `SearchIndex.view`: what every index tells recall, one sentence a test.

An index's own test file is a subclass with the fixture `reopen` of `contracts.search_index`.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import pytest

from contracts.search_index import (
    ANY,
    HOSTILE_QUERIES,
    NOTES,
    SCRIPTS,
    IndexContract,
    Reopen,
    document,
    shown,
)
from engrain.index.rows import Found
from engrain.index.sqlite_index import SearchIndex
from engrain.index.view import IndexView
from engrain.model.errors import IndexUnavailableError
from engrain.model.note.passages import read_passages
from engrain.seam.batches import Batch, Document
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter

if TYPE_CHECKING:
    from engrain.index.rows import Matches, Place

Ask: TypeAlias = "Callable[[IndexView, Filter], Sequence[Place]]"

SAID = [
    "Ana: Where did you spend the holidays?",
    "Ben: In a cabin near Tromso.",
    "Ana: That sounds cold.",
    "Ben: We counted nine whales.",
]
SECTIONS = ("Backups", "Certificates", "Paging", "Rotation")
HANDBOOK = "# Handbook\n\n" + "".join(
    f"## {title}\n\n{f'Some {title.casefold()} for the lock. ' * 40}\n\n" for title in SECTIONS
)


def turn(number: int, *, session: str = "s1", text: str | None = None) -> Document:
    """What was said in one turn of a session."""
    return document(
        f"Memory/active/{session}-{number}.md",
        f"# Turn {number} of {session}\n\n{SAID[number] if text is None else text}",
        id=f"{session}-{number}",
        kind="memory",
        created=f"2026-02-0{number + 1}",
        source={"kind": "session", "ref": session, "trust": "agent"},
    )


HANDBOOK_NOTE = document("Memory/fix/handbook.md", HANDBOOK, id="handbook", kind="fix")
TALK = [turn(number) for number in range(4)]


def list_postings(matches: Matches) -> list[list[Place]]:
    """The passages of each word."""
    return [[met[:7] for met in matches.met if met[7] >> i & 1] for i in range(len(matches.words))]


def matching(text: str) -> Ask:
    """The passages that any word of a text meets."""

    def ask(view: IndexView, only: Filter) -> list[Place]:
        return [place for places in list_postings(view.match(text, only, 999)) for place in places]

    return ask


KEYS = [part.key for note in [*NOTES, *TALK, HANDBOOK_NOTE] for part in read_passages(note.entry)]
NAMES = ["pg-lock", "RETRIES", "PR size", "Old lock", "raw", "handbook", "s1-2"]

WAYS: dict[str, Ask] = {
    "match": matching("lock requests whales holidays handbook"),
    "with_keys": lambda view, only: view.with_keys(KEYS, only),
    "newest": lambda view, only: view.newest(only, 99),
    "firsts": lambda view, only: view.firsts(list(range(99)), only),
    "named": lambda view, only: view.named(NAMES, only, 9),
    "tagged": lambda view, only: view.tagged(["postgres", "locks"], only, 99),
}
"""Every way to ask a view for passages by themselves."""

FILTERS = [
    Filter(),
    Filter(kinds=("fix",)),
    Filter(kinds=("none",)),
    Filter(tags=("postgres",)),
    Filter(projects=("billing",)),
    Filter(projects=("",)),
    Filter(projects=()),
    Filter(statuses=("active",)),
    Filter(statuses=("archived", "inbox")),
    Filter(tiers=("T2",)),
    Filter(zones=("archive",)),
    Filter(since=NOTES[1].entry.created),
    Filter(until=NOTES[1].entry.created),
    Filter(held_at=NOTES[1].entry.created),
    Filter(kinds=("fix",), tags=("locks",), projects=("billing",), statuses=("active",)),
    Filter(kinds=("\ud800", "fix'; --", "\0"), tags=("\udcff",)),
]


def ids(view: IndexView, places: Sequence[Place]) -> list[str]:
    """The entries of some passages, in order."""
    rows = view.rows([place[1] for place in places])
    return [rows[place[1]].id for place in places]


def thread_of(view: IndexView, entry: str) -> list[str]:
    """The entries of the thread that one is in, as each passage tells of its neighbours."""
    (place,) = view.named([entry], ANY, 1)
    (found,) = view.details([place[0]]).values()
    while found.previous is not None:
        (found,) = view.details([found.previous]).values()
    told = [found]
    while found.next is not None:
        behind = view.details([found.next])[found.next]
        assert behind.previous == found.passage
        assert behind.before == found.key
        assert found.behind == behind.key
        found = behind
        told.append(found)
    assert [one.place for one in told] == list(range(len(told)))
    rows = view.rows([one.entry for one in told])
    return [rows[one.entry].id for one in told]


class IndexViewContract(IndexContract):
    @pytest.fixture
    def filled(self, index: SearchIndex) -> SearchIndex:
        index.apply(Batch(documents=[*NOTES, *TALK, HANDBOOK_NOTE]))
        return index

    # -- words -----------------------------------------------------------------------------------

    def test_each_word_comes_with_the_passages_that_have_it(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            matches = view.match("where did the pooler count whales or zebras", ANY, 99)
            assert matches.words == ["pooler", "count", "whales", "zebras"]
            assert [ids(view, places) for places in list_postings(matches)] == [
                ["01fix"], ["s1-3"], ["s1-3"], [],
            ]  # fmt: skip
            assert list(matches.frequencies) == [1, 1, 1, 0]
            assert matches.passages >= 9 + len(SECTIONS)
            assert len(matches.surprises) == 4

    def test_of_a_passage_it_is_reported_where_words_stand_in_its_text_and_whether_they_label_it(
        self, index: SearchIndex
    ) -> None:
        index.apply(
            Batch(
                documents=[
                    document("a.md", "# Crane\n\nThe lock, a lock and a wrote.", tags=["harbour"]),
                    document("b.md", "# Other\n\nNothing of it."),
                ]
            )
        )
        words = ["crane", "locks", "harbour", "writing", "zebra"]
        with index.view() as view:
            passages = view.newest_passages(None, 9)
            located = view.occurrences(words, passages)
            ((passage, (size, found)),) = located.items()
            assert view.locators([passage]) == {passage: "a.md"}
            assert size == 7
            assert found == {0: (True, []), 1: (False, [1, 3]), 2: (True, []), 3: (False, [6])}
            assert view.occurrences([], passages) == view.occurrences(words, []) == {}
            assert view.occurrences(["zebra"], passages) == {}

    @pytest.mark.parametrize(("text", "query"), SCRIPTS)
    def test_words_are_met_in_every_script(self, index: SearchIndex, text: str, query: str) -> None:
        index.apply(Batch(documents=[document("a.md", f"# T\n\n{text}"), document("b.md", "# B")]))
        with index.view() as view:
            matches = view.match(query, ANY, 99)
            assert matches.words
            assert max(map(len, list_postings(matches))) == 1

    @pytest.mark.parametrize("query", HOSTILE_QUERIES, ids=ascii)
    def test_no_character_that_is_asked_for_is_an_operator(
        self, filled: SearchIndex, query: str
    ) -> None:
        with filled.view() as view:
            matches = view.match(query, ANY, 99)
            words = [word.casefold() for word in matches.words]
            assert len(set(words)) == len(words) == len(list_postings(matches))
            for word, places in zip(words, list_postings(matches), strict=True):
                assert bool(places) == (word in ("lock", "3", "near"))
                assert word != "lock" or len(places) >= 4
            for ask in (view.named, view.tagged):
                assert ask([query], ANY, 9) == []
            assert view.speakers([query]) == []

    def test_of_a_word_that_is_everywhere_the_newest_come_and_those_with_a_rarer_word(
        self, index: SearchIndex
    ) -> None:
        notes = [document(f"{n}.md", f"# N\n\nlock {'zebra' if n == 3 else n}") for n in range(50)]
        index.rebuild([Batch(documents=notes)])
        with index.view() as view:
            whole = view.match("lock zebra", ANY, 99)
            assert list(map(len, list_postings(whole))) == [50, 1]
            cut = view.match("lock zebra", ANY, 10)
            lock, zebra = list_postings(cut)
            assert len(lock) == 10
            assert set(zebra) <= set(lock) <= set(list_postings(whole)[0])
            newest = sorted(place[0] for place in list_postings(whole)[0])[-9:]
            assert set(newest) <= {place[0] for place in lock}
            assert 10 <= cut.frequencies[0] <= cut.passages
            assert cut.frequencies[0] == pytest.approx(50, rel=0.2)

    def test_many_copies_of_a_text_count_as_one_and_leave_room_for_others(
        self, index: SearchIndex
    ) -> None:
        text = "The nightly job takes the lock before it reads the ledger. " * 3
        copies = [document(f"{n}.md", f"# Copy {n}\n\n{text}") for n in range(60)]
        others = [document(f"o{n}.md", f"# O\n\nledger {n}", id=f"o{n}") for n in range(4)]
        index.rebuild([Batch(documents=[*others, *copies])])
        with index.view() as view:
            for most in (10, 999):
                matches = view.match("lock ledger", ANY, most)
                lock, ledger = list_postings(matches)
                assert list(matches.frequencies) == [1, 5]
                assert 1 <= len(lock) <= 3
                assert {"o0", "o1", "o2", "o3"} < set(ids(view, ledger))

    def test_short_texts_that_are_said_again_are_no_copies(self, index: SearchIndex) -> None:
        notes = [document(f"{n}.md", "# N\n\nThanks!") for n in range(20)]
        index.rebuild([Batch(documents=notes)])
        with index.view() as view:
            assert list(view.match("thanks", ANY, 99).frequencies) == [20]

    # -- filters ---------------------------------------------------------------------------------

    @pytest.mark.parametrize("only", FILTERS, ids=shown)
    @pytest.mark.parametrize("way", WAYS)
    def test_only_what_passes_the_filter_is_told_of(
        self, filled: SearchIndex, way: str, only: Filter
    ) -> None:
        passing = {row.id for row in filled.find(only)}
        with filled.view() as view:
            everything = set(ids(view, WAYS[way](view, ANY)))
            assert set(ids(view, WAYS[way](view, only))) == everything & passing

    def test_places_in_threads_keep_to_the_filter(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            (place,) = view.named(["s1-1"], ANY, 1)
            assert place[2] is not None
            pairs = [(place[2], number) for number in range(-1, 9)]
            assert sorted(ids(view, view.at_places(pairs, ANY))) == [f"s1-{n}" for n in range(4)]
            late = Filter(since=TALK[2].entry.created)
            assert sorted(ids(view, view.at_places(pairs, late))) == ["s1-2", "s1-3"]
            assert view.at_places([(place[2] + 999, 0)], ANY) == []
            assert view.at_places([], ANY) == []

    @pytest.mark.parametrize("way", WAYS)
    def test_copies_are_left_out(self, filled: SearchIndex, way: str) -> None:
        with filled.view() as view:
            before = sorted(ids(view, WAYS[way](view, ANY)))
        copies = [
            document(
                note.locator.removesuffix(".md") + " (conflict).md",
                note.entry.note.raw.decode().partition("---\n\n")[2] or "# Copy\n\nlock",
                id=note.entry.id, kind=note.entry.kind, tags=list(note.entry.tags),
            )
            for note in NOTES
        ]  # fmt: skip
        filled.apply(Batch(documents=copies))
        assert len(filled.duplicates()) == len(copies)
        with filled.view() as view:
            found = WAYS[way](view, ANY)
            assert sorted(ids(view, found)) == before
            assert all(row.primary for row in view.rows([place[1] for place in found]).values())
            copied = {copy.locator for copy in copies}
            newest = view.newest_passages(None, 99)
            assert not copied & set(view.locators(newest).values())

    # -- ways besides words ----------------------------------------------------------------------

    def test_the_newest_are_those_created_last(self, filled: SearchIndex) -> None:
        order = [row.id for row in filled.find(ANY)]
        with filled.view() as view:
            assert ids(view, view.newest(ANY, 99)) == order
            for limit in (0, 1, 3):
                assert ids(view, view.newest(ANY, limit)) == order[:limit]

    @pytest.mark.parametrize(
        "name", ["small", "SMALL", "Small requests", "03preference", "pr SIZE", "tiny ones"]
    )
    def test_an_entry_is_named_by_title_slug_id_or_alias(
        self, filled: SearchIndex, name: str
    ) -> None:
        with filled.view() as view:
            assert ids(view, view.named([name, "nobody"], ANY, 9)) == ["03preference"]

    @pytest.mark.parametrize("way", ["newest", "named", "tagged"])
    def test_an_entry_whose_text_begins_with_blanks_is_found_too(
        self, index: SearchIndex, way: str
    ) -> None:
        blank = document("a.md", "\n\n\n  Text.", id="raw", title="Titled", tags=["locks"])
        index.apply(Batch(documents=[blank]))
        with index.view() as view:
            assert ids(view, WAYS[way](view, ANY)) == ["raw"]

    def test_a_name_that_too_many_share_names_none_of_them(self, index: SearchIndex) -> None:
        notes = [document(f"{n}.md", "# Standup", id=f"n{n}") for n in range(5)]
        index.apply(Batch(documents=notes))
        with index.view() as view:
            assert len(view.named(["standup"], ANY, 5)) == 5
            assert view.named(["standup"], ANY, 4) == []
            assert ids(view, view.named(["standup", "n3"], ANY, 4)) == ["n3"]

    def test_of_tags_those_that_share_most_come_first(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            found = ids(view, view.tagged(["postgres", "locks", "none"], ANY, 99))
            assert found[0] == "01fix"
            assert sorted(found) == ["01fix", "02insight", "04fix"]
            assert ids(view, view.tagged(["postgres", "locks"], ANY, 1)) == ["01fix"]
            for none in ([], ["post"], ["%"], ["\ud800"]):
                assert view.tagged(none, ANY, 9) == []

    def test_speakers_are_known_by_their_names_in_any_case(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            assert sorted(view.speakers(["ana", "ben", "cy", ""])) == ["ana", "ben"]
            assert view.speakers([]) == []

    def test_of_passages_those_are_told_that_somebody_said(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            passages = view.newest_passages(None, 99)
            said = view.details(view.spoken(passages, ["ana", "nobody"]))
            keys = [one.key for one in said.values()]
            assert [place[8] for place in view.with_keys(keys, ANY)] == ["ana", "ana"]
            assert view.spoken(passages, []) == view.spoken([], ["ana"]) == []

    def test_a_passage_alone_tells_nothing_of_its_neighbours(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            (place,) = view.named(["s1-2"], ANY, 1)
            (found,) = view.details([place[0]], alone=True).values()
            (beside,) = view.details([place[0]]).values()
            assert (found.previous, found.before, found.next, found.behind) == (None,) * 4
            assert None not in (beside.previous, beside.before, beside.next, beside.behind)
            assert (found.key, found.start, found.end) == (beside.key, beside.start, beside.end)

    def test_a_passage_is_found_by_the_key_of_what_it_says(self, filled: SearchIndex) -> None:
        (key,) = (part.key for part in read_passages(TALK[1].entry))
        with filled.view() as view:
            (place,) = view.with_keys([key, key + 1], ANY)
            assert ids(view, [place]) == ["s1-1"]
            found = view.details([place[0]])[place[0]]
            assert place[7:] == (found.key, "ben") == (key, "ben")
            assert view.with_keys([], ANY) == []

    # -- passages --------------------------------------------------------------------------------

    def test_a_passage_tells_where_in_its_entry_it_stands(self, filled: SearchIndex) -> None:
        parts = read_passages(HANDBOOK_NOTE.entry)
        with filled.view() as view:
            keys = [part.key for part in parts]
            found = view.details([place[0] for place in view.with_keys(keys, ANY)])
            told = sorted(found.values(), key=lambda one: one.place)
        assert [(one.start, one.end, one.heading, one.key) for one in told] == [
            (part.start, part.end, part.heading, part.key) for part in parts
        ]
        assert [one.place for one in told] == list(range(len(parts)))
        assert len({one.thread for one in told}) == 1
        assert told[0].thread is not None
        assert (told[0].previous, told[-1].next) == (None, None)

    def test_a_short_note_stands_alone(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            (place,) = view.named(["03preference"], ANY, 1)
            found = view.details([place[0]])[place[0]]
        assert isinstance(found, Found)
        assert (place[4], found.thread, found.place) == (0, None, 0)
        assert (found.previous, found.before, found.next, found.behind) == (None,) * 4

    def test_a_fragment_tells_whether_it_asks(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            places = view.named(["s1-0", "s1-1"], ANY, 2)
            asks = {ids(view, [place])[0]: place[4] for place in places}
        assert asks == {"s1-0": 1, "s1-1": 0}

    @pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
    def test_a_thread_is_in_the_order_of_time_however_it_arrived(
        self, index: SearchIndex, order: tuple[int, ...]
    ) -> None:
        for number in order:
            index.apply(Batch(documents=[turn(number)]))
        with index.view() as view:
            assert thread_of(view, "s1-1") == ["s1-0", "s1-1", "s1-2"]

    def test_a_fragment_that_moves_leaves_one_thread_and_joins_the_other(
        self, filled: SearchIndex
    ) -> None:
        others = [turn(number, session="s2") for number in (0, 2, 3)]
        filled.apply(Batch(documents=others))
        moved = document(
            TALK[1].locator, "# Turn 1\n\nElsewhere.", id="s1-1", kind="memory",
            created="2026-02-02", source={"kind": "session", "ref": "s2", "trust": "agent"},
        )  # fmt: skip
        filled.apply(Batch(documents=[moved]))
        with filled.view() as view:
            assert thread_of(view, "s1-0") == ["s1-0", "s1-2", "s1-3"]
            assert thread_of(view, "s1-1") == ["s2-0", "s1-1", "s2-2", "s2-3"]

    def test_what_is_gone_leaves_its_thread(self, filled: SearchIndex) -> None:
        filled.apply(Batch(gone=[TALK[1].locator]))
        with filled.view() as view:
            assert thread_of(view, "s1-0") == ["s1-0", "s1-2", "s1-3"]
            assert list(list_postings(view.match("cabin tromso", ANY, 9))) == [[], []]

    def test_passages_are_paged_from_the_newest(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            everything = view.newest_passages(None, 999)
            paged: list[int] = []
            before = None
            while page := view.newest_passages(before, 3):
                paged += page
                before = page[-1]
            assert paged == everything
            assert len(set(paged)) == 9 + len(read_passages(HANDBOOK_NOTE.entry))
            locators = view.locators(paged)
            assert set(locators) == set(paged)
            assert set(locators.values()) == {row.locator for row in filled.find(ANY)}

    def test_what_was_forgotten_needs_no_vectors(self, index: SearchIndex) -> None:
        index.apply(Batch(documents=[document("a.md", "# A", status="deleted")]))
        with index.view() as view:
            assert view.newest_passages(None, 9) == []

    def test_numbers_that_mean_nothing_are_left_out(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            for nothing in ([], [-1, 0, 10**9]):
                assert view.details(nothing) == {}
                assert view.rows(nothing) == {}
                assert view.locators(nothing) == {}

    def test_rows_say_what_the_entries_say(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            (place,) = view.named(["01fix"], ANY, 1)
            row = view.rows([place[1]])[place[1]]
        (expected,) = filled.lookup("01fix")
        assert [getattr(row, name) for name in type(row).__slots__] == [
            getattr(expected, name) for name in type(row).__slots__
        ]

    # -- one state -------------------------------------------------------------------------------

    def test_a_view_sees_one_state_whatever_others_write(
        self, filled: SearchIndex, reopen: Reopen
    ) -> None:
        def look(view: IndexView) -> list[object]:
            places = view.newest(ANY, 99)
            return [
                list(list_postings(view.match("lock pooler", ANY, 99))),
                ids(view, places),
                list(view.locators([place[0] for place in places]).values()),
            ]

        other = reopen()
        with filled.view() as view:
            before = look(view)
            other.apply(Batch(gone=[NOTES[0].locator], documents=[turn(1, text="A lock.")]))
            assert look(view) == before
            other.rebuild([Batch(documents=NOTES[1:3])])
            assert look(view) == before
        with filled.view() as view:
            assert sorted(ids(view, view.newest(ANY, 99))) == ["02insight", "03preference"]

    def test_a_view_does_not_keep_writers_waiting(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            before = view.newest(ANY, 99)
            filled.apply(Batch(documents=[document("new.md", "# New")]))
            assert filled.count(ANY) == 11
            assert view.newest(ANY, 99) == before

    def test_a_view_that_ends_in_an_error_leaves_the_index_in_order(
        self, filled: SearchIndex
    ) -> None:
        for _ in range(3):
            with pytest.raises(ZeroDivisionError), filled.view() as view:
                assert view.newest(ANY, 1)
                raise ZeroDivisionError
        with filled.view() as outer, filled.view() as inner:
            assert outer.newest(ANY, 99) == inner.newest(ANY, 99)
        filled.apply(Batch(gone=[NOTES[0].locator]))
        assert filled.count(ANY) == 9

    def test_several_threads_have_views_at_once(self, filled: SearchIndex) -> None:
        failures: list[BaseException] = []

        def use(n: int) -> None:
            try:
                for round_ in range(10):
                    note = document(f"t{n}-{round_}.md", f"# thread{n}", id=f"t{n}-{round_}")
                    filled.apply(Batch(documents=[note]))
                    with filled.view() as view:
                        (places,) = list_postings(view.match(f"thread{n}", ANY, 99))
                        assert len(ids(view, places)) == round_ + 1
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=use, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert failures == []

    def test_an_index_that_is_not_there_gives_no_view(self, reopen: Reopen) -> None:
        with pytest.raises(IndexUnavailableError), reopen().view():
            pass

    def test_a_locator_of_a_view_is_a_locator(self, filled: SearchIndex) -> None:
        with filled.view() as view:
            rows = view.rows([place[1] for place in view.newest(ANY, 3)])
        assert all(isinstance(row.locator, Locator) for row in rows.values())
