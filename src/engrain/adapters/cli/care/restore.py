"""`engrain restore`: restore a forgotten or archived entry, or a whole vault from a backup.

A backup comes from elsewhere, so only plain files at plain paths below one folder are taken from
it. They are unpacked and tried beside the place of the vault, which gets them at once or not at
all.
"""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from lzma import LZMAError

from engrain.adapters.cli.base import ENTRY, Answer, BaseCommand, argument, flag, option
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import answer_outcome
from engrain.adapters.present.text import clean, counted, outcome_lines
from engrain.model.errors import ConflictError, UsageError
from engrain.model.history.line import VaultKey
from engrain.model.note.tiers import SYSTEM_FOLDER
from engrain.resolution.config_file import set_default_vault
from engrain.resolution.device import IN_BACKUP, Keys, find_keys, read_key
from engrain.resolution.selector import absolute_location
from engrain.resolution.settings import load_settings
from engrain.wiring import open_memory

_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
_DEFAULT_VAULT = os.path.join("~", "engrain")
_PART = ".engrain-part"
_FORMAT = 1
"""The format of `vault.json`."""
_MOST_KEY = 4096
_BROKEN = (tarfile.TarError, EOFError, zlib.error, LZMAError)
_END = bytes(2 * tarfile.BLOCKSIZE)
_UNDONE = "nothing was restored"
_GONE = f"it is cut off or damaged: {_UNDONE}"
_MADE = "`engrain backup FILE` makes one"

_NOTHING = ("Nothing was forgotten.", "Nothing is missing.")


@dataclass(kw_only=True)
class RestoreCommand(BaseCommand):
    """Restore a forgotten or archived entry."""

    examples = """
engrain restore 01k8
engrain restore --all
engrain restore --missing
engrain restore memory.tar
engrain restore memory.tar --vault ~/memory --key engrain-key
"""
    id: str | None = argument(
        f"{ENTRY}; or a backup (`engrain backup`), which brings a whole vault back",
        "ENTRY|FILE",
        default=None,
    )
    all: bool = flag("every forgotten entry")
    missing: bool = flag("every note that `check` reports as missing, as the history has it")
    key: str | None = option("a backup: the vault's key, if it is not in it", "FILE")
    force: bool = flag("a backup: into a folder that is not empty; what is there is kept beside it")

    def check(self) -> None:
        if bool(self.id) + self.all + self.missing != 1:
            raise UsageError(
                "name an entry, or give --all or --missing",
                remedy="`engrain list --all` shows them",
            )
        if (self.key or self.force) and not self._finds_backup():
            raise UsageError("--key and --force are for a backup file")

    def _finds_backup(self) -> bool:
        """Return whether a backup is meant: a name that ends as a tar file's does, or an existing
        file outside of the vault."""
        if self.id is None or self.id.endswith(_ENDINGS):
            return self.id is not None
        vault = os.path.realpath(_find_place(self))
        path = os.path.realpath(self.id)
        return os.path.isfile(path) and not path.startswith(vault + os.sep)

    def run(self) -> Answer:
        if self.id and self._finds_backup():
            return _restore_vault(self, self.id)
        with self.open() as memory:
            if self.id:
                outcome = memory.restore(self.id)
                self.warn_of_others(memory, self.id, outcome.id)
                return answer_outcome(outcome)
            restored = memory.restore_missing() if self.missing else memory.restore_all()
            lines = [line for outcome in restored for line in outcome_lines(outcome)]
            return {"restored": [one.id for one in restored]}, lines or [_NOTHING[self.missing]]


def _find_place(args: RestoreCommand) -> str:
    found = load_settings({"vault": args.vault}, os.environ, os.getcwd())["vault"].value
    return absolute_location(found or _DEFAULT_VAULT)


def _restore_vault(args: RestoreCommand, path: str) -> Answer:
    place = _find_place(args)
    if "://" in place:
        raise UsageError("a backup is restored into a folder", remedy="give --vault FOLDER")
    if _is_filled(place) and not args.force:
        raise ConflictError(
            "the folder is not empty",
            path=place,
            remedy="give --vault NEW_FOLDER, or --force, which keeps what is there beside it",
        )
    os.makedirs(os.path.dirname(place), exist_ok=True)
    keys = find_keys(os.environ, place)
    with _part_of(place) as part:
        folder, inside, count = _unpack(path, part)
        vault = _read_vault(folder, path)
        secret = _read_key(args.key, inside, vault)
        _try_open(folder, secret, args)
        if secret and keys:
            keys.put(vault, secret)
        kept = _put_in_place(folder, place)
    return _finish(args, place, kept, count, keys, vault)


def _finish(
    args: RestoreCommand, place: str, kept: str | None, count: int, keys: Keys | None, vault: str
) -> Answer:
    with (
        open_memory(place, state_dir=args.state_dir, project=args.project) as memory,
        show_progress(args.console, "indexing") as progress,
    ):
        memory.reindex(progress)
        has_key = memory.trust.survey().has_key
    written = None if os.environ.get("ENGRAIN_VAULT") else set_default_vault(os.environ, place)
    lines = [f"restored: {counted(count, 'file')} to {clean(place)}"]
    lines += [f"what was there is kept: {clean(kept)}"] if kept else []
    lines += [f"it is now your default vault, by {written}"] if written else []
    if has_key:
        lines.append("with the vault's key: entries come from whom they came from")
    else:
        lines += [
            "without the vault's key nothing proves who wrote what: entries in Memory/ count as"
            " external",
            f"  put the key at {clean(keys.path(vault))}, or run `engrain device join FILE`"
            if keys
            else "  run `engrain device join FILE`",
        ]
    data = {"vault": place, "id": vault, "files": count, "key": has_key, "kept": kept}
    return {**data, "config": written}, lines


def _is_filled(place: str) -> bool:
    if os.path.isdir(place):
        return bool(os.listdir(place))
    return os.path.lexists(place)


@contextmanager
def _part_of(place: str) -> Iterator[str]:
    """Make a folder beside a place, on the same disk, that is gone at the end."""
    above, name = os.path.split(place)
    part = tempfile.mkdtemp(prefix=f".{name}", suffix=_PART, dir=above)
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _unpack(path: str, part: str) -> tuple[str, str | None, int]:
    """Unpack a backup into a folder; return the vault's folder in it, the key in it, if any, and
    the number of files. Raises UsageError."""
    _check_end(path)
    key: str | None = None
    names: set[str] = set()
    count = 0
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                names.add(_check_member(member, path))
                if member.isdir():
                    continue
                file = archive.extractfile(member)
                assert file is not None  # it is a regular one
                if member.name == IN_BACKUP:
                    key = file.read(_MOST_KEY).decode("ascii", "replace").strip()
                    continue
                _write(os.path.join(part, *_split(member.name)), file.read(), member)
                count += 1
    except _BROKEN:
        said = _GONE if count else "it is no backup of a vault, or cut off"
        raise UsageError(said, path=path, remedy=_MADE) from None
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise UsageError(f"it has two files at one path: {_UNDONE}", path=path) from None
    names.discard(IN_BACKUP)
    if len(names) != 1:
        raise UsageError("it is no backup of a vault", path=path, remedy=_MADE)
    return os.path.join(part, names.pop()), key, count


def _check_end(path: str) -> None:
    """Raise UsageError for a tar file without the blocks that end one, which a reader would
    take for whole."""
    with open(path, "rb") as file:  # noqa: PTH123
        is_plain = file.read(tarfile.BLOCKSIZE)[257:262] == b"ustar"
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - len(_END)))
        if is_plain and (size % tarfile.BLOCKSIZE or file.read() != _END):
            raise UsageError(_GONE, path=path, remedy=_MADE)


def _check_member(member: tarfile.TarInfo, path: str) -> str:
    """Return the first part of a member's path. Raises UsageError for what no backup has: a
    link, a device, a path that leads elsewhere."""
    parts = _split(member.name)
    is_plain = member.isreg() or member.isdir()
    odd = member.name.startswith("/") or not parts or {".", ".."}.intersection(parts)
    if not is_plain or odd or "\0" in member.name or (os.sep != "/" and os.sep in member.name):
        raise UsageError(
            f"it has {clean(member.name)[:80]!r}, which no backup has: {_UNDONE}",
            path=path,
            remedy=_MADE,
        )
    return parts[0]


def _split(name: str) -> list[str]:
    return name.strip("/").split("/") if name.strip("/") else []


def _write(target: str, raw: bytes, member: tarfile.TarInfo) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 | member.mode & 0o644)
    with open(descriptor, "wb") as file:  # noqa: PTH123
        file.write(raw)
        file.flush()
        os.fsync(descriptor)
    os.utime(target, (member.mtime, member.mtime))


def _read_vault(folder: str, path: str) -> str:
    """Return the id of an unpacked vault. Raises UsageError for what is none, or of a newer
    version."""
    try:
        with open(os.path.join(folder, SYSTEM_FOLDER, "vault.json"), encoding="utf-8") as file:  # noqa: PTH123
            found = json.loads(file.read(_MOST_KEY))
        vault, version = str(found["id"]), found.get("v", _FORMAT)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        raise UsageError("it is no backup of a vault", path=path, remedy=_MADE) from None
    if version != _FORMAT:
        raise UsageError(
            f"it is of format {str(version)[:20]}, and this Engrain knows {_FORMAT}",
            path=path,
            remedy="restore it with the version of Engrain that made it, or a newer one",
        )
    return vault


def _read_key(path: str | None, inside: str | None, vault: str) -> bytes | None:
    """Return the key in a file, else that in the backup, None for none. Raises UsageError."""
    code = inside
    if path is not None:
        with open(path, encoding="ascii", errors="replace") as file:  # noqa: PTH123
            code = file.read(_MOST_KEY).strip()
    if code is None:
        return None
    try:
        return read_key(code)
    except UsageError as error:
        raise UsageError(
            f"that is not the key of this vault, {vault}: {_UNDONE}", path=path, remedy=error.remedy
        ) from None


def _try_open(folder: str, secret: bytes | None, args: RestoreCommand) -> None:
    """Open an unpacked vault where nothing is kept. Raises EngrainError if that fails, and
    ConflictError where the key made no record of it."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        open_memory(
            folder,
            state_dir=os.path.join(scratch, "state"),
            backend="device-local",
            keys_dir=os.path.join(scratch, "keys"),
        ) as memory,
    ):
        if secret and memory.trust.recognise_key(VaultKey(secret).holds) is False:
            raise ConflictError(
                "no record of this vault was made with that key: nothing was restored",
                path=args.key or args.id,
                remedy="give the key of this vault",
            )


def _put_in_place(folder: str, place: str) -> str | None:
    """Move an unpacked vault to its place; return where what was there is kept, None if nothing
    was."""
    kept = None
    if _is_filled(place):
        kept = _name_beside(place)
        os.rename(place, kept)
    elif os.path.isdir(place):
        os.rmdir(place)
    try:
        os.rename(folder, place)
    except OSError:
        if kept:
            os.rename(kept, place)
        raise
    return kept


def _name_beside(place: str) -> str:
    number = 1
    while os.path.lexists(name := f"{place}.before-restore-{number}"):
        number += 1
    return name


COMMAND = RestoreCommand
