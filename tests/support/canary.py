"""A word that is nowhere else, and a search for it in every file, however it may be kept there."""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

WORD = "Zyqxánwort"
"""With an accent, so that it has more than one form; its beginning and its end are plain."""
TITLE = f"{WORD} geheim"
PARTS = ("zyqx", "nwort")


def encodings() -> dict[str, str]:
    """The word as texts have it, by the name of the encoding."""
    return {
        "nfc": WORD,
        "nfd": unicodedata.normalize("NFD", WORD),
        "upper": WORD.upper(),
        "base64": b64encode(WORD.encode()).decode(),
        "percent": quote(WORD),
        "markdown": f"{WORD[:4]}**{WORD[4:]}**",
        "utf16-base64": b64encode(WORD.encode("utf-16-le")).decode(),
        "hex": WORD.encode().hex(),
        "split": f"{WORD[:4]}\u200b{WORD[4:]}",
    }


def findings(*roots: Path) -> list[str]:
    """Where anything below some folders has the word: names, bytes, what is packed in histories,
    and the terms of full texts."""
    found: list[str] = []
    for root in roots:
        for path in sorted(root.rglob("*")):
            if _tells(str(path.relative_to(root)).encode()):
                found.append(f"name {path}")
            if path.is_file():
                found += [f"{what} {path}" for what, raw in _contents(path) if _tells(raw)]
    return found


def _contents(path: Path) -> Iterator[tuple[str, bytes]]:
    raw = path.read_bytes()
    yield "bytes", raw
    for line in raw.split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        for packed in _packed(value):
            yield "payload", packed
    if raw.startswith(b"SQLite format 3\0"):
        yield "rows", _rows(path)


def _packed(value: object) -> Iterator[bytes]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _packed(item)
    elif isinstance(value, list):
        for item in value:
            yield from _packed(item)
    elif isinstance(value, str):
        yield value.encode(errors="replace")
        try:
            yield zlib.decompress(b64decode(value, validate=True))
        except (ValueError, zlib.error):
            return


def _rows(path: Path) -> bytes:
    """What the tables hold, and the terms of a full text that keeps no text."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    told: list[str] = []
    try:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema")]
        if "texts" in names:
            connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, texts, row)")
            names.append("terms")
        for name in names:
            try:
                rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()
            except sqlite3.Error:
                continue  # an index, or a table of the full text's own
            told += [str(value) for row in rows for value in row]
    finally:
        connection.close()
    return "\n".join(told).encode(errors="replace")


def _tells(raw: bytes) -> bool:
    lowered = raw.lower()
    return (
        bool(_PLAIN.search(lowered))
        or any(needle in lowered for needle in _NEEDLES)
        or any(needle in raw for needle in _EXACT)
    )


def _base64(text: bytes) -> Iterator[bytes]:
    """What stands in base64 wherever the text begins in it."""
    for shift in range(3):
        yield b64encode(b"\0" * shift + text)[4 if shift else 0 : -4]


_SIGN = rb"[a-z0-9+/]"
_PLAIN = re.compile(
    b"|".join(
        rb"(?<!%s)%s|%s(?!%s)" % (_SIGN, part.encode(), part.encode(), _SIGN) for part in PARTS
    )
    + b"|" + "".join(PARTS).encode() + b"|" + "a".join(PARTS).encode()
)  # fmt: skip
"""The parts at the end of a word or its beginning: four letters within a long line of base64 are
there by chance, once in some dozen runs."""
_NEEDLES = [
    needle for part in PARTS for needle in (part.encode("utf-16-le"), part.encode("utf-16-be"))
] + [part.encode().hex().encode() for part in PARTS]
_EXACT = [
    needle
    for form in (WORD, WORD.lower(), unicodedata.normalize("NFD", WORD))
    for raw in (form.encode(), form.encode("utf-16-le"))
    for needle in _base64(raw)
]
