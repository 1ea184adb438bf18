"""The id of this device, which is one installation, in its state folder, and the keys of
its vaults.

The id is the only line of the file `device`.

The keys of vaults are one file each, beside the user's configuration and never in a vault.

`keys/<vault id>` has 32 random bytes in hex, readable only by this user. The first change of a new
vault makes it; another device gets a copy of the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from engrain.model.errors import ConflictError, StorageError, UsageError
from engrain.model.history.line import VaultKey
from engrain.resolution.files import read_text, replace_file
from engrain.resolution.settings import user_config_file
from engrain.seam.storage import DEVICE_LENGTH, Attestor, Identity, make_device

_FILE = "device"


class DeviceFile(Identity):
    """The device's id in its state folder."""

    def __init__(self, state_dir: str, entropy: Callable[[int], bytes]) -> None:
        super().__init__(entropy)
        self._folder = state_dir
        self._path = os.path.join(state_dir, _FILE)

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
        except OSError as error:
            raise StorageError(
                f"can't keep this device's state: {error.strerror}",
                path=self._folder,
                remedy="set ENGRAIN_STATE_DIR to a folder that can be written",
            ) from None
        return device


IN_BACKUP = "engrain-key"
"""The file beside the vault in a backup that has its key: a copy of the key's file."""
_FOLDER = "keys"
_LONGEST = 256
_NO_KEY = (FileNotFoundError, NotADirectoryError, PermissionError)


class Keys(Attestor):
    """The keys in a folder. A replaced file is noticed."""

    def __init__(self, folder: str, entropy: Callable[[int], bytes]) -> None:
        self._folder = folder
        self._entropy = entropy
        self._read: dict[str, tuple[object, VaultKey]] = {}
        self._refused: set[str] = set()

    def begin(self, vault: str, is_new: Callable[[], bool]) -> bool:
        if self.secret(vault) is not None:
            return True
        # Asked once: codes of another key do not disappear, and there may be many records.
        made = vault not in self._refused and is_new() and self._try_make(vault)
        if not made:
            self._refused.add(vault)
        return made

    def sign(self, vault: str, message: bytes) -> str:
        key = self._key(vault)
        return key.sign(message) if key else ""

    def holds(self, vault: str, message: bytes, code: str) -> bool:
        key = self._key(vault)
        return key is not None and key.holds(message, code)

    def claims(self, vault: str, code: str) -> bool:
        key = self._key(vault)
        return key is not None and key.claims(code)

    def vaults(self) -> Sequence[str]:
        try:
            return sorted(name for name in os.listdir(self._folder) if name.isalnum())
        except OSError:
            return ()

    def path(self, vault: str) -> str:
        """Return the path of a vault's key, whether it exists or not."""
        return os.path.join(self._folder, vault)

    def secret(self, vault: str) -> bytes | None:
        """Return a vault's key, None if it is missing, closed or no key. Raises StorageError where
        reading fails, since what is written without the key is unattested."""
        try:
            with open(self.path(vault), encoding="ascii") as file:  # noqa: PTH123
                return _from_hex(file.read(_LONGEST).strip())
        except (*_NO_KEY, ValueError):
            return None
        except OSError as error:
            raise self._unreadable(vault, error) from None

    def _unreadable(self, vault: str, error: OSError) -> StorageError:
        return StorageError(
            f"the vault's key can't be read: {error.strerror}",
            path=self.path(vault),
            remedy="repeat the command; if it fails again, see to the disk",
        )

    def make(self, vault: str) -> None:
        """Make a new key in place of an old one. Raises StorageError."""
        self.put(vault, self._entropy(32), replace=True)

    def put(self, vault: str, secret: bytes, *, replace: bool = False) -> None:
        """Store a vault's key; the same key again changes nothing. Raises ConflictError if another
        is stored and `replace` is not given, StorageError."""
        path = self.path(vault)
        if not vault.isalnum():
            raise UsageError("that is no vault's id")
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            temp = f"{path}.{os.getpid()}-{self._entropy(4).hex()}.tmp"
            file = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                with open(file, "wb") as written:  # noqa: PTH123
                    written.write(secret.hex().encode() + b"\n")
                    written.flush()
                    os.fsync(file)
                # If two processes are first, only one key is kept.
                (os.replace if replace else os.link)(temp, path)
            except FileExistsError:
                if self.secret(vault) != secret:
                    raise ConflictError(
                        "another key of this vault is here already",
                        path=path,
                        remedy="--replace puts this one in its place; what was attested with the"
                        " other is unattested then",
                    ) from None
            finally:
                if os.path.lexists(temp):
                    os.unlink(temp)
        except OSError as error:
            raise StorageError(
                f"can't keep the vault's key: {error.strerror}", path=self._folder
            ) from None

    def _try_make(self, vault: str) -> bool:
        try:
            self.put(vault, self._entropy(32))
        except ConflictError:
            return True  # another process was first
        except (StorageError, UsageError):
            return False  # unattested, which `doctor` reports
        return True

    def _key(self, vault: str) -> VaultKey | None:
        try:
            found = os.stat(self.path(vault))
        except _NO_KEY:
            return None
        except OSError as error:
            raise self._unreadable(vault, error) from None
        stamp = (found.st_ino, found.st_mtime_ns)
        known = self._read.get(vault)
        if known and known[0] == stamp:
            return known[1]
        secret = self.secret(vault)
        if secret is None:
            return None
        key = VaultKey(secret)
        self._read[vault] = stamp, key
        return key


def find_keys(
    environ: Mapping[str, str],
    location: str,
    entropy: Callable[[int], bytes] = os.urandom,
    *,
    folder: str | None = None,
) -> Keys | None:
    """Return the keys of this user, beside the user's configuration if no `folder` is named; None
    if they would be inside the vault at `location`, and be copied with it."""
    if folder is None:
        config = os.path.abspath(user_config_file(environ))
        folder = os.path.join(os.path.dirname(config), _FOLDER)
    folder = os.path.realpath(folder)
    inside = f"{folder}{os.sep}".startswith(f"{os.path.realpath(location)}{os.sep}")
    return None if inside else Keys(folder, entropy)


def read_key(text: str) -> bytes:
    """Return the key in the text of a key's file. Raises UsageError, without repeating the text."""
    try:
        return _from_hex(text.strip())
    except ValueError:
        raise UsageError(
            "that is not the key of a vault", remedy="give the file keys/VAULT of another device"
        ) from None


def _from_hex(text: str) -> bytes:
    secret = bytes.fromhex(text)
    if len(secret) != 32:
        raise ValueError("no key has that length")
    return secret
