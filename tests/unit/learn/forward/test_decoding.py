"""Bytes as text."""

from __future__ import annotations

import pytest

from engrain.learn.forward.decoding import decode
from engrain.model.errors import MalformedError


@pytest.mark.parametrize(
    ("raw", "charset"),
    [("Café".encode(), ""), ("Café".encode("utf-8-sig"), "latin-1"), ("Café".encode("utf-16"), ""),
     ("Café".encode("cp1252"), ""), ("Café".encode("latin-1"), "ISO-8859-1"),
     ("Café".encode("cp1252"), "utf-8"), ("Café".encode(), "rot13"), ("Café".encode(), "idna"),
     ("Café".encode(), "nonsense"), (b"Caf\x8f\xab\xb1", "euc-jp")],
)  # fmt: skip
def test_an_encoding_is_told_or_guessed(raw: bytes, charset: str) -> None:
    assert decode(raw, charset) == "Café"


def test_a_page_names_its_own() -> None:
    page = b'<html><head><meta charset="iso-8859-2"></head>\xb3'
    assert decode(page).endswith("ł")
    assert decode(page, "iso-8859-1").endswith("³")


def test_what_was_cut_in_the_midst_of_a_character_loses_that_alone() -> None:
    long = "Café " * 300_000 + "é"
    assert decode(long.encode()[:-1]) == long[:-1]


def test_what_is_no_text_is_told() -> None:
    with pytest.raises(MalformedError, match="it is no text"):
        decode(b"\x7fELF\0\0")
