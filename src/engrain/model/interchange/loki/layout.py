"""The files of the layout (loki's "Directory Structure"): which there are, what each holds."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from engrain.language.text.folding import fold
from engrain.language.text.slugs import safe_component
from engrain.model.errors import MalformedError
from engrain.model.note.documents import is_deeper, read_json
from engrain.model.note.note import MAX_NOTE_BYTES, decode_file, hash_bytes

EPISODES, SKILLS, LEDGERS = "episodic", "skills", "ledgers"
HANDOFFS, LEARNINGS, SEMANTIC = "handoffs", "learnings", "semantic"
FOLDERS = (EPISODES, SEMANTIC, SKILLS, LEDGERS, HANDOFFS, LEARNINGS)
INDEX = f"{EPISODES}/index.json"
LINKS = f"{SEMANTIC}/links.json"
CONTINUITY = "CONTINUITY.md"

LISTS = {
    f"{SEMANTIC}/anti-patterns.json": "anti-pattern",
    f"{SEMANTIC}/facts.json": "domain-reference",
    f"{SEMANTIC}/patterns.json": "pattern",
}
"""The files that hold all of a kind, and the kind."""
RECORDS = {
    EPISODES: "episode", LEARNINGS: "learning", HANDOFFS: "handoff", LEDGERS: "ledger",
}  # fmt: skip
"""The folders whose files are records, and of which kind."""
LINK = "link"
"""What `links.json` holds; it is no kind of entry."""

_MAX_DEPTH = 60  # a record is read to 64, and stands a few levels deeper in a file of many
_UNDATED = "undated"


def kind_at(name: str) -> str:
    """The kind of what a file of this name (with `/`) holds; "" for one that is not read."""
    if name == LINKS:
        return LINK
    if name in LISTS:
        return LISTS[name]
    if name == CONTINUITY:
        return "continuity"
    folder, _, rest = name.partition("/")
    ending = rest.rpartition(".")[2].lower()
    if folder == SKILLS and ending == "md":
        return "procedural"
    generated = folder == EPISODES and rest.rpartition("/")[2] == "index.json"
    return RECORDS.get(folder, "") if ending == "json" and not generated else ""


def in_reading_order(names: Iterable[str]) -> list[str]:
    """The files that are read, links before all that they join, sources before what cites them."""
    ranks = {LINK: 0, "episode": 1}
    read = [(ranks.get(kind, 2), name) for name in names if (kind := kind_at(name))]
    return [name for _, name in sorted(read)]


def stem_of(name: str) -> str:
    """A file's name without its folders and its ending."""
    return name.rpartition("/")[2].rpartition(".")[0]


def day_of(name: str) -> str:
    """The day that a file's folder, or of a list of learnings its own name, says; "" if none."""
    day = stem_of(name) if name.startswith(f"{LEARNINGS}/") else name.split("/")[-2]
    digits = day.replace("-", "")
    return day if len(day) == 10 and digits.isascii() and digits.isdigit() else ""


def read_items(name: str, raw: bytes) -> list[Any]:
    """What a JSON file holds: one document, or a list of them, bare or under the one key whose
    value is a list of objects. Raises MalformedError."""
    # A list of all patterns may be larger than any one of them.
    value = read_json(decode_file(raw) if len(raw) <= MAX_NOTE_BYTES else _decode(raw))
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise MalformedError("neither an object nor a list", reason="json", line=1)
    if name in LISTS or name == LINKS or name.startswith(f"{LEARNINGS}/"):
        lists = [part for part in value.values() if isinstance(part, list)]
        if len(lists) == 1 and all(isinstance(item, dict) for item in lists[0]):
            return lists[0]
        if name in LISTS or name == LINKS:
            raise MalformedError("no list of objects", reason="json", line=1)
    return [value]


def check_document(item: Any) -> dict[str, Any]:
    """The item if it is an object that can be kept. Raises MalformedError."""
    if not isinstance(item, dict):
        raise MalformedError("not an object", reason="json")
    if is_deeper(item, _MAX_DEPTH):
        raise MalformedError(f"nested deeper than {_MAX_DEPTH}", reason="json")
    try:
        json.dumps(item, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MalformedError("not valid Unicode", reason="encoding") from None
    return item


def id_in(value: object) -> str:
    """An id as it is written, on one line; "" for what is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value).split())[:200]


def canonical(value: Any) -> str:
    """A value's one spelling: equal values have equal ones, `1` and `1.0` and `true` have not."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def digest(value: Any, digits: int = 12) -> str:
    """The beginning of the hash of a value."""
    return hash_bytes(canonical(value).encode())[:digits]


class Names:
    """The names that files of one export have got: portable, and no two one on any file system."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, folder: str, wanted: str, ending: str) -> str:
        """A free name in a folder ("" as day: undated), as near to `wanted` as may be."""
        stem = safe_component(wanted or "unnamed")
        name = f"{folder}/{stem}{ending}"
        if stem.lower() == "index" or fold(name) in self._taken:
            name = f"{folder}/{stem}-{hash_bytes(wanted.encode())[:8]}{ending}"
        number = 2
        free = name
        while fold(free) in self._taken:
            free = f"{name.removesuffix(ending)}-{number}{ending}"
            number += 1
        self._taken.add(fold(free))
        return free


def day_folder(day: str) -> str:
    """The folder of the episodes of a day."""
    return f"{EPISODES}/{day or _UNDATED}"


def day_file(day: str) -> str:
    """The file of what was learned on a day."""
    return f"{LEARNINGS}/{day or _UNDATED}.json"


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise MalformedError("file is not UTF-8", reason="encoding", line=line) from None
