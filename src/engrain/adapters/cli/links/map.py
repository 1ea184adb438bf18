"""`engrain map`: write `_index.md`, a table of contents, for the vault and each project."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import clean, counted, some_lines, style
from engrain.api.memory import Memory
from engrain.engine.indexes import Maps

_SHOWN = 20


def _map(memory: Memory, args: Arguments) -> Answer:
    maps = memory.links.check_map() if args.check else memory.links.map()
    names = "in_step entries pages written removed kept unreadable"
    data = {"check": args.check, **fields(maps, names)}
    code = args.check and not maps.in_step
    return data, _lines(maps, check=args.check), code


def _lines(maps: Maps, *, check: bool) -> Iterator[str]:
    changed = {"written": maps.written, "removed": maps.removed}
    for word, places in changed.items():
        would = f"would be {word}" if check else word
        lines = (f"{would}  {style('title', clean(place))}" for place in places)
        yield from some_lines(lines, _SHOWN, style("dim", f"and {{}} more {would}"))
    left = {
        "its first line does not say that engrain made it": maps.kept,
        "it can't be read, see `engrain doctor`": maps.unreadable,
    }
    for why, places in left.items():
        for place in places:
            yield style("warning", f"left alone  {clean(place)}: {why}")
    notes, pages = counted(maps.entries, "note"), counted(maps.pages, "page")
    state = "up to date" if maps.in_step else ("out of date" if check else "updated")
    yield style("dim", f"{notes} on {pages}, {state}")


COMMAND = Command(
    _map,
    """
--check  write nothing; list what would be written, and exit with 1 if anything would
$ engrain map
$ engrain map --check
""",
)
