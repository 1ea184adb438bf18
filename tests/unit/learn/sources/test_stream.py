"""A file's bytes as a stream: encodings and lines."""

from __future__ import annotations

import codecs
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.learn.sources.stream import LONGEST_LINE, MOST_TURNS, Stream, bound_times, cut
from engrain.model.errors import MalformedError
from engrain.model.facts.fact import Conversation, Turn
from support.sources import pieces

TEXT = "Käthe wohnt in Zürich.\nBob lebt “dort”.\n"


def texts(raw: bytes, size: int = 7) -> tuple[list[str], Stream]:
    stream = Stream(pieces(raw, size), "a.txt")
    return list(stream.texts()), stream


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_text_is_read_in_pieces_of_any_size(encoding: str, size: int) -> None:
    assert texts(TEXT.encode(encoding), size)[0] == TEXT.splitlines()


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "latin-1"])
def test_text_of_another_encoding_is_refused_with_what_to_do(encoding: str) -> None:
    with pytest.raises(MalformedError, match="not UTF-8") as caught:
        texts(TEXT.replace("“dort”", "dort").encode(encoding))
    assert caught.value.remedy == "save it as UTF-8 text"


@pytest.mark.parametrize(
    "raw", [b"PK\x03\x04\x00\x00rest", b"\x89PNG\r\n\x1a\n\x00", "ab".encode("utf-16-le") * 9]
)
def test_a_binary_file_is_refused_with_what_to_do(raw: bytes) -> None:
    with pytest.raises(MalformedError, match="binary") as caught:
        texts(raw)
    assert caught.value.remedy == "save it as UTF-8 text"


def test_lines_end_as_any_system_ends_them() -> None:
    assert texts(b"a\r\nb\rc\nd")[0] == ["a", "b", "c", "d"]


@given(st.binary().filter(lambda raw: b"\r" not in raw), st.integers(1, 9))
def test_lines_are_those_of_the_file_however_it_comes(raw: bytes, size: int) -> None:
    text = b"text " * 40 + raw.replace(b"\0", b"")  # mostly text
    stream = Stream(pieces(text, size), "a.txt")
    try:
        found = list(stream.lines())
    except MalformedError:
        return
    assert b"".join(line or b"" for line in found) == text
    whole = text.rpartition(b"\n")
    assert stream.offset == len(whole[0] + whole[1])


def test_a_line_that_is_too_long_is_passed_over_and_the_next_is_read() -> None:
    raw = b"a\n" + b"x" * (LONGEST_LINE + 5) + b"\nb\n"
    stream = Stream(pieces(raw, 1 << 20), "a.txt")
    assert list(stream.lines()) == [b"a\n", None, b"b\n"]
    assert stream.offset == len(raw)


def test_a_half_written_last_record_is_left_for_the_next_run() -> None:
    stream = Stream(pieces(b'{"a": 1}\n{"b": '), "a.jsonl")
    assert list(stream.records()) == [b'{"a": 1}\n']
    assert stream.offset == len(b'{"a": 1}\n')
    assert stream.passed["unfinished"] == 1


def test_a_last_record_without_an_end_that_is_whole_is_read() -> None:
    stream = Stream(pieces(b'{"a": 1}\n{"b": 2}'), "a.jsonl")
    assert list(stream.records()) == [b'{"a": 1}\n', b'{"b": 2}']
    assert stream.offset == 17


def test_half_a_character_at_the_end_does_not_change_the_encoding() -> None:
    raw = '{"a": "ä"}\n{"b": "ä'.encode()
    stream = Stream(pieces(raw[:-1]), "a.jsonl")
    assert list(stream.records()) == ['{"a": "ä"}\n'.encode()]
    assert stream.offset == len('{"a": "ä"}\n'.encode())


def test_an_offset_counts_the_mark_of_the_encoding() -> None:
    stream = Stream(pieces(codecs.BOM_UTF8 + b"{}\n"), "a.jsonl")
    assert list(stream.records()) == [b"{}\n"]
    assert stream.offset == 6


def test_half_a_character_at_the_end_of_a_text_is_one_sign() -> None:
    assert texts("Zürich\nKä".encode()[:-1])[0] == ["Zürich", "K\ufffd"]


def test_the_head_is_read_again() -> None:
    stream = Stream(pieces(b"one\ntwo\n"), "a.txt")
    assert stream.head(2).startswith(b"one")
    assert list(stream.texts()) == ["one", "two"]


def test_an_empty_file_has_no_lines() -> None:
    assert texts(b"")[0] == []


DAY = 86_400.0
LATEST = 1000 * DAY


def bounded(*times: float | None) -> tuple[list[float | None], Counter[str]]:
    passed: Counter[str] = Counter()
    turns = [Turn("", "other", "Text.", at) for at in times]
    return [turn.at for turn in bound_times(iter(turns), LATEST, passed)], passed


@pytest.mark.parametrize(
    ("times", "told", "counted"),
    [
        ((5.0, 6.0, 7.0), (5.0, 6.0, 7.0), {}),
        ((5.0, LATEST + 9, 7.0), (5.0, 5.0, 7.0), {"future": 1}),
        ((LATEST + 9, 7.0), (LATEST, 7.0), {"future": 1}),
        ((9.0, 5.0, 8.0), (9.0, 9.0, 9.0), {"disordered": 2}),
        ((9 * DAY, 2 * DAY, 3 * DAY), (9 * DAY, 2 * DAY, 3 * DAY), {}),
        ((9 * DAY, 8 * DAY, 7 * DAY), (9 * DAY, 8 * DAY, 7 * DAY), {}),
        ((9.0, None, 8.0), (9.0, None, 9.0), {"disordered": 1}),
    ],
)
def test_times_are_bounded_and_what_was_changed_is_counted(
    times: tuple[float | None, ...], told: tuple[float | None, ...], counted: dict[str, int]
) -> None:
    found, passed = bounded(*times)
    assert tuple(found) == told
    assert passed == counted


def test_one_conversation_says_nothing_of_the_times_of_the_next() -> None:
    items: list[Conversation | Turn] = [
        Conversation("a", "conversation", (), 9.0),
        Turn("", "other", "Text.", 9.0),
        Conversation("b", "conversation", (), 5.0),
        Turn("", "other", "Text.", 5.0),
    ]
    assert [item.at for item in bound_times(iter(items), LATEST, Counter())] == [9.0, 9.0, 5.0, 5.0]


def test_a_long_conversation_comes_in_pieces_under_one_name() -> None:
    items = [Conversation("a", "conversation", (), 9.0, "/x")]
    turns = [Turn("", "other", str(number)) for number in range(2 * MOST_TURNS + 1)]
    found = list(cut([*items, *turns]))
    assert [(one.ref, one.at, one.cwd) for one in found] == [("a", 9.0, "/x")] * 3
    assert [len(list(one.turns)) for one in found] == [MOST_TURNS, MOST_TURNS, 1]
    assert [turn for one in found for turn in one.turns] == turns


def test_long_turns_are_cut_and_split_the_conversation() -> None:
    turns = [Turn("", "other", "x" * 300_000) for _ in range(4)]
    found = list(cut([Conversation("a", "conversation", ()), *turns]))
    assert len(found) > 1
    assert all(len(turn.text) <= 200_001 for one in found for turn in one.turns)


def test_a_conversation_without_turns_does_not_come() -> None:
    begun = [Conversation(ref, "conversation", ()) for ref in "abc"]
    turn = Turn("", "other", "Text.")
    assert [one.ref for one in cut([begun[0], begun[1], turn, begun[2]])] == ["b"]
