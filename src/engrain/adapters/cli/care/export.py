"""`engrain export`: write memories as a table, a document, a site, or as another tool does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from io import TextIOWrapper
from typing import Literal

from engrain.adapters.cli.base import Answer, BaseCommand, argument, flag, option
from engrain.adapters.cli.bridging import make_pages
from engrain.adapters.cli.care.layouts import refuse_vault
from engrain.adapters.cli.files import open_anew
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import describe_pairs
from engrain.adapters.present.text import clean, counted, report_lines
from engrain.interchange.exporting import EntryExport
from engrain.model.errors import ConflictError, EngrainError, UsageError
from engrain.resolution.installation import compose_install

_PART = ".engrain-part"
"""The ending of the name of a folder that is being written."""
_FILES = ("jsonl", "csv", "markdown")
"""The formats of one file."""


@dataclass(kw_only=True)
class ExportCommand(BaseCommand):
    """Export memories as a table, a document, a site, or for another tool."""

    examples = """
engrain export --format jsonl memories.jsonl
engrain export --format csv memories.csv --project billing
engrain export --format markdown memories.md --force
engrain export --format site ./site
engrain export --format loki ./loki-memory --json
engrain export --format three-layer ./workspace
engrain export --format living ./memory
"""
    path: str = argument("a new file, or a folder that is new or empty", "PATH")
    format: Literal["jsonl", "csv", "markdown", "site", "loki", "three-layer", "living"] = option(
        "jsonl, csv, markdown: one file; site: pages for a browser; loki: the files of"
        " .loki/memory; three-layer: MEMORY.md, daily notes and facts of entities; living: notes"
        " in core, active, archive and procedural",
        required=True,
    )
    force: bool = flag("overwrite a file, or files of the same name in a folder")

    def run(self) -> Answer:
        target = os.path.abspath(self.path)
        if self.format in _FILES:
            return self._write_file(target)
        if os.path.lexists(target) and not os.path.isdir(target):
            raise UsageError(f"{target} is no folder", path=target)
        if not self.force and os.path.isdir(target) and os.listdir(target):
            raise ConflictError(
                "the folder is not empty", path=target, remedy="name a new one, or give --force"
            )
        refuse_vault(self, target)
        if self.format == "site" and find_spec("jinja2") is None:
            raise EngrainError(
                "a site needs jinja2, which is not installed", remedy=compose_install("console")
            )
        with self.open() as memory, show_progress(self.console, "exporting") as progress:
            project = self.project
            export: EntryExport
            if self.format == "site":
                export = memory.exchange.export_plain(project=project, progress=progress)
                made = make_pages(export.records())
            else:
                export = memory.exchange.export_layout(
                    self.format, project=project, progress=progress
                )
                made = export.files()
            files = _write_folder(target, made, force=self.force)
        return self._report(target, files, export)

    def _write_file(self, target: str) -> Answer:
        """Write one file, put into its place when it is complete. Raises ConflictError."""
        refuse_vault(self, target)
        with (
            open_anew(target, force=self.force, mode=0o666) as file,
            self.open() as memory,
            show_progress(self.console, "exporting") as progress,
        ):
            export = memory.exchange.export_plain(project=self.project, progress=progress)
            text = TextIOWrapper(file, encoding="utf-8", newline="")
            export.write(self.format, text)
            text.detach()
        return self._report(target, 1, export)

    def _report(self, target: str, files: int, export: EntryExport) -> Answer:
        left = describe_pairs(export.left_out, "reason")
        data = {"path": target, "files": files, "counts": export.counts, "left_out": left}
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(export.counts.items()))
        line = f"{counts or 'nothing'} in {counted(files, 'file')}: {clean(self.path)}"
        return data, [line, *report_lines(export.left_out, "left out")]


def _write_folder(target: str, files: Iterable[tuple[str, bytes]], *, force: bool) -> int:
    """Write the files and put them in place together; return how many. In a folder that is
    there already each is put into its place by itself."""
    part = target + _PART
    shutil.rmtree(part, ignore_errors=True)  # of an export that was killed
    count = 0
    try:
        os.makedirs(part)
        for name, raw in files:
            place = os.path.join(part, *name.split("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "xb") as file:  # noqa: PTH123
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            count += 1
        if force and os.path.isdir(target) and os.listdir(target):
            _merge(part, target)
        else:
            if os.path.isdir(target):
                os.rmdir(target)
            os.rename(part, target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return count


def _merge(part: str, target: str) -> None:
    for here, _, names in os.walk(part):
        below = os.path.normpath(os.path.join(target, os.path.relpath(here, part)))
        inside = os.path.join(os.path.realpath(target), os.path.relpath(below, target))
        if below != target and os.path.realpath(below) != inside:
            raise UsageError(f"{below} is a link to another folder", path=below)
        os.makedirs(below, exist_ok=True)
        for name in names:
            os.replace(os.path.join(here, name), os.path.join(below, name))


COMMAND = ExportCommand
