"""The foreign layouts by the names that `--format` has for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engrain.engine.core.outcomes import Imported
from engrain.engine.core.store import Store
from engrain.engine.verbs.intake import Terms
from engrain.interchange.importing import Importer
from engrain.interchange.living.importing import LivingImporter
from engrain.interchange.loki.importing import LokiImporter
from engrain.interchange.three_layer.importing import ThreeLayerImporter
from engrain.model.errors import UsageError

IMPORTERS: Mapping[str, type[Importer]] = {
    each.layout: each for each in (LokiImporter, LivingImporter, ThreeLayerImporter)
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
    """Take in the files of a folder that another memory wrote: their names in it, with `/`, and
    their bytes, in the reading order of the `layout` (`loki`, `living` or `three-layer`).

    `name` is what the folder is known by: under it importing again finds what came from it.
    `project` is that of every entry; None leaves it to each. `allow_erased` and `terms` as of
    `import_folder`. Raises UsageError for what is no layout.
    """
    check_layout(layout)
    store = store.allowing_erased(allow_erased)
    return IMPORTERS[layout](store, name, project, terms).run(files)


def check_layout(layout: str) -> None:
    """Refuse what is no layout. Raises UsageError."""
    if layout not in IMPORTERS:
        raise UsageError(f"no layout {layout[:40]!r}", remedy="use one of " + ", ".join(IMPORTERS))
