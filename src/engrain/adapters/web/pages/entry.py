"""One entry whole: its text, what it is linked to, where it comes from and what became of it."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.adapters.web.asking import Answer, Ask, Page
from engrain.adapters.web.pages.sessions import NAMES, list_readers
from engrain.api.memory import Memory
from engrain.engine.verbs.listing import Shown
from engrain.model.errors import EngrainError, NotFoundError
from engrain.model.note.entry import read_entry
from engrain.model.note.tiers import OPERATOR, PERSONAL, split_ending
from engrain.seam.search import Change

_CHANGES = 30
_READERS = 20
_FOLDS = 20
"""So many folds keep their bytes (DESIGN section 7)."""


def show(ask: Ask) -> Answer:
    reference = ask.get("id")
    try:
        shown = ask.memory.show(reference)
    except NotFoundError as error:
        return _miss(ask, reference, error)
    memory, entry = ask.memory, shown.entry
    changes = _list_changes(memory, entry.id)
    return Page(
        "entry.html",
        {
            "shown": shown,
            "entry": entry,
            "is_note": split_ending(shown.locator)[1] == ".md",
            "since": memory.sessions.since_recall([shown.row])[entry.id],
            "links_from": [
                (target, relation, row, target.startswith(PERSONAL))
                for target, relation, row in shown.links_from
            ],
            "pinned": entry.fields.get("pinned") is True,
            "changes": changes,
            "names": NAMES,
            "readers": list_readers(memory, entry.id, _READERS),
            "weights": _read_weights(memory, changes, entry.id),
        },
    )


def acting(memory: Memory, shown: Shown) -> Memory:
    """The memory in which the person writes over an entry: what is the operator's stays theirs, and
    anything else keeps the origin it has, as with `engrain edit`."""
    return memory.acting_as(OPERATOR) if shown.origin == OPERATOR else memory


def _miss(ask: Ask, reference: str, error: NotFoundError) -> Answer:
    """What is known of an entry that is not there: its history, and what it may be called."""
    changes = _list_changes(ask.memory, reference)
    values = {"error": error, "reference": reference, "changes": changes}
    return Page("missing.html", values, 404)


def _list_changes(memory: Memory, reference: str) -> Sequence[Change]:
    try:
        return memory.history(reference, _CHANGES)
    except EngrainError:
        return ()


def _read_weights(memory: Memory, changes: Sequence[Change], id_: str) -> list[float]:
    """The weights that were written when sessions were folded, the oldest first."""
    weights = []
    for change in [one for one in changes if one.op == "fold"][:_FOLDS]:
        try:
            files = memory.show_change(change.change).files
        except EngrainError:
            continue
        for file in files:
            if file.entry == id_ and file.after is not None:
                weight = read_entry(file.path, file.after).weight
                weights += [weight] if weight is not None else []
    return weights[::-1]
