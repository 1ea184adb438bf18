"""One table from errors to exit codes."""

from __future__ import annotations

import pytest

from engrain.adapters.present.failures import describe_error, error_line, exit_code
from engrain.model import errors

CODES = {
    errors.UsageError: 2,
    errors.NotFoundError: 3,
    errors.ErasedError: 3,
    errors.ConflictError: 4,
    errors.VaultUnavailableError: 5,
    errors.BackendUnavailableError: 5,
}


def all_errors() -> list[type[errors.EngrainError]]:
    return [
        error
        for error in vars(errors).values()
        if isinstance(error, type)
        and issubclass(error, errors.EngrainError)
        and error is not errors.MalformedError
    ]


@pytest.mark.parametrize("error", all_errors())
def test_every_error_has_its_exit_code(error: type[errors.EngrainError]) -> None:
    assert exit_code(error("Oh.")) == CODES.get(error, 1)


def test_codes_are_unique() -> None:
    codes = [error.code for error in all_errors()]
    assert len(codes) == len(set(codes)) > 10


def test_the_envelope_has_code_message_path_and_remedy() -> None:
    error = errors.ConflictError("It moved.", path="a.md", remedy="read it again")
    assert describe_error(error) == {
        "code": "conflict",
        "message": "It moved.",
        "path": "a.md",
        "remedy": "read it again",
    }


def test_a_line_names_the_place_once_and_stays_one_line() -> None:
    error = errors.StorageError("full\nto the brim", path="a.md", remedy="free\nspace")
    assert error_line(error) == "engrain: full to the brim [a.md]; free space"
    error = errors.StorageError("a.md is full", path="a.md")
    assert error_line(error) == "engrain: a.md is full"
