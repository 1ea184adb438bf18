"""How a store has the records that it writes attested."""

from __future__ import annotations

from engrain.model.history.attestation import open_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.seam.attestor import Attestor
    from engrain.seam.storage import StorageBackend


def sign_record(store: StorageBackend, attestor: Attestor, message: bytes) -> str:
    """The code of a record that a store is about to write, "" where this device can't attest. The
    key of a vault is made with its first change. Where others have signed and the key is not here,
    none is made: two keys of one vault would make strangers of its devices."""
    code = attestor.sign(store.vault, message)
    if not code and attestor.begin(store.vault, lambda: not bears_codes(store)):
        code = attestor.sign(store.vault, message)
    return code


def bears_codes(store: StorageBackend) -> bool:
    """Whether any record of a store's history bears a code, whoever's."""
    devices = sorted(store.heads(), key=lambda device: device == store.device)
    return any(open_line(link.line)[1] for device in devices for link in store.chain(device))
