"""The contract of `SearchIndex`: what every index promises, one sentence a test.

An index's own test file is a subclass with two fixtures:

    class TestSqlite(SearchIndexContract):
        @pytest.fixture
        def reopen(self, tmp_path: Path) -> Iterator[Reopen]:
            yield lambda: SearchIndex(str(tmp_path / "index"), FakeClock())

What its `view` promises is in `contracts.index_view`.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import TypeAlias, overload

import pytest

from engrain.engine.core.reading import read_references
from engrain.index.sqlite_index import SearchIndex
from engrain.model.history.record import FileChange, Record
from engrain.model.note.entry import read_entry
from engrain.model.note.note import compose_note
from engrain.model.note.tiers import UNUSED, USED
from engrain.seam.batches import Batch, Change, Document, Problem
from engrain.seam.locator import Locator
from engrain.seam.looks import Most, StoreRound
from engrain.seam.rows import Filter, Row

Reopen: TypeAlias = Callable[[], SearchIndex]
"""Opens the same index again, as another process would."""

ANY = Filter()

HOSTILE_QUERIES = [
    "",
    " \t\r\n ",
    "\0",
    "lock\0lock",
    '"',
    '""" lock',
    "'; DROP INDEX entries; --",
    "lock AND NOT OR NEAR",
    "NEAR(lock, 3)",
    "title:lock",
    "body: {lock}",
    "^lock",
    "lock*",
    "-lock",
    "+lock + -",
    "(lock",
    "lock)",
    "((((((((((lock",
    "{lock} : [",
    "lock\\",
    "%_%",
    "🧠",
    "👩‍👩‍👧 lock 🏳️‍🌈",
    "\ud800 lock \udfff",
    "\u202e lock \u2066",
    "́ lock",
    "﻿lock",
    "$$$ ??? !!!",
    "lock " * 5_000,
    "(" * 10_000,
    '"' * 10_001,
]

SCRIPTS = [
    ("数据库连接池耗尽后服务停止响应", "连接"),
    ("数据库连接池耗尽后服务停止响应", "连接池"),
    ("数据库连接池耗尽后服务停止响应", "数"),
    ("数据库连接池耗尽后服务停止响应", "池"),
    ("数据库连接池耗尽后服务停止响应", "应"),
    ("請求書の番号は欠番にできない", "番号"),
    ("請求書の番号は欠番にできない", "請求書"),
    ("データベースのロックを解放する", "ロック"),
    ("ﾃﾞｰﾀﾍﾞｰｽのﾛｯｸを解放する", "ロック"),
    ("データベースのロックを解放する", "ﾛｯｸ"),
    ("PostgreSQLのロック", "postgresql"),
    ("ＡＰＩの鍵を交換する", "api"),
    ("결제 데이터베이스가 잠겼습니다", "데이터"),
    ("결제 데이터베이스가 잠겼습니다", "잠"),
    ("การชำระเงินซ้ำซ้อน", "ชำระ"),
    ("ຖານຂໍ້ມູນຖືກລັອກ", "ຂໍ້ມູນ"),
    ("មូលដ្ឋានទិន្នន័យ", "ទិន្នន័យ"),
    ("ဒေတာဘေ့စ်ကို သော့ခတ်", "ဒေတာ"),
    ("قفل قاعدة البيانات", "قاعدة"),
    ("كَتَبَ الوَلَدُ رِسَالَةً", "كتب"),
    ("מסד הנתונים נעול", "נתונים הנתונים"),
    ("डेटाबेस लॉक हो गया", "लॉक"),
    ("база данных заблокирована", "ДАННЫХ"),
    ("cơ sở dữ liệu tiếng Việt", "tieng viet"),
    ("Der Schlüssel hängt", "schlussel"),
    ("Ünïcode café", "unicode"),
    ("cafe\u0301 au lait", "café"),
    ("café au lait", "cafe\u0301"),
    ("café au lait", "CAFE"),
    ("ship it 🚀 today", "🚀"),
    ("ship it🚀today", "today"),
    ("love ❤️ it", "❤"),
    ("error E1234 in step_two", "e1234"),
    ("error E1234 in step_two", "two"),
    ("the locks were released", "lock"),
    ("releasing a lock", "released"),
]


def document(
    path: str, text: str = "", *, stamp: str = "s1", settled: bool = True, **fields: object
) -> Document:
    """A note as the index takes it, read from bytes like any other."""
    note = compose_note(fields, text)  # type: ignore[arg-type]  # of the values' types
    entry = read_entry(path, note.raw)
    return Document(Locator(path), entry, read_references(entry), stamp, settled)


def saved(device: str, n: int, at: float, *files: FileChange, reason: str = "") -> Record:
    """A record of a change to some files."""
    return Record(device, n, at, "save", [file.entry for file in files], files, reason=reason)


def file_change(path: str, entry: str, after: str | None, before: str | None = None) -> FileChange:
    return FileChange(path, entry, before, after, None)


def shown(value: Filter | str) -> str:
    """A test's name for what it filters by."""
    if isinstance(value, str):
        return value or "none"
    return ascii({name: part for name, part in asdict(value).items() if part})


def at(rows: Sequence[Row]) -> list[str]:
    return [row.locator for row in rows]


class BrokenSequence(Sequence[Record]):
    """Fails when it is read, in the middle of a batch."""

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Record]: ...
    def __getitem__(self, index: int | slice) -> Record | Sequence[Record]:
        raise RuntimeError("unreadable")

    def __len__(self) -> int:
        return 1


NOTES = [
    document(
        "Memory/fix/pg-lock.md",
        "# Advisory lock lost\n\nBehind the pooler. [[retries]] [[elaborates:: Small Requests]]",
        id="01fix",
        kind="fix",
        tags=["postgres", "locks"],
        project="billing",
        created="2026-01-03",
        updated="2026-01-04",
        source={"trust": "agent"},
    ),
    document(
        "Memory/insight/retries.md",
        "# Retries are normal\n\nSee [[pg-lock]] and the lock table.",
        id="02insight",
        kind="insight",
        tags=["postgres"],
        created="2026-01-02",
    ),
    document(
        "preferences/small.md",
        "# Small requests\n\nPull requests stay small.",
        id="03preference",
        kind="preference",
        created="2026-01-01",
        aliases=["PR size", "tiny ones"],
    ),
    document(
        "Memory/_archive/fix/old-lock.md",
        "# Old lock\n\nLock the table.",
        id="04fix",
        kind="fix",
        status="archived",
        tags=["locks"],
        project="billing",
        created="2025-12-01",
    ),
    document(
        "Memory/_inbox/raw.md",
        "# Raw\n\nA lock, maybe.",
        id="05raw",
        kind="memory",
        status="inbox",
        project="ledger",
    ),
]
"""Five entries that differ in every field a filter looks at; all but one say lock."""


def _found_as_known(index: SearchIndex) -> dict[str, str]:
    return {name: mark for name, mark in index.groups().items() if mark}


class IndexContract:
    """`reopen` opens one index as often as asked; `index` is a fresh one, empty and ready."""

    @pytest.fixture
    def index(self, reopen: Reopen) -> Iterator[SearchIndex]:
        index = reopen()
        index.rebuild([])
        yield index
        index.close()


class SearchIndexContract(IndexContract):
    @pytest.fixture
    def filled(self, index: SearchIndex) -> SearchIndex:
        index.apply(Batch(documents=NOTES))
        return index

    # -- how it stands ---------------------------------------------------------------------------

    def test_an_empty_index_is_ready(self, index: SearchIndex) -> None:
        assert index.check() is None
        status = index.status()
        assert (status.entries, status.problems) == (0, 0)
        assert status.scanned_at is None
        assert (index.scanned_at(), index.cursors(), index.groups()) == (None, {}, {})
        assert list(index.stamps()) == []

    def test_status_counts_what_is_held_and_tells_the_last_scan(self, filled: SearchIndex) -> None:
        bad = Problem(Locator("Memory/bad.md"), "yaml", "no", line=3)
        filled.apply(Batch(problems=[bad], scanned_at=1234.5))
        filled.apply(Batch())
        status = filled.status()
        assert (status.entries, status.problems, status.scanned_at) == (5, 1, 1234.5)
        assert filled.scanned_at() == 1234.5

    def test_a_closed_index_can_be_opened_again(self, filled: SearchIndex, reopen: Reopen) -> None:
        filled.close()
        assert reopen().count(ANY) == 5

    # -- taking in -------------------------------------------------------------------------------

    def test_an_applied_entry_is_known_in_every_way(self, index: SearchIndex) -> None:
        note = NOTES[0]
        index.apply(Batch(documents=[note], cursors={"a": "1"}))
        for rows in (
            index.find(ANY),
            index.search("pooler", ANY, 5),
            index.lookup("01fix"),
            index.resolve(["pg-lock"]),
        ):
            assert at(rows) == [note.locator]
        assert index.count(ANY) == 1
        assert index.hash_at(note.locator) == note.entry.hash
        assert list(index.stamps()) == [(note.locator, "s1", note.entry.hash, True)]
        assert index.cursors() == {"a": "1"}

    def test_a_row_says_what_the_entry_says(self, filled: SearchIndex) -> None:
        (row,) = filled.lookup("01fix")
        assert isinstance(row.locator, Locator)
        assert (row.locator, row.id, row.slug) == ("Memory/fix/pg-lock.md", "01fix", "pg-lock")
        assert row.hash == NOTES[0].entry.hash
        assert (row.kind, row.title, row.status) == ("fix", "Advisory lock lost", "active")
        assert (row.project, row.tier, row.zone) == ("billing", "T3", "live")
        assert row.tags == ("postgres", "locks")
        assert (row.created, row.updated) == (NOTES[0].entry.created, NOTES[0].entry.updated)
        assert row.primary
        (undated,) = filled.lookup("05raw")
        assert (undated.created, undated.zone) == (None, "inbox")
        (general,) = filled.lookup("03preference")
        assert (general.project, general.tier) == (None, "T2")

    def test_a_document_replaces_all_that_stood_at_its_locator(self, filled: SearchIndex) -> None:
        changed = document("Memory/fix/pg-lock.md", "# Renamed\n\nzebra", id="06new", stamp="s2")
        filled.apply(Batch(documents=[changed]))
        assert at(filled.search("zebra", ANY, 5)) == [changed.locator]
        assert filled.search("pooler", ANY, 5) == []
        assert filled.lookup("01fix") == []
        assert filled.find(Filter(projects=("billing",), zones=("live",))) == []
        assert changed.locator not in at(filled.find(Filter(tags=("postgres",))))
        assert filled.resolve(["advisory lock lost"]) == []
        assert filled.links_from(changed.locator) == []
        assert filled.count(ANY) == 5

    def test_counts_by_kind_and_tier_are_those_of_what_is_found(self, filled: SearchIndex) -> None:
        for only in (ANY, Filter(statuses=("active",), zones=("live",)), Filter(kinds=("none",))):
            found = Counter((row.kind, row.tier) for row in filled.find(only))
            assert filled.tally(only) == found

    def test_counters_are_given_of_the_ids_that_are_asked_for(self, filled: SearchIndex) -> None:
        every = filled.counters(ANY)
        assert len(every) == 5
        assert filled.counters(ANY, ["01fix", "nobody"]) == {"01fix": every["01fix"]}
        assert filled.counters(ANY, []) == {}

    def test_what_is_gone_leaves_nothing_behind(self, filled: SearchIndex) -> None:
        gone = NOTES[0].locator
        filled.apply(Batch(gone=[gone, Locator("never/was.md")]))
        assert filled.hash_at(gone) is None
        assert gone not in at(filled.search("lock pooler", ANY, 9))
        assert filled.lookup("pg-lock") == []
        assert filled.links_from(gone) == []
        (other,) = filled.lookup("02insight")
        assert filled.links_to(other) == []
        assert len(list(filled.stamps())) == 4

    def test_a_file_that_moved_is_at_its_new_place_only(self, filled: SearchIndex) -> None:
        moved = document("Memory/fix/moved.md", "# Advisory lock lost", id="01fix")
        filled.apply(Batch(documents=[moved], gone=[NOTES[0].locator]))
        assert at(filled.lookup("01fix")) == [moved.locator]
        assert filled.duplicates() == []

    def test_a_file_that_can_not_be_read_takes_the_place_of_its_entry(
        self, filled: SearchIndex
    ) -> None:
        here = NOTES[0].locator
        problem = Problem(here, "unclosed", "never closed", line=1, stamp="s9", settled=False)
        filled.apply(Batch(problems=[problem]))
        assert filled.hash_at(here) is None
        assert filled.lookup(here) == []
        assert (here, "s9", "", False) in list(filled.stamps())
        filled.apply(Batch(documents=[NOTES[0]]))
        assert filled.problems() == []
        assert at(filled.lookup("01fix")) == [here]

    def test_an_entry_with_something_wrong_in_it_is_still_an_entry(
        self, index: SearchIndex
    ) -> None:
        here = NOTES[0].locator
        wrong = [
            Problem(here, "field", "created is not a date", fatal=False),
            Problem(here, "unknown-kind", "kind 'x' is unknown", line=2, fatal=False),
        ]
        index.apply(Batch(documents=[NOTES[0]], problems=wrong))
        assert at(index.find(ANY)) == [here]
        assert [(p.reason, p.message, p.line, p.fatal) for p in index.problems()] == [
            ("field", "created is not a date", 0, False),
            ("unknown-kind", "kind 'x' is unknown", 2, False),
        ]
        assert len(list(index.stamps())) == 1

    def test_of_two_documents_at_one_place_the_later_counts(self, index: SearchIndex) -> None:
        first, second = (document("a.md", f"# {word}", id=word) for word in ("one", "two"))
        index.apply(Batch(documents=[first, second]))
        assert [row.id for row in index.find(ANY)] == ["two"]

    def test_what_was_looked_at_again_is_settled_under_its_new_stamp(
        self, index: SearchIndex
    ) -> None:
        young = document("a.md", "# A", stamp="young", settled=False)
        bad = Problem(Locator("b.md"), "yaml", "no", stamp="young", settled=False)
        index.apply(Batch(documents=[young], problems=[bad]))
        places = [young.locator, bad.locator, Locator("none.md")]
        index.apply(Batch(settled=[(place, "old") for place in places]))
        assert sorted(index.stamps()) == [
            ("a.md", "old", young.entry.hash, True),
            ("b.md", "old", "", True),
        ]

    def test_the_stamps_of_a_group_are_those_of_the_files_right_in_it(
        self, filled: SearchIndex
    ) -> None:
        bad = Problem(Locator("Memory/fix/bad.md"), "yaml", "no", stamp="b", settled=False)
        deeper = document("Memory/fix/deeper/x.md")
        filled.apply(Batch(documents=[deeper, document("MEMORY.md")], problems=[bad]))
        assert sorted(place for place, *_ in filled.stamps("Memory/fix")) == [
            "Memory/fix/bad.md",
            "Memory/fix/pg-lock.md",
        ]
        assert [place for place, *_ in filled.stamps("")] == ["MEMORY.md"]
        for none in ("Memory", "Memory/fi%", "none", "\ud800"):
            assert list(filled.stamps(none)) == []
        assert len(list(filled.stamps())) == 8

    def test_a_group_keeps_its_fingerprint_until_it_is_forgotten(self, filled: SearchIndex) -> None:
        filled.apply(Batch(groups={"Memory/fix": "f1", "": "f2"}))
        filled.apply(Batch(groups={"Memory/fix": "f3"}, documents=NOTES[:1]))
        assert _found_as_known(filled) == {"Memory/fix": "f3", "": "f2"}
        filled.apply(Batch(groups={"": None, "none": None}))
        assert _found_as_known(filled) == {"Memory/fix": "f3"}

    def test_what_was_looked_at_again_too_young_is_looked_at_once_more(
        self, index: SearchIndex
    ) -> None:
        index.apply(Batch(documents=[document("a.md", "# A")]))
        assert index.due(StoreRound(), Most(9, 9, 9, 9)).young == []
        index.apply(Batch(settled=[(Locator("a.md"), "")]))
        assert index.due(StoreRound(), Most(9, 9, 9, 9)).young == ["a.md"]

    def test_files_have_their_turn_in_a_round_that_goes_on_where_it_was(
        self, index: SearchIndex
    ) -> None:
        names = ["a.md", "b/a.md", "b/c.md", "b/c/a.md", "c.md"]
        bad = Problem(Locator("b/bad.md"), "yaml", "no", stamp="b")
        index.apply(Batch(documents=[document(name) for name in names], problems=[bad]))
        met: list[str] = []
        turn = StoreRound()
        for _ in range(4):
            due = index.due(turn, Most(3, 2, 9, 9))
            assert not due.is_whole
            met += due.files
            turn = StoreRound("", met[-1])
        order = ["a.md", "c.md", "b/a.md", "b/bad.md", "b/c.md", "b/c/a.md"]
        assert met == [*order, "a.md", "c.md"]
        whole = index.due(StoreRound("", "b/a.md"), Most(6, 2, 9, 9))
        assert whole.is_whole
        assert list(whole.files) == [*order[3:], *order[:3]]

    def test_marks_have_their_turn_likewise_the_root_first(self, index: SearchIndex) -> None:
        marks: dict[str, tuple[str, int] | None] = {
            name: (f"m{name}", 1) for name in ("", "a", "b")
        }
        index.apply(Batch(marks=marks))
        assert index.marks() == marks
        assert index.marks(["a", "none"]) == {"a": ("ma", 1)}
        assert list(index.due(StoreRound(), Most(2, 2, 9, 9)).groups) == ["", "a"]
        assert list(index.due(StoreRound("a"), Most(2, 2, 9, 9)).groups) == ["b", ""]
        assert index.due(StoreRound("a"), Most(3, 2, 9, 9)).groups == marks
        index.apply(Batch(marks={"a": None}))
        assert index.marks().keys() == {"", "b"}

    def test_entries_that_a_status_hides_are_watched_the_latest_of_them_and_so_are_directives(
        self, index: SearchIndex
    ) -> None:
        hidden = [document(f"h{n}.md", status="archived") for n in range(4)]
        rule = document("rule.md", always_load=True)
        index.apply(Batch(documents=[*hidden, rule, document("plain.md")]))
        due = index.due(StoreRound(), Most(2, 2, 3, 9))
        assert sorted(due.watched) == ["h1.md", "h2.md", "h3.md", "rule.md"]

    def test_the_turn_is_kept_beside_the_index(self, index: SearchIndex) -> None:
        def read() -> tuple[str, str, float]:
            turn = index.turn()
            return turn.group, turn.file, turn.since

        assert read() == ("", "", 0.0)
        index.apply(Batch())
        index.note_turn(StoreRound("Memory/fix", "Memory/fix/é, 1.md", 12.5))
        assert read() == ("Memory/fix", "Memory/fix/é, 1.md", 12.5)
        index.note_turn(StoreRound("a"))
        assert read() == ("a", "", 0.0)

    def test_a_group_with_entries_is_reported_before_it_has_a_fingerprint(
        self, filled: SearchIndex
    ) -> None:
        assert filled.groups().keys() >= {note.locator.folder for note in NOTES}
        assert _found_as_known(filled) == {}

    def test_applying_a_batch_again_changes_nothing(self, index: SearchIndex) -> None:
        batch = Batch(
            documents=NOTES,
            problems=[Problem(Locator("bad.md"), "yaml", "no")],
            gone=[Locator("old.md")],
            records=[saved("a", 1, 10.0, file_change(NOTES[0].locator, "01fix", "h1"))],
            cursors={"a": "1"},
        )
        index.apply(batch)
        once = snapshot(index)
        index.apply(batch)
        assert snapshot(index) == once

    def test_a_batch_that_fails_leaves_nothing_of_itself(self, filled: SearchIndex) -> None:
        before = snapshot(filled)
        batch = Batch(
            documents=[document("new.md", "# New")],
            gone=[NOTES[0].locator],
            records=BrokenSequence(),
            cursors={"a": "9"},
            groups={"g": "1"},
        )
        with pytest.raises(RuntimeError, match="unreadable"):
            filled.apply(batch)
        assert snapshot(filled) == before

    def test_other_handles_see_what_was_applied(self, filled: SearchIndex, reopen: Reopen) -> None:
        other = reopen()
        assert other.count(ANY) == 5
        filled.apply(Batch(gone=[NOTES[0].locator], cursors={"a": "2"}))
        assert (other.count(ANY), other.cursors()) == (4, {"a": "2"})

    # -- one writer at a time --------------------------------------------------------------------

    def test_an_exclusive_block_sees_its_own_work_and_others_see_it_whole(
        self, index: SearchIndex, reopen: Reopen
    ) -> None:
        other = reopen()
        with index.exclusive():
            index.apply(Batch(documents=NOTES[:1], cursors={"a": "1"}))
            index.apply(Batch(documents=NOTES[1:]))
            assert (index.count(ANY), index.cursors()) == (5, {"a": "1"})
            assert index.hash_at(NOTES[0].locator) == NOTES[0].entry.hash
            assert (other.count(ANY), other.cursors()) == (0, {})
            assert on_thread(lambda: index.count(ANY)) == 0
        assert (other.count(ANY), other.cursors()) == (5, {"a": "1"})

    def test_an_exclusive_block_that_raises_is_undone(self, filled: SearchIndex) -> None:
        before = snapshot(filled)
        with pytest.raises(RuntimeError, match="stop"), filled.exclusive():
            filled.apply(Batch(gone=[NOTES[0].locator], cursors={"a": "1"}))
            raise RuntimeError("stop")
        assert snapshot(filled) == before
        filled.apply(Batch(cursors={"a": "2"}))
        assert filled.cursors() == {"a": "2"}

    def test_a_batch_that_fails_in_an_exclusive_block_spoils_no_other(
        self, index: SearchIndex
    ) -> None:
        with index.exclusive():
            index.apply(Batch(documents=NOTES[:2]))
            with pytest.raises(RuntimeError):
                index.apply(Batch(documents=NOTES[2:], records=BrokenSequence()))
            index.apply(Batch(cursors={"a": "1"}))
        assert (index.count(ANY), index.cursors()) == (2, {"a": "1"})

    def test_writers_wait_for_an_exclusive_block(self, index: SearchIndex, reopen: Reopen) -> None:
        order: list[str] = []
        started = threading.Event()

        def write(writer: SearchIndex) -> None:
            started.set()
            writer.apply(Batch(cursors={"a": "2"}))
            order.append("applied")

        for writer in (index, reopen()):
            started.clear()
            order.clear()
            with index.exclusive():
                thread = threading.Thread(target=write, args=(writer,))
                thread.start()
                started.wait(5)
                time.sleep(0.05)
                index.apply(Batch(cursors={"a": "1"}))
                order.append("ending")
            thread.join(10)
            assert order == ["ending", "applied"]
            assert index.cursors() == {"a": "2"}

    def test_reading_and_writing_back_in_exclusive_blocks_loses_nothing(
        self, index: SearchIndex, reopen: Reopen
    ) -> None:
        def count_up(handle: SearchIndex) -> None:
            for _ in range(20):
                with handle.exclusive():
                    n = int(handle.cursors().get("a", "0"))
                    handle.apply(Batch(cursors={"a": str(n + 1)}))

        other = reopen()
        threads = [threading.Thread(target=count_up, args=(h,)) for h in (index, index, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert index.cursors() == {"a": "60"}

    def test_readers_do_not_wait_for_a_writer(self, filled: SearchIndex, reopen: Reopen) -> None:
        other = reopen()
        with filled.exclusive():
            filled.apply(Batch(gone=[NOTES[0].locator]))
            started = time.monotonic()
            assert len(other.search("lock", ANY, 9)) == 4
            assert time.monotonic() - started < 1.0

    # -- rebuilding ------------------------------------------------------------------------------

    def test_readers_see_the_old_index_until_the_new_one_is_whole(
        self, filled: SearchIndex, reopen: Reopen
    ) -> None:
        other = reopen()
        seen: list[int] = []

        def batches() -> Iterator[Batch]:
            for n in range(3):
                yield Batch(documents=[document(f"n{n}.md", "# lock")], cursors={"a": str(n)})
                seen.append(other.count(ANY))
                seen.append(filled.count(ANY))

        filled.rebuild(batches())
        assert seen == [5] * 6
        assert (filled.count(ANY), other.count(ANY)) == (3, 3)
        assert other.cursors() == {"a": "2"}
        assert len(other.search("lock", ANY, 9)) == 3

    def test_a_rebuild_that_fails_leaves_the_old_index(self, filled: SearchIndex) -> None:
        def batches() -> Iterator[Batch]:
            yield Batch(gone=[NOTES[0].locator])
            raise RuntimeError("the store went away")

        before = snapshot(filled)
        with pytest.raises(RuntimeError, match="went away"):
            filled.rebuild(batches())
        assert snapshot(filled) == before

    def test_a_rebuild_keeps_nothing_of_the_old_index(self, filled: SearchIndex) -> None:
        record = saved("a", 1, 1.0, file_change("a.md", "a", "h"))
        batch = Batch(records=[record], cursors={"a": "1"}, groups={"g": "1"}, scanned_at=1.0)
        filled.apply(batch)
        filled.rebuild([])
        assert filled.status().entries == 0
        assert filled.status().scanned_at is None
        assert (filled.cursors(), filled.groups()) == ({}, {})
        assert filled.changes() == []

    # -- search ----------------------------------------------------------------------------------

    def test_figures_are_kept_by_prefix_and_a_rebuild_takes_them_along(
        self, filled: SearchIndex, reopen: Reopen
    ) -> None:
        filled.put_figures("silence::", {"threshold": 0.8, "own": 200})
        filled.put_figures("silence:a_%:", {"threshold": 0.7})
        assert reopen().figures("silence::") == {"threshold": 0.8, "own": 200}
        with filled.view() as view:
            assert view.figure("silence:a_%:threshold") == 0.7
            assert view.figure("silence:b:threshold") is None
            assert view.figure("passages") is None, "which is the index's own"
        filled.put_figures("silence::", {"own": 3})
        assert filled.figures("silence::") == {"own": 3}
        filled.rebuild([])
        assert filled.figures("silence:") == {":own": 3, "a_%:threshold": 0.7}

    def test_any_of_the_words_is_enough_and_more_of_them_is_better(
        self, filled: SearchIndex
    ) -> None:
        rows = filled.search("lock pooler elephant", ANY, 9)
        assert rows[0].id == "01fix"
        assert {row.id for row in rows} == {"01fix", "02insight", "04fix", "05raw"}
        assert [row.score for row in rows] == sorted((r.score for r in rows), reverse=True)
        assert all(row.score > 0 for row in rows)

    def test_a_word_in_the_title_counts_more_than_a_tag_and_a_tag_more_than_the_text(
        self, index: SearchIndex
    ) -> None:
        notes = [
            document("c.md", "# one\n\ntwo", id="title", title="zebra"),
            document("b.md", "# one\n\ntwo", id="tag", title="three", tags=["zebra"]),
            document("a.md", "# one\n\nzebra", id="text", title="three"),
        ]
        filler = [document(f"f{n}.md", "# one\n\ntwo") for n in range(9)]
        index.apply(Batch(documents=[*notes, *filler]))
        assert [row.id for row in index.search("zebra", ANY, 9)] == ["title", "tag", "text"]

    def test_a_word_that_every_entry_has_still_finds_them(self, index: SearchIndex) -> None:
        index.apply(Batch(documents=[document(f"{n}.md", "# lock", id=f"n{n}") for n in range(4)]))
        rows = index.search("lock", ANY, 9)
        assert len(rows) == 4
        assert all(row.score > 0 for row in rows)

    def test_ties_are_broken_by_id(self, index: SearchIndex) -> None:
        names = ["d", "a", "c", "e", "b"]
        index.apply(Batch(documents=[document(f"{n}.md", "# same", id=n) for n in names]))
        assert [row.id for row in index.search("same", ANY, 9)] == sorted(names)
        assert [row.id for row in index.search("same", ANY, 3)] == ["a", "b", "c"]

    def test_a_search_gives_the_best_within_its_limit(self, filled: SearchIndex) -> None:
        everything = at(filled.search("lock pooler", ANY, 99))
        for limit in range(6):
            assert at(filled.search("lock pooler", ANY, limit)) == everything[:limit]

    def test_small_words_count_only_when_there_are_no_others(self, index: SearchIndex) -> None:
        notes = [document("a.md", "# To be or not to be"), document("b.md", "# The lock")]
        index.apply(Batch(documents=notes))
        assert at(index.search("is the lock to be there", ANY, 9)) == ["b.md"]
        assert at(index.search("to be or not to be", ANY, 9)) == ["a.md"]

    @pytest.mark.parametrize(("text", "query"), SCRIPTS)
    def test_words_are_found_in_every_script(
        self, index: SearchIndex, text: str, query: str
    ) -> None:
        other = document("other.md", "# другое 其他 その他 기타 อื่น آخر אחר other\n\nelse")
        index.apply(Batch(documents=[document("hit.md", f"# x\n\n{text}"), other]))
        assert at(index.search(query, ANY, 9)) == ["hit.md"]
        assert index.search("絵画 그림 picture 🎨", ANY, 9) == []

    @pytest.mark.parametrize("query", HOSTILE_QUERIES, ids=ascii)
    def test_no_character_of_a_query_is_an_operator(self, filled: SearchIndex, query: str) -> None:
        found = {row.id for row in filled.search(query, ANY, 9)}
        assert found == ({"01fix", "02insight", "04fix", "05raw"} if "lock" in query else set())

    def test_a_query_of_megabytes_is_answered_by_its_beginning(self, filled: SearchIndex) -> None:
        started = time.monotonic()
        for filler in ("word%d ", "字", "(", "\0", "é", "🧠"):
            query = "pooler " + (filler * 1_000_000)[:1_000_000]
            assert at(filled.search(query, ANY, 1)) == ["Memory/fix/pg-lock.md"]
        assert time.monotonic() - started < 5.0

    def test_only_live_words_are_found_whatever_was_replaced(self, index: SearchIndex) -> None:
        for n in range(30):
            index.apply(Batch(documents=[document("a.md", f"# Note\n\nword{n} common")]))
        assert at(index.search("word29", ANY, 9)) == ["a.md"]
        assert index.search("word28", ANY, 9) == []
        kept = index.search("common", ANY, 9)[0].score
        index.rebuild([Batch(documents=[document("a.md", "# Note\n\nword29 common")])])
        assert index.search("common", ANY, 9)[0].score == pytest.approx(kept)

    # -- filters ---------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("only", "expected"),
        [
            (Filter(), "01 02 03 04 05"),
            (Filter(kinds=("fix",)), "01 04"),
            (Filter(kinds=("fix", "insight")), "01 02 04"),
            (Filter(kinds=("none",)), ""),
            (Filter(tags=("postgres",)), "01 02"),
            (Filter(tags=("postgres", "locks")), "01 02 04"),
            (Filter(tags=("post",)), ""),
            (Filter(tags=("%",)), ""),
            (Filter(projects=("billing",)), "01 04"),
            (Filter(projects=("",)), "02 03"),
            (Filter(projects=("billing", "")), "01 02 03 04"),
            (Filter(projects=("unknown",)), ""),
            (Filter(projects=()), ""),
            (Filter(statuses=("active",)), "01 02 03"),
            (Filter(statuses=("archived", "inbox")), "04 05"),
            (Filter(tiers=("T2",)), "03"),
            (Filter(tiers=("T2", "T3")), "01 02 03 04 05"),
            (Filter(zones=("live",)), "01 02 03"),
            (Filter(zones=("archive", "inbox")), "04 05"),
            (Filter(since=NOTES[1].entry.created), "01 02"),
            (Filter(until=NOTES[1].entry.created), "02 03 04"),
            (Filter(since=NOTES[1].entry.created, until=NOTES[1].entry.created), "02"),
            (Filter(since=9e9), ""),
            (Filter(kinds=("fix",), zones=("live",)), "01"),
            (Filter(kinds=("fix",), tags=("locks",), projects=("billing",)), "01 04"),
            (Filter(kinds=("fix",), tags=("postgres",), statuses=("archived",)), ""),
            (Filter(tags=("postgres",), projects=("",), tiers=("T3",)), "02"),
            (
                Filter(
                    kinds=("fix",),
                    tags=("locks",),
                    projects=("billing",),
                    statuses=("active",),
                    tiers=("T3",),
                    zones=("live",),
                    since=0.0,
                    until=9e9,
                ),
                "01",
            ),
            (Filter(kinds=("\ud800", "fix'; --", "\0"), tags=("\udcff",)), ""),
        ],
        ids=shown,
    )
    def test_filters_say_which_entries_are_meant(
        self, filled: SearchIndex, only: Filter, expected: str
    ) -> None:
        wanted = expected.split()
        assert sorted(row.id[:2] for row in filled.find(only)) == wanted
        assert filled.count(only) == len(wanted)
        found = filled.search("lock requests", only, 9)
        assert sorted(row.id[:2] for row in found) == wanted

    def test_a_filter_for_what_every_session_gets_combines_with_all_others(
        self, filled: SearchIndex
    ) -> None:
        loaded = [
            document("_always-load/a.md", "# Lock", id="07a", created="2026-01-05"),
            document("Memory/_always-load/b.md", "# Lock", id="08b", created="2026-01-06"),
            document("_always-load/c.md", "# Lock", id="09c", always_load=False),
            document("p.md", "# Lock", id="10p", always_load=True, project="billing"),
        ]
        filled.apply(Batch(documents=loaded))
        always = Filter(always_load=True)
        for only, ids in (
            (always, ["08b", "07a", "10p"]),
            (replace(always, tiers=("T2",)), ["07a", "10p"]),
            (replace(always, projects=("",)), ["08b", "07a"]),
            (replace(always, statuses=("inbox",)), []),
        ):
            assert [row.id for row in filled.find(only)] == ids
            assert sorted(row.id for row in filled.search("lock", only, 9)) == sorted(ids)
            assert filled.count(only) == len(ids)
            assert all(row.always_load for row in filled.find(only))
        assert [row.id for row in filled.find(always, 1)] == ["08b"]
        filled.apply(Batch(documents=[document("_always-load/a.md", "# Lock", id="07a", kind="x",
                                               always_load=False)]))  # fmt: skip
        assert [row.id for row in filled.find(always)] == ["08b", "10p"]

    def test_a_filter_for_what_is_known_leaves_out_imports_that_nobody_used(
        self, filled: SearchIndex
    ) -> None:
        brought = {"kind": "import", "trust": "operator"}
        filled.apply(Batch(documents=[
            document("a.md", "# Lock", id="07a", source=brought),
            document("b.md", "# Lock", id="08b", last_used="2026-01-05", source=brought),
            document("c.md", "# Lock", id="09c", source={"kind": "session"}),
        ]))  # fmt: skip
        known = {row.id: row.imported for row in filled.find(Filter(known=True))}
        every = {row.id: row.imported for row in filled.find(Filter())}
        assert {**known, "07a": UNUSED} == every
        assert (known["08b"], known["09c"]) == (USED, 0)
        ids = [row.id for row in filled.search("lock", Filter(known=True), 9)]
        assert "07a" not in ids
        assert {"08b", "09c"} <= {*ids}

    def test_find_gives_the_newest_first_and_the_undated_last(self, filled: SearchIndex) -> None:
        early = document("z.md", "# Z", id="00same", created="2026-01-02")
        filled.apply(Batch(documents=[early, document("y.md", "# Y", id="00none")]))
        order = ["01fix", "02insight", "00same", "03preference", "04fix", "05raw", "00none"]
        assert [row.id for row in filled.find(ANY)] == order
        for limit in (0, 1, 3, 99):
            assert [row.id for row in filled.find(ANY, limit)] == order[:limit]

    # -- references ------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("reference", "expected"),
        [
            ("01fix", ["01fix"]),
            ("03pr", ["03preference"]),
            ("03p", []),
            ("Memory/fix/pg-lock.md", ["01fix"]),
            ("pg-lock", ["01fix"]),
            ("raw", ["05raw"]),
            ("fix/pg-lock.md", []),
            ("", []),
            ("%", []),
            ("%%%%", []),
            ("____", []),
            ("0_pr", []),
            ("03p%", []),
            ("03prx", []),
            ("\0\0\0\0", []),
            ("\ud800\ud800\ud800\ud800", []),
            ("'; DROP TABLE entries; --", []),
            ("x" * 100_000, []),
        ],
        ids=lambda value: ascii(value)[:40],
    )
    def test_a_reference_means_an_id_its_beginning_a_place_or_a_slug(
        self, filled: SearchIndex, reference: str, expected: list[str]
    ) -> None:
        assert [row.id for row in filled.lookup(reference)] == expected

    def test_the_beginning_of_several_ids_means_them_all(self, index: SearchIndex) -> None:
        ids = ["01k8aaaa", "01k8aabb", "01k8", "01k9", "01k8\U0010ffff"]
        index.apply(Batch(documents=[document(f"{n}.md", id=id_) for n, id_ in enumerate(ids)]))
        assert {row.id for row in index.lookup("01k8a")} == {"01k8aaaa", "01k8aabb"}

    def test_an_exact_id_or_place_excludes_what_only_begins_so(self, index: SearchIndex) -> None:
        notes = [
            document("a.md", id="abcd"),
            document("b.md", id="abcdef"),
            document("c.md", id="other", slug="abcd"),
            document("abcdefg", id="more"),
        ]
        index.apply(Batch(documents=notes))
        assert [row.id for row in index.lookup("abcd")] == ["abcd"]
        assert [row.id for row in index.lookup("abcdefg")] == ["more"]

    def test_a_slug_and_an_ids_beginning_are_both_meant(self, index: SearchIndex) -> None:
        notes = [document("a.md", id="lock123"), document("b.md", id="other", slug="lock")]
        index.apply(Batch(documents=notes))
        assert {row.id for row in index.lookup("lock")} == {"lock123", "other"}

    # -- links -----------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        "name",
        [
            "small",
            "small.md",
            "preferences/small",
            "SMALL",
            "Small requests",
            "03preference",
            "pr SIZE",
            "tiny ones",
        ],
    )
    def test_a_link_means_an_entry_by_any_of_its_names(
        self, filled: SearchIndex, name: str
    ) -> None:
        assert [row.id for row in filled.resolve([name])] == ["03preference"]
        linking = document("linking.md", f"# L\n\nSee [[{name}]].", id="linking")
        filled.apply(Batch(documents=[linking]))
        (target,) = filled.lookup("03preference")
        assert ("linking", "") in [(r.id, rel) for r, rel in filled.links_to(target)]

    def test_the_first_name_that_any_entry_has_decides(self, filled: SearchIndex) -> None:
        assert [r.id for r in filled.resolve(["nobody", "retries", "small"])] == ["02insight"]
        assert filled.resolve(["nobody", "", "\ud800"]) == []
        assert filled.resolve([]) == []

    def test_a_name_of_several_entries_means_them_all(self, index: SearchIndex) -> None:
        notes = [document("a/x.md", id="two"), document("b/y.md", "# X", id="one")]
        index.apply(Batch(documents=notes))
        assert [row.id for row in index.resolve(["x"])] == ["one", "two"]

    def test_links_from_an_entry_are_as_they_were_written(self, filled: SearchIndex) -> None:
        assert filled.links_from(Locator("Memory/fix/pg-lock.md")) == [
            ("retries", ""),
            ("Small Requests", "elaborates"),
        ]
        assert filled.links_from(Locator("none.md")) == []

    def test_links_to_an_entry_are_found_before_and_after_it_exists(
        self, index: SearchIndex
    ) -> None:
        pointing = document("from.md", "# F\n\n[[Later Note]] [[later-note]]", id="from")
        index.apply(Batch(documents=[pointing]))
        index.apply(Batch(documents=[document("later-note.md", "# Later note", id="later")]))
        (later,) = index.lookup("later")
        assert [(r.id, rel) for r, rel in index.links_to(later)] == [("from", "")]

    def test_each_relation_to_an_entry_is_reported_once(self, index: SearchIndex) -> None:
        links = [{"to": "b", "relation": "supersedes"}, {"to": "B", "relation": "supersedes"}]
        links.append({"to": "b", "relation": "contradicts"})
        notes = [document("a.md", id="a", links=links), document("b.md", id="b")]
        index.apply(Batch(documents=notes))
        (target,) = index.lookup("b")
        found = [(row.id, relation) for row, relation in index.links_to(target)]
        assert found == [("a", "contradicts"), ("a", "supersedes")]

    def test_places_are_told_that_a_relation_leads_from_or_to(self, index: SearchIndex) -> None:
        links = [{"to": "b", "relation": "contradicts"}, {"to": "c", "relation": "elaborates"}]
        notes = [document(f"{name}.md", id=name) for name in "bcd"]
        index.apply(Batch(documents=[document("a.md", id="a", links=links), *notes]))
        places = [Locator(f"{name}.md") for name in "dcbax"]
        assert index.among_related("contradicts", places) == ["b.md", "a.md"]
        assert index.among_related("\ud800", places) == index.among_related("contradicts", []) == []

    # -- problems and copies ---------------------------------------------------------------------

    def test_problems_are_reported_by_place_with_their_line_and_reason(
        self, index: SearchIndex
    ) -> None:
        problems = [
            Problem(Locator("z.md"), "nul", "holds NUL", line=7, stamp="z", settled=False),
            Problem(Locator("a.md"), "yaml", "no \ud800", line=2),
        ]
        index.apply(Batch(problems=problems))
        first, second = index.problems()
        assert (first.locator, first.reason, first.line, first.fatal) == ("a.md", "yaml", 2, True)
        assert (second.locator, second.message, second.stamp) == ("z.md", "holds NUL", "z")
        assert not second.settled
        assert isinstance(second.locator, Locator)
        index.apply(Batch(gone=[Locator("a.md"), Locator("z.md")]))
        assert index.problems() == []

    def test_a_copy_is_left_out_of_everything_but_lookup_and_duplicates(
        self, filled: SearchIndex
    ) -> None:
        copy = document(
            "Memory/fix/pg-lock.sync-conflict-1.md",
            "# Advisory lock lost\n\nBehind the pooler. [[small]]",
            id="01fix",
            kind="fix",
        )
        filled.apply(Batch(documents=[copy]))
        here = NOTES[0].locator
        assert at(filled.search("pooler", ANY, 9)) == [here]
        assert copy.locator not in at(filled.find(ANY))
        assert filled.count(ANY) == filled.status().entries == 5
        assert at(filled.resolve(["advisory lock lost"])) == [here]
        (small,) = filled.lookup("03preference")
        assert at([row for row, _ in filled.links_to(small)]) == [here]
        assert [(r.locator, r.primary) for r in filled.lookup("01fix")] == [
            (here, True),
            (copy.locator, False),
        ]
        assert at(filled.duplicates()) == [copy.locator]
        assert len(list(filled.stamps())) == 6

    def test_the_entry_of_an_id_is_the_file_that_was_recorded_last(
        self, index: SearchIndex
    ) -> None:
        a, b = document("a.md", id="x"), document("longer/b.md", id="x")
        index.apply(Batch(documents=[a, b]))
        assert at(index.duplicates()) == ["longer/b.md"]
        steps = [
            (saved("d1", 1, 10.0, file_change("longer/b.md", "x", "h1")), "a.md"),
            (saved("d2", 1, 20.0, file_change("a.md", "x", "h2")), "longer/b.md"),
            (saved("d1", 2, 15.0, file_change("longer/b.md", "x", "h3")), "longer/b.md"),
            (saved("d1", 3, 30.0, file_change("longer/b.md", "x", "h4")), "a.md"),
            (saved("d1", 4, 40.0, file_change("a.md", "x", None, "h2")), "a.md"),
            (saved("d1", 5, 50.0, file_change("none.md", "x", "h5")), "a.md"),
            (saved("d1", 6, 60.0, file_change("a.md", "y", "h6")), "a.md"),
        ]
        for record, copy in steps:
            index.apply(Batch(records=[record]))
            assert at(index.duplicates()) == [copy], record.change
        index.apply(Batch(documents=[a, b]))
        assert at(index.duplicates()) == ["a.md"]

    def test_without_a_record_the_live_and_then_the_plainer_name_is_the_entry(
        self, index: SearchIndex
    ) -> None:
        names = ["_archive/x.md", "xx/b.md", "xx/a.md", "xx/a (conflict).md"]
        index.apply(Batch(documents=[document(name, id="x") for name in names]))
        for expected in ("xx/a.md", "xx/b.md", "xx/a (conflict).md", "_archive/x.md"):
            assert at(index.find(ANY)) == [expected]
            index.apply(Batch(gone=[Locator(expected)]))
        assert index.find(ANY) == []

    def test_the_last_file_of_an_id_is_its_entry_again(self, index: SearchIndex) -> None:
        index.apply(Batch(documents=[document("a.md", id="x"), document("bb.md", id="x")]))
        index.apply(Batch(documents=[document("a.md", id="y")]))
        assert index.duplicates() == []
        assert {row.id for row in index.find(ANY)} == {"x", "y"}

    # -- the change table ------------------------------------------------------------------------

    def test_a_change_is_told_file_by_file(self, index: SearchIndex) -> None:
        files = [file_change("a.md", "x", "h2", "h1"), file_change("b.md", "y", None, "h3")]
        record = Record(
            "laptop-1", 7, 12.5, "evolve", ["x", "y"], files, agent="bot", trust="agent", undoes="q"
        )
        index.apply(Batch(records=[record]))
        first, second = index.changes()
        assert isinstance(first.locator, Locator)
        assert (first.change, first.at, first.op) == ("laptop-1-7", 12.5, "evolve")
        assert (first.entry, first.locator) == ("x", "a.md")
        assert (first.before_hash, first.after_hash) == ("h1", "h2")
        assert (first.agent, first.trust, first.undoes) == ("bot", "agent", "q")
        assert (second.entry, second.locator, second.after_hash) == ("y", "b.md", None)

    def test_a_record_taken_in_twice_is_there_once(self, index: SearchIndex) -> None:
        record = saved("a", 1, 1.0, file_change("a.md", "x", "h"))
        index.apply(Batch(records=[record, record]))
        index.apply(Batch(records=[record]))
        assert len(index.changes()) == 1

    def test_a_record_whose_payload_was_erased_keeps_only_its_entries(
        self, index: SearchIndex
    ) -> None:
        index.apply(Batch(records=[saved("a", 1, 1.0, file_change("a.md", "x", "h"))]))
        index.apply(Batch(records=[Record("a", 1, 1.0, "save", ["x", "y"], None)]))
        told = [(c.entry, c.locator, c.before_hash, c.after_hash) for c in index.changes()]
        assert told == [("x", None, None, None), ("y", None, None, None)]
        assert not index.knows_bytes(Locator("a.md"), "h")

    def test_changes_are_newest_first_and_filtered_by_what_is_given(
        self, index: SearchIndex
    ) -> None:
        records = [
            saved("a", 1, 10.0, file_change("a.md", "x", "h1")),
            saved("b", 1, 30.0, file_change("a.md", "x", "h2")),
            saved("a", 2, 20.0, file_change("b.md", "y", "h3")),
            saved("b", 10, 40.0, file_change("b.md", "y", "h4")),
            saved("b", 9, 40.0, file_change("c.md", "y", "h5")),
        ]
        index.apply(Batch(records=records))

        def names(found: list[Change]) -> list[str]:
            return [change.change for change in found]

        assert names(index.changes()) == ["b-10", "b-9", "b-1", "a-2", "a-1"]
        assert names(index.changes(limit=2)) == ["b-10", "b-9"]
        assert names(index.changes(limit=0)) == []
        assert names(index.changes(entry="x")) == ["b-1", "a-1"]
        assert names(index.changes(locator=Locator("b.md"))) == ["b-10", "a-2"]
        assert names(index.changes(change="a-2")) == ["a-2"]
        assert names(index.changes(device="a")) == ["a-2", "a-1"]
        assert names(index.changes(op="save", device="a")) == names(index.changes(device="a"))
        assert names(index.changes(op="fold")) == []
        assert names(index.changes(device="b", entry="y", limit=1)) == ["b-10"]
        assert names(index.changes(change="a-" + "9" * 5000)) == []
        assert names(index.changes(entry="%")) == []

    def test_bytes_are_known_where_a_change_left_them(self, index: SearchIndex) -> None:
        index.apply(Batch(records=[saved("a", 1, 1.0, file_change("a.md", "x", "new", "old"))]))
        assert index.knows_bytes(Locator("a.md"), "new")
        assert not index.knows_bytes(Locator("a.md"), "old")
        assert not index.knows_bytes(Locator("b.md"), "new")
        said = [("b.md", "new"), ("a.md", "new"), ("\udcff.md", "x"), ("a.md", "old")]
        files = [(Locator(place), hash_) for place, hash_ in said]
        assert index.unexplained(files) == [files[0], *files[2:]]
        assert index.unexplained([]) == []

    def test_of_a_record_that_moved_into_a_branch_only_the_change_there_is_reported(
        self, index: SearchIndex
    ) -> None:
        files = [file_change(f"{n}.md", f"e{n}", f"h{n}") for n in range(6)]

        def chain(name: str, first: int, last: int = 5) -> Batch:
            records = [saved(name, n, n + 0.5, files[n]) for n in range(first, last + 1)]
            return Batch(records=records, cursors={name: f"{first}-{last}"})

        def names() -> list[str]:
            return [change.change for change in reversed(index.changes())]

        index.apply(chain("a", 1))
        index.apply(chain("a~m", 3, 4))
        assert names() == ["a-1", "a-2", "a~m-3", "a~m-4", "a-5"], "a-5 was met nowhere else"
        index.apply(chain("a~m", 3))
        index.apply(chain("a~n", 5))
        assert names() == ["a-1", "a-2", "a~m-3", "a~m-4", "a~n-5"]
        index.apply(chain("a~m", 3))  # read again before it was cut
        index.apply(chain("b", 3))
        assert names() == ["a-1", "a-2", "a~m-3", "b-3", "a~m-4", "b-4", "a~n-5", "b-5"]

    def test_of_another_record_in_its_place_a_branch_takes_no_change_away(
        self, index: SearchIndex
    ) -> None:
        known = saved("a", 2, 2.0, file_change("a.md", "x", "h"))
        known.attested = True
        index.apply(Batch(records=[known], cursors={"a": "1"}))
        others = [
            saved("a~m", 2, 3.0, file_change("a.md", "x", "h")),
            saved("a~n", 2, 2.0, file_change("a.md", "x", "other")),
            saved("a~o", 2, 2.0, file_change("a.md", "x", "h")),  # which nobody attests
        ]
        for other in others:
            index.apply(Batch(records=[other], cursors={other.device: "1"}))
        assert len(index.changes()) == 4

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_a_conclusion_is_void_once_a_record_explains_the_bytes_in_either_order(
        self, index: SearchIndex, order: Sequence[int]
    ) -> None:
        explaining = saved("a", 1, 1.0, file_change("a.md", "x", "h"))
        concluding = Record("b", 1, 9.0, "external", ["x"], [file_change("a.md", "x", "h", "h")])
        for at in order:
            index.apply(Batch(records=[(explaining, concluding)[at]]))
        assert [change.change for change in index.changes(entry="x")] == ["a-1"]
        assert index.changes(op="external") == []
        assert [change.op for change in index.changes(change="b-1")] == ["cancelled"]
        assert index.mistaken() == [("b-1", 0)]
        index.apply(Batch(records=[Record("b", 2, 9.0, "cancel", [], [], undoes="b-1:0")]))
        assert index.mistaken() == []
        assert [change.op for change in index.changes(change="b-1")] == ["cancelled"]

    @pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (3, 0, 2, 1), (2, 3, 0, 1)])
    def test_a_conclusion_stands_where_bytes_were_only_brought_back_or_vouched_for(
        self, index: SearchIndex, order: Sequence[int]
    ) -> None:
        concluding = Record("b", 1, 9.0, "external", ["x"], [file_change("a.md", "x", "h", "h")])
        records = [
            concluding,
            Record("a", 1, 1.0, "attest", ["x"], [file_change("a.md", "x", "h", "h")]),
            Record("a", 2, 2.0, "forget", ["x"], [file_change("a.md", "x", "gone", "h")]),
            Record("a", 3, 3.0, "restore", ["x"], [file_change("a.md", "x", "h", "gone")]),
        ]
        for at in order:
            index.apply(Batch(records=[records[at]]))
        assert [change.change for change in index.changes(op="external")] == ["b-1"]
        assert index.mistaken() == []

    def test_what_nobody_attests_makes_no_attested_conclusion_void(
        self, index: SearchIndex
    ) -> None:
        files = [file_change("a.md", "x", "h", "h")]
        concluding = Record("b", 1, 9.0, "external", ["x"], files, attested=True)
        explaining = saved("a", 1, 1.0, file_change("a.md", "x", "h"))
        naming = Record("a", 2, 1.0, "cancel", [], [], undoes="b-1:0 b-1 b-: x:y")
        index.apply(Batch(records=[concluding, explaining, naming]))
        assert [change.change for change in index.changes(op="external")] == ["b-1"]

    def test_the_changes_that_erase_are_told_apart(self, index: SearchIndex) -> None:
        assert index.erasures() == []
        index.apply(
            Batch(
                records=[
                    saved("a", 1, 1.0, file_change("a.md", "x", "h")),
                    Record("a", 2, 2.0, "erasing", ["x"], None),
                    Record("a", 3, 3.0, "erase", ["x"], [], undoes="a-1 a-2"),
                    Record("a", 4, 4.0, "erase", ["x"], None, undoes="a-1"),
                ]
            )
        )
        told = [(change.change, change.op, change.undoes) for change in index.erasures()]
        assert told == [("a-4", "erase", "a-1"), ("a-2", "erasing", None)]

    def test_sweeping_leaves_the_index_as_it_is(self, filled: SearchIndex) -> None:
        before = [vars_of(row) for row in filled.find(ANY)]
        filled.rebuild([])
        filled.sweep()
        assert filled.check() is None
        assert filled.find(ANY) == []
        assert before

    # -- several threads -------------------------------------------------------------------------

    def test_one_handle_serves_several_threads(self, filled: SearchIndex) -> None:
        failures: list[BaseException] = []

        def use(n: int) -> None:
            try:
                for turn in range(15):
                    path = f"t{n}-{turn}.md"
                    filled.apply(Batch(documents=[document(path, f"# thread{n}", id=path)]))
                    assert len(filled.search(f"thread{n}", ANY, 99)) == turn + 1
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=use, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert failures == []
        assert filled.count(ANY) == 65


def on_thread(work: Callable[[], int]) -> int:
    """What `work` gives on another thread."""
    answers: list[int] = []
    thread = threading.Thread(target=lambda: answers.append(work()))
    thread.start()
    thread.join(10)
    return answers[0]


def snapshot(index: SearchIndex) -> list[object]:
    """All that can be seen of an index."""
    rows = index.find(ANY)
    return [
        [vars_of(row) for row in rows],
        [vars_of(row) for row in index.duplicates()],
        sorted(index.stamps()),
        index.cursors(),
        index.groups(),
        [vars_of(problem) for problem in index.problems()],
        [vars_of(change) for change in index.changes()],
        [index.links_from(row.locator) for row in rows],
        [(row.id, row.score) for row in index.search("lock requests raw", ANY, 99)],
    ]


def vars_of(thing: Row | Problem | Change) -> list[object]:
    return [getattr(thing, name) for name in vars(type(thing))["__slots__"]]
