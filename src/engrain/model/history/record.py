"""History records: an append-only hash chain per device, with payloads beside it (DESIGN section
7).

A change is two lines. The record says who, when, what and which entries by id, and has the hashes
of the line before it (`prev`) and of its payload (`payload`); a code (`mac`) shows that a holder of
the vault's key made it, if there is one. The payload has what may have to be erased one day: paths,
reasons and the bytes, with a random salt, so that the hash that stays in the chain after the
payload is blanked reveals nothing of a guessable text.

A scan that meets bytes which no record explains writes a record with the operation `external`. The
record that explains them may only be late, since a synchroniser brings notes and history in any
order. Once it is here, a record with the operation `cancel` voids such conclusions. It has no
files, and its field `undoes` lists them: the name of each `external` change, and behind a colon the
positions of the files in it, counted from 0, as in `7q2mz4ke-12:0,3`.

A tombstone replaces an entry that was erased. It has the entry's id and the time of the erasure,
and nothing of its content: no text, title, kind or tag.
"""

from __future__ import annotations

import json
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from types import UnionType
from typing import Any
from unicodedata import normalize
from zlib import DEFLATED, compressobj, decompressobj, error

from engrain.language.text.folding import safe_component
from engrain.language.text.instants import format_instant
from engrain.model.errors import HistoryError
from engrain.model.history.line import (
    Sign,
    is_blank,
    open_line,
    read_together,
    seal_line,
    split_change,
)
from engrain.model.note.entry import Entry
from engrain.model.note.note import MAX_NOTE_BYTES, compose_note, hash_bytes
from engrain.model.note.tiers import split_ending

HANDOVER = "handover"
"""The operation of a chain's first record if it continues another chain: when two installations had
one id, the one that took a new id names its last record under the old one in `undoes`, as
`<device>-<n>:<hash of that record's line>`."""

_SMALL_BITS = 12
_END_OF_TIME = 1e11
_RECORD_TYPES: dict[str, type | UnionType] = {
    "device": str,
    "n": int,
    "at": int | float,
    "op": str,
    "entries": list,
    "agent": str,
    "trust": str,
    "undoes": str | None,
}
_PAYLOAD_TYPES: dict[str, type | UnionType] = {"reason": str, "files": list}
_FILE_TYPES: dict[str, type | UnionType] = {
    "path": str,
    "entry": str,
    "before": str | None,
    "after": str | None,
}


@dataclass(slots=True)
class FileChange:
    """One file of a change: hashes before and after (None: no file), and the bytes after."""

    path: str
    entry: str
    before_hash: str | None
    after_hash: str | None
    after: bytes | None


@dataclass(slots=True)
class Record:
    """One change in the history. `files` is None if its payload was erased.

    `change` is its name, `<device>-<n>`; `at` is in seconds since the epoch; `trust` is the origin
    of the caller; `undoes` names the change that this one took back. `part_of` names the first
    change of an operation of several, None for that first one and for a single change. `together`
    is how many records right before it were flushed along with it, so that a process which dies may
    leave all of these unfinished. `attested` says that its code and its payload are valid.
    """

    device: str
    n: int
    at: float
    op: str
    entries: Sequence[str]
    files: Sequence[FileChange] | None
    _: KW_ONLY
    reason: str = ""
    agent: str = ""
    trust: str = ""
    undoes: str | None = None
    part_of: str | None = None
    together: int = 0
    attested: bool = False

    def __post_init__(self) -> None:
        self.entries = tuple(self.entries)
        self.files = None if self.files is None else tuple(self.files)

    @property
    def change(self) -> str:
        """The name of the change."""
        return f"{self.device}-{self.n}"


def encode_record(
    record: Record, prev: str, salt: str, sign: Sign | None = None
) -> tuple[bytes, bytes]:
    """Return the record's line, with the code that `sign` makes, and its payload's line, both
    without line ends."""
    files = [
        {
            "path": file.path,
            "entry": file.entry,
            "before": file.before_hash,
            "after": file.after_hash,
            "bytes": None if file.after is None else _encode_bytes(file.after),
        }
        for file in record.files or ()
    ]
    payload = _dump({"salt": salt, "reason": record.reason, "files": files})
    line = {
        "v": 1,
        "device": record.device,
        "n": record.n,
        "at": record.at,
        "op": record.op,
        "entries": list(record.entries),
        "agent": record.agent,
        "trust": record.trust,
        "undoes": record.undoes,
        "payload": hash_bytes(payload),
        "prev": prev,
    }
    if record.part_of is not None:
        line["part_of"] = record.part_of
    if record.together:
        line["together"] = record.together
    said = _dump(line)
    return seal_line(said, sign) if sign else said, payload


def decode_record(line: bytes, payload: bytes | None, *, with_bytes: bool = True) -> Record:
    """Return the record in a line; with `payload` None or blank its files are unknown. Without
    `with_bytes` the files' bytes stay packed, and `after` is None. Raises HistoryError."""
    try:
        head = json.loads(line)
        _check_types(head, _RECORD_TYPES)
        if not abs(head["at"]) < _END_OF_TIME:
            raise ValueError("at is no time")
        if not all(isinstance(entry, str) for entry in head["entries"]):
            raise ValueError("an entry's id is not text")
        files: list[FileChange] | None = None
        reason = ""
        if payload is not None and not is_blank(payload):
            content = json.loads(payload)
            _check_types(content, _PAYLOAD_TYPES)
            reason = content["reason"]
            for file in content["files"]:
                _check_types(file, _FILE_TYPES)
            files = [
                FileChange(
                    file["path"],
                    file["entry"],
                    file["before"],
                    file["after"],
                    _decode_bytes(file["bytes"]) if with_bytes else None,
                )
                for file in content["files"]
            ]
        return Record(
            head["device"],
            head["n"],
            head["at"],
            head["op"],
            head["entries"],
            files,
            reason=reason,
            agent=head["agent"],
            trust=head["trust"],
            undoes=head["undoes"],
            part_of=_read_whole(head),
            together=read_together(head),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise HistoryError(f"a history record can't be read: {error}") from None


def _read_whole(head: Mapping[str, Any]) -> str | None:
    """Return `part_of` if it names an earlier change of the same device, else None: a record can't
    join an operation of another device."""
    said = head.get("part_of")
    name = split_change(said) if isinstance(said, str) else None
    return said if name and name[0] == head["device"] and name[1] < head["n"] else None


def check_code(
    line: bytes, payload: bytes, holds: Callable[[bytes, str], bool], device: str
) -> bool:
    """Whether a record of a device's chain has a code that `holds` for its line, and the payload
    for which it was made. A record whose payload was erased attests nothing."""
    message, code = open_line(line)
    if not holds(message, code):
        return False
    # The code covers the form of the line, so that no text within it can imitate these.
    said = b'"device":"%b"' % device.encode(), b'"payload":"%b"' % hash_bytes(payload).encode()
    return all(part in line for part in said)


def check_link(line: bytes, payload: bytes, prev: str, n: int) -> str | None:
    """Return what is wrong with record `n`, None if nothing is. A record must name `prev`, the hash
    of the line before it."""
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        return "the record is not JSON"
    if not isinstance(head, dict) or head.get("n") != n:
        return f"record {n} is missing or out of order"
    if head.get("prev") != prev:
        return "the record does not follow the one before it"
    if not is_blank(payload) and head.get("payload") != hash_bytes(payload):
        return "the payload is not the one recorded"
    return None


def _check_types(value: dict[str, object], types: Mapping[str, type | UnionType]) -> None:
    """Raise ValueError for a wrong type: another device wrote the record, which may be hostile."""
    for name, wanted in types.items():
        if not isinstance(value[name], wanted):
            raise ValueError(f"{name} has the wrong type")


def _encode_bytes(raw: bytes) -> str:
    # Setting up for a large text takes four times as long as packing a note.
    bits, memory = (_SMALL_BITS, 6) if len(raw) <= 1 << _SMALL_BITS else (15, 8)
    stream = compressobj(1, DEFLATED, bits, memory)
    return b2a_base64(stream.compress(raw) + stream.flush(), newline=False).decode()


def _decode_bytes(text: str | None) -> bytes | None:
    if text is None:
        return None
    stream = decompressobj()
    try:
        # A hostile history must not unpack without bound.
        unpacked = stream.decompress(a2b_base64(text), MAX_NOTE_BYTES + 1)
    except error as cause:
        raise ValueError(str(cause)) from None
    if len(unpacked) > MAX_NOTE_BYTES or not stream.eof:
        raise ValueError("its length is not the recorded one")
    return unpacked


def _dump(value: object) -> bytes:
    # A lone surrogate (an argument that was not UTF-8) becomes the escape that JSON has for it.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="backslashreplace")


CANCEL = "cancel"
"""The operation of the record that names conclusions which are void."""
EXTERNAL = "external"
"""The operation of a conclusion: another program left these bytes."""
CANCELLED = "cancelled"
"""The operation under which an index keeps a conclusion that is void. No record bears it."""


def write_cancelled(conclusions: Iterable[tuple[str, int]]) -> str:
    """Return the field `undoes` of a record that cancels conclusions, given by change and
    position."""
    places: dict[str, list[int]] = {}
    for change, place in conclusions:
        places.setdefault(change, []).append(place)
    return " ".join(
        f"{change}:{','.join(map(str, sorted(those)))}" for change, those in places.items()
    )


def read_cancelled(undoes: str | None) -> Iterator[tuple[str, int]]:
    """Yield the conclusions that a `cancel` record names, without words that name none."""
    for word in (undoes or "").split():
        change, _, places = word.partition(":")
        if split_change(change):
            for place in places.split(","):
                if place.isascii() and place.isdigit() and len(place) <= _PLACE_DIGITS:
                    yield change, int(place)


_PLACE_DIGITS = 9


PREFIX = "erased-"
LEAST_SEALED = 16
"""The fewest characters of a text that is recognised: shorter texts recur by chance."""


def stem_of(entry: str) -> str:
    """Return the name of a tombstone's file; an id may have been written by hand."""
    return safe_component(f"{PREFIX}{entry}")


def compose_tombstone(entry: str, at: float) -> bytes:
    """Return the tombstone of an entry erased at `at`."""
    return compose_note({"id": entry, "status": "deleted", "erased": format_instant(at)}, "").raw


def is_tombstone(entry: Entry) -> bool:
    """Whether an entry is a tombstone without any text."""
    dead = entry.status == "deleted" and "erased" in entry.fields
    return dead and not entry.note.body.strip()


def body_digest(body: str) -> str | None:
    """Return the digest of a body, whatever its line breaks; None for a short body."""
    text = " ".join(normalize("NFC", body).split())
    return hash_bytes(text.encode()) if len(text) >= LEAST_SEALED else None


def text_digest(entry: Entry) -> str | None:
    """Return the digest that two notes with one text share. A record has none: its copies have its
    id, and two traces of one task may have the same text."""
    return None if split_ending(entry.path)[1] == ".json" else body_digest(entry.note.body)
