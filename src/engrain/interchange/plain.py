"""Exports entries as lines of JSON, as a table, or as one document, for other programs and for
people. `engrain import jsonl` and `csv` read the first two.

Proposals, the inbox and records that are JSON themselves stay out.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any, TextIO, TypeAlias

from engrain.engine.core.store import Store
from engrain.language.text.instants import format_instant
from engrain.model.errors import EngrainError
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import RECORDS
from engrain.model.note.tiers import ACTIVE, ARCHIVE, LIVE
from engrain.seam.derived import Progress
from engrain.seam.rows import COUNTED, Filter

PlainRecord: TypeAlias = "dict[str, Any]"

COLUMNS = (
    "id", "kind", "title", "text", "tags", "project", "created", "updated", "valid_to", "trust",
    "archived", "path",
)  # fmt: skip
"""The columns of a table, and the members of a line of JSON."""
_ONLY = Filter(statuses=(ACTIVE, "archived"), zones=(LIVE, ARCHIVE), successions=COUNTED)


class PlainExport:
    """One export: its `records`, oldest first within each kind, and after these their numbers by
    kind (`counts`) and the paths that were `left_out` with the reasons."""

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        """With `project` only entries of that project and of no project are exported."""
        self.counts: dict[str, int] = {}
        self.left_out: list[tuple[str, str]] = []
        self._store = store
        self._project = project
        self._progress = progress

    def records(self) -> Iterator[PlainRecord]:
        """Yield a record of each entry; entries that can't be read are left out."""
        self._store.require_index(scan=True)
        projects = None if self._project is None else (self._project, "")
        found = self._store.index.find(replace(_ONLY, projects=projects))
        rows = [row for row in found if row.kind not in RECORDS]
        rows.sort(key=lambda row: (row.kind, row.created or 0.0, row.id))
        for done, row in enumerate(rows, 1):
            try:
                yield _describe(self._store.read_entry(row.locator))
                self.counts[row.kind] = self.counts.get(row.kind, 0) + 1
            except EngrainError as error:
                self.left_out.append((row.locator, error.message))
            if self._progress:
                self._progress(done, len(rows))

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
