"""Locators: opaque names of stored things (S1.3).

A locator is made of folders and a file name, and only its store can resolve it. It is no path of a
file system: it has no root and no way up, and a store may use it as a key in a table.
"""

from __future__ import annotations

from engrain.model.errors import ForbiddenPathError, UsageError

_FORBIDDEN = frozenset("\\\x7f") | frozenset(map(chr, range(32)))
_MAX_PART = 255
_MOST_CHECKED = 1024
_checked: dict[str, Locator] = {}
"""Names that were found good: several floors check the same one."""


class Locator(str):
    """A locator, such as `Memory/fix/pg-lock.md`."""

    __slots__ = ()

    @property
    def folder(self) -> str:
        """The text before the last part."""
        return self.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The last part."""
        return self.rpartition("/")[2]


def make_locator(text: str) -> Locator:
    """Check a name that came from outside. Raises ForbiddenPathError if it is absolute, climbs, is
    hidden, or has a part that no file system can hold."""
    if known := _checked.get(text):
        return known
    if not all(map(is_part, text.split("/"))):
        shown = ascii(text[:200])
        raise ForbiddenPathError(
            f"not a place inside the vault: {shown}",
            path=shown,
            remedy="name a folder and file below the vault's root",
        )
    if len(_checked) >= _MOST_CHECKED:
        _checked.clear()
    _checked[text] = found = Locator(text)
    return found


def is_part(name: str) -> bool:
    """Whether a folder or file in a store may have this name."""
    if not name or name[0] == ".":
        return False
    if name.isascii() and name.isprintable():  # nearly every name, so that scans are fast
        return "\\" not in name and len(name) <= _MAX_PART
    if not _FORBIDDEN.isdisjoint(name):
        return False
    try:
        return len(name.encode()) <= _MAX_PART
    except UnicodeEncodeError:
        return False


def refuse_secrets(address: str) -> None:
    """Check the address of a store that is no folder, `SCHEME://HOST/…`. Raises UsageError for an
    address with a password, without repeating it: process lists and logs show addresses."""
    authority, _, rest = address.partition("//")[2].partition("/")
    if ":" in authority.rpartition("@")[0] or "password" in rest.partition("?")[2].lower():
        raise UsageError(
            "the vault's address holds a password",
            remedy="take it out of the address, and put it into PGPASSFILE, a service file"
            " (PGSERVICE) or PGPASSWORD",
        )
