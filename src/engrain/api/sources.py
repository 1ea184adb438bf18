"""`memory.sources` and `memory.exchange`: what comes in from outside, and exports."""

# Requirements: S1.20.

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence

from engrain.api.holder import Holder
from engrain.api.learning import ask_operator
from engrain.engine.core.outcomes import Imported
from engrain.engine.verbs.intake import Terms
from engrain.interchange.exporting import Export
from engrain.interchange.importing import LayoutImporter
from engrain.interchange.living import LivingExport, LivingImporter
from engrain.interchange.loki import LokiExport, LokiImporter
from engrain.interchange.plain import PlainExport
from engrain.interchange.three_layer import ThreeLayerExport, ThreeLayerImporter
from engrain.interchange.ways.importing import import_claude_memory, import_items
from engrain.interchange.ways.table import WAYS
from engrain.learn.experience.filing import TranscriptRead, import_transcript
from engrain.learn.forward.run import ForwardRun, disapprove_source, learn
from engrain.learn.sources.reading import (
    SourceStanding,
    add_host_source,
    add_source,
    remove_source,
    survey_sources,
)
from engrain.learn.transcripts.hosts import Lines
from engrain.lifecycle.ageing.heat import sessions_counter
from engrain.model.errors import UsageError
from engrain.seam.derived import Progress
from engrain.seam.source_tree import SourceTree
from engrain.seam.sources import Approved, Source

IMPORTERS: Mapping[str, type[LayoutImporter]] = {
    each.layout.name: each for each in (LokiImporter, LivingImporter, ThreeLayerImporter)
}


def check_layout(layout: str) -> None:
    """Raise UsageError for an unknown layout."""
    if layout not in IMPORTERS:
        raise UsageError(f"no layout {layout[:40]!r}", remedy="use one of " + ", ".join(IMPORTERS))


class Sources(Holder):
    """The sources of learning: files on this device, and approved places outside.

    Outside, only places that the operator approved are read, and what is found there waits in the
    inbox for the operator's decision.
    """

    def add(
        self,
        path: str,
        *,
        name: str = "",
        format: str = "",  # noqa: A002
        trust: str = "external",
        project: str = "",
        match: Sequence[str] = (),
    ) -> Source:
        """Learn from a file, or from a folder and all below it. `format` is that of its files where
        they do not say, `trust` the origin of what is said there, `match` patterns of file names.
        Raises UsageError, ForbiddenPathError, ConfigError, StorageError."""
        return add_source(
            self._open_store(),
            path,
            name=name,
            format=format,
            trust=trust,
            project=project,
            match=match,
        )

    def add_host(self, host: str, *, name: str = "", project: str = "") -> Source:
        """Learn from the sessions of an agents' host on this device. Raises NotFoundError where it
        has none, and what `add_source` does."""
        return add_host_source(self._open_store(), host, name=name, project=project)

    def list(self) -> builtins.list[SourceStanding]:
        """List every source, and how far `extract` read it; the vault's own daily notes, where it
        has any, are one. Raises ConfigError, IndexUnavailableError."""
        return survey_sources(self._ready(look=True))

    def remove(self, name: str) -> Source:
        """Learn from a source no more; what was learned stays. Raises NotFoundError."""
        return remove_source(self._open_store(), name)

    def approve(self, place: str, *, name: str = "", private: bool = False) -> Approved:
        """Approve a feed by its URL. `private` allows its name to stand for an address of your
        network. Raises UsageError, ConfigError, StorageError."""
        return self._open_store().device.outside.add(Approved(name, place, private=private))

    def approved(self) -> Sequence[Approved]:
        """List the approved places. Raises ConfigError."""
        return self._open_store().device.outside.list()

    def disapprove(self, name: str) -> Approved:
        """Look at a place no more; what was brought from it stays. Raises NotFoundError."""
        return disapprove_source(self._open_store(), name)

    def learn(
        self,
        source: str | None = None,
        *,
        limit: int | None = None,
        dry_run: bool = False,
        tell: Callable[[int], object] = lambda _: None,
    ) -> ForwardRun:
        """Bring what is new from the approved places, or from one, into the inbox, and
        ask the operator about it. With `dry_run` nothing is written. Raises NotFoundError,
        ConfigError, IndexUnavailableError."""
        store = self._ready(look=True)
        done = learn(store, source, limit=limit, dry_run=dry_run, tell=tell)
        if not dry_run:
            ask_operator(store, done)
        return done


class Exchange(Holder):
    """Imports from other memories and agents, and exports for them."""

    def import_claude_memory(
        self,
        folder: str,
        *,
        name: str,
        project: str | None = None,
        terms: Terms | None = None,
        progress: Progress | None = None,
    ) -> Imported:
        """Import one folder of Claude Code's own memory as candidates in the inbox. A later import
        under the same `name` recognises what came from the folder before. `terms` are those of
        `import_folder`. An unreadable file is reported and stops no other. Raises UsageError if the
        folder contains the vault or is in it."""
        return import_claude_memory(
            self._ready(look=True),
            folder,
            name=name,
            project=project,
            terms=terms,
            progress=progress,
        )

    def import_transcript(
        self,
        lines: Lines,
        name: str,
        *,
        project: str | None = None,
        find_project: Callable[[str], str | None] = lambda _: None,
        is_off: Callable[[str], bool] = lambda _: False,
    ) -> TranscriptRead:
        """Take in one transcript by its lines, each with its end, None for one too long to read.

        An episode is made of each task that ran a tool, and a lesson of what certainly is one;
        taking the same in again changes nothing, and one that has gone on is brought up to date.
        `name` stands for a session that names itself nowhere; without a `project` it is what
        `find_project` has for the session's folder, else the current one. Of a session that ran in
        a folder for which `is_off` is true nothing is taken. Raises MalformedError for what is no
        transcript of a host that is known.
        """
        return import_transcript(
            self._ready(), lines, name, project=project, find_project=find_project, is_off=is_off
        )

    def import_items(
        self,
        way: str,
        tree: SourceTree,
        *,
        project: str | None = None,
        terms: Terms | None = None,
        progress: Progress | None = None,
    ) -> Imported:
        """Import the memory of another tool by the name of a way in, such as `mem0` or `rules`, as
        one change. Items that came in before are recognised by their own ids. `project` is that of
        items that have none; `terms` are as in `import_folder`. Raises UsageError for an unknown
        way, or a tree in which it finds nothing."""
        if way not in WAYS:
            raise UsageError(f"no way in {way!r}", remedy="use one of " + ", ".join(WAYS))
        return import_items(
            self._ready(), WAYS[way], tree, project=project, terms=terms, progress=progress
        )

    def import_layout(
        self,
        layout: str,
        files: Iterable[tuple[str, bytes]],
        *,
        name: str,
        project: str | None = None,
        terms: Terms | None = None,
    ) -> Imported:
        """Import the files of another memory's folder, given as names in it (with `/`) and bytes,
        in the reading order of the `layout` (`loki`, `living` or `three-layer`).

        `name` identifies the folder when it is imported again. `project` is the project of every
        entry; with None each entry decides. `terms` are as in `import_folder`.
        Raises UsageError for an unknown layout.
        """
        check_layout(layout)
        store = self._open_store()
        return IMPORTERS[layout](store, name, project, terms).run(files)

    def export_layout(
        self, layout: str, *, project: str | None = None, progress: Progress | None = None
    ) -> Export:
        """Make an export whose `files` form a folder of another memory, in its `layout` (`loki`,
        `living` or `three-layer`); with a project, from its entries and those without one. Raises
        UsageError."""
        check_layout(layout)
        store = self._open_store()
        if layout == "living":
            return LivingExport(store, sessions_counter(store), project, progress)
        exporter = LokiExport if layout == "loki" else ThreeLayerExport
        return exporter(store, project, progress)

    def export_plain(
        self, *, project: str | None = None, progress: Progress | None = None
    ) -> PlainExport:
        """Make an export of the text and properties of entries; with a project, of its entries
        and those without one.

            with open("memories.csv", "w", newline="") as file:
                memory.exchange.export_plain().write("csv", file)  # or jsonl, markdown
        """
        return PlainExport(self._open_store(), project, progress)
