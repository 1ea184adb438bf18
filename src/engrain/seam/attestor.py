"""The port of attestation: what shows that this user's own devices recorded a change (DESIGN
section 6).

Frontmatter can be edited by anything that can write the vault, so the origin of an entry follows
from the history record that left its bytes, under a code that only holders of the vault's key can
make. The key lies in the user's configuration folder, never in the vault.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Attestor(ABC):
    """Makes and checks codes with the key of a vault, by the vault's id. Never raises."""

    @abstractmethod
    def begin(self, vault: str, is_new: Callable[[], bool]) -> bool:
        """Make the key of a vault that has none here, if `is_new` says that nothing in its history
        bears a code; whether there is one now."""

    @abstractmethod
    def sign(self, vault: str, message: bytes) -> str:
        """The code of a message in hex, "" where this device has no key of that vault."""

    @abstractmethod
    def holds(self, vault: str, message: bytes, code: str) -> bool:
        """Whether a code is that of the message; False too where there is no key."""

    @abstractmethod
    def claims(self, vault: str, code: str) -> bool:
        """Whether a code says that it was made with the key that is here."""


class NoAttestor(Attestor):
    """Of one who has no keys: nothing is attested."""

    def begin(self, vault: str, is_new: Callable[[], bool]) -> bool:  # noqa: ARG002
        return False

    def sign(self, vault: str, message: bytes) -> str:  # noqa: ARG002
        return ""

    def holds(self, vault: str, message: bytes, code: str) -> bool:  # noqa: ARG002
        return False

    def claims(self, vault: str, code: str) -> bool:  # noqa: ARG002
        return False
