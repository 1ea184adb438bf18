"""The kinds of entry that are kept as JSON, and how each reads as a note (S2.2, S2.5, S2.6, S2.7,
S4.10)."""

from __future__ import annotations

from engrain.language.text.lines import code_span
from engrain.model.note.documents import texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeAlias

    from engrain.model.note.field import Value

Document: TypeAlias = "Mapping[str, Any]"


LEARNING = "learning"


class RecordKind:
    """One row: `render` makes of a document a title of one line and the text under it; `fields` are
    the fields of every entry that the document itself says."""

    __slots__ = ("fields", "render")

    def __init__(
        self,
        render: Callable[[Document], tuple[str, str]],
        fields: Callable[[Document], dict[str, Value]],
    ) -> None:
        self.render = render
        self.fields = fields


def _render_by(*titles: str) -> Callable[[Document], tuple[str, str]]:
    """Lines of all that a document says, under the first of these keys that says something."""

    def render(document: Document) -> tuple[str, str]:
        found = (document.get(key) for key in titles)
        title = next((text for text in found if isinstance(text, str) and text.strip()), "")
        return " ".join(title.split())[:200] or "record", "\n".join(_lines("", document)) + "\n"

    return render


def _lines(name: str, value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _lines(f"{name}.{key}" if name else str(key), part)
    elif isinstance(value, list):
        for part in value:
            yield from _lines(name, part)
    elif value is not None and value != "":
        yield f"- {name}: {' '.join(str(value).split())}"


def _fields_by(when: str, which: str = "id") -> Callable[[Document], dict[str, Value]]:
    def fields(document: Document) -> dict[str, Value]:
        said = {"id": document.get(which), "created": document.get(when)}
        return {key: value for key, value in said.items() if isinstance(value, str) and value}

    return fields


def _render_learning(document: Document) -> tuple[str, str]:
    """What errors say is no markup."""
    titles = (document.get(key) for key in ("lesson", "message", "type"))
    title = next((text for text in titles if isinstance(text, str) and text.strip()), LEARNING)
    names = ("type", "message", "resolution", "anti_pattern")
    said = ((key, document.get(key)) for key in names)
    lines = [f"- {key}: {code_span(str(value))}" for key, value in said if value]
    if ids := texts_of(document.get("source_episodes")):
        lines.append("- source_episodes: " + ", ".join(map(code_span, ids)))
    return " ".join(title.split())[:200], "\n".join(lines) + "\n"


RECORDS: dict[str, RecordKind | str] = {
    "episode": "engrain.model.experience.episode",
    LEARNING: RecordKind(_render_learning, _fields_by("timestamp")),
    "handoff": "engrain.model.experience.handoff",
    "ledger": RecordKind(_render_by("agent_id"), _fields_by("last_checkpoint", "")),
    "checkpoint": RecordKind(_render_by("name"), _fields_by("timestamp")),
    "entity": "engrain.model.facts.entity",
    "features": RecordKind(_render_by("project"), _fields_by("updated", "")),
}
"""By kind, or the module whose `RECORD` has it: those stand above this one, and few are needed."""


def find_record(kind: str) -> RecordKind | None:
    """How entries of a kind are kept as JSON; None for a kind that is kept as markdown."""
    found = RECORDS.get(kind)
    if isinstance(found, str):
        from importlib import import_module

        row: RecordKind = import_module(found).RECORD
        return row
    return found
