"""Episodes: the traces of tasks, recorded as they happen or filed afterwards (S2.2)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from engrain.engine.episodes import Filed
    from engrain.engine.outcomes import Listing
    from engrain.engine.recording import Recorder
    from engrain.engine.scope import Scope


class Episodes(Base):
    """What was tried, what happened, and how it ended."""

    def episode(
        self,
        goal: str,
        *,
        task: str | None = None,
        phase: str = "",
        constraints: Sequence[str] = (),
        files: Sequence[str] = (),
        agent: str | None = None,
        project: str | None = None,
    ) -> Recorder:
        """Record an episode as it happens, for a `with` block. What was noted outlives the process:
        one that dies leaves an episode whose outcome is "interrupted".

        with memory.episode("Add POST /todos", files=["src/todos.ts"]) as episode:
            episode.action("run_test", target="todos", result="fail", error="no return type")
            episode.error("TypeScript", "no return type", "added `: void` to the handler")
            episode.action("run_test", target="todos", result="pass")
        """
        from engrain.engine.recording import begin_episode

        return begin_episode(
            self._open_store,
            goal,
            task=task,
            phase=phase,
            constraints=constraints,
            files=files,
            agent=agent,
            project=project,
        )

    def save_episode(
        self,
        document: Mapping[str, Any],
        *,
        project: str | None = None,
        source: str = "api",
        ref: str | None = None,
    ) -> Filed:
        """File an episode of the seed's fields; what is wrong in a part is told and left out.
        `project` None is the current one, "" is none. Raises UsageError for one without a goal."""
        from engrain.engine.episodes import save_episode

        return save_episode(self._ready(), document, project=project, source=source, ref=ref)

    def episodes(
        self, outcome: str | None = None, *, scope: Scope | None = None, limit: int | None = None
    ) -> Listing:
        """Episodes newest first, those that were left included; with one outcome if that is named.
        Of `scope` the kinds and tags are set here. Raises UsageError."""
        from engrain.engine.episode_listing import list_episodes

        return list_episodes(self._ready(scan=True), outcome, scope, limit)

    def read_episode(self, reference: str) -> tuple[str, Mapping[str, Any], Mapping[str, Any]]:
        """An episode's id, its document with the seed's fields, and what stands beside those:
        `omitted`, `metrics`, where it came from. Raises NotFoundError."""
        from engrain.engine.episode_listing import read_filed

        return read_filed(self._ready(), reference)

    def recover_episodes(self) -> Sequence[Filed]:
        """File the episodes that dead processes left on this device."""
        from engrain.engine.recording import recover_episodes

        return recover_episodes(self._ready())

    def write_episode_index(self, days: Collection[str] | None = None) -> int:
        """Bring the generated temporal index in step, of some days if named; how many files were
        written or removed."""
        from engrain.engine.episode_index import write_episode_index

        return write_episode_index(self._ready(scan=True), days)
