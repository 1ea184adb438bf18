"""What a value says that anybody may have written into a document of JSON or YAML: one that is of
another type than it is to be says nothing."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST = 10**15


def object_of(value: object) -> dict[str, Any]:
    """A value that is to be an object."""
    return value if isinstance(value, dict) else {}


def parse_object(text: object) -> dict[str, Any]:
    """A value that is to be the text of a JSON object."""
    try:
        return object_of(json.loads(text)) if isinstance(text, str | bytes) else {}
    except (ValueError, RecursionError):
        return {}


def list_of(value: object) -> list[Any]:
    """A value that is to be a list."""
    return value if isinstance(value, list) else []


def objects_of(value: object) -> list[dict[str, Any]]:
    """A value that is to be a list of objects, less what is none."""
    return [item for item in list_of(value) if isinstance(item, dict)]


def text_of(value: object) -> str:
    """A value that is to be text, as it is; a number is the text of it."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def texts_of(value: object) -> list[str]:
    """A value that is to be a list of texts; what is none is "", so that all keep their places."""
    return [text_of(item) for item in value] if isinstance(value, list | tuple) else []


def trimmed(value: object) -> str:
    """A value that is to be text, without the blanks around it."""
    return text_of(value).strip()


def count_of(value: object) -> int:
    """A value that is to be a count."""
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST
    return int(value) if fine else 0  # type: ignore[call-overload]
