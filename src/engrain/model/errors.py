"""Every error Engrain raises: a code, a sentence, where, and what to do next.

The code is for programs, the sentence for people. Each way in translates codes once, by its own
table (`adapters/present`), into exit status, JSON or protocol errors.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class EngrainError(Exception):
    """Base of all errors. `path` is where it happened; `remedy` what to do next."""

    code = "error"

    def __init__(self, message: str, *, path: str | None = None, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.remedy = remedy

    def __str__(self) -> str:
        return self.message


class UsageError(EngrainError):
    """The call's own arguments are wrong."""

    code = "usage"


class NotFoundError(EngrainError):
    """No such entry, change or file."""

    code = "not_found"


NOTHING_LEFT = "nothing brings it back; save it anew"


class ErasedError(EngrainError):
    """The entry was erased, and nothing of it is left. `entry` is its id."""

    code = "erased"

    def __init__(
        self, message: str, *, entry: str = "", path: str | None = None, remedy: str | None = None
    ) -> None:
        super().__init__(message, path=path, remedy=remedy)
        self.entry = entry


class ConflictError(EngrainError):
    """The bytes are no longer those the caller read, or later changes stand on them."""

    code = "conflict"
    copies: Sequence[str] = ()
    """Locators of conflict copies that were made of what another program wrote meanwhile."""


class VaultUnavailableError(EngrainError):
    """No vault is configured, or it can't be reached or is not a vault."""

    code = "vault_unavailable"


class LockedError(EngrainError):
    """Another process holds the write lock longer than the bounded wait."""

    code = "locked"


class MalformedError(EngrainError):
    """A file that can't be read as an entry. `line` is 1-based, 0 when it is the whole file."""

    code = "malformed"

    def __init__(
        self,
        message: str,
        *,
        reason: str,
        line: int = 0,
        path: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message, path=path, remedy=remedy)
        self.reason = reason
        self.line = line


class ForbiddenPathError(EngrainError):
    """A path that leaves the vault, or passes through a symbolic link."""

    code = "forbidden_path"


class StorageError(EngrainError):
    """The storage refused a write: full, read-only, or failing. Nothing is half written."""

    code = "storage"


class BackendUnavailableError(EngrainError):
    """The configured backend can't be had; no other is used in its place (S1.2)."""

    code = "backend_unavailable"


class ConfigError(EngrainError):
    """A configuration file is wrong, or names what it may not name."""

    code = "config"


class StateLocationError(EngrainError):
    """Device-local state would lie where something synchronises (the never-sync invariant)."""

    code = "state_in_synced_folder"


class IndexUnavailableError(EngrainError):
    """The derived index can't answer now; the vault is unharmed."""

    code = "index_unavailable"


class HistoryError(EngrainError):
    """The history does not verify."""

    code = "history"


class EmbeddingError(EngrainError):
    """No vector can be had for a text, or what was given is no vector of the model's."""

    code = "embedding"


class ModelError(EngrainError):
    """A language model can't be asked, or what it said is of no use.

    `answered`: it did answer, so that asking again may do. `spent` are the tokens it took and gave,
    None if it may have worked and the amount is unknown.
    """

    code = "model"

    def __init__(
        self,
        message: str,
        *,
        answered: bool = False,
        spent: tuple[int, int] | None = (0, 0),
        path: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message, path=path, remedy=remedy)
        self.answered = answered
        self.spent = spent


class FetchError(EngrainError):
    """An approved place outside can't be read, or gives what it is not approved for."""

    code = "fetch"
