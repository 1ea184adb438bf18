"""What is known before a task (S2.10)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.outcomes import TaskRecall


class Tasks(Base):
    """What a task starts with."""

    def before_task(
        self,
        task: str,
        *,
        action: str | None = None,
        phase: str | None = None,
        limit: int = 5,
        budget: int | None = None,
        project: str | None = None,
        loaded: Sequence[str] = (),
    ) -> TaskRecall:
        """What fits a task best, the mistakes to avoid and the skills that apply, in one budget of
        tokens: patterns, successful episodes and skills, weighed .5, .3 and .2.

        `action` is the type of the action at hand (`run_test`): mistakes met at such come too,
        whatever the task says. The rest as `recall` means it; in a session, `recall_in` with the
        profile `task` notes what was given.
        """
        from engrain.engine.outcomes import TaskRecall
        from engrain.engine.scope import Scope

        found = self.recall(
            task,
            profile="task",
            action=action,
            phase=phase,
            limit=limit,
            budget=budget,
            scope=Scope(project=project),
            loaded=loaded,
        )
        assert isinstance(found, TaskRecall)
        return found
