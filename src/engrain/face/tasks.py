"""Tasks: what is known before one, and the skills that do it (S2.4, S2.10)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.core.outcomes import Outcome, Recalled, TaskRecall
    from engrain.engine.core.scope import Scope
    from engrain.engine.episodes.skill_exchange import GivenSkill
    from engrain.engine.episodes.skills import ListedSkill
    from engrain.engine.verbs.intake import Terms
    from engrain.lifecycle.jobs.job import Report
    from engrain.model.experience.folders import SkillFolder
    from engrain.model.experience.skills import Skill


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
        from engrain.engine.core.outcomes import TaskRecall
        from engrain.engine.core.scope import Scope

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

    def skills(self, *, scope: Scope | None = None) -> Sequence[ListedSkill]:
        """Skills with how each served, newest first."""
        from engrain.engine.core.scope import Scope
        from engrain.engine.episodes.skills import list_skills

        return list_skills(self._ready(scan=True), scope or Scope())

    def show_skill(self, reference: str) -> ListedSkill:
        """One skill, by id, beginning of an id, path or slug. Raises NotFoundError, UsageError."""
        from engrain.engine.episodes.skills import read_skill_entry

        return read_skill_entry(self._ready(scan=True), reference)

    def find_skills(
        self, task: str, limit: int = 3, *, outside: bool = False
    ) -> Sequence[Recalled]:
        """The skills that apply to a task, the best first, and none where none does. Those that
        came from outside, which nobody vouches for, only where `outside` is asked for."""
        from engrain.engine.episodes.skills import find_skills

        return find_skills(self._open_store(), task, limit, outside=outside, scan=True)

    def add_skill(
        self,
        skill: Skill,
        *,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        source: str = "api",
    ) -> Outcome:
        """File a skill, as `save` does: `memory.add_skill(Skill("Release", steps=[…]))`."""
        from engrain.model.errors import UsageError
        from engrain.model.experience.skills import KIND, compose_skill

        if not skill.name.strip():
            raise UsageError("a skill needs a name", remedy="give it a title")
        heading, _, text = compose_skill(skill).partition("\n")
        if not heading.startswith("# "):
            heading, text = f"# Skill: {skill.name}", f"\n{heading}\n{text}"
        return self.save(
            text, title=heading[2:], kind=KIND, slug=skill.name, tags=tags, project=project,
            source=source,
        )  # fmt: skip

    def note_skill_use(self, reference: str, outcome: str, note: str = "") -> Outcome:
        """Count a use of a skill and how it ended, success or failure. Raises UsageError."""
        from engrain.engine.episodes.skills import note_skill_use

        return note_skill_use(self._ready(), reference, outcome, note)

    def draft_skills(self, *, dry_run: bool = False) -> Report:
        """Draft skills from tasks that succeeded alike, as the job `skills` does: each waits for
        the operator's word."""
        from engrain.lifecycle.consolidating.skill_drafts import run
        from engrain.lifecycle.jobs.job import Run

        return run(self._open_store(), Run(dry_run=dry_run))

    def import_skill(
        self,
        folder: SkillFolder,
        *,
        project: str | None = None,
        allow_erased: bool = False,
        terms: Terms | None = None,
    ) -> Outcome:
        """File a skill that came from an Agent Skills folder, read by `read_skill_folder`. It is as
        trusted as whoever opened this memory; a folder from elsewhere is `external`.
        Raises ErasedError for one that was erased here, unless `allow_erased`; `terms` as of
        `import_folder`."""
        from engrain.engine.episodes.skill_exchange import take_in_skill

        store = self._ready(scan=True).allowing_erased(allow_erased)
        return take_in_skill(store, folder, project, terms)

    def export_skill(self, reference: str) -> GivenSkill:
        """A skill as an Agent Skills folder: its name, its files, what is left out of it."""
        from engrain.engine.episodes.skill_exchange import give_out_skill
        from engrain.engine.episodes.skills import read_skill_entry

        store = self._ready(scan=True)
        return give_out_skill(read_skill_entry(store, reference))
