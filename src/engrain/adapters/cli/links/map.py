"""`engrain map`: write `_index.md`, a table of contents, for the vault and each project."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import clean, counted, some_lines, style
from engrain.api.memory import Memory
from engrain.engine.indexes import Maps

_SHOWN = 20


def _map(memory: Memory, _: Arguments) -> Answer:
    maps = memory.links.map()
    return fields(maps, "in_step entries pages written removed kept unreadable"), _lines(maps)


def _lines(maps: Maps) -> Iterator[str]:
    for word, places in {"written": maps.written, "removed": maps.removed}.items():
        lines = (f"{word}  {style('title', clean(place))}" for place in places)
        yield from some_lines(lines, _SHOWN, style("dim", f"and {{}} more {word}"))
    left = {
        "its first line does not say that engrain made it": maps.kept,
        "it can't be read, see `engrain check`": maps.unreadable,
    }
    for why, places in left.items():
        for place in places:
            yield style("warning", f"left alone  {clean(place)}: {why}")
    notes, pages = counted(maps.entries, "note"), counted(maps.pages, "page")
    state = "up to date" if maps.in_step else "updated"
    yield style("dim", f"{notes} on {pages}, {state}")


COMMAND = Command(
    _map,
    """
$ engrain map
$ engrain check map    # say whether the maps are out of date
""",
)
