"""`history --export`: writes an extract that others can check without the vault (S3.8)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice

from engrain.engine.core.lineage import read_lineage
from engrain.engine.core.store import Store
from engrain.engine.history.history import list_changes
from engrain.model.history.extracts import WITHHELD, erased_by, write_header, write_trailer
from engrain.model.history.record import BLANK, GENESIS, Record, decode_record, is_blank
from engrain.model.note.note import hash_bytes
from engrain.seam.storage import ChainLink


def make_extract(
    store: Store, reference: str | None = None, *, payloads: bool = True
) -> Iterator[bytes]:
    """The lines of an extract, each with its line end. About one entry it has the payloads of
    changes of that entry and its predecessors and successors; a payload with other entries is
    withheld. Without `payloads` all are.

    Raises NotFoundError when the history has nothing about the entry; HistoryError.
    """
    entry = None if reference is None else list_changes(store, reference, 1)[0].entry
    return _Survey(store, entry).write(store, payloads=payloads)


class _Survey:
    """What the whole history has to be read for before the first line can be written."""

    def __init__(self, store: Store, entry: str | None) -> None:
        self.entry = entry
        self.heads: dict[str, tuple[int, str]] = {}
        self.erased: set[str] = set()
        self.kin = {entry} if entry else set()
        for device in sorted(store.backend.heads()):
            links, head = 0, GENESIS
            for link in read_lineage(store.backend, device):
                links, head = links + 1, hash_bytes(link.line)
                self._meet(decode_record(link.line, None))
            self.heads[device] = links, head

    def _meet(self, record: Record) -> None:
        self.erased |= erased_by(record)
        if record.op == "evolve" and self.entry in record.entries:
            self.kin |= set(record.entries)

    def write(self, store: Store, *, payloads: bool) -> Iterator[bytes]:
        digest = sha256()
        for line in self._lines(store, payloads=payloads):
            digest.update(line + b"\n")
            yield line + b"\n"
        yield write_trailer(digest.hexdigest()) + b"\n"

    def _lines(self, store: Store, *, payloads: bool) -> Iterator[bytes]:
        yield write_header(store.backend.vault, self.entry, self.heads)
        for device, (links, _) in self.heads.items():
            # What was recorded since the survey is not among what the header tells of.
            for link in islice(read_lineage(store.backend, device), links):
                yield link.line
                yield self._payload(link) if payloads else WITHHELD

    def _payload(self, link: ChainLink) -> bytes:
        record = decode_record(link.line, None)
        if self.entry is not None and not set(record.entries) <= self.kin:
            return WITHHELD
        if is_blank(link.payload) or record.change in self.erased:
            return BLANK
        return link.payload
