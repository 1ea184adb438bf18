"""Finds the notes in a folder that is imported, and says which of its files are passed over.

Markdown is a note whatever its ending (`.md`, `.MD`, `.markdown`) and name (`_index.md`), unless
Engrain generated it. A copy that a synchroniser made of a note beside it is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import TypeAlias

from engrain.model.errors import EngrainError
from engrain.model.note.conflict_copies import are_alike, name_original, says_generated
from engrain.model.note.tiers import is_generated
from engrain.seam.locator import Locator
from engrain.seam.looks import Seen
from engrain.seam.storage import StorageBackend

LeaveOut: TypeAlias = "Callable[[str], tuple[str, str] | None]"
"""A function that says of a file of the source what is left out with it, the file or a folder (with
`/` at its end), and why; None for one that is imported."""

ENDINGS = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
"""Endings of markdown, in lower case."""
NO_NOTE = "no note"
GENERATED = "generated"


def include_all(_: str) -> None:
    """Leave out no file."""


def note_stem(path: str) -> str:
    """Return the path of a note without its ending."""
    stem, dot, ending = path.rpartition(".")
    return stem if f"{dot}{ending}".lower() in ENDINGS else path


class SourceNotes:
    """The files of a source.

    `notes` has the notes in the order of their names, each with the problem that keeps it from
    being read, if any; `copies` has copies by a synchroniser, each with its original; `others` has
    the files that are no notes; `passed` has what is left out, a file or a folder with `/` at its
    end, with the reason and the number of files.
    """

    def __init__(self, source: StorageBackend, leave_out: LeaveOut = include_all) -> None:
        self._source = source
        self._leave_out = leave_out
        self._plain: set[str] = set()
        self.passed: dict[str, tuple[str, int]] = {}
        self.others: list[Locator] = []
        found = [item for item in source.scan() if self._is_in(item.locator)]
        self._plain.update(item.locator for item in found if item.problem is None)
        for name in source.others():
            if not self._is_in(name):
                continue
            if self._is_note(name):
                found.append(Seen(name, ""))
            else:
                self.others.append(name)
        found.sort(key=lambda item: item.locator)
        self.copies = dict(self._find_copies({item.locator for item in found}))
        self.notes = [item for item in found if item.locator not in self.copies]

    def read(self, name: Locator) -> bytes:
        """Return the bytes of a note. Raises EngrainError."""
        source = self._source
        return source.read(name).raw if name in self._plain else source.read_other(name)

    def pass_over(self, names: Container[str]) -> None:
        """Note the files that are neither notes nor among `names` as passed over."""
        for name in self.others:
            if name not in names:
                self.passed.setdefault(name, (NO_NOTE, 1))

    def _is_in(self, name: str) -> bool:
        left = self._leave_out(name)
        if left is None:
            return True
        what, why = left
        self.passed[what] = (why, self.passed.get(what, (why, 0))[1] + 1)
        return False

    def _is_note(self, name: Locator) -> bool:
        if not name.lower().endswith(ENDINGS):
            return False
        if is_generated(name):
            try:
                if says_generated(name, self._source.read_other(name)):
                    self.passed[name] = (GENERATED, 1)
                    return False
            except EngrainError:
                pass  # told when it is read again
        return True

    def _find_copies(self, names: set[Locator]) -> Iterator[tuple[Locator, str]]:
        """Yield each copy with its original: a name that only a program gives is enough, another
        one may be a person's, so that the two texts have to be alike."""
        for name in (*sorted(names), *self.others):
            if named := name_original(name):
                original, sure = named
                if original in names and (sure or self._are_alike(name, original)):
                    yield name, original

    def _are_alike(self, *names: str) -> bool:
        try:
            one, other = (self.read(Locator(name)).decode() for name in names)
        except (EngrainError, UnicodeDecodeError):
            return False
        return are_alike(one, other)
