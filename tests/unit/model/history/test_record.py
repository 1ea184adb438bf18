"""History records: two lines bound by hashes, read back with care (DESIGN section 7)."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any
from zlib import compress

import pytest

from engrain.model.errors import HistoryError
from engrain.model.history.line import BLANK, GENESIS, count_together, split_change
from engrain.model.history.record import (
    CANCEL,
    FileChange,
    Record,
    check_link,
    decode_record,
    encode_record,
    read_cancelled,
    write_cancelled,
)
from engrain.model.note.note import MAX_NOTE_BYTES, hash_bytes

RAW = b"---\nid: 01k8\n---\n# T\xc3\xadtulo\n"


def a_record(**said: Any) -> Record:
    made = FileChange("Memory/fix/título.md", "01k8", None, hash_bytes(RAW), RAW)
    gone = FileChange("Memory/fix/old.md", "01k7", hash_bytes(b"x"), None, None)
    return Record("dev1", 7, 1769874420.5, "evolve", ["01k8", "01k7"], [made, gone], **said)


def test_a_record_comes_back_as_it_was_written() -> None:
    given = a_record(reason="weil – 説明", agent="eng-001", trust="operator", undoes="dev2-3")
    record = decode_record(*encode_record(given, GENESIS, "salt"))
    assert record == given


@pytest.mark.parametrize("part_of", [None, "dev1-3"])
def test_a_record_says_of_which_operation_it_is_a_part_if_of_any(part_of: str | None) -> None:
    line, payload = encode_record(a_record(part_of=part_of), GENESIS, "salt")
    assert (b"part_of" in line) is (part_of is not None)
    assert decode_record(line, payload).part_of == part_of


def test_a_record_is_two_lines_and_the_first_tells_no_path_reason_or_text() -> None:
    line, payload = encode_record(a_record(reason="secret cause"), GENESIS, "salt")
    assert b"\n" not in line + payload
    assert b"secret" not in line
    assert b"Memory" not in line
    assert json.loads(line)["payload"] == hash_bytes(payload)


def test_the_salt_hides_which_text_an_erased_payload_held() -> None:
    lines = [encode_record(a_record(), GENESIS, salt)[0] for salt in ("one", "two")]
    assert json.loads(lines[0])["payload"] != json.loads(lines[1])["payload"]


@pytest.mark.parametrize("payload", [None, BLANK])
def test_a_record_without_its_payload_knows_no_files(payload: bytes | None) -> None:
    line, _ = encode_record(a_record(reason="why"), GENESIS, "salt")
    record = decode_record(line, payload)
    assert record.files is None
    assert record.reason == ""
    assert record.entries == ("01k8", "01k7")


def test_the_bytes_can_be_left_packed() -> None:
    record = decode_record(*encode_record(a_record(), GENESIS, "salt"), with_bytes=False)
    assert record.files is not None
    assert [file.after for file in record.files] == [None, None]
    assert record.files[0].after_hash == hash_bytes(RAW)


def test_a_record_of_no_files_is_not_one_whose_files_are_unknown() -> None:
    empty = Record("dev1", 1, 0.0, "note", [], [])
    assert decode_record(*encode_record(empty, GENESIS, "s")).files == ()


def test_an_argument_that_was_not_utf_8_can_be_recorded() -> None:
    line, payload = encode_record(a_record(reason="caf\udce9", agent="\ud800"), GENESIS, "s")
    record = decode_record(line, payload)
    assert (record.reason, record.agent) == ("caf\udce9", "\ud800")
    assert (line + payload).decode()


@pytest.mark.parametrize("size", [0, 1, MAX_NOTE_BYTES])
def test_a_file_of_any_size_that_a_note_may_have_comes_back(size: int) -> None:
    raw = b"x" * size
    record = Record("d", 1, 0.0, "save", ["e"], [FileChange("p", "e", None, "h", raw)])
    files = decode_record(*encode_record(record, GENESIS, "s")).files
    assert files is not None
    assert files[0].after == raw


def test_the_name_of_a_change_is_taken_apart() -> None:
    assert a_record().change == "dev1-7"
    assert split_change("dev1-7") == ("dev1", 7)
    assert split_change("a-b-12") == ("a-b", 12)


@pytest.mark.parametrize(
    "name", ["", "7", "-7", "dev1", "dev1-", "dev1-x", "dev1-७", "dev1-1.5", "d-" + "9" * 5000]
)
def test_what_is_no_name_of_a_change_is_none(name: str) -> None:
    assert split_change(name) is None


LINE, PAYLOAD = encode_record(a_record(), GENESIS, "salt")


def changed(raw: bytes, **values: object) -> bytes:
    return json.dumps({**json.loads(raw), **values}).encode()


def with_file(**values: object) -> bytes:
    content = json.loads(PAYLOAD)
    content["files"][0].update(values)
    return json.dumps(content).encode()


def packed(raw: bytes) -> str:
    return b64encode(raw).decode()


@pytest.mark.parametrize(
    "line",
    [
        b"", b"not json", b"[]", b"7", b"null", b"{}", b"\xff\xfe\x00", LINE[:-1], b"[" * 100_000,
        changed(LINE, n="7"), changed(LINE, n=None), changed(LINE, at="soon"),
        changed(LINE, at=1e300), changed(LINE, at=float("nan")), changed(LINE, at=float("inf")),
        changed(LINE, device=5), changed(LINE, op=[]), changed(LINE, entries="01k8"),
        changed(LINE, entries=[1]), changed(LINE, undoes=3), changed(LINE, agent=None),
        b'{"n":' + b"9" * 5000 + b"}",
    ],
)  # fmt: skip
def test_a_line_that_is_no_record_is_reported_as_such(line: bytes) -> None:
    with pytest.raises(HistoryError):
        decode_record(line, PAYLOAD)


@pytest.mark.parametrize(
    "payload",
    [
        b"", b"{ }", b"[]", b"null", PAYLOAD[:-1], b"{" * 100_000,
        changed(PAYLOAD, files=None), changed(PAYLOAD, files=["x"]),
        changed(PAYLOAD, files={"a": 1}),
        changed(PAYLOAD, reason=7), with_file(path=None), with_file(entry=4), with_file(after=[]),
        with_file(bytes=5), with_file(bytes="?"), with_file(bytes=packed(b"not zlib")),
        with_file(bytes=packed(compress(RAW)[:-5])), with_file(bytes=packed(b"")),
        with_file(bytes=packed(compress(b"x" * (MAX_NOTE_BYTES + 1)))),
        with_file(bytes=packed(compress(b"\0" * 50_000_000))),
    ],
)  # fmt: skip
def test_a_payload_that_is_none_is_reported_as_such(payload: bytes) -> None:
    with pytest.raises(HistoryError):
        decode_record(LINE, payload)


def test_a_record_follows_the_line_before_it() -> None:
    assert check_link(LINE, PAYLOAD, GENESIS, 7) is None
    after, payload = encode_record(Record("dev1", 8, 0.0, "save", [], []), hash_bytes(LINE), "s")
    assert check_link(after, payload, hash_bytes(LINE), 8) is None
    assert check_link(after, payload, GENESIS, 8)


def test_a_blanked_payload_keeps_the_chain_sound() -> None:
    assert check_link(LINE, BLANK, GENESIS, 7) is None


@pytest.mark.parametrize(
    ("line", "payload", "prev", "n", "word"),
    [
        (LINE, PAYLOAD, GENESIS, 8, "missing"),
        (LINE, PAYLOAD, "1" * 64, 7, "follow"),
        (LINE, PAYLOAD + b" ", GENESIS, 7, "payload"),
        (LINE, b"", GENESIS, 7, "payload"),
        (LINE, b"{ }", GENESIS, 7, "payload"),
        (b"{", PAYLOAD, GENESIS, 7, "JSON"),
        (b"[" * 100_000, PAYLOAD, GENESIS, 7, "JSON"),
        (b"\xff", PAYLOAD, GENESIS, 7, "JSON"),
        (b"[7]", PAYLOAD, GENESIS, 7, "missing"),
        (changed(LINE, payload=None), PAYLOAD, GENESIS, 7, "payload"),
    ],
)
def test_what_breaks_the_chain_is_named(
    line: bytes, payload: bytes, prev: str, n: int, word: str
) -> None:
    assert word in (check_link(line, payload, prev, n) or "")


def test_conclusions_are_named_by_change_and_places_and_read_back() -> None:
    conclusions = [("7q2mz4ke-12", 3), ("7q2mz4ke-12", 0), ("1nwsxehw-7", 0)]
    named = write_cancelled(conclusions)
    assert named == "7q2mz4ke-12:0,3 1nwsxehw-7:0"
    assert sorted(read_cancelled(named)) == sorted(conclusions)


def test_words_that_name_no_conclusion_are_passed_over() -> None:
    assert list(read_cancelled(None)) == []
    hostile = f"x a-1 a-1: a-1:x a-1:-1 a-1:{'9' * 5000} a-{'9' * 5000}:1 :0 a-2:1"
    assert list(read_cancelled(hostile)) == [("a-2", 1)]


def test_a_version_that_does_not_know_the_operation_reads_a_record_without_files() -> None:
    record = Record("a", 1, 1.0, CANCEL, [], [], undoes="b-1:0")
    line, payload = encode_record(record, GENESIS, "salt")
    assert check_link(line, payload, GENESIS, 1) is None
    read = decode_record(line, payload)
    assert (read.op, read.files, read.entries, read.undoes) == ("cancel", (), (), "b-1:0")


@pytest.mark.parametrize(
    ("n", "together", "counted"),
    [(3, 2, 2), (3, 3, 0), (1, 1, 0), (99, 31, 31), (99, 32, 0), (99, -1, 0), (99, True, 0)],
)
def test_no_more_count_as_flushed_together_than_can_have_been(
    n: int, together: int, counted: int
) -> None:
    assert count_together(b'{"n":%d,"together":%b}' % (n, json.dumps(together).encode())) == counted
