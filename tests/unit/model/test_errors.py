"""Errors: a code for programs, a sentence for people."""

from __future__ import annotations

import pytest

from engrain.model import errors
from engrain.model.errors import EngrainError, MalformedError

KINDS: list[type[EngrainError]] = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, EngrainError) and kind is not MalformedError
]


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [MalformedError.code, *(kind.code for kind in KINDS)]
    assert len(codes) == len(set(codes)) > 10
    assert all(code.isascii() and code.islower() for code in codes)


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_tells_its_sentence_its_place_and_what_to_do(kind: type[EngrainError]) -> None:
    error = kind("it broke", path="a.md", remedy="mend it")
    assert str(error) == error.message == "it broke"
    assert (error.path, error.remedy) == ("a.md", "mend it")
    assert (kind("x").path, kind("x").remedy) == (None, None)


def test_a_malformed_file_tells_its_line_and_reason() -> None:
    error = MalformedError("not YAML", reason="yaml", line=3, path="a.md")
    assert (str(error), error.reason, error.line, error.path) == ("not YAML", "yaml", 3, "a.md")
    assert MalformedError("x", reason="y").line == 0
