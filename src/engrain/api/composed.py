"""Functions that join floors which must not import each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from engrain.agents import checkpoints, phases
from engrain.agents.phases import PhaseEnd
from engrain.engine import survey as surveying
from engrain.engine.core.outcomes import Imported, Outcome
from engrain.engine.core.store import Store
from engrain.engine.links.checking import count_links
from engrain.engine.verbs.importing import FolderImport, ImportOptions, refuse_own
from engrain.engine.verbs.intake import Terms
from engrain.engine.verbs.source_notes import LeaveOut, leave_nothing
from engrain.interchange.exporting import Export
from engrain.interchange.importing import LayoutImporter
from engrain.interchange.living import LivingExport, LivingImporter
from engrain.interchange.loki import LokiExport, LokiImporter
from engrain.interchange.three_layer import ThreeLayerExport, ThreeLayerImporter
from engrain.lifecycle.ageing.heat import sessions_counter
from engrain.lifecycle.jobs.runner import AT_PHASE_END, request_jobs
from engrain.lifecycle.reviewing.staging import list_proposals
from engrain.lifecycle.sessions.sessions import list_given
from engrain.model.errors import IndexUnavailableError, UsageError
from engrain.seam.derived import Progress
from engrain.seam.rows import AMBIGUOUS, BROKEN, STATES

IMPORTERS: Mapping[str, type[LayoutImporter]] = {
    each.layout.name: each for each in (LokiImporter, LivingImporter, ThreeLayerImporter)
}


def import_layout(
    store: Store,
    layout: str,
    files: Iterable[tuple[str, bytes]],
    *,
    name: str,
    project: str | None = None,
    allow_erased: bool = False,
    terms: Terms | None = None,
) -> Imported:
    """Import the files of another memory's folder, given as names in it (with `/`) and bytes, in
    the reading order of the `layout` (`loki`, `living` or `three-layer`).

    `name` identifies the folder when it is imported again. `project` is the project of every entry;
    with None each entry decides. `allow_erased` and `terms` are as in `import_folder`. Raises
    UsageError for an unknown layout."""
    check_layout(layout)
    store = store.allowing_erased(allow_erased)
    return IMPORTERS[layout](store, name, project, terms).run(files)


def import_folder(
    store: Store,
    folder: str,
    *,
    name: str | None = None,
    kind: str | None = None,
    tags: Sequence[str] | None = None,
    project: str | None = None,
    backend: str = "obsidian-vault",
    allow_erased: bool = False,
    terms: Terms | None = None,
    leave_out: LeaveOut | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Import a folder of markdown or an Obsidian vault, so that its links still resolve. With
    `allow_erased`, notes that were erased here come in again; `terms` decide their origin, and
    whether deleted entries come back; `leave_out` says which files stay out. An unreadable file is
    reported and stops no other. Raises UsageError if the vault is in the folder or the folder in
    the vault, since each import would copy its own copies."""
    source = store.device.open_folder(backend, folder)
    name = name or source.describe().rstrip("/\\").replace("\\", "/").rpartition("/")[2]
    options = ImportOptions(
        name,
        kind=kind,
        tags=tuple(tags) if tags else None,
        project=project,
        leave_out=leave_out or leave_nothing,
    )
    store = store.allowing_erased(allow_erased)
    refuse_own(store, source)
    work = FolderImport(store, source, options, terms or Terms())
    done = work.run(progress)
    store.upkeep.flush()
    with suppress(IndexUnavailableError):  # the notes are there all the same
        counts = count_links(store, work.places)
        done.links = sum(counts[state] for state in STATES)
        done.ambiguous, done.broken = counts[AMBIGUOUS], counts[BROKEN]
    return done


def survey(store: Store) -> surveying.Survey:
    """Count what the index knows, and the open proposals as `list_proposals` lists them. Raises
    IndexUnavailableError."""
    found = surveying.survey(store)
    found.proposals = len(list_proposals(store))
    return found


def check_layout(layout: str) -> None:
    """Raise UsageError for an unknown layout."""
    if layout not in IMPORTERS:
        raise UsageError(f"no layout {layout[:40]!r}", remedy="use one of " + ", ".join(IMPORTERS))


def end_phase(
    store: Store, name: str, *, summary: str = "", project: str | None = None
) -> tuple[PhaseEnd, Sequence[str]]:
    """End a phase: write progress, then request consolidation and crystallisation; return the names
    of these jobs too. Raises NotFoundError if no phase has begun, ConflictError if another has."""
    ended = phases.end_phase(store, name, summary=summary, project=project)
    request_jobs(store, AT_PHASE_END)
    return ended, AT_PHASE_END


def save_checkpoint(
    store: Store,
    name: str,
    given: object = None,
    *,
    session: str | None = None,
    git: Mapping[str, str] | None = None,
    bare: bool = False,
) -> Outcome:
    """Save a snapshot of the short-term memory under a name (S4.10): a text or a JSON value and,
    unless it is `bare`, the working memory around it. `session` defaults to the current one. Raises
    UsageError for too much, or nothing."""
    session = session or store.device.journal.current()
    recalled = list_given(store.device.journal, session)
    return checkpoints.save_checkpoint(
        store, name, given, session=session, recalled=recalled, git=git, bare=bare
    )


def export_layout(
    store: Store, layout: str, *, project: str | None = None, progress: Progress | None = None
) -> Export:
    """Make an export whose `files` form a folder of another memory, in its `layout` (`loki`,
    `living` or `three-layer`); with a project, from its entries and those without one. Raises
    UsageError."""
    check_layout(layout)
    if layout == "living":
        return LivingExport(store, sessions_counter(store), project, progress)
    exporter = LokiExport if layout == "loki" else ThreeLayerExport
    return exporter(store, project, progress)
