"""The layout of `.loki/memory`: taken in and written out (DESIGN section 14)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engrain.engine.loki.exporting import LokiExport
    from engrain.engine.outcomes import Imported
    from engrain.seam.derived import Progress


class Loki(Base):
    """Experience in the seed's own files, there and back."""

    def import_loki(
        self, files: Iterable[tuple[str, bytes]], *, name: str, project: str | None = None
    ) -> Imported:
        """Take in the files of one `.loki/memory` folder: their names in it, with `/`, and their
        bytes, in the order of `engrain.model.loki.layout.in_reading_order`. `name` is what the
        folder is known by: under it importing again finds what came from it."""
        from engrain.engine.loki.importing import import_loki

        return import_loki(self._open_store(), files, name, project)

    def export_loki(
        self, *, project: str | None = None, progress: Progress | None = None
    ) -> LokiExport:
        """An export whose `files` are those of a `.loki/memory` folder: of one project and of none
        where one is named, else all."""
        from engrain.engine.loki.exporting import LokiExport

        return LokiExport(self._open_store(), project, progress)
