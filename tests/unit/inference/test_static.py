"""Static token vectors."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engrain.inference.static import StaticLink
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import check_vector, pack_unit

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "red", "blue", "##ish"]
ROWS = [[0.0, 0.0], [9.0, 9.0], [9.0, 9.0], [9.0, 9.0], [1.0, 0.0], [0.0, 1.0], [0.0, 3.0]]
ALIKE = pack_unit([1.0, 1.0])


def write_matrix(folder: Path, rows: list[list[float]] = ROWS, kind: str = "F32") -> Path:
    code = {"F32": "f", "F16": "e"}[kind]
    data = b"".join(struct.pack(f"<{len(row)}{code}", *row) for row in rows)
    table = {"dtype": kind, "shape": [len(rows), 2], "data_offsets": [0, len(data)]}
    header = json.dumps({"__metadata__": {"format": "pt"}, "embeddings": table}).encode()
    path = folder / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tiny"
    made.mkdir()
    write_matrix(made)
    (made / "vocab.txt").write_text("\n".join(PIECES) + "\n")
    return made


@pytest.mark.parametrize("kind", ["F32", "F16"])
def test_a_text_is_the_mean_of_its_tokens(folder: Path, kind: str) -> None:
    write_matrix(folder, kind=kind)
    embedder = StaticLink(str(folder), None).open()
    assert embedder.embed(["Red", "red blue", "blue red", "reddish", "redish"]) == [
        pack_unit([1.0, 0.0]),
        pack_unit([1.0, 1.0]),
        pack_unit([1.0, 1.0]),
        ALIKE,
        pack_unit([1.0, 3.0]),
    ]
    assert (embedder.link, embedder.size, embedder.cheap) == ("static", 2, True)


@pytest.mark.parametrize("text", ["", "?", "unheard", "\ud800", "日本", "x" * 1_000_000])
def test_of_a_text_of_which_nothing_is_known_all_dimensions_are_alike(
    folder: Path, text: str
) -> None:
    assert StaticLink(str(folder), None).open().embed([text]) == [ALIKE]


def test_a_long_text_is_read_from_its_beginning(folder: Path) -> None:
    begun = time.monotonic()
    (vector,) = StaticLink(str(folder), None).open().embed(["red " * 600 + "blue " * 300_000])
    assert vector == pack_unit([1.0, 0.0])
    assert time.monotonic() - begun < 1


def test_the_model_is_named_by_its_content(folder: Path) -> None:
    first = StaticLink(str(folder), None).open().model
    assert StaticLink(str(folder), None).open().model == first
    write_matrix(folder, [*ROWS[:-1], [0.0, 2.0]])
    second = StaticLink(str(folder), None).open().model
    assert first.startswith("tiny@")
    assert first != second


def test_a_tokenizer_in_json_does_as_well(folder: Path) -> None:
    (folder / "vocab.txt").unlink()
    described = {
        "normalizer": {"type": "BertNormalizer", "lowercase": True, "strip_accents": None},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "vocab": {p: at for at, p in enumerate(PIECES)}},
    }
    (folder / "tokenizer.json").write_text(json.dumps(described))
    assert StaticLink(str(folder), None).open().embed(["Red"]) == [pack_unit([1.0, 0.0])]


@pytest.mark.parametrize("text", ["", "{}", "[]", "not json", '{"model": {"type": "BPE"}}', "\xff"])
def test_a_tokenizer_that_is_none_is_refused(folder: Path, text: str) -> None:
    (folder / "vocab.txt").unlink()
    (folder / "tokenizer.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(EmbeddingError):
        StaticLink(str(folder), None).open()


def test_a_vocabulary_that_is_not_the_matrix_s_is_refused(folder: Path) -> None:
    write_matrix(folder, ROWS[:5])
    with pytest.raises(EmbeddingError, match="do not belong together"):
        StaticLink(str(folder), None).open().embed(["blue"])


def test_a_file_cut_short_is_refused(folder: Path) -> None:
    path = write_matrix(folder)
    whole = path.read_bytes()
    for kept in (0, 4, 20, len(whole) - 1):
        path.write_bytes(whole[:kept])
        with pytest.raises(EmbeddingError):
            StaticLink(str(folder), None).open()


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"{}",
        b'{"a": 1}',
        b'{"a": {"dtype": "I8", "shape": [1, 1], "data_offsets": [0, 1]}}',
        b'{"a": {"dtype": "F32", "shape": [1, -1], "data_offsets": [0, 1]}}',
        b'{"a": {"dtype": "F32", "shape": [1, "x"], "data_offsets": [0, 1]}}',
        b'{"a": {"dtype": "F32", "shape": [1, 1], "data_offsets": [-9, 1]}}',
        b'{"a": {"dtype": "F32", "shape": [1, 1]}}',
        b"\xff\xfe",
    ],
)
def test_a_file_with_another_header_is_refused(folder: Path, header: bytes) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(64))
    with pytest.raises(EmbeddingError, match="token vectors"):
        StaticLink(str(folder), None).open()


@pytest.mark.parametrize("gone", ["model.safetensors", "vocab.txt"])
def test_what_is_not_there_is_told(folder: Path, gone: str) -> None:
    (folder / gone).unlink()
    link = StaticLink(str(folder), None)
    assert gone in (link.missing() or "")
    with pytest.raises(EmbeddingError, match=gone):
        link.open()


def test_a_query_in_a_cold_process_loads_no_array_library(folder: Path) -> None:
    program = (
        f"import sys; sys.path[:0] = {sys.path!r};"
        "from engrain.inference.static import StaticLink;"
        "StaticLink(sys.argv[1], None).open().embed(['red']);"
        "print([m for m in ('numpy',) if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(folder)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "[]\n"


def test_a_deadline_that_is_past_is_told(folder: Path) -> None:
    embedder = StaticLink(str(folder), None).open()
    with pytest.raises(EmbeddingError, match="over"):
        embedder.embed(["red"], deadline=time.monotonic() - 1)
    assert embedder.embed(["red"], deadline=time.monotonic() + 60) == [pack_unit([1.0, 0.0])]


def test_vectors_are_whole(folder: Path) -> None:
    for vector in StaticLink(str(folder), None).open().embed(["red blue redish"]):
        check_vector(vector, 2)
