"""Records an episode as it happens, and lists and reads episodes (S2.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from engrain.engine.core.scope import Scope
from engrain.engine.core.store import Store
from engrain.engine.episodes.episode import KIND, FiledEpisode, save_episode
from engrain.engine.verbs.listing import Listing, list_entries
from engrain.language.text.instants import format_instant
from engrain.model.errors import EngrainError, NotFoundError, UsageError
from engrain.model.experience.episode import FAILURE, INTERRUPTED, OUTCOMES, SUCCESS
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import make_id
from engrain.seam.clock import Clock

_MOST = 1000
"""The most errors, and the most artifacts, that an episode has."""


@dataclass(slots=True, eq=False)
class Recorder:
    """An episode in progress, for a `with` block. It is filed when the block ends, as a success
    unless `outcome` says otherwise. An exception is noted, makes it a failure, and is raised again;
    KeyboardInterrupt makes it interrupted. A process that is killed leaves no episode.

    Calls may come from several threads. `commit` is the git commit that resulted; `filed` is the
    outcome of filing, None until then.
    """

    _open_store: Callable[[], Store]
    _clock: Clock
    _document: dict[str, Any]
    _project: str
    _began: float
    _last: float
    _outcome: str | None = field(default=None, init=False)
    _ended: bool = field(default=False, init=False)
    commit: str | None = field(default=None, init=False)
    filed: FiledEpisode | None = field(default=None, init=False)

    @property
    def id(self) -> str:
        """The id of the episode; `filed` has another one if that is taken."""
        return str(self._document["id"])

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
        at = self._note()
        action = {key: value for key, value in said.items() if value is not None}
        self._document["action_log"].append({"t": round(at - self._began, 3), **action})

    def error(self, type: str, message: str, resolution: str = "") -> None:  # noqa: A002
        """Note an error, and what resolved it."""
        self._note()
        error = {"type": type, "message": message, "resolution": resolution}
        self._document["errors_encountered"].append(error)

    def artifact(self, path: str) -> None:
        """Note a file that was made."""
        self._note()
        self._document["artifacts_produced"].append(path)

    def end(self, outcome: str | None = None) -> FiledEpisode:
        """File the episode."""
        if outcome is not None:
            self.outcome = outcome
        self._note()
        self._ended = True
        document = {
            **self._document,
            "duration_seconds": round(self._last - self._began, 3),
            "errors_encountered": self._document["errors_encountered"][:_MOST],
            "artifacts_produced": self._document["artifacts_produced"][:_MOST],
            "outcome": self._outcome or SUCCESS,
            "git_commit": self.commit,
        }
        self.filed = save_episode(
            self._open_store(), document, project=self._project, source="recorder"
        )
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
            error.add_note(f"engrain: the episode is not filed: {failure}")

    def _note(self) -> float:
        """Note that something happened; return when. A clock that goes back is not followed."""
        if self._ended:
            raise UsageError(
                f"episode {self.id} has ended", remedy="record what comes next as another one"
            )
        self._last = max(self._last, self._clock.now())
        return self._last


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
    """Begin to record an episode. Raises UsageError if the goal is empty."""
    if not goal.strip():
        raise UsageError("an episode needs a goal, to be found again", remedy="say what for")
    store = open_store()
    now = store.clock.now()
    document: dict[str, Any] = {
        "id": make_id(now, store.entropy.draw(10)),
        "task_id": task,
        "timestamp": format_instant(now),
        "agent": store.actor.agent if agent is None else agent,
        "context": {
            "phase": phase,
            "goal": goal,
            "constraints": list(constraints),
            "files_involved": list(files),
        },
        "action_log": [],
        "errors_encountered": [],
        "artifacts_produced": [],
    }
    project = (store.project if project is None else project) or ""
    return Recorder(open_store, store.clock, document, project, now, now)


def list_episodes(
    store: Store,
    outcome: str | None = None,
    *,
    scope: Scope | None = None,
    limit: int | None = None,
) -> Listing:
    """List episodes, newest first, with one `outcome` if given. The kinds and tags of `scope` are
    replaced. Raises UsageError."""
    if outcome is not None and outcome not in OUTCOMES:
        raise UsageError(
            f"{outcome[:40]!r} is no outcome", remedy="use one of " + ", ".join(OUTCOMES)
        )
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
