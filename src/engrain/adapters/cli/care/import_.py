"""`engrain import`: import notes, an Obsidian vault, transcripts or an agent's own memory."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial

from engrain.adapters.cli.base import Answer, arguments, option, options
from engrain.adapters.cli.care.layouts import (
    AUTO,
    LAYOUTS,
    import_tree,
    import_way,
    recognise_way,
    refuse_vault,
    show_ways,
)
from engrain.adapters.cli.deciding import Importing, describe_dry_run, open_for_import, run_import
from engrain.adapters.cli.knowledge.sources import describe_passed
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import Data, describe_pairs, fields, list_fields
from engrain.adapters.present.text import clean, clean_line, counted, report_lines, style
from engrain.api.memory import Memory
from engrain.engine.core.batches import ERASED, LEFT_OUT
from engrain.engine.core.outcomes import Imported
from engrain.engine.verbs.intake import Terms
from engrain.interchange.ways.table import WAYS
from engrain.learn.experience.filing import TranscriptRead
from engrain.learn.transcripts.hosts import SUB_AGENTS, merge_lines
from engrain.model.errors import MalformedError, NotFoundError, UsageError
from engrain.model.note.tiers import ORIGINS
from engrain.resolution.selector import find_folder_project
from engrain.resolution.settings import is_off
from engrain.resolution.source_tree import HIDDEN, LeavingOut
from engrain.resolution.sources import find_recorded
from engrain.seam.derived import Progress

_FORMATS = {"markdown": "device-local", "obsidian": "obsidian-vault", "dendron": "obsidian-vault"}
_CLAUDE, _TRANSCRIPTS = "claude-memory", "transcripts"
_ALL = (*_FORMATS, AUTO, *WAYS, _CLAUDE, _TRANSCRIPTS, *LAYOUTS)
_NAMES = ("*.jsonl", "session-*.json")
_LONGEST = 16 << 20
"""Bytes of a line that is read; one that is longer holds images, and is passed over."""


@dataclass(kw_only=True)
class ImportCommand(Importing):
    """Import notes, an Obsidian vault, transcripts or an agent's own memory."""

    examples = """
engrain import ~/notes
engrain import dendron ~/dendron/vault --name handbook --trust operator
engrain import ./docs --kind domain-reference --tag docs --json
engrain import ~/notes --dry-run
engrain import obsidian ~/vault --exclude Templates --exclude 'Archive/20*'
engrain import auto ~/Downloads/export.zip
engrain import rules ~/code/shop --trust operator
engrain import claude-memory
engrain import transcripts ~/.claude/projects ~/.codex/sessions
engrain import --format loki .loki/memory
engrain import --format three-layer ~/workspace
engrain import --format living ~/agent/memory
"""
    source: list[str] = arguments(
        f"FORMAT: {', '.join((*_FORMATS, *WAYS, *LAYOUTS))}; {_CLAUDE}, whose PATH is found if not"
        f" given; {_TRANSCRIPTS}, with one PATH or more; or {AUTO}, which says what PATH may be",
        "[FORMAT] PATH",
    )
    format: str | None = option("another way to say FORMAT", choices=_ALL)
    name: str | None = option("the source's name; else the folder's", "NAME")
    kind: str | None = option("the kind of every note; else detected", "K")
    tag: list[str] = options("tags of every note", "T")
    trust: str | None = option(
        "the origin, which decides how far agents rely on it; else external, of"
        f" {_CLAUDE} agent, of {_TRANSCRIPTS} tool. Given, what came in before gets it too",
        choices=ORIGINS,
    )
    exclude: list[str] = options(
        "files or folders that stay out: names or paths, with wildcards. So do what git ignores,"
        " hidden ones, and node_modules",
        "PATTERN",
    )

    def run(self) -> Answer | int:
        form, paths = _read_source(self)
        if form == AUTO and len(paths) == 1:
            return show_ways(paths[0])
        self._refuse_options(form)
        if form == _TRANSCRIPTS:
            return _import_transcripts(self, paths)
        if form == _CLAUDE:
            return _import_claude_memory(self, paths)
        if len(paths) != 1:
            raise UsageError("import takes a path, or a format and a path")
        if form in LAYOUTS:
            return import_tree(self, form, paths[0], self.name)
        if form in WAYS:
            return import_way(self, form, paths[0])
        return _import_folder(self, form, paths[0])

    def _refuse_options(self, form: str) -> None:
        if self.exclude and form not in _FORMATS:
            raise UsageError(
                f"import {form} takes no --exclude", remedy="; ".join(_FORMATS) + " do"
            )
        if (self.kind or self.tag) and (form in LAYOUTS or form in WAYS):
            raise UsageError(
                f"import {form} takes no --kind and no --tag", remedy="these are in its files"
            )


def _read_source(args: ImportCommand) -> tuple[str, list[str]]:
    """Return the format and the paths: the format may stand before them. Raises UsageError."""
    words: list[str] = args.source
    if args.format:
        return args.format, words
    if words[:1] == [_CLAUDE] or len(words) > 1:
        if words[0] not in _ALL:
            raise UsageError(f"no format {words[0]!r}", remedy="use one of " + ", ".join(_ALL))
        return words[0], words[1:]
    if words and words[0] in _ALL and not os.path.exists(words[0]):
        raise UsageError(f"import {words[0]} takes a path", remedy="name it behind the format")
    return recognise_way(words[0]) if len(words) == 1 else "obsidian", words


def _import_folder(args: ImportCommand, form: str, path: str) -> int:
    _require_folder(path, "a folder of markdown")
    if args.dry_run:
        refuse_vault(args, path)
    leaving = LeavingOut(path, args.exclude or ())

    def take(memory: Memory, progress: Progress | None, terms: Terms) -> Imported:
        imported = memory.import_folder(
            path,
            name=args.name,
            kind=args.kind,
            tags=args.tag or None,
            project=args.project,
            backend=_FORMATS[form],
            terms=terms,
            leave_out=leaving,
            progress=progress,
        )
        imported.passed_over += [(name, HIDDEN, 1) for name in leaving.hidden]
        return imported

    return run_import(args, take)


def _import_claude_memory(args: ImportCommand, paths: list[str]) -> int:
    folders = _choose_folders(args, paths)
    project = args.project
    for folder in folders:
        folder.project = project or folder.project

    def take(memory: Memory, progress: Progress | None, terms: Terms) -> Imported:
        total = Imported()
        for folder in folders:
            imported = memory.exchange.import_claude_memory(
                folder.path,
                name=folder.name,
                project=folder.project,
                terms=terms,
                progress=progress,
            )
            total.add(imported)
        return total

    lines = []
    for folder in folders:
        about = f"project {folder.project}" if folder.project else "of no known project"
        lines.append(style("dim", f"{clean(folder.path)}: {clean_line(about)}"))

    def after(imported: Imported) -> list[str]:
        new = {"created", "similar", "updated", "restored"}.intersection(imported.counts)
        waits = "they are in the inbox: engrain list --status inbox --all-projects"
        return [waits] if new else []

    more: Data = {"folders": list_fields(folders, "path name project")}
    return run_import(args, take, trust="agent", more=more, before=lines, after=after)


def _choose_folders(args: ImportCommand, paths: list[str]) -> list[MemoryFolder]:
    if len(paths) > 1:
        raise UsageError(f"import {_CLAUDE} takes one folder, or none")
    _refuse_labels(args, _CLAUDE, "these are in its files")
    if paths:
        _require_folder(paths[0], "a memory folder of Claude Code")
        return [describe_folder(paths[0], os.environ)]
    folders = find_memory_folders(os.environ)
    if not folders:
        raise NotFoundError(
            "Claude Code has no memory here",
            path=os.path.join(claude_folder(os.environ), "projects"),
            remedy=f"name its folder: engrain import {_CLAUDE} FOLDER",
        )
    return folders


def _refuse_labels(args: ImportCommand, form: str, remedy: str) -> None:
    if args.name or args.kind or args.tag:
        raise UsageError(f"import {form} takes no --name, --kind or --tag", remedy=remedy)


def _require_folder(path: str, wanted: str) -> None:
    if not os.path.isdir(path):
        what = "is a file" if os.path.exists(path) else "is not there"
        raise UsageError(f"{path} {what}; give {wanted}", path=path)


def _import_transcripts(args: ImportCommand, paths: Sequence[str]) -> Answer:
    if not paths:
        raise UsageError(
            "import transcripts takes a file or a folder",
            remedy="Claude Code keeps its own in ~/.claude/projects, Codex in ~/.codex/sessions",
        )
    _refuse_labels(args, _TRANSCRIPTS, "these follow from the transcript")
    if args.restore_deleted is not None:
        raise UsageError(
            "import transcripts takes no --restore-deleted",
            remedy="`engrain restore ID` brings back an episode that was forgotten",
        )
    files = [file for path in paths for file in _find_transcripts(path)]
    args.trust = args.trust or "tool"
    counts: Counter[str] = Counter()
    sums = {name: Counter[str]() for name in ("outcomes", "transcripts", "passed_over")}
    problems: list[tuple[str, str]] = []
    with open_for_import(args) as memory, show_progress(args.console, "importing") as progress:
        together = memory.as_one_change()
        for number, file in enumerate(files, 1):
            read = _import_transcript(together, file, args, problems)
            counts["refused" if read is None else "taken_in"] += 1
            if read is not None:
                sums["transcripts"][read.host] += 1
                sums["outcomes"].update(read.outcomes)
                sums["passed_over"].update(read.passed)
                counts["without_tools"] += read.without_tools
                counts["lessons"] += len(read.lessons)
            if progress:
                progress(number, len(files))
    if files == list(paths) and len(files) == len(problems) == 1 and not counts["taken_in"]:
        file, message = problems[0]  # nothing else was asked for
        raise MalformedError(
            message,
            reason="transcript",
            path=file,
            remedy="give one of Claude Code, Codex or Gemini CLI",
        )
    data = {
        "outcomes": sums["outcomes"],
        "transcripts": sums["transcripts"],
        "without_tools": counts["without_tools"],
        "lessons": counts["lessons"],
        "passed_over": sums["passed_over"],
        "problems": describe_pairs(problems),
        "read": len(files),
        **{name: counts[name] for name in ("taken_in", "refused")},
        **fields(args, "trust dry_run"),
    }
    lines = _transcript_lines(counts, sums, problems)
    return data, [*describe_dry_run(args), *lines]


def _transcript_lines(
    counts: Counter[str], sums: Mapping[str, Counter[str]], problems: Iterable[tuple[str, str]]
) -> Iterator[str]:
    read = counts["taken_in"] + counts["refused"]
    yield f"{read} transcripts read: {counts['taken_in']} taken in, {counts['refused']} refused"
    found = ", ".join(f"{count} {outcome}" for outcome, count in sums["outcomes"].items())
    yield f"episodes: {found}" if found else "no episodes"
    if counts["lessons"]:
        yield f"lessons: {counts['lessons']}; `engrain digest` shows them"
    for host, count in sorted(sums["transcripts"].items()):
        yield style("dim", f"  transcripts of {clean_line(host)}: {count}")
    if counts["without_tools"]:
        yield style("dim", f"  tasks that ran no tool: {counts['without_tools']}")
    if passed := describe_passed(sums["passed_over"]):
        yield style("dim", f"  passed over: {passed}")
    yield from report_lines(problems, "left out")


def _import_transcript(
    memory: Memory, file: str, args: ImportCommand, problems: list[tuple[str, str]]
) -> TranscriptRead | None:
    """Take one file into the vault; None if it can't be read, which is added to `problems`."""
    name = os.path.basename(file).partition(".")[0]
    place = args.resolve()

    def find_project(folder: str) -> str | None:
        return find_folder_project(os.environ, folder, place)

    try:
        read = memory.exchange.import_transcript(
            merge_lines(_read_lines(file), [_read_lines(one) for one in _find_agents(file)]),
            name,
            project=args.project,
            find_project=partial(find_recorded, find_project=find_project),
            is_off=partial(is_off, os.environ),
        )
    except MalformedError as error:
        problems.append((file, error.message))
        return None
    except OSError as error:
        if error.filename != file:
            raise
        problems.append((file, error.strerror or str(error)))
        return None
    if erased := read.outcomes.get(ERASED):
        problems.append((file, f"{counted(erased, 'episode')}: {LEFT_OUT}"))
    return read


def _find_transcripts(path: str) -> Iterator[str]:
    if os.path.isfile(path):
        yield path
        return
    if not os.path.isdir(path):
        raise UsageError(f"{path} is not there; give a transcript, or a folder of them", path=path)
    for folder, below, files in os.walk(path):
        below.sort()
        above, last = os.path.split(folder)
        if last == SUB_AGENTS and os.path.isfile(f"{above}.jsonl"):
            continue  # they are read with the session that asked them
        for file in sorted(files):
            found = os.path.join(folder, file)
            if any(fnmatch(file, name) for name in _NAMES) and os.path.isfile(found):
                yield found


def _find_agents(file: str) -> list[str]:
    """Return the transcripts of a session's sub-agents."""
    folder = os.path.join(file.removesuffix(".jsonl"), SUB_AGENTS)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in names if name.endswith(".jsonl")]


def _read_lines(file: str) -> Iterator[bytes | None]:
    """Yield the lines of a file, each with its end; None for one that is too long."""
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


_FLATTENED = re.compile("[^a-zA-Z0-9]")


@dataclass(slots=True, eq=False)
class MemoryFolder:
    """One folder of Claude Code's memory: its path, its name, and its project, None if unknown."""

    path: str
    name: str
    project: str | None


def claude_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of Claude Code's own files, whether it exists or not."""
    return os.path.abspath(os.path.expanduser(environ.get("CLAUDE_CONFIG_DIR") or "~/.claude"))


def find_memory_folders(environ: Mapping[str, str]) -> list[MemoryFolder]:
    """Return every memory folder on this machine."""
    projects = os.path.join(claude_folder(environ), "projects")
    names = sorted(os.listdir(projects)) if os.path.isdir(projects) else []
    paths = [os.path.join(projects, name, "memory") for name in names]
    return [describe_folder(path, environ) for path in paths if os.path.isdir(path)]


def describe_folder(path: str, environ: Mapping[str, str]) -> MemoryFolder:
    """Return a memory folder with the name and project that its path shows."""
    path = os.path.abspath(os.path.expanduser(path))
    above, name = os.path.split(path)
    if name == "memory":
        name = os.path.basename(above) or name
    # `a-b` may have been `a/b` or `a.b`: the existing folders decide, unless their projects differ.
    projects = {find_folder_project(environ, folder) for folder in _folders_flattened(os.sep, name)}
    return MemoryFolder(path, name, projects.pop() if len(projects) == 1 else None)


def _folders_flattened(folder: str, rest: str) -> Iterator[str]:
    """Yield the folders below `folder` whose relative path, with a `-` before each part, flattens
    to `rest`."""
    try:
        with os.scandir(folder) as entries:
            found = [(entry.path, "-" + _FLATTENED.sub("-", entry.name)) for entry in entries]
    except OSError:
        return
    for path, flat in found:
        if rest == flat and os.path.isdir(path):
            yield path
        elif rest.startswith(flat + "-"):
            yield from _folders_flattened(path, rest[len(flat) :])


COMMAND = ImportCommand
