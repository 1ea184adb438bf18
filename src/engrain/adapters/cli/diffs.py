"""Files that a command writes or would write, as data and as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.adapters.hosts.files import Change
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean, clean_line


def describe_files(changes: Sequence[Change], *, dry_run: bool) -> list[Data]:
    """Each file's path and what is done to it, with its diff where nothing is written."""
    return [
        fields(change, "path action") | ({"diff": "\n".join(change.diff())} if dry_run else {})
        for change in changes
    ]


def file_lines(
    changes: Sequence[Change], *, dry_run: bool, seen: dict[str, str] | None = None
) -> Iterator[str]:
    """The files that change. A dry run shows each diff, but one that is in `seen`, by its text and
    the file that had it first, only by that file."""
    seen = {} if seen is None else seen
    for change in changes:
        if change.action == "unchanged":
            continue
        yield f"  {'would be ' if dry_run else ''}{change.action}: {clean_line(change.path)}"
        if dry_run:
            lines = list(map(clean, change.diff()))
            text = "\n".join(lines[2:])
            yield from [f"  the same text as in {seen[text]}"] if text in seen else lines
            seen.setdefault(text, change.path)
