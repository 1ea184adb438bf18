"""The port of attestation: what shows that this user's own devices recorded a change (DESIGN
section 6).

Frontmatter can be edited by anything that can write the vault, so the origin of an entry is told by
the history record that left its bytes, under a code that only holders of the vault's key can make.
The key lies in the user's configuration folder, never in the vault.
"""

from __future__ import annotations

from abc import ABC, abstractmethod


class Attestor(ABC):
    """Makes and checks codes with the key of a vault, by the vault's id. Never raises."""

    @abstractmethod
    def sign(self, vault: str, message: bytes) -> str:
        """The code of a message in hex, "" where this device has no key of that vault."""

    @abstractmethod
    def holds(self, vault: str, message: bytes, code: str) -> bool:
        """Whether a code is that of the message; False too where there is no key."""


class NoAttestor(Attestor):
    """Of one who has no keys: nothing is attested."""

    def sign(self, vault: str, message: bytes) -> str:  # noqa: ARG002
        return ""

    def holds(self, vault: str, message: bytes, code: str) -> bool:  # noqa: ARG002
        return False
