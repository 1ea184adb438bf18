"""The episodes of a transcript, filed into the vault.

Filing one again is `unchanged`; one that has gone on since is brought up to date in its place. What
was forgotten, erased, archived or summed up since stays so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engrain.engine.core.attesting import least
from engrain.engine.core.batches import ERASED, ErasedContents
from engrain.engine.core.outcomes import UNCHANGED
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store
from engrain.engine.episodes.episode import WHOLE, content_hash, save_episode
from engrain.engine.verbs.records import update_record
from engrain.language.prompts import is_go_ahead
from engrain.language.text.fences import shorten
from engrain.language.text.instants import format_instant
from engrain.learn.transcripts.hosts import (
    OFF,
    REQUEST,
    Lines,
    TranscriptEvent,
    TranscriptSession,
    open_transcript,
    read_events,
)
from engrain.learn.transcripts.tasks import Task
from engrain.model.experience.reading import read_episode
from engrain.model.history.tombstone import PREFIX
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import ACTIVE
from engrain.seam.rows import Row

_GOAL = 600


@dataclass(slots=True, eq=False)
class FoundEpisode:
    """An episode of a transcript: its document, what stands beside it (`metrics`, `omitted`), the
    session it is of and the folder that ran in."""

    document: dict[str, Any]
    beside: dict[str, Any]
    session: str
    cwd: str


class EpisodeFinder:
    """Finds the episodes in the events of a `host`'s transcript. `name` stands for a session that
    does not name itself; `counts` gets the number of requests `without_tools`."""

    def __init__(self, host: str, name: str, counts: Counter[str]) -> None:
        self._host = host
        self._counts = counts
        self._session = TranscriptSession(name)
        self._tasks: dict[str, Task] = {}
        self._goals: dict[str, str] = {}
        self._seen: set[str] = set()

    def run(self, events: Iterable[TranscriptSession | TranscriptEvent]) -> Iterator[FoundEpisode]:
        """Yield the episodes, each as soon as its end is seen."""
        for event in events:
            if isinstance(event, TranscriptSession):
                if event.session:
                    yield from self._all()
                    self._session = event
                elif event.cwd:
                    self._session = TranscriptSession(self._session.session, event.cwd, event.agent)
            elif event.what == REQUEST:
                yield from self._begin(event)
            elif event.stream in self._tasks:
                self._tasks[event.stream].take(event)
        yield from self._all()

    def _begin(self, request: TranscriptEvent) -> Iterator[FoundEpisode]:
        stream = request.stream
        if stream in self._tasks:
            yield from self._end(stream)
        name = self._name(request)
        if name in self._seen:
            return  # a copy, as of a session that went back: what follows is one, too
        self._seen.add(name)
        before = self._goals.get(stream, "")
        goal = before if before and is_go_ahead(request.text) else shorten(request.text, _GOAL)
        goal = goal or self._session.session or self._host
        self._goals[stream] = goal
        self._tasks[stream] = Task(request, goal, self._session.cwd)

    def _name(self, request: TranscriptEvent) -> str:
        """Return an id that every copy of a request shares, in whichever file it is."""
        parts = (self._host, self._session.session, request.stream, request.id, request.text)
        return hash_bytes("\0".join(parts).encode(errors="replace"))[:12]

    def _all(self) -> Iterator[FoundEpisode]:
        for stream in list(self._tasks):
            yield from self._end(stream)

    def _end(self, stream: str) -> Iterator[FoundEpisode]:
        task = self._tasks.pop(stream)
        if not task.calls:
            self._counts["without_tools"] += 1
            return
        session, request = self._session, task.request
        agent = stream or session.agent or self._host
        day = "" if request.at is None else f"{format_instant(request.at)[:10]}-"
        id_ = f"ep-{day}{self._name(request)}"
        beside: dict[str, Any] = {"metrics": task.metrics()}
        if left_out := task.omitted():
            beside["omitted"] = {"actions": left_out}
        document = task.document(id_, session.session, agent)
        yield FoundEpisode(document, beside, session.session, session.cwd)


SOURCE = "transcript"
FORGOTTEN = "forgotten"
_MOST_TRUSTED = "tool"


@dataclass(slots=True, eq=False)
class TranscriptRead:
    """The result of reading a transcript: its host, the episodes by outcome, the requests that ran
    no tool, what was skipped (`broken`, `unfinished` and `long` lines, `images`), and how many
    errors in it were resolved."""

    host: str
    outcomes: Mapping[str, int]
    passed: Mapping[str, int]
    without_tools: int
    mended: int = 0


def import_transcript(
    store: Store,
    lines: Lines,
    name: str,
    *,
    project: str | None = None,
    find_project: Callable[[str], str | None] = lambda _: None,
    is_off: Callable[[str], bool] = lambda _: False,
    allow_erased: bool = False,
    op: str = "",
) -> TranscriptRead:
    """Take in one transcript by its lines, each with its end, None for one too long to read.

    An episode is made of each request that ran a tool; taking the same in again changes
    nothing, and one that has gone on is brought up to date. `name` stands for a session that
    names itself nowhere; without a `project` it is what `find_project` has for the session's
    folder, else the current one. Of a session that ran in a folder for which `is_off` is true
    nothing is taken. Raises MalformedError for what is no transcript of a host that
    is known. With `allow_erased` episodes that were erased here come in again. `op` is what the
    history calls what is written, "" for a save and an import.
    """
    store = store.allowing_erased(allow_erased)
    host, lines = open_transcript(lines)
    passed: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    erased = ErasedContents(store)
    actor = Actor(store.actor.agent, least(store.actor.trust, _MOST_TRUSTED))
    projects: dict[str, str | None] = {}
    switched_off: set[str] = set()
    mended = 0
    for found in EpisodeFinder(host.name, name, counts).run(read_events(host, lines, passed)):
        if found.session in switched_off or (found.cwd and is_off(found.cwd)):
            switched_off.add(found.session)
            passed[OFF] += 1
            continue
        about = project
        if about is None and found.cwd:
            if found.cwd not in projects:
                projects[found.cwd] = find_project(found.cwd)
            about = projects[found.cwd]
        outcomes[_file(store, found, actor, about, erased, op)] += 1
        mended += sum(1 for error in found.document["errors_encountered"] if error["resolution"])
    return TranscriptRead(host.name, dict(outcomes), dict(passed), counts["without_tools"], mended)


def _file(
    store: Store,
    found: FoundEpisode,
    actor: Actor,
    project: str | None,
    erased: ErasedContents,
    op: str,
) -> str:
    row = store.find_exact(found.document["id"])
    if row is None or (store.allows_erased and row.locator.name.startswith(PREFIX)):
        done = save_episode(
            store,
            found.document,
            project=project,
            source=SOURCE,
            ref=found.session or None,
            actor=actor,
            extra=found.beside,
            op=op or "save",
        )
        return done.outcome
    if row.status == "deleted":
        return ERASED if erased.refuses_id(row.id) else FORGOTTEN
    if row.status != ACTIVE:
        return UNCHANGED
    return _bring_up_to_date(store, row, found, actor, op or "import")


def _bring_up_to_date(store: Store, row: Row, found: FoundEpisode, actor: Actor, op: str) -> str:
    redaction = Redaction(store)

    def change(note: JsonNote) -> JsonNote:
        # Of a transcript without times, the episode has that of its filing.
        given = {**found.document}
        given["timestamp"] = given["timestamp"] or note.document.get("timestamp")
        document = redaction.clean_values(read_episode(given, store.clock.now()).document)
        if (
            WHOLE in note.own
            or content_hash(document) == content_hash(note.document)
            or _reach(found.beside, document) < _reach(note.own, note.document)
        ):
            return note
        return note.with_document(document).patch(found.beside)

    note = store.read_entry(row.locator).note
    if not isinstance(note, JsonNote) or change(note) is note:
        return UNCHANGED
    reason = "the transcript has gone on"
    return update_record(store, row.locator, change, op, reason=reason, actor=actor).outcome


def _reach(beside: Mapping[str, object], document: Mapping[str, object]) -> tuple[float, float]:
    """Return how far an episode was read: the calls in it, and the seconds that it took."""
    metrics, took = beside.get("metrics"), document.get("duration_seconds")
    calls = metrics.get("calls") if isinstance(metrics, dict) else 0
    return (
        calls if isinstance(calls, int | float) else 0,
        took if isinstance(took, int | float) else 0,
    )
