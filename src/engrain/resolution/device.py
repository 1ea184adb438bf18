"""The id of this device, which is one installation, in its state folder.

The id is the only line of the file `device`. `device.json` beside it records the machine and the
folder in which the id was made, and former ids. A state folder of an older version has only the
first file; then the first `engrain doctor` adds the second with the machine and folder of that
moment. Older versions ignore it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from json import dumps

from engrain.model.errors import StorageError
from engrain.model.note.note import hash_bytes
from engrain.resolution.files import read_text, replace_file
from engrain.seam.storage import DEVICE_LENGTH, Identity, make_device

_FILE = "device"
_ORIGIN = "device.json"
_MOST_FORMER = 20
_MACHINE_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")


def load_device(state_dir: str, entropy: Callable[[int], bytes]) -> str:
    """Return the device's id, which the first use makes. Raises StorageError."""
    kept = DeviceFile(state_dir, entropy)
    return kept.read() or kept.renew("")


class DeviceFile(Identity):
    """The device's id in its state folder."""

    def __init__(self, state_dir: str, entropy: Callable[[int], bytes]) -> None:
        super().__init__(entropy)
        self._folder = state_dir
        self._path = os.path.join(state_dir, _FILE)
        self._origin = os.path.join(state_dir, _ORIGIN)

    def read(self) -> str:
        device = (read_text(self._path, 64) or "").strip()
        return device if len(device) == DEVICE_LENGTH and device.isalnum() else ""

    def renew(self, former: str) -> str:
        if (kept := self.read()) and kept != former:
            return kept
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            made = make_device(self._entropy)
            temp = f"{self._path}.{os.getpid()}-{made}.tmp"
            replace_file(temp, made + "\n")
            try:
                if former:
                    os.replace(temp, self._path)
                else:
                    # If two processes are first, only one id is kept.
                    os.link(temp, self._path)
            except OSError:
                # The id exists already, or the file system has no hard links.
                if not self.read():
                    os.replace(temp, self._path)
            finally:
                if os.path.exists(temp):
                    os.unlink(temp)
            device = self.read() or made
            earlier = self._read_origin().get("formerly")
            earlier = earlier if isinstance(earlier, list) else []
            self._note_origin(device, [*map(str, earlier), former][-_MOST_FORMER:])
        except OSError as error:
            raise StorageError(
                f"can't keep this device's state: {error.strerror}",
                path=self._folder,
                remedy="set ENGRAIN_STATE_DIR to a folder that can be written",
            ) from None
        return device

    def find_doubt(self) -> str | None:
        """Return why another installation may have the same id, None if nothing suggests it: the
        folder is on another machine than before, or was copied. This is no proof, since containers
        and homes on a network change both."""
        origin = self._read_origin()
        here = _describe_place(self._folder)
        if not self.read() or origin.get("device") not in (None, self.read()):
            return None
        if not origin:
            try:
                self._note_origin(self.read(), [])
            except OSError:
                return None  # the next check notes it
            return None
        if origin.get("machine") != here["machine"]:
            return f"this device's id, {self.read()}, was made on another machine"
        if origin.get("folder") != here["folder"]:
            return f"this device's id, {self.read()}, was made in another folder, or a copied one"
        return None

    def _note_origin(self, device: str, formerly: list[str]) -> None:
        origin = {
            "device": device,
            **_describe_place(self._folder),
            "formerly": [name for name in formerly if name],
        }
        replace_file(self._origin, dumps(origin, indent=1) + "\n")

    def _read_origin(self) -> dict[str, object]:
        try:
            origin = json.loads(read_text(self._origin) or "")
        except ValueError:
            return {}
        return origin if isinstance(origin, dict) else {}


def _describe_place(folder: str) -> dict[str, str]:
    """Return the machine, as a digest without information, and a number that distinguishes the
    folder from a copy."""
    return {"machine": _machine(), "folder": f"{os.stat(folder).st_ino:x}"}


def _machine() -> str:
    for path in _MACHINE_FILES:
        try:
            with open(path, "rb") as file:  # noqa: PTH123
                if said := file.read(256).strip():
                    return hash_bytes(b"engrain machine\n" + said)[:16]
        except OSError:
            continue
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return hash_bytes(b"engrain host\n" + host.encode(errors="replace"))[:16]
