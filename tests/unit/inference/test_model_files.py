"""The files of a model's folder: its tokenizer, the checksum of its weights, and WordPiece."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.inference.embedders import readable
from engrain.inference.local import VOCABULARY
from engrain.inference.model_files import WordPiece, checksum, read_vocabulary
from engrain.model.errors import EmbeddingError


def test_a_checksum_is_remembered_until_the_file_changes(tmp_path: Path) -> None:
    path, stamps = tmp_path / "model", tmp_path / "stamps"
    path.write_bytes(b"one")
    assert checksum(str(path), str(stamps)) == sha256(b"one").hexdigest()
    (stamp,) = stamps.iterdir()
    head = stamp.read_text().split("\n")[0]
    stamp.write_text(f"{head}\nremembered\n{crc32(f'{head} remembered'.encode()):08x}\n")
    assert checksum(str(path), str(stamps)) == "remembered"
    os.utime(path, ns=(0, 5))
    assert checksum(str(path), str(stamps)) == sha256(b"one").hexdigest()
    path.write_bytes(b"two, longer")
    assert checksum(str(path), str(stamps)) == sha256(b"two, longer").hexdigest()


def test_a_flipped_bit_of_a_stamp_is_noticed(tmp_path: Path) -> None:
    path, stamps = tmp_path / "model", tmp_path / "stamps"
    path.write_bytes(b"one")
    found = checksum(str(path), str(stamps))
    (stamp,) = stamps.iterdir()
    raw = stamp.read_bytes()
    for at in range(len(raw)):
        stamp.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        assert checksum(str(path), str(stamps)) == found


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"half a line", b"a\nb\nc\nd\n"])
def test_a_damaged_stamp_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    path, stamps = tmp_path / "model", tmp_path / "stamps"
    path.write_bytes(b"one")
    checksum(str(path), str(stamps))
    (stamp,) = stamps.iterdir()
    stamp.write_bytes(damage)
    assert checksum(str(path), str(stamps)) == sha256(b"one").hexdigest()


def test_where_nothing_can_be_remembered_it_is_hashed_again(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"one")
    in_the_way = tmp_path / "stamps"
    in_the_way.write_text("a file")
    for stamps in (None, str(in_the_way)):
        assert checksum(str(path), stamps) == sha256(b"one").hexdigest()


def test_a_file_that_can_not_be_read_is_reported(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="can't read the model"):
        checksum(str(tmp_path / "none"), None)
    with pytest.raises(EmbeddingError, match="can't read the model"):
        checksum(str(tmp_path), None)


MINILM = read_vocabulary(VOCABULARY)
PIECES = ["[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "!", "a", "##b", "中", "σ", "##σ"]
TINY = WordPiece({piece: number for number, piece in enumerate(PIECES)})


def pieces(text: str, limit: int = 99) -> list[str]:
    return [PIECES[number] for number in TINY.encode(text, limit)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("unaffable", ["un", "##aff", "##able"]),
        ("UNAFF!a", ["un", "##aff", "!", "a"]),
        ("unaffx", ["[UNK]"]),
        ("a\tb\u00a0a", ["a", "[UNK]", "a"]),
        ("áb \u0061\u0301b", ["a", "##b", "a", "##b"]),
        ("a中a", ["a", "中", "a"]),
        ("ΣΣ", ["σ", "##σ"]),
        ("a\u200bb\x00\ufffd", ["a", "##b"]),
        ("a" * 101, ["[UNK]"]),
        ("a“a", ["a", "[UNK]", "a"]),
    ],
)
def test_words_are_taken_apart_into_their_longest_pieces(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_the_markers_count_within_the_limit() -> None:
    assert TINY.encode_marked("a a a", 4) == [1, 7, 7, 2]
    assert TINY.encode_marked("", 4) == [1, 2]
    assert pieces("a a a", 2) == ["a", "a"]


@pytest.mark.parametrize("lacking", ["[UNK]", "[CLS]", "[SEP]"])
def test_a_vocabulary_without_a_marker_is_refused(lacking: str) -> None:
    with pytest.raises(EmbeddingError, match="vocabulary"):
        WordPiece({piece: at for at, piece in enumerate(PIECES) if piece != lacking})


@given(st.text())
def test_any_text_has_pieces_within_the_limit(text: str) -> None:
    ids = MINILM.encode(readable(text), 16)
    assert len(ids) <= 16
    assert all(0 <= number < 30522 for number in ids)
