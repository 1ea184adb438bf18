"""`engrain erase`: destroy an entry everywhere, including the history.

What is said of an erasure that was done names ids, and nothing that was erased.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import ENTRY, Answer, BaseCommand, arguments, flag
from engrain.adapters.cli.deciding import has_person
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.hooks.losses import forget_losses
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import WHY_ERASED, clean_line, counted, style
from engrain.engine.erasing.plan import ErasurePlan
from engrain.model.errors import UsageError

_WORD = "yes"


@dataclass(kw_only=True)
class EraseCommand(BaseCommand):
    """Destroy an entry everywhere, including the history."""

    examples = """
engrain erase 01k8x2m4
engrain erase leaked-token --yes --json
"""
    ids: list[str] = arguments(ENTRY, "ID", required=True)
    yes: bool = flag("do not ask for confirmation; this can't be undone")

    def run(self) -> Answer | int:
        if not self.yes and not has_person(self.console):
            raise UsageError(
                "erasing can't be undone, and there is no terminal to ask for confirmation",
                remedy="give --yes; `engrain forget` can be undone",
            )
        place = self.resolve()
        with self.open() as memory:
            with show_progress(self.console, "looking") as progress:
                plan = memory.plan_erasure(self.ids, progress)
            if not self.yes:
                self.console.write_lines(_plan_lines(plan))
                self.console.flush()
                self.console.write_error(f"There is no way back. Type {_WORD} to erase:")
                if sys.stdin.readline().strip().lower() != _WORD:
                    self.console.write_lines(["nothing was erased"])
                    return 1
            # First of all: afterwards the text to look for is gone.
            forget_losses(place.state_dir, plan.names.mentioned_in)
            with show_progress(self.console, "erasing") as progress:
                erased = memory.erase(plan, progress)
        if repository := find_repository(place.location):
            erased.unreachable += (f"{repository}: the vault lies in this git repository",)
        data = {
            **fields(erased, "ids changes unreachable"),
            "derived": list(dict.fromkeys(file.id for file in plan.files if file.why == "derived")),
            "files": len(plan.files),
        }
        blanked = counted(len(erased.changes), "change")
        return data, [
            style("good", f"erased {', '.join(map(clean_line, erased.ids))}"),
            f"{blanked} blanked in the history",
            "It does not reach:",
            *(f"  - {clean_line(place)}" for place in erased.unreachable),
        ]


def find_repository(folder: str) -> str | None:
    """Return the git repository of a folder, whose history keeps what was committed."""
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder


def _plan_lines(plan: ErasurePlan) -> Iterator[str]:
    yield style("bad", "These are destroyed, in the vault and in its history:")
    for file in plan.files:
        why = WHY_ERASED[file.why]
        reason = style("dim", f"  {why}") if why else ""
        yield f"  {file.id}  {clean_line(file.title)}  [{clean_line(file.locator)}]{reason}"
    if plan.relatives:
        yield "They stay, as entries of their own that came before or after:"
        for note in plan.relatives:
            yield f"  {note.id}  {clean_line(note.title)}"
    if plan.mentions:
        yield "These mention a title, in their text or a link, and are left unchanged:"
        yield from (f"  {clean_line(place)}" for place in plan.mentions)


COMMAND = EraseCommand
