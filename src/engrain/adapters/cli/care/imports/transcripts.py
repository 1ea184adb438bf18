"""import transcripts: agents' own sessions, from files and folders of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.deciding import open_for_import, tell_dry
from engrain.adapters.cli.knowledge.sources import tell_passed
from engrain.adapters.cli.options import Arguments
from engrain.adapters.present.records import describe_pairs, fields
from engrain.adapters.present.text import Style, clean_line, counted, report_lines
from engrain.api.memory import Memory
from engrain.engine.core.batches import ERASED, LEFT_OUT
from engrain.learn.transcripts.filing import TranscriptRead
from engrain.model.errors import MalformedError, UsageError
from engrain.resolution.place import detect_project

_ENDINGS = (".jsonl", ".traj")
_LONGEST = 16 << 20
"""Bytes of a line that is read; one that is longer holds images, and is passed over."""


@dataclass(slots=True, eq=False)
class _Counts:
    """The sums of an import: episodes by outcome, files by host, requests without tools, what was
    passed over, and the files that could not be read."""

    outcomes: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    problems: list[tuple[str, str]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    without_tools: int = 0

    @property
    def sums(self) -> dict[str, int]:
        """How many transcripts were read; of these, which add up to that, those taken in and those
        refused because they can't be."""
        refused = len(self.refused)
        taken = self.hosts.total()
        return {"read": taken + refused, "taken_in": taken, "refused": refused}

    def add(self, read: TranscriptRead) -> None:
        """Count one more transcript."""
        self.hosts[read.host] += 1
        self.outcomes.update(read.outcomes)
        self.passed.update(read.passed)
        self.without_tools += read.without_tools


def import_transcripts(args: Arguments, console: Console, paths: Sequence[str]) -> Answer:
    """Take in the transcripts in these files and folders. Raises UsageError."""
    if not paths:
        raise UsageError(
            "import transcripts takes a file or a folder",
            remedy="Claude Code keeps its own in ~/.claude/projects, Codex in ~/.codex/sessions",
        )
    if args.name or args.kind or args.tag:
        raise UsageError(
            "import transcripts takes no --name, --kind or --tag",
            remedy="these follow from the transcript",
        )
    if args.restore_deleted is not None:
        raise UsageError(
            "import transcripts takes no --restore-deleted",
            remedy="`engrain restore ID` brings back an episode that was forgotten",
        )
    files = [file for path in paths for file in _find(path)]
    args.trust = args.trust or "tool"
    counts = _Counts()
    with open_for_import(args) as memory, console.progress("importing") as progress:
        together = memory.as_one_change()
        for number, file in enumerate(files, 1):
            _take(together, file, args, counts)
            if progress:
                progress(number, len(files))
    if files == list(paths) and len(files) == len(counts.problems) == 1 and not counts.hosts:
        file, message = counts.problems[0]  # nothing else was asked for
        raise MalformedError(
            message,
            reason="transcript",
            path=file,
            remedy="give one of Claude Code, Codex, Gemini CLI or SWE-agent",
        )
    data = fields(counts, "outcomes transcripts=hosts without_tools passed_over=passed")
    data["problems"] = describe_pairs(counts.problems)
    data |= {**counts.sums, "trust": args.trust, "dry_run": args.dry_run}
    return data, [*tell_dry(args, console.style), *_lines(counts, console.style)]


def _lines(counts: _Counts, style: Style) -> Iterator[str]:
    sums = counts.sums
    yield f"{sums['read']} transcripts read: {sums['taken_in']} taken in, {sums['refused']} refused"
    found = ", ".join(f"{count} {outcome}" for outcome, count in counts.outcomes.items())
    yield f"episodes: {found}" if found else "no episodes"
    for host, count in sorted(counts.hosts.items()):
        yield style("dim", f"  transcripts of {clean_line(host)}: {count}")
    if counts.without_tools:
        yield style("dim", f"  requests that ran no tool: {counts.without_tools}")
    if passed := tell_passed(counts.passed):
        yield style("dim", f"  passed over: {passed}")
    yield from report_lines(counts.problems, style, "left out")


def _take(memory: Memory, file: str, args: Arguments, counts: _Counts) -> None:
    """Take one file into the vault; what is wrong with it is reported, and stops no other."""
    name = os.path.basename(file).partition(".")[0]
    try:
        read = memory.exchange.import_transcript(
            _read_lines(file),
            name,
            project=getattr(args, "project", None),
            find_project=_find_project,
            allow_erased=args.allow_erased,
        )
        counts.add(read)
        if erased := read.outcomes.get(ERASED):
            counts.problems.append((file, f"{counted(erased, 'episode')}: {LEFT_OUT}"))
    except MalformedError as error:
        counts.refused.append(file)
        counts.problems.append((file, error.message))
    except OSError as error:
        if error.filename != file:
            raise
        counts.refused.append(file)
        counts.problems.append((file, error.strerror or str(error)))


def _find(path: str) -> Iterator[str]:
    """The transcripts below a folder, by name; or the file itself."""
    if os.path.isfile(path):
        yield path
        return
    if not os.path.isdir(path):
        raise UsageError(f"{path} is not there; give a transcript, or a folder of them", path=path)
    for folder, below, files in os.walk(path):
        below.sort()
        for file in sorted(files):
            found = os.path.join(folder, file)
            if file.endswith(_ENDINGS) and os.path.isfile(found):
                yield found


def _read_lines(file: str) -> Iterator[bytes | None]:
    """The lines of a file, each with its end; None for one that is too long."""
    try:
        with open(file, "rb") as opened:  # noqa: PTH123
            while line := opened.readline(_LONGEST):
                if len(line) < _LONGEST or line.endswith(b"\n"):
                    yield line
                    continue
                while line and not line.endswith(b"\n"):
                    line = opened.readline(_LONGEST)
                yield None
    except OSError as error:
        error.filename = error.filename or file
        raise


def _find_project(folder: str) -> str | None:
    """The project of a session's folder, where that is on this device."""
    return detect_project(folder) if os.path.isdir(folder) else None
