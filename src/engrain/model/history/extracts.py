"""Extracts of a history that prove themselves: made here, checked anywhere (S3.8).

An extract is text, a line of JSON each. A header names the format, the vault, the entry it is about
(null: all) and, for each device, how many records its chain has and the hash of the last. Then, a
device after the other in the header's order, come the pairs of the history itself: every record's
line as it stands there, and its payload's line as it stands there, `{}` where it was erased, `null`
where it is withheld because it is about other entries. The last line has the hash of every byte
before it. All hashes are SHA-256 in hex.

Each record has the hash of the line before it (`prev`; zeros in the first) and of its payload's
line, so that nothing can be altered, dropped or moved without another hash at the end. Whoever
knows a device's last hash from elsewhere knows that the extract is of that history.
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
    """One change of an extract: the record, and whether its payload was withheld or
    erased."""

    record: Record
    _: KW_ONLY
    withheld: bool
    erased: bool


@dataclass(slots=True, eq=False)
class Chain:
    """One device's chain in an extract: its records, in number and in full for those the extract
    is about, the hash of the last, and what is wrong with it."""

    device: str
    links: int
    head: str
    records: list[ExtractRecord] = field(default_factory=list, init=False)
    wrong: str | None = field(default=None, init=False)


@dataclass(slots=True, eq=False)
class Extract:
    """What an extract says: `digest` is the hash of all of it, `wrong` what does not hold."""

    vault: str
    entry: str | None
    chains: Sequence[Chain]
    digest: str
    wrong: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.chains = tuple(self.chains)

    @property
    def sound(self) -> bool:
        """Whether all of it holds."""
        return not self.wrong and not any(chain.wrong for chain in self.chains)


def write_header(vault: str, entry: str | None, heads: Mapping[str, tuple[int, str]]) -> bytes:
    """The first line: `heads` has each device's number of records and the hash of its last."""
    devices = [
        {"device": device, "records": links, "head": head}
        for device, (links, head) in sorted(heads.items())
    ]
    return _dump({"engrain_extract": FORMAT, "vault": vault, "entry": entry, "devices": devices})


def write_trailer(digest: str) -> bytes:
    """The last line."""
    return _dump({"sha256": digest})


def read_extract(raw: bytes) -> Extract:
    """Check an extract from its first byte to its last, and return what it contains.

    Raises HistoryError for what is no extract at all; what is wrong within one is in the result.
    """
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
    """The changes whose payloads a record says were erased; only those of its own chain count."""
    if record.op != "erase":
        return set()
    named = (record.undoes or "").split()
    return {name for name in named if name.rpartition("-")[0] == record.device}


def _read_chain(chain: Chain, pairs: Iterator[bytes], entry: str | None) -> None:
    prev = GENESIS
    blank, excused = [], set()
    for n in range(1, chain.links + 1):
        line, payload = next(pairs, b""), next(pairs, b"")
        try:
            record = _read_link(chain, line, payload, prev, n)
        except HistoryError as error:
            chain.wrong = f"at {chain.device}-{n}: {error.message}"
            return
        prev = hash_bytes(line)
        excused |= erased_by(record)
        withheld, erased = payload == WITHHELD, payload == BLANK
        if erased:
            blank.append(record.change)
        if entry is None or entry in record.entries:
            chain.records.append(ExtractRecord(record, withheld=withheld, erased=erased))
    if prev != chain.head:
        chain.wrong = "its last record is not the one that the header names"
    elif lost := [change for change in blank if change not in excused]:
        chain.wrong = f"at {lost[0]}: a payload is gone and no record says that it was erased"


def _read_link(chain: Chain, line: bytes, payload: bytes, prev: str, n: int) -> Record:
    """Link `n` of a chain. Raises HistoryError where it does not go on from `prev`, the hash of the
    link before it."""
    withheld = payload == WITHHELD
    if wrong := check_link(line, BLANK if withheld else payload, prev, n):
        raise HistoryError(wrong)
    record = decode_record(line, None if withheld else payload, with_bytes=False)
    if record.device != base_device(chain.device):
        raise HistoryError(f"the record is one of {record.device}")
    return record


def _read_header(line: bytes) -> tuple[str, str | None, list[Chain]]:
    try:
        header = json.loads(line)
        vault, entry, devices = header["vault"], header["entry"], header["devices"]
        format_ = header["engrain_extract"]
        chains = [Chain(row["device"], row["records"], row["head"]) for row in devices]
        fits = isinstance(vault, str) and isinstance(entry, str | None)
        for chain in chains:
            # Whatever JSON has for a number of records but one: a truth value, a fraction.
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
