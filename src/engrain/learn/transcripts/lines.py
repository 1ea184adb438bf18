"""The lines of a transcript as objects; what can't be read is passed over and counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from engrain.language.text.instants import read_instant

Lines: TypeAlias = "Iterable[bytes | None]"
"""Each with its line end; None stands for one that was too long to be read."""
Passed: TypeAlias = "Counter[str]"
"""What was passed over: `broken` lines, an `unfinished` last one, `long` ones, those of an
`unknown` type, `images`."""


_LONGEST = 200_000
"""So many characters of one text are looked at: its beginning and its end."""


def read_objects(lines: Lines, passed: Passed) -> Iterator[dict[str, Any]]:
    """The JSON objects of some lines. A last line without an end is one that is being written."""
    for line in lines:
        if line is None:
            passed["long"] += 1
            continue
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            passed["broken" if line.endswith(b"\n") else "unfinished"] += 1
            continue
        if isinstance(found, dict):
            yield found
        else:
            passed["broken"] += 1


def text_of(value: object, passed: Passed) -> str:
    """Return the text of a message's content, which is a text or a list of parts."""
    if isinstance(value, str):
        return ends_of(value)
    parts = []
    for part in value if isinstance(value, list) else ():
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, dict):
            said = part.get("text")
            if isinstance(said, str):
                parts.append(said)
            elif "image" in str(part.get("type")):
                passed["images"] += 1
    return ends_of("\n".join(parts))


def ends_of(text: str, most: int = _LONGEST) -> str:
    """The beginning and the end of a text that is longer than what is looked at."""
    return text if len(text) <= most else f"{text[: most // 2]}\n{text[-most // 2 :]}"


def time_of(value: object) -> float | None:
    """Return when a line was written, None where it does not say."""
    if isinstance(value, int | float) and not abs(value) < 1e15:
        return None
    at = read_instant(value) if isinstance(value, str | int | float) else None
    return at if at is not None and 0 <= at < 253_402_300_800 else None  # years of four digits
