"""WordPiece in plain Python."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.inference.embedders import readable
from engrain.inference.local import VOCABULARY
from engrain.inference.model_files import WordPiece, read_vocabulary
from engrain.model.errors import EmbeddingError

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


def test_the_ids_are_those_of_the_tokenizers_library() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.BertWordPieceTokenizer(VOCABULARY, lowercase=True)
    chance = random.Random(1)
    alphabet = [
        *map(chr, range(1, 0x250)),
        *"Σİ中文한글あア😀\u200d\u200b\u3000عрक–“€ſﬁ\x85\u2028ß",
    ]
    texts = [
        "".join(chance.choice(alphabet) + " " * (chance.random() < 0.2) for _ in range(30))
        for _ in range(2000)
    ]
    for text in [*texts, "Caroline went to the LGBTQ+ support-group, didn't she? (7 May 2023)"]:
        expected = theirs.encode(text, add_special_tokens=False).ids
        assert MINILM.encode(text, 10**6) == expected, repr(text)
