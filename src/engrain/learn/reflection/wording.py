"""What is written of a candidate: the operator's own words, and when, where and why they fell."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.language.text.instants import format_instant
from engrain.language.text.lines import quote_links, shorten
from engrain.seam.reflector import Reflection

_MOST = 500


def compose_text(reflection: Reflection, place: str) -> str:
    """The text of an entry, that can be read by itself; `place` is the project or folder."""
    return "\n".join(_lines(reflection, place)) + "\n"


def _lines(reflection: Reflection, place: str) -> Iterator[str]:
    on = "" if reflection.at is None else f" on {format_instant(reflection.at)[:10]}"
    where = f", in {quote_links(place)}" if place else ""
    said = "asked for this in several sessions" if reflection.habit else "said"
    words = reflection.quote if not reflection.why else f"{reflection.quote}. {reflection.why}"
    yield f"The operator {said}{on}{where}:"
    yield ""
    yield f"> {quote_links(shorten(words, _MOST))}"
    if reflection.about:
        yield ""
        yield f"Before that they had asked: {quote_links(reflection.about)}"
