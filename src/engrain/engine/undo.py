"""`undo`: one change taken back as a change of its own, with what was derived from it (S3.8,
S1.17)."""

from __future__ import annotations

from engrain.engine.derivation import find_derived, find_making
from engrain.engine.history import load_change
from engrain.engine.outcomes import Undone
from engrain.engine.reversal import Reversal
from engrain.engine.store import JOBS
from engrain.model.errors import ConflictError, NotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.store import Store
    from engrain.seam.search import Change

# Changes that nobody made on purpose, so that "the last one" never means them.
_UNASKED = ("undo", "external", "fold", "attest", "propose", "erase", "erasing")
# What accepting a proposal writes behind the change that it made: that one is meant.
_DECIDED = ("decide", "accepted")
_FINAL = ("erase", "erasing")
"""Changes that nothing takes back."""


def undo_change(
    store: Store, name: str | None, reason: str = "", *, cascade: bool = False
) -> Undone:
    """Take one change back, as a change of its own.

    Without a name it is this device's last that still stands. What was derived from what it wrote
    is named, and with `cascade` taken back in the same commit. Raises ConflictError, naming it,
    when a later change of substance stands on this one, or on what is taken back with it.
    """
    record = load_change(store, name or _last_standing(store))
    if record.op in _FINAL:
        raise ConflictError(f"{record.change} erased entries for good; it can't be undone")
    if record.files is None:
        raise ConflictError(f"the bytes of {record.change} were erased; it can't be undone")
    if taken := _taken_back(store).get(record.change):
        raise ConflictError(
            f"{record.change} was undone already, by {taken}",
            remedy=f"to bring it back, undo {taken}",
        )
    reversal = Reversal(store)
    reversal.take(record, record.files)
    derived = find_derived(store, record)
    if cascade:
        causes = {*record.entries, *(row.id for row in derived)}
        for row in derived:
            making, files = find_making(store, row, causes)
            # Two of them may have been made by one change.
            reversal.take(making, [file for file in files if file.path not in reversal.expected])
    done = store.commit(
        "undo", reversal.writes, reversal.expected, reason=reason, undoes=record.change
    )
    if record.op == "archive":
        store.local.touch(record.entries)  # who takes it back wants it kept
    return Undone(record.change, done.change, done.entries, derived=derived, cascaded=cascade)


def _last_standing(store: Store) -> str:
    taken = _taken_back(store)
    standing = set(taken.values())
    replaced = {
        (change.locator, change.before_hash)
        for change in store.index.changes(op="undo")
        if change.change in standing
    }

    def was_cascaded(change: Change) -> bool:
        """Whether an undo took it back with another, which alone it names."""
        place, left = change.locator, change.after_hash
        if place is None or left is None or (place, left) not in replaced:
            return False
        return store.index.hash_at(place) != left

    # By number and not by time: the clock may have been set back since.
    for change in sorted(
        store.index.changes(device=store.backend.device), key=lambda change: change.n
    )[::-1]:
        unasked = change.op in _UNASKED or change.agent == JOBS
        unasked = unasked or (change.op, change.reason) == _DECIDED
        undone = unasked or change.change in taken
        erased = change.locator is None
        if not undone and not erased and not was_cascaded(change):
            return change.change
    raise NotFoundError("this device has made no change that could be undone")


def _taken_back(store: Store) -> dict[str, str]:
    """For each change that was undone, the undo that stands: one that was not undone itself.

    Told from what undoes what and never from times, since two devices' clocks may disagree.
    """
    undos = {
        change.change: change.undoes for change in store.index.changes(op="undo") if change.undoes
    }

    def depth(name: str) -> int:
        passed: set[str] = set()
        while name in undos and name not in passed:
            passed.add(name)
            name = undos[name]
        return len(passed)

    taken: dict[str, str] = {}
    # What undoes an undo is judged before it.
    for name in sorted(undos, key=depth, reverse=True):
        if name not in taken:
            taken[undos[name]] = name
    return taken
