"""What came of a dream, as plain data and as text for a person at a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean_line
from engrain.lifecycle.dreaming.result import Dream

_PLACE = r"Memory/_dream-staging/[^\]|]*"
_LINK = re.compile(rf"\[\[(?:{_PLACE}\|([^\]|]*)|([^\]|]*)\|{_PLACE})\]\]")
"""A link to a proposal, in either order of a vault's links."""


def describe_dream(dream: Dream) -> Data:
    return {
        "run": dream.run,
        "dry_run": dream.dry_run,
        "unfinished": dream.unfinished,
        **dream.counts(),
        "stages": dream.stages,
        "held": dream.held,
        "errors": dream.errors,
        "proposals": [one.id for one in dream.proposals if one.open],
        "findings": [
            {
                "kind": one.kind,
                "action": one.action,
                "entries": list(one.entries),
                "score": one.score,
                "reason": one.reason,
            }
            for one in dream.findings
        ],
        "digest": list(dream.digest),
    }


def dream_lines(dream: Dream, style: Style) -> Iterator[str]:
    for line in dream.digest:
        text = _LINK.sub(r"\1\2", clean_line(line))
        yield style("title", text) if text.startswith("#") else text
    if dream.unfinished:
        yield style("warning", "It is not finished: the next dream goes on with it.")
    for name, why in dream.errors.items():
        yield style("bad", f"{clean_line(name)} failed: {clean_line(why)}")
