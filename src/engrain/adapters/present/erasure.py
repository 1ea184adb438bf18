"""Erasures as text and as data. What is told of one that was done names ids, and nothing erased."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engrain.adapters.present.text import clean_line, counted
from engrain.engine.erasing.erase import Erased
from engrain.engine.erasing.plan import ErasurePlan

_WHY = {
    "asked": "",
    "derived": "derived from it",
    "copy": "the same text",
    "proposal": "a proposal about it",
}


def describe_erased(erased: Erased, plan: ErasurePlan) -> dict[str, object]:
    """What was erased, and where that does not reach."""
    return {
        "ids": list(erased.ids),
        "derived": list(dict.fromkeys(file.id for file in plan.files if file.why == "derived")),
        "files": len(plan.files),
        "changes": list(erased.changes),
        "links_rewritten": erased.linking,
        "unreachable": list(erased.unreachable),
    }


def plan_lines(plan: ErasurePlan, style: Callable[[str, str], str]) -> Iterator[str]:
    """What an erasure would do, for the person who is to confirm it."""
    yield style("bad", "These are destroyed, in the vault and in its history:")
    for file in plan.files:
        why = _WHY[file.why]
        reason = style("dim", f"  {why}") if why else ""
        yield f"  {file.id}  {clean_line(file.title)}  [{clean_line(file.locator)}]{reason}"
    if plan.linking:
        yield "Links to them are rewritten, and earlier versions with such links destroyed, in:"
        yield from _places(plan.linking)
    if plan.relatives:
        yield "They stay, as entries of their own that came before or after:"
        for note in plan.relatives:
            yield f"  {note.id}  {clean_line(note.title)}"
    if plan.mentions:
        yield "Their text mentions a title, and stays as it is:"
        yield from _places(plan.mentions)


def erased_lines(erased: Erased, style: Callable[[str, str], str]) -> Iterator[str]:
    """What was erased, and where that does not reach."""
    yield style("good", f"erased {', '.join(map(clean_line, erased.ids))}")
    yield (
        f"{counted(len(erased.changes), 'change')} blanked in the history, "
        f"links rewritten in {counted(erased.linking, 'note')}"
    )
    yield "It does not reach:"
    yield from (f"  - {clean_line(place)}" for place in erased.unreachable)


def _places(places: Sequence[str]) -> Iterator[str]:
    yield from (f"  {clean_line(place)}" for place in places)
