"""The sessions of this device that have ended, or were left by a host that crashed: their journals
say where the transcripts are (S1.20).

A session is read once it has ended, and again only where it went on. One whose transcript is gone
is told once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engrain.engine.core.store import Store
from engrain.learn.sources.reading import Problem, ReadCounts, Reading, read_place
from engrain.model.errors import ForbiddenPathError, UsageError
from engrain.model.note.documents import object_of
from engrain.seam.journal import Event
from engrain.seam.sources import Source

_NOTE = "reflect.sessions"
_ENDINGS = (".jsonl", ".json")


def read_ended(
    store: Store,
    *,
    dry_run: bool = False,
    out_of_time: Callable[[], bool] = lambda: False,
    read_counts: ReadCounts,
) -> Iterator[Reading]:
    """The transcripts of the sessions that have ended and were not read since."""
    kept = object_of(store.local.read_note(_NOTE))
    ended = store.journal.ended()
    done = {session: kept[session] for session in ended if session in kept}
    for session, last in ended.items():
        if out_of_time():
            read_counts.unfinished = True
            return
        if done.get(session) == last:
            continue
        events = store.journal.read(session)
        place = _last_told(events, "transcript")
        if not place:
            continue
        yield from _read(store, session, place, _project_of(events), out_of_time, read_counts)
        if read_counts.unfinished:
            return
        done[session] = last
        if not dry_run:
            store.local.write_note(_NOTE, done)


def _read(
    store: Store,
    session: str,
    path: str,
    project: str,
    out_of_time: Callable[[], bool],
    read_counts: ReadCounts,
) -> Iterator[Reading]:
    try:
        if not path.endswith(_ENDINGS):
            raise UsageError(f"{path} is no transcript")
        place = store.sources.place(path)
    except (UsageError, ForbiddenPathError) as error:
        read_counts.problems.append(Problem(f"session {session}", path, error.message))
        return
    source = Source(place.name, place.path, trust="agent", project=project)
    yield from read_place(store, source, out_of_time=out_of_time, read_counts=read_counts)


def _project_of(events: Sequence[Event]) -> str:
    return _last_told(events, "project")


def _last_told(events: Sequence[Event], name: str) -> str:
    told = (_text(event.details, name) for event in reversed(events))
    return next((text for text in told if text), "")


def _text(details: Mapping[str, object], name: str) -> str:
    value = details.get(name)
    return value if isinstance(value, str) else ""
