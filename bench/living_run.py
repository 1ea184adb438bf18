"""One simulated world against the real engine: every save, recall, session and job through the
calls that users have, on the `ram:` backend and a clock that is set."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench.living_events import Ask, Day, Save, Session, Supersede, Used
from bench.living_world import live
from engrain import Memory, open_memory
from engrain.engine.core.scope import Scope
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import ConflictError
from engrain.seam.clock import Clock, Entropy

POLICIES: dict[str, tuple[str, ...]] = {
    "kept": ("heat",),
    "decay": ("decay", "heat"),
    "decay-without-heat": ("decay",),
}
"""What is compared: the jobs that run at the end of each day with a session."""
_WEEK = 7
_BUDGET = 3600.0
"""Seconds a round of jobs may take: none is to be cut short by a slow machine."""


class Week(NamedTuple):
    """How it stands at the end of a week, and how the prompts in it fared that memory answers:
    `hits` of `asked`, the sleepers among them apart. `archive_misses` are those of which all that
    was wanted is archived. `looked` are hits of a second look, into the archive too, by an agent
    that the first left without what it needs. `silent` are prompts for which recall brought
    nothing, of those that nothing answers."""

    saved: int
    live: int
    archived: int
    loaded: int
    loaded_tokens: int
    asked: int
    hits: int
    slept: int
    slept_hits: int
    archive_misses: int
    looked: int
    silent: int
    unanswerable: int


class Result(NamedTuple):
    """One run: `wrongly_archived` counts entries that were wanted when they were archived;
    `asked_by_sleep` and `hits_by_sleep` are by how their topic had slept."""

    seed: int
    policy: str
    weeks: list[Week]
    wrongly_archived: int
    asked_by_sleep: dict[str, int]
    hits_by_sleep: dict[str, int]
    seconds: float


class _SetClock(Clock):
    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at


class _Seeded(Entropy):
    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)

    def draw(self, size: int) -> bytes:
        return self._chance.randbytes(size)


def run(seed: int, policy: str, days: int, settings: Mapping[str, str]) -> Result:
    """Live through one world under one policy; `settings` by name are the user's."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="engrain-living-") as folder:
        _set_apart(Path(folder), settings)
        clock = _SetClock()
        name = f"living-{seed}-{policy}"
        with open_memory(
            name,
            state_dir=Path(folder) / "state",
            backend="ram",
            create=True,
            clock=clock,
            entropy=_Seeded(seed),
        ) as memory:
            agent = _Agent(memory, clock, POLICIES[policy])
            weeks: list[Week] = []
            for day in live(seed, days):
                agent.live_through(day)
                if day.number % _WEEK == _WEEK - 1 or day.number == days - 1:
                    weeks.append(agent.end_week())
    took = time.perf_counter() - started
    wrong = len(agent.wrongly_archived)
    return Result(seed, policy, weeks, wrong, agent.asked_by_sleep, agent.hits_by_sleep, took)


def _set_apart(folder: Path, settings: Mapping[str, str]) -> None:
    """See that nothing of this user's own configuration takes part."""
    for name in [name for name in os.environ if name.startswith("ENGRAIN_")]:
        del os.environ[name]
    os.environ["ENGRAIN_CONFIG"] = str(folder / "config.toml")
    os.environ["ENGRAIN_EMBEDDER"] = "none"
    for name, value in settings.items():
        os.environ["ENGRAIN_" + name.upper().replace(".", "_")] = value
    os.chdir(folder)


class _Agent:
    """The coding agent with its memory: does in each session what the world says."""

    def __init__(self, memory: Memory, clock: _SetClock, jobs: tuple[str, ...]) -> None:
        self._memory = memory
        self._clock = clock
        self._jobs = jobs
        self._ids: dict[str, str] = {}
        self._loaded: list[tuple[str, str]] = []
        self._counts = dict.fromkeys(Week._fields, 0)
        self.wrongly_archived: set[str] = set()
        self.asked_by_sleep: dict[str, int] = {}
        self.hits_by_sleep: dict[str, int] = {}

    def live_through(self, day: Day) -> None:
        """The sessions of a day, and then its jobs."""
        for session in day.sessions:
            self._work(session)
        if not day.sessions:
            return  # the machine is off
        for done in self._memory.jobs.run(self._jobs, budget=_BUDGET):
            if done.outcome != "ok":
                raise RuntimeError(f"{done.name} {done.outcome}: {done.error}")
            if done.name == "heat" and any(done.counts.values()):
                self._loaded = [
                    (row.id, row.project or "")
                    for row in self._memory.list(scope=Scope(all_projects=True)).rows
                    if row.always_load
                ]

    def end_week(self) -> Week:
        """How it stands; the counts of the week start anew."""
        memory = self._memory
        tokens: dict[str, int] = {"": 0}
        for id_, project in self._loaded:
            cost = estimate_tokens(memory.show(id_).entry.text)
            tokens[project] = tokens.get(project, 0) + cost
        general = tokens.pop("")
        self._counts.update(
            saved=len(self._ids),
            live=memory.list(scope=Scope(all_projects=True), limit=0).total,
            archived=memory.list(
                scope=Scope(all_projects=True, statuses=("archived",)), limit=0
            ).total,
            loaded=len(self._loaded),
            loaded_tokens=general + max(tokens.values(), default=0),
        )
        week = Week(**self._counts)
        self._counts = dict.fromkeys(Week._fields, 0)
        return week

    def _work(self, session: Session) -> None:
        self._clock.at = session.at
        self._memory.sessions.begin(session.id, project=session.project or "")
        apart = (session.ended - session.at) / (len(session.events) + 1)
        brought: frozenset[str] = frozenset()
        for event in session.events:
            self._clock.at += apart
            if isinstance(event, Ask):
                brought = self._ask(session, event)
            elif isinstance(event, Save):
                self._save(event)
            elif isinstance(event, Supersede):
                self._supersede(event)
            else:
                self._use(session, event, brought)
        self._clock.at = session.ended
        self._memory.sessions.end(session.id)

    def _ask(self, session: Session, ask: Ask) -> frozenset[str]:
        """Recall as the prompt hook does; the ids that were in the context then."""
        project = session.project or ""
        scope = Scope(project=project)
        loaded = [id_ for id_, home in self._loaded if home in ("", project)]
        recall = self._memory.recall(
            ask.text, profile="prompt", scope=scope, loaded=loaded, scan=False
        )
        self._memory.sessions.note_recalled(session.id, recall)
        brought = frozenset([*(found.row.id for found in recall.results), *recall.again])
        counts = self._counts
        if not ask.wanted:
            counts["unanswerable"] += 1
            counts["silent"] += not recall.results
            return brought | self._look_again(session, ask, scope)
        wanted = [self._ids[id_] for id_ in ask.wanted]
        hit = not brought.isdisjoint(wanted)
        counts["asked"] += 1
        counts["hits"] += hit
        self.asked_by_sleep[ask.slept] = self.asked_by_sleep.get(ask.slept, 0) + 1
        self.hits_by_sleep[ask.slept] = self.hits_by_sleep.get(ask.slept, 0) + hit
        if ask.slept:
            counts["slept"] += 1
            counts["slept_hits"] += hit
        gone = [id_ for id_ in wanted if self._memory.show(id_).entry.status == "archived"]
        self.wrongly_archived.update(gone)
        counts["archive_misses"] += not hit and len(gone) == len(wanted)
        if not hit:
            again = self._look_again(session, ask, scope)
            counts["looked"] += not again.isdisjoint(wanted)
            brought |= again
        return brought

    def _look_again(self, session: Session, ask: Ask, scope: Scope) -> frozenset[str]:
        """Ask with the archive, as an agent does that lacks something: it can't know whether there
        is an answer."""
        wide = self._memory.recall(
            ask.text, profile="prompt", scope=scope.widened(archive=True, inbox=False), scan=False
        )
        self._memory.sessions.note_recalled(session.id, wide)
        return frozenset(found.row.id for found in wide.results)

    def _save(self, save: Save) -> None:
        saved = self._memory.save(
            save.text, title=save.title, kind=save.kind, tags=save.tags, project=save.project
        )
        self._ids[save.id] = saved.id

    def _supersede(self, event: Supersede) -> None:
        """Replace an entry; where it is archived the agent does not know of it, and only saves."""
        new = event.new
        try:
            evolved = self._memory.evolve(
                self._ids[event.old], new.text, title=new.title, tags=new.tags
            )
        except ConflictError:
            self._save(new)
        else:
            self._ids[new.id] = evolved.id

    def _use(self, session: Session, used: Used, brought: frozenset[str]) -> None:
        id_ = self._ids[used.id]
        if id_ in brought:
            self._memory.sessions.note_used(session.id, [id_])
