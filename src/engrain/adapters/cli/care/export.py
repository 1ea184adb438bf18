"""`engrain export`: write memories in the file layout of another tool."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from engrain.adapters.cli.base import Answer, BaseCommand, argument, flag, option
from engrain.adapters.cli.care.layouts import refuse_vault
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import describe_pairs
from engrain.adapters.present.text import clean, report_lines
from engrain.model.errors import ConflictError, UsageError

_PART = ".engrain-part"
"""What the name of a folder that is being written ends with."""


@dataclass(kw_only=True)
class ExportCommand(BaseCommand):
    """Export memories in the file layout of another tool."""

    examples = """
engrain export --format loki ./loki-memory
engrain export --format loki ./loki-memory --project billing --json
engrain export --format loki ./loki-memory --force
engrain export --format three-layer ./workspace
engrain export --format living ./memory
"""
    path: str = argument("a folder that is new or empty", "PATH")
    format: Literal["loki", "three-layer", "living"] = option(
        "loki: the files of .loki/memory; three-layer: MEMORY.md, daily notes and facts of"
        " entities; living: notes in core, active, archive and procedural",
        required=True,
    )
    force: bool = flag("allow a folder with files, and overwrite those of the same name")

    def run(self) -> Answer:
        target = os.path.abspath(self.path)
        if os.path.lexists(target) and not os.path.isdir(target):
            raise UsageError(f"{target} is no folder", path=target)
        if not self.force and os.path.isdir(target) and os.listdir(target):
            raise ConflictError(
                "the folder is not empty", path=target, remedy="name a new one, or give --force"
            )
        refuse_vault(self, target)
        with self.open() as memory, show_progress(self.console, "exporting") as progress:
            project = self.project
            export = memory.exchange.export_layout(self.format, project=project, progress=progress)
            files = _write_folder(target, export.files(), force=self.force)
        left = describe_pairs(export.left_out, "reason")
        data = {"path": target, "files": files, "counts": export.counts, "left_out": left}
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(export.counts.items()))
        line = f"{counts or 'nothing'} in {files} files: {clean(self.path)}"
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
