"""The record that names conclusions which are void, and how it reads to any version."""

from __future__ import annotations

from engrain.model.history.cancelling import CANCEL, read_cancelled, write_cancelled
from engrain.model.history.record import GENESIS, Record, check_link, decode_record, encode_record


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
