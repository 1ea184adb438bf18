"""The lint rule about folders: the agent's own notes belong where their kind says (DESIGN section
5)."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.engine.core.store import Store
from engrain.engine.lint.flaw import Flaw
from engrain.model.note.entry import Entry
from engrain.model.note.kinds import KINDS
from engrain.model.note.tiers import in_always_load
from engrain.seam.rows import Row

FOLDER = "folder"
_AGENT = "agent"
_REFILE = "refile"
_MOST_LINKS = 500
_OWN = "Memory/"


def find_misfiled(store: Store, row: Row, entry: Entry) -> Iterator[Flaw]:
    """Find notes in `Memory/` outside their kind's folder. A note is moved where it is the agent's
    and no link would break; else the operator decides."""
    folder = proper_folder(row, entry)
    if folder is None:
        return
    safe = row.source == _AGENT and row.attested and not _is_linked_by_path(store, row)
    yield Flaw(
        FOLDER,
        row.locator,
        f"a note of kind {row.kind} belongs in {folder}",
        entries=[row.id],
        mend=(lambda repairs: repairs.move(row.locator, folder)) if safe else None,
        action="" if safe else _REFILE,
        remedy=None if safe else "accept the move, or give it the kind that it is",
    )


def proper_folder(row: Row, entry: Entry) -> str | None:
    """The folder where an entry belongs, None where it lies well."""
    kind = KINDS.get(row.kind)
    if kind is None or not row.locator.endswith(".md") or row.tier != "T3":
        return None
    if "kind" not in entry.fields or in_always_load(row.locator):
        return None  # its place is all that says what it is
    here = f"{row.locator.folder}/"
    if not kind.folder.startswith(_OWN) or here.startswith(f"{kind.folder}/"):
        return None
    return kind.folder


def _is_linked_by_path(store: Store, row: Row) -> bool:
    """Whether a link names the folder it lies in: another program would not find it elsewhere."""
    with store.index.view() as view:
        number = view.number(row.locator)
        if number is None:
            return True
        edges = view.edges_to([number], _MOST_LINKS)
        return len(edges) == _MOST_LINKS or any(
            written.end == number and "/" in written.reference.target
            for source in {edge.source for edge in edges}
            for written in view.links_of(source)
        )
