"""The hash that stands in for a model."""

from __future__ import annotations

import time
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.inference.embedders import StubLink
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import check_vector, dot

EMBEDDER = StubLink().open()


def test_it_is_always_there_and_cheap() -> None:
    assert StubLink().missing() is None
    assert (EMBEDDER.link, EMBEDDER.model, EMBEDDER.size, EMBEDDER.cheap) == (
        "stub", "engrain-stub-1", 256, True,
    )  # fmt: skip


@given(st.text())
def test_any_text_has_a_vector(text: str) -> None:
    (vector,) = EMBEDDER.embed([text])
    check_vector(vector, 256)
    assert EMBEDDER.embed(["other", text])[1] == vector


def test_the_vectors_are_the_same_on_every_machine() -> None:
    vectors = EMBEDDER.embed(["Prepared statement does not exist", "", "日本語", "ß SS"])
    assert (
        sha256(b"".join(vectors)).hexdigest()
        == "fbd81af732c937e724b9ddca2b5906ed019c73ce244153f339201d996017a398"
    )


@pytest.mark.parametrize("text", ["", "?!", "\ud800", "\0", "x" * 1_000_000, "a " * 500_000])
def test_odd_texts_have_a_vector(text: str) -> None:
    check_vector(EMBEDDER.embed([text])[0], 256)


def test_texts_that_share_words_or_parts_of_words_lie_closer() -> None:
    query, same, part, other = EMBEDDER.embed(
        [
            "configure the pooler",
            "the pooler is configured",
            "pooling configuration",
            "birthday cake",
        ]
    )
    assert dot(query, same) > dot(query, part) + 0.1
    assert dot(query, part) > dot(query, other)


def test_a_deadline_that_is_past_is_reported() -> None:
    with pytest.raises(EmbeddingError, match="over"):
        EMBEDDER.embed(["x"], deadline=time.monotonic() - 1)
