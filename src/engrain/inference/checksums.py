"""Remember a model file's checksum, since hashing 22 MB costs a process 15 ms and more."""

from __future__ import annotations

import os

from engrain.model.errors import EmbeddingError

_CHUNK = 1024 * 1024


def checksum(path: str, stamps: str | None) -> str:
    """The SHA-256 of a file, in hex.

    In the folder `stamps` (None: nowhere) it is remembered under the file's size and times, and
    taken from there while these are the same. Raises EmbeddingError when it can't be read.
    """
    try:
        stat = os.stat(path)
        stamp = f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"
        kept = stamps and _stamp_path(stamps, path)
        known = kept and _remembered(kept, stamp)
        if known:
            return known
        found = _hash(path)
    except OSError as error:
        raise EmbeddingError(f"can't read the model: {error.strerror}", path=path) from error
    if kept:
        _remember(kept, f"{stamp}\n{found}\n")
    return found


def _hash(path: str) -> str:
    import hashlib

    with open(path, "rb") as file:  # noqa: PTH123
        digest = hashlib.sha256()
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _stamp_path(stamps: str, path: str) -> str:
    import hashlib

    name = hashlib.blake2b(os.fsencode(os.path.abspath(path)), digest_size=8).hexdigest()
    return os.path.join(stamps, f"{name}.sha256")


def _remembered(kept: str, stamp: str) -> str | None:
    try:
        with open(kept, encoding="ascii") as file:  # noqa: PTH123
            lines = file.read(1000).split("\n")
    except (OSError, ValueError):
        return None
    return lines[1] if lines[0] == stamp and len(lines) == 3 else None


def _remember(kept: str, text: str) -> None:
    """Nothing depends on it: where it can't be written, the next process hashes again."""
    try:
        os.makedirs(os.path.dirname(kept), mode=0o700, exist_ok=True)
        passing = f"{kept}.{os.getpid()}"
        with open(passing, "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(text)
        os.replace(passing, kept)
    except OSError:
        return
