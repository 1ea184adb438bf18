"""`undo`: takes one change back as a change of its own, optionally with what was derived from it
(S3.8, S1.17)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from engrain.engine.core.store import JOBS, Store
from engrain.engine.history.derivation import find_derived, find_making
from engrain.engine.history.history import list_parts, load_change
from engrain.engine.history.reversal import Reversal
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.history.cancelling import EXTERNAL
from engrain.model.history.record import Record
from engrain.seam.rows import Row
from engrain.seam.search import Change

# Changes that nobody made on purpose, so that "the last one" never means them.
_UNASKED = ("undo", "external", "index", "fold", "attest", "propose", "erase", "erasing")
# What accepting a proposal writes behind the change that it made: that one is meant.
_DECIDED = ("decide", "accepted")
_FINAL = ("erase", "erasing")
"""Changes that nothing takes back."""


@dataclass(slots=True, eq=False)
class Undone:
    """A change that was taken back: its name, the change that did it, and the entries it touched.

    `derived` are the entries made from what is gone now; `cascaded` says that they were undone too.
    `erased` names commits of the change that stay, because their bytes were erased.
    """

    undone: str
    change: str
    entries: tuple[str, ...]
    _: KW_ONLY
    derived: tuple[Row, ...] = ()
    cascaded: bool = False
    erased: tuple[str, ...] = ()


def undo_change(
    store: Store, change: str | None = None, reason: str = "", *, cascade: bool = False
) -> Undone:
    """Take one change back, as a change of its own.

    Without a name it is this device's last change that still stands. An operation of several
    commits is undone whole, whichever is named: nothing is written before all of it was found
    possible, and after a crash the same call completes it. Derived entries are named, and with
    `cascade` undone too. Commits whose bytes were erased stay, and are named. Raises ConflictError,
    naming it, when a later change of substance depends on this one.
    """
    first, names, erased = _choose(store, change)
    derived, own = _check(store, names)
    store = store.as_one_change()
    entries: dict[str, None] = {}
    undo = ""
    for name in names:
        record = load_change(store, name)
        reversal = Reversal(store)
        reversal.take(record, record.files or ())
        if cascade and not undo:
            _cascade(store, reversal, own, derived)
        done = store.commit("undo", reversal.writes, reversal.expected, reason=reason, undoes=name)
        undo = undo or done.change
        entries.update(dict.fromkeys(done.entries))
    if first.op == "archive":
        store.local.touch(first.entries)  # who takes it back wants it kept
    return Undone(
        first.change,
        undo,
        tuple(entries),
        derived=tuple(derived),
        cascaded=cascade,
        erased=tuple(erased),
    )


def _choose(store: Store, name: str | None) -> tuple[Record, list[str], list[str]]:
    """The first change of the operation to take back, the names of its changes from the last to
    the first, and of those whose bytes were erased. Raises ConflictError where none is left."""
    taken = _taken_back(store)
    first = load_change(store, name or _last_standing(store, taken))
    if first.part_of is not None:
        first = load_change(store, first.part_of)
    names = [name for name in list_parts(store, first.change) if name not in taken][::-1]
    if not names:
        raise ConflictError(
            f"{first.change} was undone already, by {taken[first.change]}",
            remedy=f"to bring it back, undo {taken[first.change]}",
        )
    erased = [name for name in names if load_change(store, name).files is None]
    if len(erased) == len(names):
        raise ConflictError(f"the bytes of {first.change} were erased; it can't be undone")
    return first, [name for name in names if name not in erased], erased


def _check(store: Store, names: Sequence[str]) -> tuple[list[Row], set[str]]:
    """The entries that were derived from those of some changes, the newest first, and the ids of
    the latter. Raises ConflictError for what can't be taken back."""
    derived: dict[str, Row] = {}
    own: set[str] = set()
    passed: set[str] = set()
    reversal = Reversal(store)
    for name in names:
        record = load_change(store, name)
        if record.op in _FINAL:
            raise ConflictError(f"{name} erased entries for good; it can't be undone")
        if record.op == EXTERNAL and not record.files:
            raise ConflictError(
                f"{name} was cancelled: what it took for another program's was Engrain's own",
                remedy="`engrain history` shows the change that wrote it",
            )
        # What an earlier commit left of a file is there again once the later one is taken back.
        files = record.files or ()
        reversal.check(record, [file for file in files if file.path not in passed])
        passed.update(file.path for file in files)
        own.update(record.entries)
        derived |= {row.id: row for row in find_derived(store, record)}
    one = len(names) == 1
    return [row for row in derived.values() if one or row.id not in own], own


def _cascade(
    store: Store, reversal: Reversal, own: Collection[str], derived: Sequence[Row]
) -> None:
    causes = {*own, *(row.id for row in derived)}
    for row in derived:
        making, files = find_making(store, row, causes)
        # Two of them may have been made by one change.
        reversal.take(making, [file for file in files if file.path not in reversal.expected])


def _last_standing(store: Store, taken: Mapping[str, str]) -> str:
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
            return change.part_of or change.change
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
