"""Conflict copies: the names that synchronisers give a second file when two devices wrote one, and
which files can be merged without a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from engrain.model.note.tiers import is_generated, record_kind, split_ending

# Syncthing, Dropbox in its languages, Nextcloud, Obsidian, Seafile, Google Drive, pCloud, Resilio.
_SAID = (
    "conflict|konflik|conflit|konfliktn|motstrid|modstrid|ristiriita|çakış|sprzeczn|tegenstrijdig"
    "|bercanggah|ütköz|конфл|競合|冲突|衝突|충돌|ขัดแย้ง|xung đột|תתנגש|متعارض"
)
_CONFLICT = (
    r"(?i)\A(?P<stem>.{1,255}?)"
    r"(?:[._-]?sync-conflict.*"
    rf"| ?[(\[（][^()\[\]（）]{{0,200}}?(?:{_SAID})[^()\[\]（）]{{0,200}}[)\]）]|[._]conflict.*)"
)
_NUMBERED = r"\A(?P<stem>.{1,255}?) (?:\d{1,2}|\(\d{1,2}\))"
"""Names of iCloud and Google Drive, which ordinary files may have too."""
_DATED = (
    r"(?i).*(?:\d|conflicted[)\]]|sync-conflict|cop[iyí]|kopi|kópi|cópi|副本|複本|コピー|사본|копи|копі"
    r"|salinan|สำเนา|bản sao|másol|עותק|نسخة)"
)
"""A mark of a conflict that only a program writes: with a date, or the word for a copy."""
_BACKUP = r"\A(?P<stem>.{1,255}?)(?:_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+|\.orig)"
"""Names of git's."""
_ENDINGS = ("orig", "conflict")
"""Endings that git and Resilio put behind a whole name."""
_HOST = (
    r"\A(?P<stem>.{1,255}?)-(?:[A-Z][A-Z0-9-]{2,60}+|[\w-]{0,60}(?:MacBook|iMac|iPhone|iPad)[\w-]*)"
)
"""Names of OneDrive, which appends the device's."""
_ALIKE = 0.7
"""The share of their words that a file and its copy have in common at least."""
_WORDS = re.compile(r"\w+")
_HEAD = 200
_LISTS = re.compile(r"Memory/(?P<day>daily)/\d{4}-\d\d-\d\d\.md|projects/[^/]+/progress\.md")

_NAMED_BY = {"ledger": "agent_id", "checkpoint": "name"}
"""By kind, the key that identifies a record which two devices began with different ids."""
_NOTES = ("daily", "progress")
"""Kinds of notes that are lists."""
_PLACED = ("entity", "features", "kept-file", *_NOTES)
"""Kinds that are identified by their place, whatever the id."""


def original_of(path: str) -> str | None:
    """Return the place of the file that, by its name, the one at `path` is a copy of; else None."""
    folder = path.rpartition("/")[0]
    stem, ending = split_ending(path)
    found = re.fullmatch(_CONFLICT, stem) or re.fullmatch(_NUMBERED, stem)
    if found is None:
        return None
    return "/".join(filter(None, (folder, found["stem"] + ending)))


def name_original(path: str) -> tuple[str, bool] | None:
    """Return the place of the file that, by its name, the one at `path` was copied from, whatever
    its ending; and whether no person gives a file such a name. None for another name."""
    head, dot, ending = path.rpartition(".")
    if ending.lower() in _ENDINGS:
        return head, True
    folder, slash, stem = head.rpartition("/")
    for form in (_CONFLICT, _BACKUP, _NUMBERED, _HOST):
        if found := re.fullmatch(form, stem):
            mark = stem[found.end("stem") :]
            sure = form is _BACKUP or (form is _CONFLICT and re.match(_DATED, mark) is not None)
            return f"{folder}{slash}{found['stem']}{dot}{ending}", sure
    return None


def are_alike(one: str, other: str) -> bool:
    """Whether two texts have most of their words in common."""
    first, second = (_count(_WORDS.findall(text.casefold())) for text in (one, other))
    shared = sum(min(count, second.get(word, 0)) for word, count in first.items())
    return 2 * shared >= _ALIKE * (sum(first.values()) + sum(second.values()))


def _count(words: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def is_note_copy(path: str, home: str) -> bool:
    """Whether the file at a path is a copy of the note at `home` that a synchroniser named; a
    person may keep a copy that is only numbered."""
    named = re.fullmatch(_CONFLICT, split_ending(path)[0]) is not None
    return named and home.endswith(".md") and original_of(path) == home


def is_structured(path: str) -> bool:
    """Whether the file at a path can be merged without a person: a record, a day's note, or a
    project's progress."""
    if path.endswith(".json"):
        return bool(record_kind(path.rpartition("/")[0])) and not is_generated(path)
    return _LISTS.fullmatch(path) is not None


def is_day(path: str) -> bool:
    """Whether a path is that of a day's note."""
    found = _LISTS.fullmatch(path)
    return found is not None and found["day"] is not None


def may_be_merged(path: str, kind: str) -> bool:
    """Whether an entry may be a copy of a structured file, without looking at others."""
    return path.endswith(".json") or kind in _NOTES


def is_one(mine: Mapping[str, Any], theirs: Mapping[str, Any], kind: str) -> bool:
    """Whether two documents of a kind, or the fields of two notes, that have different ids are
    about the same thing. A note that a person named like a copy has no kind."""
    key = _NAMED_BY.get(kind)
    if key is not None:
        return mine.get(key) is not None and mine.get(key) == theirs.get(key)
    return kind in _PLACED and (
        kind not in _NOTES or mine.get("kind") == theirs.get("kind") == kind
    )


def is_generated_copy(path: str, raw: bytes) -> bool:
    """Whether the file at a path is a copy of a generated file, as its first line, or its first key
    of JSON, says."""
    home = original_of(path)
    return home is not None and is_generated(home) and says_generated(home, raw)


def says_generated(path: str, raw: bytes) -> bool:
    """Whether a file says, in its first line, its frontmatter or its first key of JSON, that it was
    generated."""
    head = raw[:_HEAD].decode(errors="replace").removeprefix("\ufeff").lstrip()
    if path.endswith(".json"):
        return head.removeprefix("{").lstrip().startswith('"_generated"')
    if head.startswith("---"):
        return "\ngenerated: true\n" in head.replace("\r\n", "\n")
    return head.startswith("<!--") and "generated" in head.partition("\n")[0].lower()
