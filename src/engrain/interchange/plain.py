"""Exports entries as lines of JSON, as a table, or as one document, for other programs and for
people. `engrain import jsonl` and `csv` read the first two.

Proposals, the inbox and records that are JSON themselves stay out.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, TextIO, TypeAlias

from engrain.interchange.exporting import EntryExport
from engrain.language.text.instants import format_instant
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import RECORDS
from engrain.model.note.tiers import ACTIVE, ARCHIVE, LIVE
from engrain.seam.rows import COUNTED, Filter, Row

PlainRecord: TypeAlias = "dict[str, Any]"

COLUMNS = (
    "id", "kind", "title", "text", "tags", "project", "created", "updated", "valid_to", "trust",
    "archived", "path",
)  # fmt: skip
"""The columns of a table, and the members of a line of JSON."""


class PlainExport(EntryExport):
    """An export as `records`, sorted by kind and then by age."""

    only = Filter(statuses=(ACTIVE, "archived"), zones=(LIVE, ARCHIVE), successions=COUNTED)

    def records(self) -> Iterator[PlainRecord]:
        """Yield a record of each entry; entries that can't be read are left out."""
        for entry in self.read_entries(self.find_rows()):
            self.count(entry.kind)
            yield _describe(entry)

    def has_place(self, row: Row) -> bool:
        return row.kind not in RECORDS

    def order(self, row: Row) -> Any:
        return row.kind, row.created or 0.0, row.id

    def write(self, form: str, file: TextIO) -> None:
        """Write all records to a text file, in the form `jsonl`, `csv` or `markdown`."""
        writers = {"jsonl": _write_lines, "csv": _write_table, "markdown": _write_document}
        writers[form](self.records(), file)


def _describe(entry: Entry) -> PlainRecord:
    days = {"created": entry.created, "updated": entry.updated, "valid_to": entry.valid_to}
    times = {name: None if at is None else format_instant(at) for name, at in days.items()}
    return {
        "id": entry.id,
        "kind": entry.kind,
        "title": entry.title,
        "text": entry.text.strip() or entry.title,
        "tags": list(entry.all_tags),
        "project": entry.project or None,
        **times,
        "trust": entry.trust,
        "archived": entry.zone == ARCHIVE,
        "path": entry.path,
    }


def _write_lines(records: Iterator[PlainRecord], file: TextIO) -> None:
    for record in records:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _write_table(records: Iterator[PlainRecord], file: TextIO) -> None:
    writer = csv.DictWriter(file, COLUMNS)
    writer.writeheader()
    for record in records:
        writer.writerow({**record, "tags": ", ".join(record["tags"])})


def _write_document(records: Iterator[PlainRecord], file: TextIO) -> None:
    file.write("# Memory\n")
    for kind, group in groupby(records, key=_read_kind):
        file.write(f"\n## {kind}\n")
        for record in group:
            facts = [str(record["created"] or "")[:10], record["project"], record["trust"]]
            told = ", ".join(filter(None, [*facts, *(f"#{tag}" for tag in record["tags"])]))
            file.write(f"\n### {record['title']}\n\n{told}\n")
            if record["text"] != record["title"]:
                file.write(f"\n{_lower_headings(record['text'])}\n")


def _read_kind(record: Mapping[str, Any]) -> str:
    return str(record["kind"])


def _lower_headings(text: str) -> str:
    """Return markdown with its headings below those of the document, which has no more than six
    levels."""
    lines, is_code = [], False
    for line in text.splitlines():
        is_code ^= line.lstrip().startswith("```")
        said = line.lstrip("#")
        if said != line and said.startswith(" ") and not is_code:
            line = "#" * min(6, len(line) - len(said) + 3) + said
        lines.append(line)
    return "\n".join(lines)
