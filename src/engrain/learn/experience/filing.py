"""The episodes of a transcript, filed into the vault.

Filing one again is `unchanged`; one that has gone on since is brought up to date in its place. What
was forgotten, erased, archived or summed up since stays so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engrain.engine.core.attesting import least
from engrain.engine.core.batches import ERASED, ErasedContents
from engrain.engine.core.outcomes import CREATED, UNCHANGED, UPDATED
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store
from engrain.engine.episodes.episode import WHOLE, content_hash, save_episode
from engrain.engine.verbs.records import update_record
from engrain.learn.experience.lessons import file_lesson
from engrain.learn.transcripts.hosts import OFF, Lines, open_transcript, read_events
from engrain.learn.transcripts.segments import TaskFinder
from engrain.learn.transcripts.tasks import Task
from engrain.model.experience.reading import read_episode
from engrain.model.note.json_note import JsonNote
from engrain.model.note.tiers import ACTIVE
from engrain.seam.rows import Row

SOURCE = "transcript"
FORGOTTEN = "forgotten"
_MOST_TRUSTED = "tool"
_WHOSE = ("task_id", "agent")


@dataclass(slots=True, eq=False)
class TranscriptRead:
    """The result of reading a transcript: its host, the episodes by outcome, the tasks that ran no
    tool, what was skipped (`broken`, `unfinished` and `long` lines, `images`), and the ids of the
    lessons that were filed."""

    host: str
    outcomes: Mapping[str, int]
    passed: Mapping[str, int]
    without_tools: int
    lessons: Sequence[str] = ()


def import_transcript(
    store: Store,
    lines: Lines,
    name: str,
    *,
    project: str | None = None,
    find_project: Callable[[str], str | None] = lambda _: None,
    is_off: Callable[[str], bool] = lambda _: False,
    op: str = "",
) -> TranscriptRead:
    """Take in one transcript by its lines, each with its end, None for one too long to read;
    `memory.exchange.import_transcript` explains the arguments; `op` is what the history calls what
    is written, "" for a save and an import. Raises MalformedError for what is no transcript of a
    host that is known."""
    host, lines = open_transcript(lines)
    passed: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    erased = ErasedContents(store)
    actor = Actor(store.actor.agent, least(store.actor.trust, _MOST_TRUSTED))
    projects: dict[str, str | None] = {}
    switched_off: set[str] = set()
    without_tools = 0
    lessons = []
    for task in TaskFinder(host.name, name).run(read_events(host, lines, passed)):
        session, cwd = task.session.session, task.session.cwd
        if not task.calls:
            without_tools += 1
            continue
        if session in switched_off or (cwd and is_off(cwd)):
            switched_off.add(session)
            passed[OFF] += 1
            continue
        about = project
        if about is None and cwd:
            if cwd not in projects:
                projects[cwd] = find_project(cwd)
            about = projects[cwd]
        outcome = _file(store, task, actor, about, erased, op)
        outcomes[outcome] += 1
        # Of an unchanged one, too: who filed it may have been killed before its lesson.
        if outcome in (CREATED, UPDATED, UNCHANGED):
            lessons.append(file_lesson(store, task, about, actor, erased))
    return TranscriptRead(
        host.name, dict(outcomes), dict(passed), without_tools, [id_ for id_ in lessons if id_]
    )


def _file(
    store: Store, task: Task, actor: Actor, project: str | None, erased: ErasedContents, op: str
) -> str:
    document = task.document()
    row = store.find_exact(document["id"])
    if row is None:
        done = save_episode(
            store,
            document,
            project=project,
            source=SOURCE,
            ref=task.session.session or None,
            actor=actor,
            extra=task.beside(),
            op=op or "save",
        )
        return done.outcome
    if row.status == "deleted":
        return ERASED if erased.refuses_id(row.id) else FORGOTTEN
    if row.status != ACTIVE:
        return UNCHANGED
    return _bring_up_to_date(store, row, task, actor, op or "import")


def _bring_up_to_date(store: Store, row: Row, task: Task, actor: Actor, op: str) -> str:
    redaction = Redaction(store)
    beside = task.beside()

    def change(note: JsonNote) -> JsonNote:
        # Of a transcript without times, the episode has that of its filing. In the copy of a
        # session it stays that of the first.
        given = {**task.document()}
        given["timestamp"] = given["timestamp"] or note.document.get("timestamp")
        given |= {key: note.document[key] for key in _WHOSE if key in note.document}
        document = redaction.clean_values(read_episode(given, store.clock.now()).document)
        if (
            WHOLE in note.own
            or content_hash(document) == content_hash(note.document)
            or _reach(beside, document) < _reach(note.own, note.document)
        ):
            return note
        return note.with_document(document).patch(beside)

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
