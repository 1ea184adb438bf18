"""The port to attestation, which proves that the user's own devices recorded a change (DESIGN
section 6).

Any program that can write the vault can edit frontmatter. So the origin of an entry follows from
the history record of its bytes, with a code that only holders of the vault's key can make. The key
is in the user's configuration folder, never in the vault.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence


class Attestor(ABC):
    """Makes and checks codes with the key of a vault, by the vault's id. Never raises."""

    @abstractmethod
    def begin(self, vault: str, is_new: Callable[[], bool]) -> bool:
        """Make the key of a vault if this device has none, and `is_new` says that nothing in its
        history has a code. Returns whether there is a key now."""

    @abstractmethod
    def sign(self, vault: str, message: bytes) -> str:
        """Return the code of a message in hex, "" if this device has no key of that vault."""

    @abstractmethod
    def holds(self, vault: str, message: bytes, code: str) -> bool:
        """Whether a code is that of the message; False without a key."""

    @abstractmethod
    def claims(self, vault: str, code: str) -> bool:
        """Whether a code has the mark of the key on this device."""

    def vaults(self) -> Sequence[str]:
        """Return the ids of the vaults whose keys this device has."""
        return ()


class NoAttestor(Attestor):
    """The attestor without keys, which attests nothing."""

    def begin(self, vault: str, is_new: Callable[[], bool]) -> bool:  # noqa: ARG002
        return False

    def sign(self, vault: str, message: bytes) -> str:  # noqa: ARG002
        return ""

    def holds(self, vault: str, message: bytes, code: str) -> bool:  # noqa: ARG002
        return False

    def claims(self, vault: str, code: str) -> bool:  # noqa: ARG002
        return False
