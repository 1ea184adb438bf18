"""Sources: which files outside the vault facts are learned from (S4.4)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engrain.engine.core.outcomes import Imported
    from engrain.engine.verbs.intake import Terms
    from engrain.learn.sources.survey import Standing
    from engrain.seam.sources import Source


class SourceKeeping(Base):
    """What is learned from is the operator's word, and stands in their configuration."""

    def import_chats(
        self,
        paths: Iterable[str],
        *,
        project: str | None = None,
        allow_erased: bool = False,
        terms: Terms | None = None,
    ) -> Imported:
        """Take in the chats in some files and folders, an entry a turn: exports of ChatGPT and
        Claude, sessions of agents, transcripts of speech. Turns of one conversation are a thread,
        in which one is found by what was said around it. Importing again adds what is new.
        `allow_erased` and `terms` as of `import_folder`. Raises NotFoundError, UsageError,
        ForbiddenPathError before anything is read."""
        from engrain.learn.sources.filing import import_chats

        store = self._ready().allowing_erased(allow_erased)
        return import_chats(store, paths, project=project, terms=terms)

    def add_source(
        self,
        path: str,
        *,
        name: str = "",
        format: str = "",  # noqa: A002 - what it is
        trust: str = "external",
        project: str = "",
        match: Sequence[str] = (),
    ) -> Source:
        """Learn from a file, or from a folder and all below it. `format` is that of its files
        where they do not tell, `trust` the origin of what is said there, `match` patterns of file
        names. Raises UsageError, ForbiddenPathError, ConfigError, StorageError."""
        from engrain.learn.sources.formats import find_format
        from engrain.seam.sources import Source

        if format:
            find_format(format)
        source = Source(name, path, format=format, trust=trust, project=project, match=match)
        return self._open_store().sources.add(source)

    def add_host_source(self, host: str, *, name: str = "", project: str = "") -> Source:
        """Learn from the sessions of an agents' host on this device. Raises NotFoundError where it
        has none, and what `add_source` does."""
        from engrain.model.errors import NotFoundError
        from engrain.seam.sources import Source

        found = next((one for one in self.detect_sources() if one.host == host), None)
        if found is None:
            raise NotFoundError(
                f"no sessions of {host!r} on this device",
                remedy="`engrain sources add` without a path shows what there is",
            )
        source = Source(
            name or found.name,
            found.path,
            format=found.format,
            trust=found.trust,
            project=project,
            host=host,
            match=found.match,
        )
        return self._open_store().sources.add(source)

    def detect_sources(self) -> Sequence[Source]:
        """The folders on this device where agents' hosts keep their sessions."""
        return self._open_store().sources.detect()

    def sources(self) -> Sequence[Standing]:
        """Every source, and how far it was read; the vault's own daily notes, where it has any, are
        one. Raises ConfigError, IndexUnavailableError."""
        from engrain.learn.sources.survey import survey_sources

        return survey_sources(self._ready(scan=True))

    def remove_source(self, name: str) -> Source:
        """Learn from a source no more; what was learned stays. Raises NotFoundError."""
        store = self._open_store()
        removed = store.sources.remove(name)
        store.local.drop_cursors(name)
        return removed
