"""Where a project's working memory lies, and its plan (S1.4)."""

from __future__ import annotations

from engrain.agents.rewriting import clean_given, open_note, read_live, rewrite_notes
from engrain.language.text.slugs import slugify
from engrain.model.errors import UsageError
from engrain.model.note.entry import split_heading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.core.outcomes import Outcome
    from engrain.engine.core.store import Store
    from engrain.model.note.entry import Entry
    from engrain.model.note.note import Note

_LONGEST_PLAN = 100_000


class Harness:
    """The places of one project's working memory."""

    __slots__ = ("continuity", "features", "plan", "progress", "project")

    def __init__(self, project: str) -> None:
        folder = f"projects/{slugify(project, 'project')}"
        self.project = project
        self.continuity = f"{folder}/_harness/CONTINUITY.md"
        self.plan = f"{folder}/_harness/plan.md"
        self.features = f"{folder}/_harness/features.json"
        self.progress = f"{folder}/progress.md"


def find_harness(store: Store, project: str | None = None) -> Harness:
    """The places of a project, of the current one where none is named. Raises UsageError outside of
    any: working memory is about one project's work."""
    project = store.project if project is None else project
    if not project:
        raise UsageError(
            "working memory belongs to a project", remedy="name it with --project, or run inside it"
        )
    return Harness(clean_given(store, project, "project's name", 200))


def read_plan(store: Store, project: str | None = None) -> Entry | None:
    """The project's plan, None where there is none."""
    return read_live(store, find_harness(store, project).plan)


def make_title(project: str) -> str:
    """What a plan is called that says no title itself."""
    return f"Plan: {project}"


def set_plan(store: Store, text: str, project: str | None = None) -> Outcome:
    """Put a text in the place of the project's plan; the older one is in the history. Raises
    UsageError for none."""
    from engrain.engine.verbs.save import compose_body

    harness = find_harness(store, project)
    text = clean_given(store, text, "plan", _LONGEST_PLAN)
    if not text:
        raise UsageError("there is no plan in that", remedy="give its text")
    body = compose_body(split_heading(text)[0] or make_title(harness.project), text)[1]

    def change(entry: Entry | None) -> Note:
        note = open_note(store, entry, "plan", harness.project, body)
        same = note.body.replace("\r\n", "\n") == body
        return note if same else note.with_body(body)

    return rewrite_notes(store, {harness.plan: change})[harness.plan]
