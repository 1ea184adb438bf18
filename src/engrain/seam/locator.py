"""Locators: opaque names of stored things (S1.3).

A locator is made from folders and a file name and handed back to the store that knows it. It is
no file system path: it has no root, no way up, and a store may keep it as a key in a table.
"""

from __future__ import annotations

from functools import lru_cache

from engrain.model.errors import ForbiddenPathError, UsageError

_FORBIDDEN = frozenset("\\\x7f") | frozenset(map(chr, range(32)))
_MAX_PART = 255


class Locator(str):
    """Its text (`Memory/fix/pg-lock.md`) is for people, for messages and for keys."""

    __slots__ = ()

    @property
    def folder(self) -> str:
        """The text before the last part."""
        return self.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The last part."""
        return self.rpartition("/")[2]


@lru_cache(1024)  # a place is checked by each floor that it passes
def make_locator(text: str) -> Locator:
    """Check a name that came from outside. Raises ForbiddenPathError when it is absolute, climbs,
    is hidden, or has a part that no file system can hold. Names made by Engrain are stricter:
    `model.slugs` makes them portable."""
    if not all(map(is_part, text.split("/"))):
        shown = ascii(text[:200])
        raise ForbiddenPathError(
            f"not a place inside the vault: {shown}",
            path=shown,
            remedy="name a folder and file below the vault's root",
        )
    return Locator(text)


def is_part(name: str) -> bool:
    """Whether a folder or file may be called so inside a store."""
    if not name or name[0] == ".":
        return False
    if name.isascii() and name.isprintable():  # nearly every name: this is what a scan spends
        return "\\" not in name and len(name) <= _MAX_PART
    if not _FORBIDDEN.isdisjoint(name):
        return False
    try:
        return len(name.encode()) <= _MAX_PART
    except UnicodeEncodeError:
        return False


def refuse_secrets(address: str) -> None:
    """Check the address of a store that is no folder, `SCHEME://HOST/…`. Raises UsageError for one
    with a password in it, without repeating it: addresses stand in process lists and logs."""
    authority, _, rest = address.partition("//")[2].partition("/")
    if ":" in authority.rpartition("@")[0] or "password" in rest.partition("?")[2].lower():
        raise UsageError(
            "the vault's address holds a password",
            remedy="take it out of the address, and put it into PGPASSFILE, a service file"
            " (PGSERVICE) or PGPASSWORD",
        )
