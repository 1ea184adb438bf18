"""Functions that need two floors which do not know one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engrain.agents import checkpoints, phases
from engrain.agents.phases import PhaseEnd
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import Store
from engrain.interchange.exporting import Export
from engrain.interchange.layouts import check_layout
from engrain.interchange.living.importing import LivingExport
from engrain.interchange.loki.exporting import LokiExport
from engrain.interchange.three_layer.importing import ThreeLayerExport
from engrain.lifecycle.ageing.sessions import sessions_counter
from engrain.lifecycle.jobs.runner import AT_PHASE_END, Request, request_jobs
from engrain.lifecycle.sessions.sessions import list_given
from engrain.seam.derived import Progress


def end_phase(
    store: Store, name: str, *, summary: str = "", project: str | None = None
) -> tuple[PhaseEnd, Sequence[Request]]:
    """End a phase: progress is written, then consolidation and crystallisation are asked for.
    Raises NotFoundError where none is on, ConflictError where another is."""
    ended = phases.end_phase(store, name, summary=summary, project=project)
    return ended, request_jobs(store, AT_PHASE_END)


def save_checkpoint(
    store: Store,
    name: str,
    given: object = None,
    *,
    session: str | None = None,
    git: Mapping[str, str] | None = None,
    bare: bool = False,
) -> Outcome:
    """Save a snapshot of the short-term memory under a name (S4.10): a text or a value of JSON,
    and but for a `bare` one what stands around it. `session` is else the current one. Raises
    UsageError for what is too much, or nothing."""
    session = session or store.journal.current()
    recalled = list_given(store.journal, session)
    return checkpoints.save_checkpoint(
        store, name, given, session=session, recalled=recalled, git=git, bare=bare
    )


def export_layout(
    store: Store, layout: str, *, project: str | None = None, progress: Progress | None = None
) -> Export:
    """Make an export whose `files` are those of another memory's folder, in its `layout` (`loki`,
    `living` or `three-layer`): of all projects, or of one and what has none. Raises UsageError."""
    check_layout(layout)
    if layout == "living":
        return LivingExport(store, sessions_counter(store), project, progress)
    exporter = LokiExport if layout == "loki" else ThreeLayerExport
    return exporter(store, project, progress)
