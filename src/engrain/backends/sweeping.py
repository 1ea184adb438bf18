"""What a writer that died leaves beside the files of its change: named, found again and dealt with.

The name of a temporary file says whose it is (the device), which attempt it is of, and by a check
sum for which file it stands.
"""

from __future__ import annotations

import os
from zlib import crc32

from engrain.backends import confined, segments
from engrain.backends.confined import TEMP_PREFIX
from engrain.backends.placing import SWAP, TEMP, discard, settle
from engrain.model.errors import ForbiddenPathError, NotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engrain.model.history.record import FileChange


def name_temp(device: str, attempt: str, name: str) -> str:
    """The name of a temporary file that stands for the file `name`; `attempt` has no hyphen."""
    return f"{TEMP_PREFIX}{device}-{attempt}-{_mark(name)}{TEMP}"


def sweep(root: int, device: str, files: Iterable[FileChange]) -> None:
    """Deal with what a death left beside the files of some changes. Raises OSError."""
    beside: dict[tuple[str, ...], dict[str, tuple[str, Sequence[str | None]]]] = {}
    for file in files:
        folders, name = confined.split_path(file.path)
        known = file.before_hash, file.after_hash
        beside.setdefault(tuple(folders), {})[_mark(name)] = name, known
    for place, called in beside.items():
        try:
            folder = confined.open_folder(root, place)
        except (NotFoundError, ForbiddenPathError):
            continue
        try:
            _sweep_folder(folder, f"{TEMP_PREFIX}{device}-", called)
        except OSError as error:
            if error.errno not in segments.IN_THE_WAY:
                raise
        finally:
            os.close(folder)


def _sweep_folder(
    folder: int, start: str, called: Mapping[str, tuple[str, Sequence[str | None]]]
) -> None:
    """Deal with the temporary files of a folder; `called` has names and known hashes by mark."""
    for temp in os.listdir(folder):
        if not temp.startswith(start):
            continue
        if not temp.endswith(SWAP):
            discard(folder, temp)
            continue
        mark = temp.removeprefix(start).partition("-")[2][:8]
        settle(folder, temp, *called.get(mark, ("recovered.md", ())))


def _mark(name: str) -> str:
    return f"{crc32(name.encode(errors='surrogateescape')):08x}"
