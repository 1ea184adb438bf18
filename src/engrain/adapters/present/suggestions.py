"""Links that could be made, as plain data and as text for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean, clean_line
from engrain.engine.links.suggestions import MENTION, Suggestion


def describe_suggestions(found: Sequence[Suggestion], proposed: Sequence[Suggestion]) -> Data:
    return {"suggestions": [_describe(one, one in proposed) for one in found]}


def _describe(one: Suggestion, proposed: bool) -> Data:
    return {
        "kind": one.kind,
        "score": one.score,
        "source": one.source,
        "path": one.place,
        "line": one.line or None,
        "words": one.words,
        "quote": one.quote or None,
        "target": one.target,
        "title": one.title,
        "proposed": proposed,
    }


def suggestion_lines(
    found: Sequence[Suggestion], proposed: Sequence[Suggestion], style: Style, *, asked: bool
) -> Iterator[str]:
    for one in found:
        place = f"{clean(one.place)}:{one.line}" if one.line else clean(one.place)
        title, words = style("title", clean_line(one.title)), clean_line(one.words)
        if one.kind == MENTION:
            yield f"{one.score:.2f}  {place} says “{words}”, which is {title}"
            yield style("dim", f"      {clean_line(one.quote)}")
        else:
            yield f"{one.score:.2f}  {place} is near {title}"
            yield style("dim", f"      both have {words}")
    if asked:
        told = f"{len(proposed)} proposed" if proposed else "nothing new to propose"
        yield f"{told}; `engrain review list --kind link` shows what waits for your word"
    elif found:
        yield style("dim", "`engrain links suggest --propose` lays them before you, one by one")
    else:
        yield "No link suggests itself."
