"""Reads documents of JSON and YAML that anybody may have written, and their values: a value of an
unexpected type counts as missing."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from json import loads
from typing import Any, NoReturn

from engrain.model.errors import MalformedError

_MOST = 10**15
_ALIASES = ("aliases", "alias")


def is_json(raw: bytes) -> bool:
    """Return whether bytes can be parsed; not if they are nested too deep, on which some programs
    crash."""
    try:
        json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return True


def read_json(text: str) -> Any:
    """Return the value in a file's text. Raises MalformedError with line and reason."""
    try:
        return json.loads(
            text.removeprefix("\ufeff"), parse_constant=_refuse, parse_float=_read_float
        )
    except json.JSONDecodeError as error:
        raise MalformedError(f"not JSON: {error.msg}", reason="json", line=error.lineno) from None
    except (ValueError, RecursionError):
        raise MalformedError("not JSON that can be kept", reason="json", line=1) from None


def write_json(value: Any) -> bytes:
    """Return the bytes of a file with this value."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def is_deeper(value: object, most: int) -> bool:
    """Whether a value of JSON is nested deeper than `most` levels, found without recursion."""
    level, deep = [value], 0
    while level and deep <= most:
        level = [
            part
            for item in level
            if isinstance(item, dict | list)
            for part in (item.values() if isinstance(item, dict) else item)
        ]
        deep += 1
    return bool(level)


def object_of(value: object) -> dict[str, Any]:
    """Return a value that should be an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def parse_object(text: object) -> dict[str, Any]:
    """Return the JSON object in a value that should be its text, else an empty one."""
    try:
        return object_of(loads(text)) if isinstance(text, str | bytes) else {}
    except (ValueError, RecursionError):
        return {}


def list_of(value: object) -> list[Any]:
    """Return a value that should be a list, else an empty one."""
    return value if isinstance(value, list) else []


def objects_of(value: object) -> list[dict[str, Any]]:
    """Return the objects in a value that should be a list of objects."""
    return [item for item in list_of(value) if isinstance(item, dict)]


def text_of(value: object) -> str:
    """Return a value that should be text, a number as text, else ""."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def texts_of(value: object) -> list[str]:
    """Return a value that should be a list of texts; an item of another type becomes ""."""
    return [text_of(item) for item in value] if isinstance(value, list | tuple) else []


def trimmed(value: object) -> str:
    """Return a value that should be text, trimmed, else ""; a number is none."""
    return value.strip() if isinstance(value, str) else ""


def trimmed_texts(value: object) -> tuple[str, ...]:
    """Return the texts that are not blank in a value that should be a list of texts, trimmed."""
    return tuple(filter(None, map(trimmed, list_of(value))))


def aliases_in(value: object) -> list[str]:
    """Return the names in a field `aliases`: a list, or a text that is one name, or several
    separated by commas, as Obsidian reads it."""
    if not isinstance(value, str):
        return [name for name in list_of(value) if isinstance(name, str)]
    return list(dict.fromkeys(filter(None, map(str.strip, (value, *value.split(","))))))


def names_in(fields: Mapping[str, Any]) -> list[str]:
    """Return the other names of a note, in its fields `aliases` and `alias`."""
    found = [aliases_in(value) for key, value in fields.items() if key.lower() in _ALIASES]
    return list(dict.fromkeys(name for names in found for name in names))


def count_of(value: object) -> int:
    """Return a value that should be a count, else 0."""
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST
    return int(value) if fine else 0  # type: ignore[call-overload]


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _read_float(written: str) -> float:
    number = float(written)
    return number if math.isfinite(number) else _refuse(written)
