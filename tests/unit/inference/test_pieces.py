"""The token vectors that Engrain ships."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engrain.inference import pieces
from engrain.inference.pieces import PiecesLink
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import check_vector, dot, pack_unit

ALIKE = pack_unit([1.0] * pieces.SIZE)


def cosine(left: str, right: str) -> float:
    return dot(*PiecesLink().open().embed([left, right]))


def test_the_table_is_the_one_described() -> None:
    raw = Path(pieces.TABLE).read_bytes()
    described = Path(pieces.TABLE).with_suffix(".md").read_text(encoding="utf-8")
    assert hashlib.sha256(raw).hexdigest() in described
    assert f"{len(raw):,} bytes" in described


def test_it_needs_nothing_but_the_package() -> None:
    link = PiecesLink()
    assert link.missing() is None
    embedder = link.open()
    assert link.open() is embedder
    assert (embedder.link, embedder.model, embedder.size) == ("static", pieces.MODEL, 128)
    assert embedder.cheap


@pytest.mark.parametrize(
    ("text", "like", "unlike"),
    [
        ("the car broke down", "our vehicle stopped working", "a recipe for bread"),
        ("customers were charged twice", "billing sent two invoices", "the cat slept all day"),
        ("where does she work?", "her job is at the hospital", "compile the kernel with flags"),
    ],
)
def test_texts_that_mean_alike_lie_closer(text: str, like: str, unlike: str) -> None:
    assert cosine(text, like) > cosine(text, unlike) + 0.1


def test_a_vector_has_length_one_and_no_order() -> None:
    first, second = PiecesLink().open().embed(["red blue", "Blue, RED!"])
    check_vector(first, pieces.SIZE)
    assert first == second


@pytest.mark.parametrize("text", ["", "?", "\ud800", "日本"])
def test_of_a_text_of_which_nothing_is_known_all_dimensions_are_alike(text: str) -> None:
    (vector,) = PiecesLink().open().embed([text])
    assert (vector == ALIKE) == (not any(map(str.isalnum, text)) or text == "日本")


def test_a_long_text_is_read_from_its_beginning_and_does_not_overflow() -> None:
    begun = time.monotonic()
    long, short = PiecesLink().open().embed(["red " * 100_000, "red"])
    assert dot(long, short) == pytest.approx(1, abs=1e-5)
    assert time.monotonic() - begun < 1


def test_a_deadline_that_is_past_is_reported() -> None:
    with pytest.raises(EmbeddingError, match="time"):
        PiecesLink().open().embed(["red"], deadline=time.monotonic() - 1)


def test_a_table_that_is_gone_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pieces, "TABLE", str(tmp_path / "gone"))
    with pytest.raises(EmbeddingError, match="can't read the token vectors"):
        PiecesLink().open()


def test_a_query_in_a_cold_process_loads_no_array_library() -> None:
    program = (
        f"import sys; sys.path[:0] = {sys.path!r};"
        "from engrain.inference.pieces import PiecesLink;"
        "PiecesLink().open().embed(['red']);"
        "print([m for m in ('numpy',) if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
