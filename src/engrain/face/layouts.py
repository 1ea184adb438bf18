"""The folder layouts of other memories: three layers (S4) and the living memory (S3)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engrain.engine.core.outcomes import Imported
    from engrain.engine.verbs.intake import Terms
    from engrain.interchange.living.exporting import LivingExport
    from engrain.interchange.three_layer.exporting import ThreeLayerExport
    from engrain.seam.derived import Progress


class Layouts(Base):
    """What another memory has in folders of its own, and the same for it."""

    def import_three_layer(
        self,
        files: Iterable[tuple[str, bytes]],
        *,
        name: str,
        project: str | None = None,
        allow_erased: bool = False,
        terms: Terms | None = None,
    ) -> Imported:
        """Take in the files of a workspace of three layers: their names in it, with `/`, and their
        bytes, in the order of `in_reading_order` there. `name` is what
        the workspace is known by; `project` is that of every new entry.
        `allow_erased` and `terms` as of `import_folder`."""
        from engrain.interchange.layouts import import_layout

        return import_layout(
            "three-layer",
            self._open_store().allowing_erased(allow_erased),
            files,
            name,
            project,
            terms,
        )

    def export_three_layer(
        self, *, project: str | None = None, progress: Progress | None = None
    ) -> ThreeLayerExport:
        """An export whose `files` are those of a workspace of three layers: of one project and of
        none where one is named, else all."""
        from engrain.interchange.three_layer.exporting import ThreeLayerExport

        return ThreeLayerExport(self._open_store(), project, progress)

    def import_living(
        self,
        files: Iterable[tuple[str, bytes]],
        *,
        name: str,
        project: str | None = None,
        allow_erased: bool = False,
        terms: Terms | None = None,
    ) -> Imported:
        """Take in the files of a living memory's folder: their names in it, with `/`, and their
        bytes. `name` is what the folder is known by: under it importing again finds what came from
        it. `project` is that of every entry; None leaves it to each.
        `allow_erased` and `terms` as of `import_folder`."""
        from engrain.interchange.layouts import import_layout

        store = self._open_store().allowing_erased(allow_erased)
        return import_layout("living", store, files, name, project, terms)

    def export_living(
        self, *, project: str | None = None, progress: Progress | None = None
    ) -> LivingExport:
        """An export whose `files` are those of a living memory's folder: of one project and of none
        where one is named, else all."""
        from engrain.interchange.living.exporting import LivingExport
        from engrain.lifecycle.ageing.sessions import sessions_counter

        store = self._open_store()
        return LivingExport(store, sessions_counter(store), project, progress)
