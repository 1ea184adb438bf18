"""Records an episode as it happens, so that nothing is lost if the process dies; lists and reads
episodes (S2.2).

Each call is first written to a journal on this device. The episode is made from the journal alone,
by the process that ends it or by a later one that finds the journal, so filing it twice gives one
episode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from engrain.engine.core.redaction import Redaction
from engrain.engine.core.scope import Scope
from engrain.engine.core.store import Actor, Store
from engrain.engine.episodes.episode import KIND, FiledEpisode, save_episode
from engrain.engine.verbs.listing import Listing, list_entries
from engrain.language.text.instants import format_instant
from engrain.model.errors import EngrainError, ErasedError, NotFoundError, UsageError
from engrain.model.experience.episode import FAILURE, INTERRUPTED, OUTCOMES, SUCCESS
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import make_id
from engrain.model.note.tiers import ORIGINS
from engrain.seam.clock import Clock
from engrain.state.episode_journal import Recording

_MOST = 1000
"""The most errors, and the most artifacts, that are taken from one recording."""
_LOST = "an episode whose beginning was lost"


@dataclass(slots=True, eq=False)
class Recorder:
    """An episode in progress, for a `with` block. It is filed when the block ends, as a success
    unless `outcome` says otherwise. An exception is noted, makes it a failure, and is raised again;
    KeyboardInterrupt makes it interrupted.

    Calls may come from several threads, and raise StorageError if nothing can be noted. `commit` is
    the git commit that resulted; `filed` is the outcome of filing, None until then.
    """

    _open_store: Callable[[], Store]
    _clock: Clock
    _recording: Recording
    _redaction: Redaction
    _outcome: str | None = field(default=None, init=False)
    _ended: bool = field(default=False, init=False)
    commit: str | None = field(default=None, init=False)
    filed: FiledEpisode | None = field(default=None, init=False)

    @property
    def id(self) -> str:
        """The id of the episode; `filed` has another one if that is taken."""
        return self._recording.name

    @property
    def outcome(self) -> str | None:
        """The outcome of the episode, None while unknown."""
        return self._outcome

    @outcome.setter
    def outcome(self, outcome: str) -> None:
        if outcome not in OUTCOMES:
            raise UsageError(
                f"{str(outcome)[:40]!r} is no outcome", remedy="use one of " + ", ".join(OUTCOMES)
            )
        self._outcome = outcome

    def action(
        self,
        name: str,
        *,
        target: str | None = None,
        result: str | None = None,
        error: str | None = None,
    ) -> None:
        """Note an action: what was done, to what, and how it went."""
        if not name.strip():
            raise UsageError("an action without a name", remedy="say what was done")
        said = {"action": name, "target": target, "result": result, "error": error}
        self._note("action", **{key: value for key, value in said.items() if value is not None})

    def error(self, type: str, message: str, resolution: str = "") -> None:  # noqa: A002
        """Note an error, and what resolved it."""
        self._note("error", type=type, message=message, resolution=resolution)

    def artifact(self, path: str) -> None:
        """Note a file that was made."""
        self._note("artifact", path=path)

    def end(self, outcome: str | None = None) -> FiledEpisode:
        """File the episode. Raises StorageError; a later process then files it from the journal."""
        if outcome is not None:
            self.outcome = outcome
        try:
            self._note("end", outcome=self._outcome or SUCCESS, commit=self.commit)
            self.filed = _file(self._open_store(), self._recording)
        finally:
            self._ended = True
            self._recording.release()
        return self.filed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if self._ended:
            return
        if error is None:
            self.end()
            return
        try:
            if isinstance(error, KeyboardInterrupt):
                self.end(INTERRUPTED)
            else:
                self.error(type(error).__name__, str(error))
                self.end(FAILURE)
        except EngrainError as failure:
            self._ended = True
            self._recording.release()
            error.add_note(f"engrain: the episode is not filed yet: {failure}")

    def _note(self, event: str, **details: object) -> None:
        if self._ended:
            raise UsageError(
                f"episode {self.id} has ended", remedy="record what comes next as another one"
            )
        said = self._redaction.clean_values(details)
        self._recording.append({"event": event, "at": self._clock.now(), **said})


def begin_episode(
    open_store: Callable[[], Store],
    goal: str,
    *,
    task: str | None = None,
    phase: str = "",
    constraints: Sequence[str] = (),
    files: Sequence[str] = (),
    agent: str | None = None,
    project: str | None = None,
) -> Recorder:
    """Begin to record an episode, after filing those that dead processes left. Raises UsageError if
    the goal is empty, StorageError."""
    if not goal.strip():
        raise UsageError("an episode needs a goal, to be found again", remedy="say what for")
    store = open_store()
    recover_episodes(store)
    redaction = Redaction(store)  # the journal must not contain secrets either
    now = store.clock.now()
    begin = {
        "event": "begin",
        "at": now,
        "task_id": task,
        "agent": store.actor.agent if agent is None else agent,
        "trust": store.actor.trust,
        "project": (store.project if project is None else project) or "",
        "context": redaction.clean_values(
            {
                "phase": phase,
                "goal": goal,
                "constraints": list(constraints),
                "files_involved": list(files),
            }
        ),
    }
    recording = store.device.recordings.begin(make_id(now, store.entropy.draw(10)), begin)
    return Recorder(open_store, store.clock, recording, redaction)


def recover_episodes(store: Store) -> list[FiledEpisode]:
    """File the episodes that dead processes left, unfinished ones as interrupted. An episode that
    can't be filed now stays for the next time. Raises StorageError if the journal can't be read."""
    filed = []
    for recording in store.device.recordings.claim_left():
        try:
            if next(recording.events(), None) is None:
                recording.discard()  # it has no readable event
            else:
                filed.append(_file(store, recording))
        except ErasedError:
            recording.discard()
        except EngrainError:
            continue  # the disk is full or the vault is locked: the episode stays in the journal
        finally:
            recording.release()
    return filed


def _file(store: Store, recording: Recording) -> FiledEpisode:
    """Make an episode from a recording, file it, and remove the recording."""
    first = next(recording.events(), {})
    begin: Mapping[str, Any] = first if first.get("event") == "begin" else {}
    start = last = _read_at(first, 0.0)
    end: Mapping[str, Any] = {}
    errors: list[Mapping[str, Any]] = []
    artifacts: list[Any] = []
    for event in recording.events():
        last = max(last, _read_at(event, last))
        what = event.get("event")
        if what == "end":
            end = event
        elif what == "error" and len(errors) < _MOST:
            errors.append(event)
        elif what == "artifact" and len(artifacts) < _MOST:
            artifacts.append(event.get("path"))
    context = begin.get("context")
    said = begin.get("trust")
    # The episode is trusted no more than its author and no more than whoever files it.
    origins = [store.actor.trust, said if said in ORIGINS else ORIGINS[-1]]
    document = {
        "id": recording.name,
        "task_id": begin.get("task_id"),
        "timestamp": format_instant(start),
        "duration_seconds": round(last - start, 3),
        "agent": begin.get("agent"),
        "context": context if isinstance(context, dict) else {"goal": _LOST},
        "action_log": (
            {**event, "t": round(_read_at(event, start) - start, 3)}
            for event in recording.events()
            if event.get("event") == "action"
        ),
        "outcome": end.get("outcome", INTERRUPTED),
        "errors_encountered": errors,
        "artifacts_produced": artifacts,
        "git_commit": end.get("commit"),
    }
    filed = save_episode(
        store,
        document,
        project=str(begin.get("project") or ""),
        source="recorder",
        actor=Actor(str(begin.get("agent") or ""), max(origins, key=ORIGINS.index)),
    )
    recording.discard()
    return filed


def _read_at(event: Mapping[str, Any], default: float) -> float:
    at = event.get("at")
    return float(at) if isinstance(at, int | float) and abs(at) < 1e11 else default


def list_episodes(
    store: Store,
    outcome: str | None = None,
    *,
    scope: Scope | None = None,
    limit: int | None = None,
) -> Listing:
    """List episodes, newest first, with one `outcome` if given, after filing those that dead
    processes left. The kinds and tags of `scope` are replaced. Raises UsageError."""
    if outcome is not None and outcome not in OUTCOMES:
        raise UsageError(
            f"{outcome[:40]!r} is no outcome", remedy="use one of " + ", ".join(OUTCOMES)
        )
    recover_episodes(store)
    wanted = (scope or Scope()).widened(archive=False, inbox=False)
    wanted = replace(wanted, kinds=(KIND,), tags=() if outcome is None else (outcome,))
    return list_entries(store, scope=wanted, limit=limit)


def read_filed(store: Store, reference: str) -> tuple[str, Mapping[str, Any], Mapping[str, Value]]:
    """Return an episode's id, its document with loki's fields, and its other fields, such as
    `omitted`, `metrics` and the source. Raises NotFoundError."""
    row = store.find_one(reference)
    entry = store.read_entry(row.locator)
    if not isinstance(entry.note, JsonNote) or entry.kind != KIND:
        raise NotFoundError(
            f"{row.id} is a {entry.kind}, no episode",
            path=row.locator,
            remedy="`engrain episode list` shows them",
        )
    return entry.id, entry.note.document, entry.note.own
