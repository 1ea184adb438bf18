"""Extracts of a history that can be verified anywhere (S3.8).

An extract is text of JSON lines. A header has the format, the vault, the entry (null: all) and, for
each device, the number of records in its chain and the hash of the last. Then follow, device by
device in the header's order, the pairs of lines of the history itself: each record, and its payload
(`{}` if it was erased, `null` if it is withheld because it is about other entries). The last line
has the hash of every byte before it. All hashes are SHA-256 in hex.

Each record has the hash of the line before it (`prev`; zeros in the first) and of its payload's
line, so that nothing can be changed, dropped or moved without another hash at the end. Whoever
knows a device's last hash from elsewhere can tell that the extract is of that history.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field

from engrain.model.errors import HistoryError
from engrain.model.history.record import BLANK, GENESIS, Record, check_link, decode_record
from engrain.model.note.ids import base_device
from engrain.model.note.note import hash_bytes

FORMAT = 1
WITHHELD = b"null"
"""The payload line of a change that the extract is not about."""


@dataclass(slots=True, eq=False)
class ExtractRecord:
    """A record of an extract, and whether its payload was withheld or erased."""

    record: Record
    _: KW_ONLY
    withheld: bool
    erased: bool


@dataclass(slots=True, eq=False)
class Chain:
    """One device's chain in an extract: the number of its records (`links`), the hash of the last,
    the records that the extract is about, and what is wrong, None for nothing."""

    device: str
    links: int
    head: str
    records: list[ExtractRecord] = field(default_factory=list, init=False)
    wrong: str | None = field(default=None, init=False)


@dataclass(slots=True, eq=False)
class Extract:
    """The content of an extract: `digest` is its hash, `wrong` what is wrong with it."""

    vault: str
    entry: str | None
    chains: Sequence[Chain]
    digest: str
    wrong: str | None = field(default=None, init=False)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.wrong and not any(chain.wrong for chain in self.chains)


def write_header(vault: str, entry: str | None, heads: Mapping[str, tuple[int, str]]) -> bytes:
    """Return the first line: `heads` has each device's number of records and its last hash."""
    devices = [
        {"device": device, "records": links, "head": head}
        for device, (links, head) in sorted(heads.items())
    ]
    return _dump({"engrain_extract": FORMAT, "vault": vault, "entry": entry, "devices": devices})


def write_trailer(digest: str) -> bytes:
    """Return the last line."""
    return _dump({"sha256": digest})


def read_extract(raw: bytes) -> Extract:
    """Verify an extract and return its content, with what is wrong in it. Raises HistoryError for a
    file that is no extract."""
    lines = raw.split(b"\n")
    vault, entry, chains = _read_header(lines[0])
    end = raw.rfind(b"\n", 0, -1) + 1
    digest = hash_bytes(raw[:end])
    extract = Extract(vault, entry, chains, digest)
    heads = {chain.device: (chain.links, chain.head) for chain in chains}
    if lines[0] != write_header(vault, entry, heads):
        extract.wrong = "the header was changed"
    elif raw[end:] != write_trailer(digest) + b"\n":
        extract.wrong = "the last line is not the hash of what is before it"
    elif len(lines) != 3 + 2 * sum(chain.links for chain in chains):
        extract.wrong = "it does not have the lines that its header names"
    pairs = iter(lines[1:-2])
    for chain in chains:
        _read_chain(chain, pairs, entry)
    return extract


def erased_by(record: Record) -> set[str]:
    """Return the changes of its own chain whose payloads a record says were erased."""
    if record.op != "erase":
        return set()
    named = (record.undoes or "").split()
    return {name for name in named if name.rpartition("-")[0] == record.device}


def _read_chain(chain: Chain, pairs: Iterator[bytes], entry: str | None) -> None:
    prev = GENESIS
    blank, excused = [], set()
    for n in range(1, chain.links + 1):
        line, payload = next(pairs, b""), next(pairs, b"")
        withheld, erased = payload == WITHHELD, payload == BLANK
        try:
            if wrong := check_link(line, BLANK if withheld else payload, prev, n):
                raise HistoryError(wrong)
            record = decode_record(line, None if withheld else payload, with_bytes=False)
            if record.device != base_device(chain.device):
                raise HistoryError(f"the record is one of {record.device}")
        except HistoryError as error:
            chain.wrong = f"at {chain.device}-{n}: {error.message}"
            return
        prev = hash_bytes(line)
        excused |= erased_by(record)
        if erased:
            blank.append(record.change)
        if entry is None or entry in record.entries:
            chain.records.append(ExtractRecord(record, withheld=withheld, erased=erased))
    if prev != chain.head:
        chain.wrong = "its last record is not the one that the header names"
    elif lost := [change for change in blank if change not in excused]:
        chain.wrong = f"at {lost[0]}: a payload is gone and no record says that it was erased"


def _read_header(line: bytes) -> tuple[str, str | None, list[Chain]]:
    try:
        header = json.loads(line)
        vault, entry, devices = header["vault"], header["entry"], header["devices"]
        format_ = header["engrain_extract"]
        chains = [Chain(row["device"], row["records"], row["head"]) for row in devices]
        fits = isinstance(vault, str) and isinstance(entry, str | None)
        for chain in chains:
            # A truth value or a fraction is no number of records.
            fits = fits and type(chain.links) is int and isinstance(chain.device, str)
            fits = fits and isinstance(chain.head, str)
    except (ValueError, KeyError, TypeError, RecursionError):
        fits = False
    if not fits:
        raise HistoryError(
            "this is no extract of a history", remedy="`engrain history --export FILE` makes one"
        )
    if format_ != FORMAT:
        raise HistoryError(
            f"this extract is of format {format_!r:.20}, and this version reads {FORMAT}",
            remedy="check it with a newer Engrain",
        )
    return vault, entry, chains


def _dump(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
