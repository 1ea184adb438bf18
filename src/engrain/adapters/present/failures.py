"""Errors as exit codes and as the `error` of the JSON envelope: one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engrain.model.errors import EngrainError


EXIT_OK = 0
EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_DECIDE = 6
"""What was asked for is done, but for what only the user can decide; a line says which option
does."""

_EXIT_CODES = {
    "usage": EXIT_USAGE,
    "not_found": 3,
    "erased": 3,
    "conflict": 4,
    "vault_unavailable": 5,
    "backend_unavailable": 5,
}


def exit_code(error: EngrainError) -> int:
    """Return 1 for an error, 2 usage, 3 not found, 4 conflict, 5 vault unavailable."""
    return _EXIT_CODES.get(error.code, EXIT_ERROR)


def describe_error(error: EngrainError) -> dict[str, object]:
    """Return the envelope's `error`."""
    return {
        "code": error.code,
        "message": error.message,
        "path": error.path,
        "remedy": error.remedy,
    }


def error_line(error: EngrainError) -> str:
    """Return one line for a person: what is wrong, where, and what to do next."""
    where = f" [{error.path}]" if error.path and error.path not in error.message else ""
    remedy = f"; {error.remedy}" if error.remedy else ""
    line = f"engrain: {error.message}{where}{remedy}"
    return " ".join(line.split())
