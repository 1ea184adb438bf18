"""`memory.skills` and `memory.episodes`: how tasks are done, and how they went."""

# Requirements: S2.2, S2.10.

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

from engrain.api.holder import Holder
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.recalled import Recalled
from engrain.engine.core.scope import Scope, When, read_when
from engrain.engine.episodes.episode import FiledEpisode, list_episodes, read_filed, save_episode
from engrain.engine.episodes.skills import (
    ListedSkill,
    add_skill,
    export_skill,
    find_skills,
    list_skills,
    note_skill_use,
    read_skill_entry,
)
from engrain.engine.indexes import write_episode_index
from engrain.engine.verbs.listing import Listing
from engrain.lifecycle.consolidating.running import consolidate
from engrain.lifecycle.jobs.runner import claimed
from engrain.lifecycle.sessions.statistics import WINDOW_DAYS, Statistics, make_statistics
from engrain.model.experience.skills import Skill
from engrain.model.note.field import Value
from engrain.model.run_result import RunResult


class Skills(Holder):
    """Skills that do a task."""

    def list(self, *, scope: Scope | None = None) -> builtins.list[ListedSkill]:
        """List the skills of a scope that can be read, newest first. The index must be ready."""
        return list_skills(self._ready(look=True), scope=scope)

    def show(self, reference: str) -> ListedSkill:
        """Read one skill by id, beginning of an id, path or slug. Raises NotFoundError; UsageError
        if the entry is not a skill."""
        return read_skill_entry(self._ready(look=True), reference)

    def find(self, task: str, limit: int = 3, *, outside: bool = False) -> builtins.list[Recalled]:
        """Find the skills that apply to a task by words and meaning, best first. Skills from
        outside, which nobody vouches for, are returned only with `outside`."""
        return find_skills(self._open_store(), task, limit, outside=outside)

    def add(
        self,
        skill: Skill,
        *,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        source: str = "api",
    ) -> Outcome:
        """Save a skill as an entry: `memory.skills.add(Skill("Release", steps=[…]))`."""
        return add_skill(self._open_store(), skill, tags=tags, project=project, source=source)

    def note_use(self, reference: str, outcome: str, note: str = "") -> Outcome:
        """Count a use of a skill with its outcome; `note` is kept in the history. The skill's
        substance does not change. Raises NotFoundError; UsageError for an entry that is not a
        skill, or an unknown outcome."""
        return note_skill_use(self._ready(), reference, outcome, note)

    def export(self, reference: str) -> tuple[str, bytes]:
        """Return a skill as hosts load it: the name of its folder, and the bytes of `SKILL.md`."""
        return export_skill(self._ready(look=True), reference)


class Episodes(Holder):
    """The traces of tasks, and the patterns that are made of them."""

    def save(
        self,
        document: Mapping[str, Any],
        *,
        project: str | None = None,
        source: str = "api",
        ref: str | None = None,
    ) -> FiledEpisode:
        """File an episode. The outcome is `created`, `unchanged` if it was filed before, `restored`
        if it was forgotten, or `similar` if another episode has its id. `project` None is the
        current one, "" is none.

        Raises UsageError for an episode without a goal, ErasedError if it was erased.
        """
        return save_episode(self._ready(), document, project=project, source=source, ref=ref)

    def list(
        self, outcome: str | None = None, *, scope: Scope | None = None, limit: int | None = None
    ) -> Listing:
        """List episodes, newest first, with one `outcome` if given. The kinds and tags of `scope`
        are replaced. Raises UsageError."""
        return list_episodes(self._ready(look=True), outcome, scope=scope, limit=limit)

    def read(self, reference: str) -> tuple[str, Mapping[str, Any], Mapping[str, Value]]:
        """Return an episode's id, its document with loki's fields, and its other fields, such as
        `omitted`, `metrics` and the source. Raises NotFoundError."""
        return read_filed(self._ready(), reference)

    def write_index(self) -> int:
        """Update the indexes of episodes, those of each day and that of all days; return the number
        of files written or removed. A file that another process is writing is left to that
        process."""
        return write_episode_index(self._ready(scan=True))

    def consolidate(
        self, *, since: When | None = None, project: str | None = None, dry_run: bool = False
    ) -> RunResult:
        """Make patterns of similar episodes, and anti-patterns and learnings of their errors.

        It reads the episodes from `since` on (by default of the last day) and those
        that no pattern refers to, of one project if named ("" means none). With `dry_run` nothing
        is written. Raises ConfigError, IndexUnavailableError, LockedError.
        """
        with claimed(self._open_store(), dry_run) as store:
            return consolidate(store, since=read_when(since), project=project, dry_run=dry_run)

    def statistics(self, *, days: int = WINDOW_DAYS, all_projects: bool = False) -> Statistics:
        """Compute the statistics of the last days, of the current project and of what has none;
        sessions and what models cost are this device's. Raises UsageError, ConfigError."""
        return make_statistics(self._open_store(), days=days, all_projects=all_projects)
