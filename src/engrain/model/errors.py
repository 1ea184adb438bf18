"""All errors that Engrain raises: each has a code, a sentence, a place, and what to do next.

The code is for programs, the sentence for people. Each adapter translates codes by a table of its
own (`adapters/present`) into exit status, JSON or protocol errors.
"""

from __future__ import annotations

from collections.abc import Sequence


class EngrainError(Exception):
    """The base of all errors. `path` is where it happened, `remedy` what to do next."""

    code = "error"

    def __init__(self, message: str, *, path: str | None = None, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.remedy = remedy

    def __str__(self) -> str:
        return self.message


class UsageError(EngrainError):
    """The arguments of the call are wrong."""

    code = "usage"


class NotFoundError(EngrainError):
    """There is no such entry, change or file."""

    code = "not_found"


NOTHING_LEFT = "nothing brings it back; save it anew"


class ErasedError(EngrainError):
    """The entry was erased, and nothing of it is left. `entry` is its id."""

    code = "erased"

    def __init__(self, message: str, *, entry: str = "", **where: str | None) -> None:
        super().__init__(message, **where)
        self.entry = entry


class ConflictError(EngrainError):
    """The bytes have changed since the caller read them, or later changes depend on them."""

    code = "conflict"
    copies: Sequence[str] = ()
    """Locators of the conflict copies with what another program wrote meanwhile."""


class VaultUnavailableError(EngrainError):
    """No vault is configured, or it can't be reached, or it is no vault."""

    code = "vault_unavailable"


class LockedError(EngrainError):
    """Another process holds the write lock for longer than the caller waits, or the right to
    embed."""

    code = "locked"


class MalformedError(EngrainError):
    """A file can't be read as an entry. `line` is 1-based, 0 for the whole file."""

    code = "malformed"

    def __init__(self, message: str, *, reason: str, line: int = 0, **where: str | None) -> None:
        super().__init__(message, **where)
        self.reason = reason
        self.line = line


class ForbiddenPathError(EngrainError):
    """A path leaves the vault, or passes through a symbolic link."""

    code = "forbidden_path"


class StorageError(EngrainError):
    """The storage is full, read-only or failing. Nothing is half written."""

    code = "storage"


class BackendUnavailableError(EngrainError):
    """The configured backend is not available; no other takes its place (S1.2)."""

    code = "backend_unavailable"


class ConfigError(EngrainError):
    """A configuration file is wrong, or has a name that is not allowed."""

    code = "config"


class MemoryOffError(EngrainError):
    """Memory is switched off for the folder of a call; the message says by what."""

    code = "memory_off"


class StateLocationError(EngrainError):
    """Device-local state would lie where something synchronises (the never-sync invariant)."""

    code = "state_in_synced_folder"


class IndexUnavailableError(EngrainError):
    """The derived index can't answer at the moment; the vault is unharmed."""

    code = "index_unavailable"


class HistoryError(EngrainError):
    """The history does not verify."""

    code = "history"


class EmbeddingError(EngrainError):
    """A text can't be embedded, or a value is no vector of the model."""

    code = "embedding"


class ModelError(EngrainError):
    """A language model can't be asked, or its answer is unusable.

    `answered` says that it did answer, so that asking again may help. `spent` are its input and
    output tokens, None if it may have worked and their number is unknown.
    """

    code = "model"

    def __init__(
        self,
        message: str,
        *,
        answered: bool = False,
        spent: tuple[int, int] | None = (0, 0),
        **where: str | None,
    ) -> None:
        super().__init__(message, **where)
        self.answered = answered
        self.spent = spent


class FetchError(EngrainError):
    """An approved place outside can't be read, or returns something it is not approved for."""

    code = "fetch"
