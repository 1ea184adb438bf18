"""Finds changes by other programs in the store: by a scan, which compares every file, or by a look,
which compares a bounded part (decision 67).

A look compares the marks of folders, which show files that came, went or were replaced by another,
and the files whose turn it is, which shows files that were written in place. If all files fit into
one look, each look compares all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from engrain.model.errors import EngrainError
from engrain.model.run_result import RunResult
from engrain.seam.derived import MAINTAINED
from engrain.seam.locator import Locator
from engrain.seam.looks import Most, Seen, StoreRound

if TYPE_CHECKING:
    from engrain.engine.core.edits import Edits
    from engrain.index.sqlite_index import SearchIndex
    from engrain.seam.batches import Batch
    from engrain.seam.derived import Guard, Progress
    from engrain.seam.storage import Group, StorageBackend


MOST = Most(whole=1024, part=256, watched=256, young=8)
READ = 256
"""The most new or changed files that one look reads; the next look finds the rest."""
_LISTED = 16 * MOST.whole
"""The number of files listed, in folders and in the index, from which a look lists no more."""


@dataclass(slots=True, eq=False)
class Scan:
    """One scan, or one look. `guard` keeps erased entries out, None if nothing was erased.
    `changed` has the places that were read, with their hashes, `gone` those where no file is any
    more. Every file has been compared since the time `complete`, None if some have not. `edits`
    loads what takes differences in."""

    _backend: StorageBackend
    _index: SearchIndex
    _edits: Callable[[], Edits]
    guard: Guard | None
    _now: float
    _room: int = field(default_factory=lambda: READ)
    _listed: int = 0
    changed: list[tuple[Locator, str]] = field(default_factory=list)
    gone: list[Locator] = field(default_factory=list)
    report: RunResult = field(default_factory=lambda: RunResult(dict.fromkeys(MAINTAINED, 0)))
    complete: float | None = None

    def compare_all(self, progress: Progress | None = None) -> None:
        """Compare all files of the store with the index."""
        known, marks = self._index.groups(), self._index.marks()
        found: dict[str, tuple[str, int] | None] = dict.fromkeys(marks)
        for group in self._backend.groups():
            self.report.counts["seen"] += group.size
            if progress:
                progress(self.report.counts["seen"], None)
            if known.pop(group.name, "") != group.fingerprint or not group.fingerprint:
                self._compare_group(group)
            found[group.name] = (group.mark, group.size)
        for name in known.keys() | {name for name, mark in found.items() if mark is None}:
            self._forget(name)
        if found != marks:
            self._index.note(marks=found)
        self.complete = self._now

    def compare_part(self, turn: StoreRound) -> StoreRound | None:
        """Compare the part of the store that is due after `turn`, and return the new turn, or
        `turn` itself if nothing moved. Return None, and compare nothing, for a store without
        marks."""
        due = self._index.due(turn, MOST)
        groups = due.groups or {"": ("", 0)}
        marks = self._backend.marks(groups)
        if marks is None:
            return None
        for name in groups.keys() - marks.keys():
            self._forget(name, READ)
        self._read_stale(due.watched)
        group = self._compare_groups(groups, marks, turn, due.files)
        file = self._read_stale(due.files)
        self._read([Seen(place, "") for place in self._choose_young(due.young)])
        if due.is_whole:
            self.complete = self._now if self._room else None
            return turn if group == turn.group else StoreRound(group)
        since = turn.since
        if _key(file) <= _key(turn.file):
            self.complete, since = turn.since or None, self._now
        return StoreRound(group, file, since)

    def _choose_young(self, young: Sequence[Locator]) -> list[Locator]:
        """Return the young files that are to be read: that are not as the index and the history
        have them. Note those of the others that are old enough by now."""
        if not young:
            return []
        rest, same = [], {}
        with self._index.exclusive():
            for place, stored in self._backend.read_all(young):
                if isinstance(stored, EngrainError) or stored.hash != self._index.hash_at(place):
                    rest.append(place)
                else:
                    same[place] = stored
            files = [(place, stored.hash) for place, stored in same.items()]
            rest += [place for place, _ in self._index.unexplained(files)]
            if old := [(place, one.stamp) for place, one in same.items() if one.settled]:
                self._index.note(settled=old)
        return rest

    def _compare_groups(
        self,
        groups: Mapping[str, tuple[str, int]],
        marks: Mapping[str, str],
        turn: StoreRound,
        files: Iterable[str],
    ) -> str:
        """Look into the groups whose marks have changed; into one with more than MOST.whole files
        only once all of these have had their turn. Return the last group that was dealt with, or
        that of `turn` if all groups fit into one look."""
        last = turn.group
        for name, (mark, size) in groups.items():
            now = marks.get(name)
            if now is not None and not (mark and mark == now):
                if self._listed >= _LISTED:
                    return last
                if size <= MOST.whole or name in _ended(turn.file, files):
                    self._look_into(name, (mark, size))
            last = name
        return last if len(groups) == MOST.part else turn.group

    def _look_into(self, name: str, noted: tuple[str, int] | None = None) -> bool:
        """Find the files that came and went in a group and in new groups below it. Return whether
        that was completed."""
        group = self._backend.group(name)
        known = {place: stamp for place, stamp, *_ in self._index.stamps(name)}
        seen = {item.locator: item for item in group.seen()}
        self._listed += len(seen) + len(known)
        new = [item for place, item in seen.items() if place not in known]
        gone = [place for place in known if place not in seen]
        if len(known) <= MOST.whole:
            new += self._find_stale({place: known[place] for place in known.keys() & seen.keys()})
        done = self._read(new) and len(gone) <= READ
        self._drop(gone[:READ])
        for path in self._find_new(name, group.folders):
            done = self._listed < _LISTED and self._look_into(path) and done
        # A group with the mark "" is looked into again, however large it is.
        found = (group.mark, len(seen)) if done else ("", 0)
        if found != noted:
            # If the folder was unreadable before, the index has a problem under its name.
            unread = [Locator(name)] if name and group.mark else []
            self._index.note(gone=unread, marks={name: found})
        return done

    def _find_new(self, name: str, folders: Sequence[str]) -> list[str]:
        """Return the groups directly below a group that have not been looked into yet."""
        below = [f"{name}/{part}" if name else part for part in folders]
        marked = self._index.marks(below) if below else {}
        return [path for path in below if path not in marked]

    def _find_stale(self, stamps: Mapping[str, str]) -> list[Seen]:
        """Return the files that have changed since they were read with these stamps."""
        changed = self._backend.find_changed(stamps) if stamps else ()
        return [Seen(Locator(place), "") for place in changed]

    def _read_stale(self, stamps: Mapping[str, str]) -> str:
        """Read the changed ones among some files, as far as the room for this look goes. Return the
        last file up to which that is done, "" for none."""
        stale = self._find_stale(stamps)
        room = self._room
        places = list(stamps)
        last = len(places) if self._read(stale) else places.index(stale[room].locator)
        return places[last - 1] if last else ""

    def _compare_group(self, group: Group) -> None:
        """Compare all files of a group."""
        known = {place: (stamp, old) for place, stamp, _, old in self._index.stamps(group.name)}
        stale = [
            seen for seen in group.seen() if known.pop(seen.locator, None) != (seen.stamp, True)
        ]
        settled = self._index_files(stale)
        self._drop(known)
        fingerprint = group.fingerprint if settled and group.fingerprint else None
        # If the folder was unreadable before, the index has a problem under its name.
        unread = [Locator(group.name)] if group.name and group.fingerprint else []
        self._index.note(gone=unread, groups={group.name: fingerprint})

    def _forget(self, name: str, most: int | None = None) -> None:
        """Drop the files of a group that is gone, at most `most`. If there are more, this look
        reads no further file, since that may be one of the rest at a new place."""
        places = [place for place, *_ in self._index.stamps(name)]
        self._drop(places[:most])
        if most is None or len(places) <= most:
            # If the folder was unreadable, the index has a problem under its name.
            unread = [Locator(name)] if name and not self._index.stamps_of([name]) else []
            self._index.note(gone=unread, groups={name: None}, marks={name: None})
        else:
            self._room = 0

    def _drop(self, places: Iterable[str]) -> None:
        """Drop files that are gone, after checking again that they have not come back."""
        gone = [Locator(place) for place in places]
        if gone:
            self._edits().drop(gone)
            self.gone += gone
            self.report.counts["dropped"] += len(gone)

    def _read(self, seen: Sequence[Seen]) -> bool:
        """Read as many of the files as this look still may. Return whether these were all."""
        taken = seen[: self._room]
        self._room -= len(taken)
        self._index_files(taken)
        return len(taken) == len(seen)

    def _index_files(self, seen: Sequence[Seen]) -> bool:
        """Read files into the index. Return whether each was old enough for its stamp to show later
        changes."""
        if not seen:
            return True
        settled = True
        for batch, known in self._edits().read(seen, self.guard):
            self.changed += [(item.locator, item.hash) for item in batch.documents]
            self.changed += known  # unchanged in the index, but perhaps missing in the history
            self.changed += [(problem.locator, "") for problem in batch.problems if problem.fatal]
            self.report.counts["changed"] += len(batch.documents)
            self.report.counts["unreadable"] += sum(problem.fatal for problem in batch.problems)
            settled = settled and _is_settled(batch)
        return settled


def _is_settled(batch: Batch) -> bool:
    """Whether each file, when it was read, was old enough for its stamp to show later changes."""
    return (
        all(document.settled for document in batch.documents)
        and all(stamp for _, stamp in batch.settled)
        and all(problem.settled for problem in batch.problems if problem.stamp)
    )


def _key(place: str) -> tuple[str, str]:
    """Return the sort key of a file in the order of turns."""
    return place.rpartition("/")[0], place


def _ended(after: str, files: Iterable[str]) -> set[str]:
    """Return the folders whose last file is `after` or among `files`, which follow it in the order
    of turns."""
    keys = [_key(after), *map(_key, files)]
    return {one[0] for one, other in pairwise(keys) if one[0] != other[0] or other <= one}
