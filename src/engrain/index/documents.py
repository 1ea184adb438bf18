"""The rows of one entry in the tables, computed from the entry alone and so in any process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from engrain.index import links
from engrain.index.origins import NOTHING, ORIGIN, TRUST
from engrain.index.rows import END
from engrain.index.text import index_text, storable
from engrain.language.text.folding import tag_key
from engrain.language.text.tokens import estimate_tokens
from engrain.model.note.documents import names_in
from engrain.model.note.note import path_id
from engrain.model.note.passages import hash_words, read_passages, thread_of
from engrain.model.note.properties import add_properties, read_properties

if TYPE_CHECKING:
    from engrain.model.note.entry import Entry
    from engrain.seam.references import Reference


Rows: TypeAlias = "tuple[Any, ...]"
"""Plain values, which `index.tables` unpacks."""

_MAX_INTEGER = 2**63 - 1


def make_rows(entry: Entry, references: Sequence[Reference]) -> Rows:
    """Return the columns of an entry in each table, without its number, origin and file stamp:
    (columns before the stamp, between stamp and origin, after the origin, sources, tags, names,
    links, thread, passages, texts of the passages)."""
    path = storable(str(entry.path))
    tags, properties = entry.all_tags, entry.properties
    shown = properties and read_properties(entry.path, entry.kind, entry.fields, whole=False)
    head = (
        entry.zone,
        entry.status,
        storable(entry.project or ""),
        storable(entry.kind),
        entry.tier,
        entry.created,
        storable(entry.id),
        path,
        path.rpartition("/")[0],
        entry.hash,
    )
    slug, title = storable(entry.slug), storable(entry.title)
    tail = (
        _claims(entry),
        entry.always_load,
        entry.updated,
        entry.valid_from,
        entry.valid_to,
        entry.weight,
        entry.confidence,
        min(entry.recall_count, _MAX_INTEGER),
        entry.last_recalled,
        min(entry.sessions_since_recall, _MAX_INTEGER),
        entry.imported,
        estimate_tokens(add_properties(entry.text, shown)),
    )
    thread = thread_of(entry)
    passages, texts = _read_passages(entry, tags, properties)
    return (
        head,
        (slug, title, "".join(storable(tag) + END for tag in tags)),
        tail,
        [*{(storable(source),): None for source in entry.derived_from}],
        [*{(storable(tag_key(tag)),): None for tag in tags}],
        links.name_values(entry),
        [*links.link_values(references)],
        None if thread is None else storable(thread),
        passages,
        texts,
    )


def _claims(entry: Entry) -> int:
    """Return what the file of an entry claims: `origins.NOTHING`, ORIGIN (an id or where it comes
    from, which a person writes into no note), or TRUST (what every session gets, or a file that is
    no note)."""
    if entry.always_load or not str(entry.path).endswith(".md"):
        return TRUST
    if entry.id != path_id(str(entry.path)) or entry.fields.get("source"):
        return ORIGIN
    return NOTHING


def _read_passages(
    entry: Entry, tags: Sequence[str], properties: str
) -> tuple[list[Rows], list[Rows]]:
    """Return the columns of an entry's passages after thread and place, and their texts; the first
    has the properties too."""
    # The slug counts like a tag: somebody chose it, and people ask by it. So do other names.
    labels = index_text(" ".join([*tags, entry.slug, *names_in(entry.fields)]))
    rows: list[Rows] = []
    texts: list[Rows] = []
    for part in read_passages(entry):
        text = entry.text[part.start : part.end]
        rows.append(
            (
                part.asks,
                part.key,
                storable(part.speaker),
                part.start,
                part.end,
                storable(part.heading),
                len(entry.text),
                hash_words(text),
            )
        )
        title = " ".join([entry.title, part.heading])
        said = text if texts else add_properties(text, properties)
        texts.append((index_text(title), labels, index_text(said)))
    return rows, texts
