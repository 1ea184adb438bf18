"""The folder of the operator's own notes, and what may be entered of it (S1.7).

It is walked as a vault is, part by part and behind no link; besides, a folder that is a vault, this
device's state, or a vault of anybody's, is as closed as one outside. They are known by what they
are and not by their names, so that no other spelling leads into one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from engrain.backends import confined
from engrain.model.errors import (
    ConfigError,
    EngrainError,
    ForbiddenPathError,
    MalformedError,
    NotFoundError,
)
from engrain.model.note.note import MAX_NOTE_BYTES
from engrain.model.note.tiers import SYSTEM_FOLDER
from engrain.seam.locator import Locator, make_locator
from engrain.seam.personal import TEXT_ENDINGS

_ROOT = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class PersonalRoot:
    """The root while a verb is at work in it; a block that closes it."""

    __slots__ = ("_closed", "_number", "path")

    def __init__(self, root: str | None, closed: Iterable[str]) -> None:
        """Raises ConfigError where no root is set, none is there, or it lies in a vault."""
        self.path = _find_root(root)
        self._closed = {found for folder in closed if (found := _identify(folder))}
        if inside := next(filter(self._is_closed_path, _climb(self.path)), None):
            raise ConfigError(
                "personal.root lies in a vault or in this device's state",
                path=inside,
                remedy="the operator sets it to a folder of notes outside of them",
            )
        try:
            self._number = os.open(self.path, _ROOT)
        except OSError as error:
            raise ConfigError(
                f"personal.root can't be reached: {error.strerror}",
                path=self.path,
                remedy="the operator sees to it, or sets another",
            ) from None

    def __enter__(self) -> PersonalRoot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self._number)

    def enter(self, folders: Sequence[str], *, create: bool = False) -> int:
        """A descriptor of a folder below; with `create` missing ones are made. Raises
        NotFoundError, ForbiddenPathError, OSError."""
        here = os.dup(self._number)
        for depth, part in enumerate(folders, 1):
            try:
                below = confined.open_folder(here, [part], create)
            except EngrainError as error:
                error.path = "/".join(folders[:depth])
                raise
            finally:
                os.close(here)
            here = below
            if self._is_closed(here):
                os.close(here)
                raise ForbiddenPathError(
                    "not among the personal notes: a vault, or this device's state",
                    path="/".join(folders[:depth]),
                    remedy="use the verbs of the vault, such as `engrain show`",
                )
        return here

    def find(self, locator: Locator) -> tuple[bytes, os.stat_result] | None:
        """A file's bytes and status, None where nothing is. Raises ForbiddenPathError,
        MalformedError for what is too large, OSError."""
        folders, name = confined.split_path(locator)
        try:
            with confined.Descriptor(self.enter(folders)) as folder:
                try:
                    return confined.read_file(folder, name)
                except (ForbiddenPathError, MalformedError) as error:
                    error.path = locator
                    raise
        except NotFoundError:
            return None

    def _is_closed(self, folder: int) -> bool:
        found = os.fstat(folder)
        if (found.st_dev, found.st_ino) in self._closed:
            return True
        try:
            os.stat(SYSTEM_FOLDER, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def _is_closed_path(self, folder: str) -> bool:
        return _identify(folder) in self._closed or os.path.lexists(
            os.path.join(folder, SYSTEM_FOLDER)
        )


def check_place(place: str) -> Locator:
    """The place of a note or folder. Raises ForbiddenPathError."""
    try:
        return make_locator(place)
    except ForbiddenPathError as error:
        raise ForbiddenPathError(
            f"not a place among the personal notes: {error.path}",
            path=error.path,
            remedy="name a note by its folders and name below personal.root",
        ) from None


def check_note(place: str) -> Locator:
    """The place of a note. Raises ForbiddenPathError, also for what is no text by its name."""
    locator = check_place(place)
    if not is_text_name(locator.name):
        raise ForbiddenPathError(
            f"{locator[:200]!a} is no note: its name ends with none of " + ", ".join(TEXT_ENDINGS),
            remedy="name a file of markdown or plain text",
        )
    return locator


def is_text_name(name: str) -> bool:
    """Whether a file of this name is a note."""
    return name.lower().endswith(TEXT_ENDINGS)


def check_text(locator: Locator, raw: bytes) -> str:
    """The text of a note. Raises MalformedError."""
    if len(raw) > MAX_NOTE_BYTES:
        raise MalformedError(
            f"note of {len(raw)} bytes is over the limit of {MAX_NOTE_BYTES}",
            reason="too-large",
            path=locator,
            remedy="split the note",
        )
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise MalformedError("note is not UTF-8 text", reason="encoding", path=locator) from None
    if "\0" in text:
        raise MalformedError("note holds a NUL character", reason="nul", path=locator)
    return text


def _find_root(root: str | None) -> str:
    if not root:
        raise ConfigError(
            "no folder of personal notes is configured",
            remedy="the operator names it: `engrain config set personal.root FOLDER`",
        )
    path = os.path.expanduser(root)
    if not os.path.isabs(path):
        raise ConfigError(
            f"personal.root is {root[:80]!r}, which depends on where one stands",
            remedy="the operator sets it to an absolute path",
        )
    return os.path.realpath(path)


def _climb(path: str) -> list[str]:
    """A folder and all above it."""
    found = [path]
    while (above := os.path.dirname(path)) != path:
        found.append(path := above)
    return found


def _identify(folder: str) -> tuple[int, int] | None:
    try:
        found = os.stat(folder)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
