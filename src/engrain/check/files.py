"""Rules about files and the vault as a whole: unreadable files, copies, removals, facts, maps, the
index and the history."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.check.walk import Flaw, Repairs, WalkedFile
from engrain.engine.core.reading import MERGE_MARKS
from engrain.engine.core.store import Store
from engrain.engine.entities.resolution import list_entities
from engrain.engine.history.removals import list_missing, list_removed
from engrain.engine.history.verification import verify_chains
from engrain.engine.indexes import check_maps
from engrain.engine.reindexing import compare_index
from engrain.engine.verbs.copies import find_copies
from engrain.language.text.instants import format_instant
from engrain.model.errors import IndexUnavailableError
from engrain.seam.batches import Problem, TableDifference
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator

_NAMED = 3
_EDIT = "correct it in an editor; Engrain did not change the file"
_MOVE = "move it out of the vault"
_REMEDIES = {
    "symlink": _MOVE,
    "not-a-file": _MOVE,
    "forbidden_path": _MOVE,
    "too-large": "split it into notes, or move it out of the vault",
    "too-deep": "move it up some folders",
    "unreadable": "give your user the right to read it",
}


def find_unreadable(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find files that can't be read as notes. They stop no other file."""
    for problem in store.index.problems():
        if problem.fatal and problem.reason != MERGE_MARKS:
            remedy = _REMEDIES.get(problem.reason)
            remedy = remedy + _describe_restore(store, problem.locator) if remedy else _EDIT
            yield _flaw(problem, remedy)


def find_merge_marks(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find the marks that git leaves where it could not merge."""
    for problem in store.index.problems():
        if problem.reason == MERGE_MARKS:
            remedy = "keep what is right of both versions, and remove the marks, in an editor"
            yield _flaw(problem, remedy)


def _flaw(problem: Problem, remedy: str) -> Flaw:
    message = f"{problem.message} ({problem.reason})"
    return Flaw(problem.locator, message, line=problem.line, remedy=remedy)


def find_obstacles(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find what lies where a note or the history should be."""
    named = {problem.locator for problem in store.index.problems()}
    for found in store.backend.obstacles():
        if found.path not in named:
            remedy = found.remedy + _describe_restore(store, found.path)
            yield Flaw(found.path, found.message, remedy=remedy)


def _describe_restore(store: Store, place: str) -> str:
    """Say how to restore the entry whose place is taken, "" where there was none."""
    try:
        changes = store.index.changes(locator=Locator(place), limit=1)
    except IndexUnavailableError:
        return ""
    if not changes or changes[0].after_hash is None:
        return ""
    return f"; `engrain restore {changes[0].entry}` then brings back the entry that was there"


def find_stale(file: WalkedFile) -> Iterator[Flaw]:
    """Find files that differ from the index though no stamp says so."""
    if file.fault:
        yield Flaw(file.place, file.fault, remedy="run `engrain jobs reindex`")


def find_differing(store: Store, progress: Progress | None) -> Iterator[Flaw]:
    """Find tables of the index that differ from an index built from the files."""

    def mend(_: Repairs) -> None:
        compare_index(store, repair=True)

    for one in compare_index(store, progress):
        yield Flaw("", _describe_difference(one), mend=mend)


def _describe_difference(one: TableDifference) -> str:
    parts = []
    if one.kept:
        parts.append(
            f"{one.kept} row{'s' * (one.kept > 1)} not from the files, such as {one.kept_row}"
        )
    if one.rebuilt:
        parts.append(
            f"{one.rebuilt} row{'s' * (one.rebuilt > 1)} missing, such as {one.rebuilt_row}"
        )
    return f"{one.table}: {'; '.join(parts)}"


def find_broken_chains(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find devices whose history is incomplete or altered."""
    for report in verify_chains(store):
        if report.wrong:
            message = f"{report.device}: {report.links} changes are sound; {report.wrong}"
            yield Flaw("", message, remedy="compare it with a backup")


def find_conflict_copies(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find files with another file's id, and unmerged conflict copies of structured files."""
    places = [Locator(place) for place, _, hash_, _ in store.index.stamps() if hash_]
    found = {
        pair.copy: Flaw(
            pair.copy,
            f"conflict copy of {pair.home}",
            remedy="it is merged by itself once the history of both is here, or after a day; if it"
            " stays, compare the two, keep what is right in the other, and remove this one",
        )
        for pair in find_copies(store, places, set(places))
        if pair.make() is not None
    }
    for row in store.index.duplicates():
        original = next(one.locator for one in store.index.lookup(row.id) if one.primary)
        message = f"conflict copy of {original}, whose id it has"
        remedy = "compare the two, keep what is right in the other, and remove this one"
        found.setdefault(row.locator, Flaw(row.locator, message, remedy=remedy))
    yield from found.values()


def find_missing_notes(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find notes that another program removed, so many at once that it may be a mistake."""
    if missing := list_missing(store):
        names = ", ".join(str(one.place) for one in missing[:_NAMED])
        yield Flaw(
            missing[0].place,
            f"{len(missing)} notes that the history has are not there: {names}"
            f"{' …' if len(missing) > _NAMED else ''}; so many at once may be a mistake, so they do"
            " not count as removed",
            remedy="bring them back (`engrain restore --missing`, or from a backup), or"
            " `engrain check --accept-missing` if they were removed on purpose",
        )


def find_removed_notes(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find the notes that another program removed and that can be restored."""
    if removed := list_removed(store):
        when = f" at {format_instant(removed[0].at)}" if removed[0].at else ""
        yield Flaw(
            removed[0].place,
            f"{len(removed)} notes were removed by other programs, the latest{when}",
            remedy=f"`engrain restore {removed[0].id}` brings that one back",
        )


def find_disputes(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find entities with facts that can't all be so."""
    for filed in list_entities(store, disputed=True):
        yield Flaw(
            filed.locator,
            f"{len(filed.disputed)} facts of {filed.slug} are disputed",
            remedy=f"`engrain entity show {filed.slug}` shows them, `engrain fact settle` decides",
        )


def find_old_maps(store: Store, _: Progress | None) -> Iterator[Flaw]:
    """Find maps of contents, where there are any, that no longer say what the vault holds."""
    maps = check_maps(store, begin=False)
    places = [*maps.written, *maps.removed]
    if places:
        pages = "1 page of the maps is" if len(places) == 1 else f"{len(places)} pages are"
        yield Flaw(places[0], f"{pages} out of date", mend=Repairs.write_maps)
