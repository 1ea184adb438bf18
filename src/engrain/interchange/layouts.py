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

IMPORTERS: Mapping[str, type[Importer]] = {
    each.layout: each for each in (LokiImporter, LivingImporter, ThreeLayerImporter)
}


def import_layout(
    layout: str,
    store: Store,
    files: Iterable[tuple[str, bytes]],
    name: str,
    project: str | None = None,
    terms: Terms | None = None,
) -> Imported:
    """Take in the files of one folder by their names in it, in the reading order of the layout.
    `name` is what the folder is known by, under which importing again finds what came from it;
    `project` is that of every entry, None leaves it to each."""
    return IMPORTERS[layout](store, name, project, terms).run(files)
