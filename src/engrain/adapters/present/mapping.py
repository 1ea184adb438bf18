"""Maps of contents as data and as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean, counted
from engrain.engine.maps.map import Maps

_SHOWN = 20


def describe_maps(maps: Maps, *, check: bool) -> Data:
    return {
        "check": check,
        "in_step": maps.in_step,
        "entries": maps.entries,
        "pages": maps.pages,
        "written": list(maps.written),
        "removed": list(maps.removed),
        "kept": list(maps.kept),
        "unreadable": list(maps.unreadable),
    }


def map_lines(maps: Maps, style: Style, *, check: bool) -> Iterator[str]:
    told = {"written": maps.written, "removed": maps.removed}
    for word, places in told.items():
        would = f"would be {word}" if check else word
        for place in places[:_SHOWN]:
            yield f"{would}  {style('title', clean(place))}"
        if len(places) > _SHOWN:
            yield style("dim", f"and {len(places) - _SHOWN} more {would}")
    left = {
        "its first line does not say that engrain made it": maps.kept,
        "it can't be read, see `engrain doctor`": maps.unreadable,
    }
    for why, places in left.items():
        for place in places:
            yield style("warning", f"left alone  {clean(place)}: {why}")
    notes, pages = counted(maps.entries, "note"), counted(maps.pages, "page")
    state = "in step" if maps.in_step else ("out of step" if check else "brought in step")
    yield style("dim", f"{notes} on {pages}, {state}")
