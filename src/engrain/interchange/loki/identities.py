"""What the documents of a tree are called here, and which of them are here already."""

from __future__ import annotations

from engrain.engine.core.moving import is_free
from engrain.engine.core.store import Store
from engrain.interchange.loki.incoming import SOURCE, Incoming
from engrain.interchange.loki.reading import Tell
from engrain.language.text.slugs import slugify
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.interchange.loki.entries import describe_entry, says_the_same
from engrain.model.interchange.loki.layout import digest
from engrain.model.note.entry import Entry
from engrain.seam.locator import make_locator
from engrain.seam.rows import Row


class Identities:
    """Gives each document of a tree its id: its own, where no other entry of the vault has that.
    `renamed` has the id here by that in the tree."""

    def __init__(self, store: Store, tell: Tell) -> None:
        self._store = store
        self._tell = tell
        self._ids: set[str] = set()
        self._said: set[str] = set()
        self.renamed: dict[str, str] = {}

    def knows(self, id_: str) -> bool:
        """Whether something of this id came in, or is here."""
        return id_ in self._ids or self._store.find_exact(id_) is not None

    def came_before(self, incoming: Incoming) -> bool:
        """Whether the same document stands in the tree twice."""
        said = f"{incoming.kind} {digest(incoming.document, 64)}"
        again = said in self._said
        self._said.add(said)
        return again

    def find(self, incoming: Incoming) -> Entry | None:
        """Decide the id that a document has here; the entry that is it already, if one is."""
        if incoming.kind == "ledger":
            return self._find_ledger(incoming)
        base = incoming.given
        endings = (slugify(incoming.tree, "loki"), digest(incoming.document, 8))
        for id_ in (base, *(f"{base}-{ending}" for ending in endings)):
            if id_ in self._ids:
                continue
            row = self._store.find_exact(id_)
            there = None if row is None else self._read_row(row)
            incoming.id = id_
            if row is None or (there is not None and self._is(there, incoming)):
                self._ids.add(id_)
                self.renamed.setdefault(base, id_)
                return there
        raise ConflictError(f"other entries have its id {base!r} and all that it could get instead")

    def _find_ledger(self, incoming: Incoming) -> Entry | None:
        """The ledger of its agent, of which there is one."""
        place = make_locator(incoming.ledger_place)
        if place in self._ids:
            raise ConflictError("another ledger of its agent came before it")
        self._ids.add(place)
        if is_free(self._store, place):
            if self.knows(incoming.given):
                incoming.id = f"{incoming.given}-{digest(incoming.document, 8)}"
            self._ids.add(incoming.id)
            return None
        there = self._store.read_entry(place)
        if self._is(there, incoming):
            return there
        raise ConflictError("its agent has a ledger here, which stays as it is")

    def _read_row(self, row: Row) -> Entry | None:
        try:
            entry = self._store.read_entry(row.locator)
        except EngrainError:
            return None
        return entry if entry.id == row.id else None

    def _is(self, there: Entry, incoming: Incoming) -> bool:
        """Whether an entry is this document: it came from it, or says the same."""
        if there.kind != incoming.kind:
            return False
        source = there.source
        if (source.get("kind"), source.get("ref")) == (SOURCE, incoming.ref):
            return True
        return says_the_same(describe_entry(there), incoming.as_here())
