"""What an action is: what it is about, how it would look and how it is done (S1.17)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engrain.engine.core.store import Store
from engrain.model.errors import ConflictError
from engrain.model.note.entry import Entry
from engrain.seam.personal import Personal

Preview: TypeAlias = "tuple[str, str, str, str]"
"""The place and text before, the place and text after, of one file."""
OpenPersonal: TypeAlias = "Callable[[], Personal]"


@dataclass(slots=True, eq=False)
class Desk:
    """What an action works with: the store, acted in by whoever decides, and the way to the
    operator's own notes, None where there is none."""

    store: Store
    open_personal: OpenPersonal | None = None

    @property
    def personal(self) -> Personal:
        """Raises ConflictError where they can't be reached from here."""
        if self.open_personal is None:
            raise ConflictError("the operator's own notes can't be reached from here")
        return self.open_personal()


class Subject:
    """What a proposal is about: its id (a place, among the operator's own; several ids joined, of
    several entries), what people call it, and the hash of what it is now. `entries` are empty where
    it is nothing in the vault."""

    __slots__ = ("base", "entries", "id", "title")

    def __init__(self, id: str, title: str, base: str, entries: Sequence[Entry] = ()) -> None:  # noqa: A002
        self.id = id
        self.title = title
        self.base = base
        self.entries = tuple(entries)

    @property
    def entry(self) -> Entry | None:
        """The one entry that it is, None where it is none or several."""
        return self.entries[0] if len(self.entries) == 1 else None


@dataclass(slots=True, eq=False)
class Action:
    """One row: `find` the subject (raises NotFoundError), `preview` what would change, nothing
    where it may not be shown, and `apply` it, `(desk, id, base, reason)`, which raises
    ConflictError. Its `home` is where its planner is, "" for one that has none."""

    find: Callable[[Desk, str], Subject]
    preview: Callable[[Desk, Subject], Sequence[Preview]]
    apply: Callable[[Desk, str, str, str], None]
    home: str = ""


def show(entry: Entry, folder: str, raw: bytes) -> Preview:
    """How an entry would look in a folder, with these bytes."""
    place = f"{folder}/{entry.path.rpartition('/')[2]}"
    return entry.path, text_of(entry.note.raw), place, text_of(raw)


def text_of(raw: bytes) -> str:
    """Bytes of a file as they are shown."""
    return raw.decode(errors="replace")
