"""The contract of `StorageBackend`: what every store promises, one sentence a test.

A backend's own test file is a subclass with its flags and the fixture `open_store`:

    class TestRam(StorageBackendContract):
        persistent = False

        @pytest.fixture
        def open_store(self, tmp_path: Path) -> Opener:
            return open_ram(tmp_path)
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from contracts.backends import Opener
from engrain.model.errors import (
    ConflictError,
    EngrainError,
    ForbiddenPathError,
    MalformedError,
    NotFoundError,
    StorageError,
    VaultUnavailableError,
)
from engrain.model.history.line import GENESIS, is_blank, open_line
from engrain.model.history.record import Record, check_code, check_link, decode_record
from engrain.model.note.note import MAX_NOTE_BYTES, hash_bytes
from engrain.resolution.device import Keys
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from engrain.seam.storage import ChainLink, StorageBackend

LOCK = Locator("Memory/fix/pg-lock.md")
RULE = Locator("preferences/short-answers.md")
ROOT = Locator("MEMORY.md")
AT = 1_769_874_420.25

HOSTILE = [
    "",
    ".",
    "..",
    "/",
    "/etc/passwd",
    "../x",
    "../x.md",
    "a/../../b",
    "a/../b.md",
    "a/./b.md",
    "a//b.md",
    "a/",
    ".engrain/x.md",
    ".engrain/vault.json",
    "Memory/.obsidian/x.md",
    ".hidden.md",
    "con\0.md",
    "line\nend.md",
    "C:\\x.md",
    "..\\x.md",
    "n" * 256,
]

NAMES = [
    "Ünïcødé-é.md",
    "日本語のノート.md",
    "مذكرة.md",
    "🧠 emoji 👩‍👩‍👧.md",
    "no\u00adbreak\u00a0and\u200bhidden.md",
    "with space, (1) & 'quotes' #tag [x].md",
    "-dash.md",
    "~tilde.md",
    "$HOME `id`.md",
    "a.b.c.md",
    "n" * 252 + ".md",
    "é" * 126 + ".md",
]

TEXTS = {
    "empty": b"",
    "crlf": b"---\r\nkind: fix\r\n---\r\nbody\r\n",
    "mixed line ends": b"a\r\nb\nc\rd",
    "byte order mark": b"\xef\xbb\xbf---\nkind: fix\n---\n",
    "no line end at the end": b"body",
    "blank lines": b"\n\n\n",
    "no text at all": b"\xff\xfe\x00\x01\x80",
    "a nul": b"a\0b",
}


def change(*writes: Write, op: str = "save", **rest: Any) -> ChangeSet:
    return ChangeSet(op, writes, at=AT, **rest)


def put(
    store: StorageBackend, locator: Locator, raw: bytes | None, expect: str | None = None
) -> Record:
    """Commit one file for the entry `e1`."""
    return store.commit(change(Write(locator, raw, "e1", expect)))


def content(store: StorageBackend, locator: Locator) -> bytes | None:
    try:
        return store.read(locator).raw
    except NotFoundError:
        return None


def links(store: StorageBackend, device: str, after: str | None = None) -> list[ChainLink]:
    return list(store.chain(device, after))


def assert_sound(store: StorageBackend, device: str, length: int) -> list[Record]:
    """The chain has `length` links, each bound to the one before; they are returned, read."""
    chain = links(store, device)
    prev = GENESIS
    for n, link in enumerate(chain, 1):
        assert b"\n" not in link.line + link.payload
        assert check_link(link.line, link.payload, prev, n) is None
        prev = hash_bytes(link.line)
    assert len(chain) == length
    return [decode_record(link.line, link.payload) for link in chain]


class StorageBackendContract:
    """What every store promises. Flags say where stores may differ."""

    persistent = True
    """Whether a store outlives the process that wrote it."""

    case_sensitive = True
    """Whether names that differ in case only are two names."""

    @pytest.fixture
    def open_store(self) -> Opener:
        """Opens a store of this backend that is not there yet."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, open_store: Opener) -> StorageBackend:
        return open_store("laptop")

    @pytest.fixture(autouse=True)
    def _closed_at_the_end(self, open_store: Opener) -> Iterator[None]:
        yield
        open_store.close()

    @pytest.fixture
    def untouched(self, store: StorageBackend) -> Iterator[None]:
        """Two notes and two changes are there before the test, and nothing else after it."""
        put(store, LOCK, b"lock")
        put(store, RULE, b"rule")
        before = store.heads()
        stamps = {seen.locator: seen.stamp for seen in store.scan()}
        yield
        assert store.heads() == before
        assert {seen.locator: seen.stamp for seen in store.scan()} == stamps
        assert (content(store, LOCK), content(store, RULE)) == (b"lock", b"rule")
        assert len(assert_sound(store, "laptop", 2)) == 2

    # Opening

    def test_a_store_that_is_not_there_is_not_made_unasked(self, open_store: Opener) -> None:
        with pytest.raises(VaultUnavailableError) as caught:
            open_store("laptop", create=False)
        assert caught.value.remedy
        with pytest.raises(VaultUnavailableError):
            list(open_store("laptop", create=False, read_only=True).scan())

    def test_a_store_that_is_there_opens_with_and_without_create(self, open_store: Opener) -> None:
        put(open_store("laptop"), LOCK, b"lock")
        assert content(open_store("laptop", create=True), LOCK) == b"lock"
        assert content(open_store("laptop", create=False), LOCK) == b"lock"

    def test_the_store_has_one_id_on_every_device(self, open_store: Opener) -> None:
        one, other = open_store("laptop"), open_store("desktop")
        assert one.vault
        assert one.vault == other.vault
        assert (one.device, other.device) == ("laptop", "desktop")

    def test_two_stores_share_nothing(self, open_store: Opener) -> None:
        one, other = open_store("laptop"), open_store.other()("laptop")
        put(one, LOCK, b"lock")
        assert content(other, LOCK) is None
        assert other.heads() == {}
        assert other.vault != one.vault
        assert other.key != one.key

    def test_state_about_the_store_is_filed_under_one_key(self, open_store: Opener) -> None:
        first = open_store("laptop")
        assert first.key
        assert Path(first.key).name == first.key
        put(first, LOCK, b"lock")
        assert open_store("laptop", create=False).key == first.key

    def test_a_fresh_store_is_empty(self, store: StorageBackend) -> None:
        assert list(store.scan()) == []
        assert store.heads() == {}
        assert links(store, "laptop") == []

    def test_what_was_written_is_there_after_closing(self, open_store: Opener) -> None:
        first = open_store("laptop")
        put(first, LOCK, b"lock")
        first.close()
        second = open_store("laptop")
        assert content(second, LOCK) == b"lock"
        assert_sound(second, "laptop", 1)
        put(second, RULE, b"rule")
        assert_sound(second, "laptop", 2)

    def test_closing_one_opener_does_not_disturb_another(self, open_store: Opener) -> None:
        one, other = open_store("laptop"), open_store("desktop")
        one.close()
        put(other, LOCK, b"lock")
        assert content(other, LOCK) == b"lock"

    def test_what_commit_returned_survives_the_death_of_the_process(
        self, open_store: Opener
    ) -> None:
        if not self.persistent:
            pytest.skip("this store ends with its process")
        survivor = open_store("laptop")
        script = (
            "import os, signal\n"
            "from contracts.backends import Opener\n"
            "from contracts.storage_backend import LOCK, put\n"
            f"put({open_store!r}('desktop'), LOCK, b'acknowledged')\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        paths = os.pathsep.join(path for path in sys.path if path)
        died = subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": paths}, check=False
        )
        assert died.returncode == -signal.SIGKILL
        assert content(survivor, LOCK) == b"acknowledged"
        assert_sound(survivor, "desktop", 1)

    def test_a_read_only_opener_reads_and_refuses_to_commit(
        self, open_store: Opener, store: StorageBackend, untouched: None
    ) -> None:
        reader = open_store("laptop", create=False, read_only=True)
        assert content(reader, LOCK) == b"lock"
        assert {seen.locator for seen in reader.scan()} == {LOCK, RULE}
        assert reader.probe()
        with pytest.raises(StorageError):
            put(reader, LOCK, b"changed", hash_bytes(b"lock"))

    # Reading

    def test_reading_what_is_not_there_is_not_found(self, store: StorageBackend) -> None:
        with pytest.raises(NotFoundError):
            store.read(LOCK)
        put(store, LOCK, b"lock")
        with pytest.raises(NotFoundError):
            store.read(Locator("Memory/fix/other.md"))
        with pytest.raises(NotFoundError):
            store.read(Locator("no/such/folder/pg-lock.md"))

    def test_a_block_reads_several_places_and_what_is_not_there_ends_it_not(
        self, store: StorageBackend
    ) -> None:
        put(store, LOCK, b"lock")
        put(store, RULE, b"rule")
        with store.reading() as read:
            assert read(LOCK).raw == b"lock"
            with pytest.raises(NotFoundError):
                read(Locator("Memory/fix/other.md"))
            assert [read(one).raw for one in (RULE, LOCK)] == [b"rule", b"lock"]
            put(store, LOCK, b"other", hash_bytes(b"lock"))
            assert read(LOCK).hash == hash_bytes(b"other")

    def test_a_folder_is_no_file_and_a_file_no_folder(self, store: StorageBackend) -> None:
        put(store, LOCK, b"lock")
        for text in ("Memory", "Memory/fix", f"{LOCK}/below.md"):
            with pytest.raises((NotFoundError, ForbiddenPathError)):
                store.read(Locator(text))

    @pytest.mark.parametrize("raw", TEXTS.values(), ids=TEXTS.keys())
    def test_bytes_come_back_as_they_went_in(self, store: StorageBackend, raw: bytes) -> None:
        put(store, LOCK, raw)
        stored = store.read(LOCK)
        assert stored.raw == raw
        assert stored.hash == hash_bytes(raw)
        [record] = assert_sound(store, "laptop", 1)
        assert record.files is not None
        assert record.files[0].after == raw

    def test_notes_up_to_the_limit_are_held_whatever_their_number(
        self, store: StorageBackend
    ) -> None:
        noise = random.Random(1)  # can't be compressed, so each fills its part of the history
        sizes = [400 * 1024, 400 * 1024, MAX_NOTE_BYTES, 1]
        raws = {Locator(f"Memory/fix/n{i}.md"): noise.randbytes(n) for i, n in enumerate(sizes)}
        for locator, raw in raws.items():
            put(store, locator, raw)
        several = [
            Write(locator, raw[::-1], locator, hash_bytes(raw)) for locator, raw in raws.items()
        ]
        store.commit(change(*several))
        put(store, LOCK, b"lock")
        for locator, raw in raws.items():
            assert content(store, locator) == raw[::-1]
        records = assert_sound(store, "laptop", len(raws) + 2)
        assert records[-2].files is not None
        assert [file.after for file in records[-2].files] == [raw[::-1] for raw in raws.values()]
        cursors = [link.cursor for link in links(store, "laptop")]
        for done, cursor in enumerate(cursors, 1):
            assert [link.cursor for link in store.chain("laptop", cursor)] == cursors[done:]
        for n in range(1, len(cursors) + 1):
            assert store.find_change("laptop", n).cursor == cursors[n - 1]

    def test_a_note_over_the_limit_is_never_read(self, store: StorageBackend) -> None:
        def write_and_read() -> None:
            put(store, LOCK, b"x" * (MAX_NOTE_BYTES + 1))
            store.read(LOCK)

        with pytest.raises((MalformedError, StorageError)):
            write_and_read()

    def test_a_stamp_holds_while_nothing_changes_and_differs_after(
        self, store: StorageBackend
    ) -> None:
        put(store, LOCK, b"one")
        first, again = store.read(LOCK), store.read(LOCK)
        assert first.stamp == again.stamp
        assert [seen.stamp for seen in store.scan()] == [first.stamp]
        put(store, RULE, b"another note")
        assert store.read(LOCK).stamp == first.stamp
        put(store, LOCK, b"two", first.hash)
        second = store.read(LOCK)
        assert second.stamp != first.stamp or not first.settled
        assert {seen.locator: seen.stamp for seen in store.scan()}[LOCK] == second.stamp

    # Names

    @pytest.mark.parametrize("text", HOSTILE, ids=ascii)
    def test_a_locator_that_leads_out_is_refused_whoever_made_it(
        self, store: StorageBackend, untouched: None, text: str
    ) -> None:
        hostile = Locator(text)
        with pytest.raises(ForbiddenPathError):
            store.read(hostile)
        for after in (b"planted", None):
            with pytest.raises(ForbiddenPathError):
                put(store, hostile, after)
        changed = Write(LOCK, b"changed", "e1", hash_bytes(b"lock"))
        with pytest.raises(ForbiddenPathError):
            store.commit(change(changed, Write(hostile, b"planted", "e2")))

    @pytest.mark.parametrize("name", NAMES, ids=ascii)
    def test_a_name_comes_back_as_it_went_in(self, store: StorageBackend, name: str) -> None:
        name = unicodedata.normalize("NFC", name)
        locator = Locator(f"Memory/{name}")
        put(store, locator, b"text")
        assert content(store, locator) == b"text"
        assert [seen.locator for seen in store.scan()] == [locator]
        [record] = assert_sound(store, "laptop", 1)
        assert record.files is not None
        assert record.files[0].path == locator
        put(store, locator, None, hash_bytes(b"text"))
        assert list(store.scan()) == []

    def test_names_that_differ_in_case_never_overwrite_each_other(
        self, store: StorageBackend
    ) -> None:
        lower, upper = Locator("Memory/fix/note.md"), Locator("Memory/fix/Note.md")
        put(store, lower, b"lower")
        if self.case_sensitive:
            put(store, upper, b"upper")
            assert content(store, upper) == b"upper"
            assert {seen.locator for seen in store.scan()} == {lower, upper}
        else:
            with pytest.raises(ConflictError):
                put(store, upper, b"upper")
        assert content(store, lower) == b"lower"

    def test_a_place_the_store_cannot_hold_is_refused_or_held_but_never_half_done(
        self, store: StorageBackend
    ) -> None:
        put(store, LOCK, b"lock")
        changes = 1
        for text in (f"{LOCK}/below.md", "/".join(["d" * 250] * 40) + "/deep.md", "Memory"):
            locator = Locator(text)
            before = content(store, RULE)
            hash_ = None if before is None else hash_bytes(before)
            rule = Write(RULE, f"rule {changes}".encode(), "e2", hash_)
            try:
                store.commit(change(rule, Write(locator, b"x", "e1")))
            except EngrainError:
                assert content(store, RULE) == before
            else:
                changes += 1
                assert content(store, locator) == b"x"
            assert content(store, LOCK) == b"lock"
            assert_sound(store, "laptop", changes)
        put(store, ROOT, b"the store still works")
        assert_sound(store, "laptop", changes + 1)

    # Scanning

    def test_a_scan_shows_the_notes_and_nothing_else(self, store: StorageBackend) -> None:
        notes = {
            LOCK,
            RULE,
            ROOT,
            Locator("Memory/_archive/fix/old.md"),
            Locator("a/b/c/d/e.md"),
            Locator("Memory/episodic/2026-01-06/task-001.json"),
            Locator("Memory/_archive/handoffs/handoff-001.json"),
            Locator("projects/billing/_harness/features.json"),
        }
        others = {
            Locator("Memory/episodic/index.json"),
            Locator("Memory/fix/package.json"),
            Locator("projects/billing/package.json"),
            Locator("_index.md"),
            Locator("Memory/_index.md"),
            Locator("Memory/entities/ann/index.json"),
            Locator("Memory/entities/ann/summary.md"),
            Locator("Memory/fix/pg-lock.md.bak"),
            Locator("Memory/fix/md"),
        }
        for locator in notes | others:
            put(store, locator, b"text")
        found = list(store.scan())
        assert {seen.locator for seen in found} == notes
        assert len(found) == len(notes)
        assert all(seen.problem is None and isinstance(seen.locator, Locator) for seen in found)
        for seen in found:
            assert store.read(seen.locator).stamp == seen.stamp
        for locator in others:
            assert content(store, locator) == b"text"

    def test_what_has_another_stamp_than_it_had_is_found(self, store: StorageBackend) -> None:
        put(store, LOCK, b"one")
        put(store, RULE, b"rule")
        stamps: dict[str, str] = {seen.locator: seen.stamp for seen in store.scan()}
        missing = "Memory/fix/none.md"
        assert store.find_changed({**stamps, missing: ""}) == []
        assert store.find_changed({missing: "1:2:3:4"}) == [missing]
        assert store.find_changed({LOCK: ""}) == [LOCK]
        put(store, LOCK, b"two", hash_bytes(b"one"))
        assert store.find_changed(stamps) == [LOCK]

    def test_a_group_by_its_name_is_what_a_scan_shows_of_it(self, store: StorageBackend) -> None:
        put(store, LOCK, b"one")
        for group in store.groups():
            again = store.group(group.name)
            assert {seen.locator for seen in again.seen()} == {
                seen.locator for seen in group.seen()
            }
            assert sorted(again.folders) == sorted(group.folders)

    def test_the_mark_of_a_group_is_another_once_a_file_came(
        self, store: StorageBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("engrain.backends.confined.FINE_NS", -1)
        monkeypatch.setattr("engrain.backends.confined.COARSE_NS", -1)
        put(store, LOCK, b"one")
        before = store.marks([LOCK.folder, "none"])
        if before is None:
            return  # such a store is compared whole
        assert before.keys() == {LOCK.folder}
        assert store.marks([LOCK.folder]) == before
        put(store, Locator(f"{LOCK.folder}/came.md"), b"came")
        after = store.marks([LOCK.folder])
        assert after != before
        assert {group.name: group.mark for group in store.groups()}[LOCK.folder] in (
            after or {}
        ).values()

    def test_what_was_removed_is_no_longer_scanned(self, store: StorageBackend) -> None:
        put(store, LOCK, b"lock")
        put(store, RULE, b"rule")
        put(store, LOCK, None, hash_bytes(b"lock"))
        assert [seen.locator for seen in store.scan()] == [RULE]

    # Committing

    def test_a_note_is_created_replaced_and_removed(self, store: StorageBackend) -> None:
        created = put(store, LOCK, b"one")
        assert content(store, LOCK) == b"one"
        replaced = put(store, LOCK, b"two", hash_bytes(b"one"))
        assert content(store, LOCK) == b"two"
        removed = put(store, LOCK, None, hash_bytes(b"two"))
        assert content(store, LOCK) is None
        again = put(store, LOCK, b"one")
        assert content(store, LOCK) == b"one"
        one, two = hash_bytes(b"one"), hash_bytes(b"two")
        for record, before, after, raw in (
            (created, None, one, b"one"),
            (replaced, one, two, b"two"),
            (removed, two, None, None),
            (again, None, one, b"one"),
        ):
            assert record.files is not None
            [file] = record.files
            assert (file.path, file.entry) == (LOCK, "e1")
            assert (file.before_hash, file.after_hash, file.after) == (before, after, raw)
        assert_sound(store, "laptop", 4)

    def test_the_record_returned_is_the_one_written(self, store: StorageBackend) -> None:
        change_set = ChangeSet(
            "evolve",
            [Write(LOCK, b"new", "e1"), Write(RULE, b"old", "e2"), Write(ROOT, b"map", "e1")],
            at=AT,
            agent="eng-001",
            trust="agent",
            reason='line one\nline "two" \u2028 \N{BRAIN}',
            undoes="desktop-7",
        )
        returned = store.commit(change_set)
        [written] = assert_sound(store, "laptop", 1)
        assert returned == written
        assert (written.device, written.n, written.change) == ("laptop", 1, "laptop-1")
        assert (written.op, written.at) == ("evolve", AT)
        assert (written.agent, written.trust) == ("eng-001", "agent")
        assert (written.reason, written.undoes) == (change_set.reason, "desktop-7")
        assert set(written.entries) == {"e1", "e2"}
        assert written.files is not None
        assert [file.path for file in written.files] == [LOCK, RULE, ROOT]

    def test_without_an_attestor_no_record_bears_a_code(self, store: StorageBackend) -> None:
        put(store, LOCK, b"lock")
        [link] = links(store, "laptop")
        assert open_line(link.line)[1] == ""
        assert not store.bears_codes()

    def test_the_first_change_makes_the_key_and_every_record_bears_its_code(
        self, open_store: Opener, tmp_path: Path
    ) -> None:
        keys = Keys(str(tmp_path / "keys"), os.urandom)
        store = open_store("laptop", attestor=keys)
        if store.capabilities.authenticated:
            pytest.skip("the server knows who writes")
        assert keys.secret(store.vault) is None
        put(store, LOCK, b"lock")
        put(store, LOCK, b"two", hash_bytes(b"lock"))
        holds = partial(keys.holds, store.vault)
        for link in links(store, "laptop"):
            assert check_code(link.line, link.payload, holds, "laptop")
        assert_sound(store, "laptop", 2)

    def test_a_vault_whose_key_is_elsewhere_gets_no_other(
        self, open_store: Opener, tmp_path: Path
    ) -> None:
        ours, theirs = (Keys(str(tmp_path / name), os.urandom) for name in ("ours", "theirs"))
        store = open_store("laptop", attestor=ours)
        put(store, LOCK, b"lock")
        other = open_store("desktop", attestor=theirs)
        put(other, RULE, b"rule")
        [link] = links(other, "desktop")
        assert open_line(link.line)[1] == ""
        assert theirs.secret(other.vault) is None
        assert_sound(other, "desktop", 1)

    def test_a_vault_that_nobody_signed_yet_gets_a_key_late(
        self, open_store: Opener, tmp_path: Path
    ) -> None:
        put(open_store("laptop"), LOCK, b"lock")
        store = open_store("desktop", attestor=Keys(str(tmp_path / "keys"), os.urandom))
        if store.capabilities.authenticated:
            pytest.skip("the server knows who writes")
        put(store, RULE, b"rule")
        assert store.bears_codes()
        assert_sound(store, "laptop", 1)
        assert_sound(store, "desktop", 1)

    def test_another_hash_than_expected_is_a_conflict(
        self, store: StorageBackend, untouched: None
    ) -> None:
        for after in (b"changed", None, b"lock"):
            with pytest.raises(ConflictError) as caught:
                put(store, LOCK, after, hash_bytes(b"stale"))
            assert LOCK in f"{caught.value.message} {caught.value.path}"

    def test_a_file_that_appeared_is_a_conflict(
        self, store: StorageBackend, untouched: None
    ) -> None:
        with pytest.raises(ConflictError):
            put(store, LOCK, b"changed", None)
        with pytest.raises(ConflictError):
            put(store, LOCK, None, None)

    def test_a_file_that_is_gone_is_a_conflict(
        self, store: StorageBackend, untouched: None
    ) -> None:
        for after in (b"changed", None):
            with pytest.raises(ConflictError):
                put(store, ROOT, after, hash_bytes(b"once"))

    def test_a_write_without_an_expectation_never_overwrites(
        self, store: StorageBackend, untouched: None
    ) -> None:
        with pytest.raises(ConflictError):
            store.commit(change(Write(LOCK, b"changed", "e1")))

    @pytest.mark.parametrize("stale", range(3))
    def test_one_stale_expectation_stops_the_whole_change(
        self, store: StorageBackend, untouched: None, stale: int
    ) -> None:
        writes = [
            Write(LOCK, b"changed", "e1", hash_bytes(b"lock")),
            Write(RULE, None, "e2", hash_bytes(b"rule")),
            Write(ROOT, b"x", "e3"),
        ]
        writes[stale].before = hash_bytes(b"stale")
        with pytest.raises(ConflictError):
            store.commit(change(*writes))

    def test_a_conflict_names_the_first_file_that_is_not_as_expected(
        self, store: StorageBackend, untouched: None
    ) -> None:
        stale = hash_bytes(b"stale")
        writes = [
            Write(LOCK, b"x", "e1", hash_bytes(b"lock")),
            Write(RULE, b"x", "e2", stale),
            Write(ROOT, b"x", "e3", stale),
        ]
        with pytest.raises(ConflictError) as caught:
            store.commit(change(*writes))
        told = f"{caught.value.message} {caught.value.path}"
        assert RULE in told
        assert LOCK not in told
        assert ROOT not in told

    def test_a_change_of_several_files_is_done_whole(self, store: StorageBackend) -> None:
        put(store, LOCK, b"lock")
        put(store, RULE, b"rule")
        writes = [
            Write(LOCK, b"new", "e1", hash_bytes(b"lock")),
            Write(RULE, None, "e2", hash_bytes(b"rule")),
            Write(ROOT, b"map", "e3"),
        ]
        store.commit(change(*writes))
        assert [content(store, at) for at in (LOCK, RULE, ROOT)] == [b"new", None, b"map"]
        assert_sound(store, "laptop", 3)

    def test_a_change_of_many_megabytes_is_found_again(self, store: StorageBackend) -> None:
        drawn = random.Random(1)
        places = [Locator(f"Memory/fix/{number}.md") for number in range(40)]
        # Text that does not compress, so that the record itself is as large.
        texts = [drawn.randbytes(200_000).hex().encode() for _ in places]
        writes = [Write(at, text, f"e{at}") for at, text in zip(places, texts, strict=True)]
        made = store.commit(change(*writes))
        put(store, LOCK, b"later")
        link = store.find_change(made.device, made.n)
        found = decode_record(link.line, link.payload).files
        assert found is not None
        assert [file.after for file in found] == texts
        assert_sound(store, "laptop", 2)

    def test_a_note_is_moved_in_one_change(self, store: StorageBackend) -> None:
        put(store, LOCK, b"lock")
        archived = Locator("Memory/_archive/fix/pg-lock.md")
        removed = Write(LOCK, None, "e1", hash_bytes(b"lock"))
        record = store.commit(change(removed, Write(archived, b"lock", "e1")))
        assert list(record.entries) == ["e1"]
        assert [seen.locator for seen in store.scan()] == [archived]

    def test_writing_what_is_there_touches_no_file_and_is_recorded(
        self, store: StorageBackend
    ) -> None:
        put(store, LOCK, b"lock")
        before, head = store.read(LOCK), store.heads()["laptop"]
        record = put(store, LOCK, b"lock", before.hash)
        assert store.read(LOCK).stamp == before.stamp
        assert store.heads()["laptop"] != head
        assert record.files is not None
        [file] = record.files
        assert file.before_hash == file.after_hash == before.hash
        gone = put(store, RULE, None, None)
        assert gone.files is not None
        assert gone.files[0].before_hash is gone.files[0].after_hash is None
        assert content(store, RULE) is None
        assert_sound(store, "laptop", 3)

    def test_a_refused_change_takes_no_number(self, store: StorageBackend) -> None:
        assert put(store, LOCK, b"one").n == 1
        with pytest.raises(ConflictError):
            put(store, LOCK, b"two", hash_bytes(b"stale"))
        assert put(store, LOCK, b"two", hash_bytes(b"one")).n == 2
        assert_sound(store, "laptop", 2)

    # History

    def test_the_head_is_the_cursor_behind_the_newest_change(self, store: StorageBackend) -> None:
        heads = []
        for locator in (LOCK, RULE, ROOT):
            put(store, locator, b"text")
            assert store.heads().keys() == {"laptop"}
            heads.append(store.heads()["laptop"])
        assert heads == [link.cursor for link in links(store, "laptop")]
        assert len(set(heads)) == 3

    def test_a_chain_goes_on_behind_a_cursor(self, store: StorageBackend) -> None:
        for n in range(6):
            put(store, Locator(f"n{n}.md"), b"text")
        whole = links(store, "laptop")
        for done in range(len(whole)):
            rest = links(store, "laptop", whole[done].cursor)
            assert [link.line for link in rest] == [link.line for link in whole[done + 1 :]]
        head = store.heads()["laptop"]
        put(store, LOCK, b"lock")
        [new] = links(store, "laptop", head)
        assert decode_record(new.line, new.payload).n == 7
        assert new.cursor == store.heads()["laptop"]

    @pytest.mark.parametrize(
        "cursor", ["", "nonsense", "7", "-1", "1:999999", "99:0", "1:-5", "\0", "9" * 5000]
    )
    def test_an_unknown_cursor_starts_over(self, store: StorageBackend, cursor: str) -> None:
        put(store, LOCK, b"lock")
        put(store, RULE, b"rule")
        assert [link.line for link in store.chain("laptop", cursor)] == [
            link.line for link in store.chain("laptop")
        ]
        assert_sound(store, "laptop", 2)

    def test_a_cursor_of_a_history_that_was_replaced_starts_over(self, open_store: Opener) -> None:
        lost, restored = open_store("laptop"), open_store.other()("laptop")
        for n in range(5):
            put(lost, Locator(f"n{n}.md"), b"short")
            put(restored, Locator(f"n{n}.md"), random.Random(n).randbytes(700 + n))
        whole = [link.line for link in restored.chain("laptop")]
        for link in lost.chain("laptop"):
            assert [found.line for found in restored.chain("laptop", link.cursor)] == whole

    def test_a_change_is_found_by_device_and_number(self, open_store: Opener) -> None:
        one, other = open_store("laptop"), open_store("desktop")
        put(one, LOCK, b"lock")
        put(one, RULE, b"rule")
        put(other, ROOT, b"map")
        for device, n, path in (("laptop", 1, LOCK), ("laptop", 2, RULE), ("desktop", 1, ROOT)):
            link = one.find_change(device, n)
            record = decode_record(link.line, link.payload)
            assert (record.device, record.n) == (device, n)
            assert record.files is not None
            assert record.files[0].path == path
            assert link.cursor == links(one, device)[n - 1].cursor

    @pytest.mark.parametrize(
        ("device", "n"), [("laptop", 0), ("laptop", -1), ("laptop", 2), ("tablet", 1)]
    )
    def test_a_change_that_never_was_is_not_found(
        self, store: StorageBackend, device: str, n: int
    ) -> None:
        put(store, LOCK, b"lock")
        with pytest.raises(NotFoundError):
            store.find_change(device, n)

    def test_a_device_that_never_wrote_has_no_chain(self, store: StorageBackend) -> None:
        put(store, LOCK, b"lock")
        assert links(store, "tablet") == []
        assert store.heads().keys() == {"laptop"}

    @pytest.mark.parametrize("device", ["", ".", "../laptop", "laptop/../laptop", "/etc", "\0"])
    def test_a_device_name_that_leads_out_leads_nowhere(
        self, store: StorageBackend, device: str
    ) -> None:
        put(store, LOCK, b"lock")
        with pytest.raises((NotFoundError, ForbiddenPathError)):
            store.find_change(device, 1)
        with pytest.raises((NotFoundError, ForbiddenPathError)):
            if not links(store, device):
                raise NotFoundError("no such chain")

    # Several writers

    def test_two_devices_see_each_other_and_keep_chains_of_their_own(
        self, open_store: Opener
    ) -> None:
        one, other = open_store("laptop"), open_store("desktop")
        assert put(one, LOCK, b"one").change == "laptop-1"
        assert put(other, LOCK, b"two", other.read(LOCK).hash).change == "desktop-1"
        with pytest.raises(ConflictError):
            put(one, LOCK, b"late", hash_bytes(b"one"))
        assert put(one, LOCK, b"three", one.read(LOCK).hash).change == "laptop-2"
        for store in (one, other):
            assert content(store, LOCK) == b"three"
            assert store.heads().keys() == {"laptop", "desktop"}
            assert_sound(store, "laptop", 2)
            assert_sound(store, "desktop", 1)
        assert one.heads() == other.heads()

    def test_two_openers_of_one_device_write_one_chain(self, open_store: Opener) -> None:
        openers = [open_store("laptop"), open_store("laptop")]
        for n in range(1, 7):
            assert put(openers[n % 2], Locator(f"n{n}.md"), b"text").n == n
        for store in openers:
            assert_sound(store, "laptop", 6)

    def test_threads_that_count_in_one_note_lose_no_count(self, open_store: Opener) -> None:
        openers = [open_store("laptop"), open_store("desktop")]
        put(openers[0], LOCK, b"0")

        def count(store: StorageBackend) -> None:
            for _ in range(5):
                while True:
                    stored = store.read(LOCK)
                    try:
                        put(store, LOCK, str(int(stored.raw) + 1).encode(), stored.hash)
                        break
                    except ConflictError:
                        continue

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(count, openers * 4))
        assert content(openers[1], LOCK) == b"40"
        assert_sound(openers[0], "laptop", 21)
        assert_sound(openers[0], "desktop", 20)

    # Upkeep

    def test_recovering_a_sound_store_does_nothing(
        self, open_store: Opener, store: StorageBackend, untouched: None
    ) -> None:
        assert store.recover() == []
        assert open_store("laptop").recover() == []
        assert open_store("desktop").recover() == []

    def test_a_store_at_rest_is_not_busy(self, store: StorageBackend) -> None:
        put(store, LOCK, b"body\n")
        assert not store.is_busy()

    def test_probing_a_sound_store_finds_nothing_and_leaves_nothing(
        self, store: StorageBackend, untouched: None
    ) -> None:
        assert store.probe() is None

    def test_the_store_and_what_is_in_it_can_be_described(
        self, open_store: Opener, store: StorageBackend
    ) -> None:
        assert open_store.location.rpartition("/")[2] in store.describe()
        assert LOCK.name in store.describe(LOCK)

    def test_a_store_that_ends_with_its_process_is_not_durable(self, store: StorageBackend) -> None:
        assert store.capabilities.durable <= self.persistent
        assert store.capabilities.shared <= self.persistent

    # Erasing

    def test_an_erased_payload_is_gone_and_the_chain_is_sound(self, store: StorageBackend) -> None:
        put(store, LOCK, b"first")
        put(store, LOCK, b"second", hash_bytes(b"first"))
        put(store, LOCK, b"third", hash_bytes(b"second"))
        assert store.erase(["laptop-1", "laptop-3"]) == ["laptop-1", "laptop-3"]
        records = assert_sound(store, "laptop", 3)
        assert [record.files is None for record in records] == [True, False, True]
        assert [record.entries for record in records] == [("e1",)] * 3
        assert is_blank(store.find_change("laptop", 1).payload)
        assert content(store, LOCK) == b"third"

    def test_erasing_again_finds_nothing_to_do(self, store: StorageBackend) -> None:
        put(store, LOCK, b"first")
        store.erase(["laptop-1"])
        assert store.erase(["laptop-1"]) == []
        assert store.erase([]) == []

    def test_a_device_erases_its_own_changes(self, open_store: Opener) -> None:
        laptop, desktop = open_store("laptop"), open_store("desktop")
        put(laptop, LOCK, b"first")
        erased = desktop.erase(["laptop-1", "desktop-1", "laptop", "laptop-x", "-1", ""])
        # Where the store knows who asks, an operator erases the changes of all devices.
        known = desktop.capabilities.authenticated
        assert erased == (["laptop-1"] if known else [])
        assert ("laptop" in desktop.erasable()) == known
        [record] = assert_sound(laptop, "laptop", 1)
        assert (record.files is None) == known

    def test_readers_behind_an_erased_payload_miss_nothing(self, store: StorageBackend) -> None:
        put(store, LOCK, b"first")
        put(store, LOCK, b"second", hash_bytes(b"first"))
        cursors = [link.cursor for link in links(store, "laptop")]
        store.erase(["laptop-2"])
        put(store, LOCK, b"third", hash_bytes(b"second"))
        for done, cursor in enumerate(cursors, 1):
            behind = [link.line for link in store.chain("laptop", cursor)]
            everything = [link.line for link in links(store, "laptop")]
            assert behind in (everything[done:], everything)

    def test_what_was_erased_stays_so_when_the_store_is_opened_again(
        self, open_store: Opener
    ) -> None:
        first = open_store("laptop")
        put(first, LOCK, b"first")
        first.erase(["laptop-1"])
        first.close()
        second = open_store("laptop")
        assert second.recover() == []
        put(second, LOCK, b"second", hash_bytes(b"first"))
        assert [record.files is None for record in assert_sound(second, "laptop", 2)] == [
            True,
            False,
        ]
