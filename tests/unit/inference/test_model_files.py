"""The files of a model's folder: its tokenizer, and the checksum of its weights."""

from __future__ import annotations

import json
import os
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from engrain.inference.model_files import checksum, read_tokenizer
from engrain.model.errors import EmbeddingError

MARKED = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "</s>", "type_id": 0}},
    ],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {
        "<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]},
        "</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]},
    },
}
FOREIGN: dict[str, object] = {
    "version": "1.0",
    "truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0},
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": MARKED,
    "decoder": None,
    "model": {
        "type": "WordLevel",
        "vocab": {"<s>": 0, "</s>": 1, "[UNK]": 2, "Red": 3, "blue": 4},
        "unk_token": "[UNK]",
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tokenizer.json").write_text(json.dumps(FOREIGN))
    return tmp_path


def test_a_tokenizer_of_another_kind_is_left_to_the_library(folder: Path) -> None:
    pytest.importorskip("tokenizers")
    tokenizer = read_tokenizer(str(folder))
    assert tokenizer.unknown == 2
    assert tokenizer.encode("Red red blue Red", 99) == [3, 2, 4, 3]
    assert tokenizer.encode("Red red blue Red", 2) == [3, 2]
    assert tokenizer.encode_marked("Red blue", 99) == [0, 3, 4, 1]
    assert tokenizer.encode_marked("Red blue blue", 3) == [0, 3, 1]


def test_what_the_library_can_not_read_is_refused(folder: Path) -> None:
    pytest.importorskip("tokenizers")
    (folder / "tokenizer.json").write_text(json.dumps({**FOREIGN, "model": {"type": "?"}}))
    with pytest.raises(EmbeddingError, match="can't read the tokenizer"):
        read_tokenizer(str(folder))


def test_without_the_library_it_is_told_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(EmbeddingError, match="no uncased WordPiece") as caught:
        read_tokenizer(str(folder))
    assert caught.value.remedy == "install the package tokenizers"


def test_a_vocabulary_comes_first(folder: Path) -> None:
    (folder / "vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\nred\n")
    assert read_tokenizer(str(folder)).encode("Red", 9) == [3]


def test_a_checksum_is_remembered_until_the_file_changes(tmp_path: Path) -> None:
    path, stamps = tmp_path / "model", tmp_path / "stamps"
    path.write_bytes(b"one")
    assert checksum(str(path), str(stamps)) == sha256(b"one").hexdigest()
    (stamp,) = stamps.iterdir()
    stamp.write_text(stamp.read_text().split("\n")[0] + "\nremembered\n")
    assert checksum(str(path), str(stamps)) == "remembered"
    os.utime(path, ns=(0, 5))
    assert checksum(str(path), str(stamps)) == sha256(b"one").hexdigest()
    path.write_bytes(b"two, longer")
    assert checksum(str(path), str(stamps)) == sha256(b"two, longer").hexdigest()


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


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="can't read the model"):
        checksum(str(tmp_path / "none"), None)
    with pytest.raises(EmbeddingError, match="can't read the model"):
        checksum(str(tmp_path), None)
