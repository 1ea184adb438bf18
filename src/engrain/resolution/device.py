"""This device: one installation, with an id of its own that is kept in its state folder."""

from __future__ import annotations

import os

from engrain.model.errors import StorageError
from engrain.model.ids import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_FILE = "device"
_LENGTH = 8


def load_device(state_dir: str, entropy: Callable[[int], bytes]) -> str:
    """The device's id, made on first use. Raises StorageError when it can't be kept."""
    path = os.path.join(state_dir, _FILE)
    if device := _read(path):
        return device
    try:
        os.makedirs(state_dir, mode=0o700, exist_ok=True)
        made = encode(int.from_bytes(entropy(5), "big"), _LENGTH)
        temp = f"{path}.{os.getpid()}-{made}.tmp"
        with open(temp, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(made + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            # Of two processes that are first at once, one id stands.
            os.link(temp, path)
        except OSError:
            # Taken, or a file system without hard links.
            if not _read(path):
                os.replace(temp, path)
        finally:
            if os.path.exists(temp):
                os.unlink(temp)
    except OSError as error:
        raise StorageError(
            f"can't keep this device's state: {error.strerror}",
            path=state_dir,
            remedy="set ENGRAIN_STATE_DIR to a folder that can be written",
        ) from None
    return _read(path) or made


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            device = file.read(64).strip()
    except OSError:
        return None
    return device if len(device) == _LENGTH and device.isalnum() else None
