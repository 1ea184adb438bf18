"""Trees of the layout taken in and written out."""

from __future__ import annotations

from typing import Any

from engrain import Memory
from engrain.engine.core.outcomes import Imported
from engrain.interchange.loki import LOKI
from support.loki import as_files


def take_in(memory: Memory, tree: dict[str, Any], name: str = "tree", **more: Any) -> Imported:
    """Import the files of a tree, whose contents are documents, texts or bytes."""
    given = {path: content for path, content in tree.items() if isinstance(content, bytes)}
    rest = {path: content for path, content in tree.items() if path not in given}
    files = given | as_files(rest)
    ordered = ((path, files[path]) for path in LOKI.in_reading_order(files))
    return memory.exchange.import_layout("loki", ordered, name=name, **more)


def write_out(memory: Memory, **more: Any) -> dict[str, bytes]:
    """The files of an export that leaves nothing out."""
    export = memory.exchange.export_layout("loki", **more)
    files = dict(export.files())
    assert export.left_out == []
    return files
