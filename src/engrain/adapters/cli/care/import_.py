"""`engrain import`: import notes, an Obsidian vault, transcripts or an agent's own memory."""

from __future__ import annotations

import os

from engrain import Memory
from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.care.imports.folders import import_tree, refuse_vault
from engrain.adapters.cli.care.imports.layouts import LAYOUTS
from engrain.adapters.cli.care.imports.transcripts import import_transcripts
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.deciding import run_import
from engrain.adapters.cli.options import ALLOW_ERASED, RESTORE_DELETED, Arguments, Command, one_of
from engrain.adapters.present.records import Data
from engrain.adapters.present.text import clean, clean_line
from engrain.engine.core.outcomes import Imported
from engrain.engine.verbs.intake import Terms
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.note.tiers import ORIGINS
from engrain.resolution.claude_memory import (
    MemoryFolder,
    claude_folder,
    describe_folder,
    find_memory_folders,
)
from engrain.seam.derived import Progress

_FORMATS = {"markdown": "device-local", "obsidian": "obsidian-vault", "dendron": "obsidian-vault"}
_CLAUDE, _TRANSCRIPTS, _CHATS = "claude-memory", "transcripts", "chats"
_LAYOUTS = ("loki", "three-layer", "living")
_ALL = (*_FORMATS, _CLAUDE, _TRANSCRIPTS, _CHATS, *_LAYOUTS)


def _import(args: Arguments, console: Console) -> Answer | int:
    form, paths = _read_source(args)
    if form == _TRANSCRIPTS:
        return import_transcripts(args, console, paths)
    if form == _CHATS:
        return _import_chats(args, console, paths)
    if form == _CLAUDE:
        return _import_claude_memory(args, console, paths)
    if len(paths) != 1:
        raise UsageError("import takes a path, or a format and a path")
    if form in _LAYOUTS:
        return import_tree(args, console, LAYOUTS[form], paths[0])
    return _import_folder(args, console, form, paths[0])


def _read_source(args: Arguments) -> tuple[str, list[str]]:
    """The format and the paths that are meant: the format may stand before them. Raises
    UsageError for one that is not known."""
    words: list[str] = args.source
    if args.format:
        return args.format, words
    if words[:1] == [_CLAUDE] or len(words) > 1:
        if words[0] not in _ALL:
            raise UsageError(f"no format {words[0]!r}", remedy="use one of " + ", ".join(_ALL))
        return words[0], words[1:]
    if words and words[0] in _ALL and not os.path.exists(words[0]):
        raise UsageError(f"import {words[0]} takes a path", remedy="name it behind the format")
    return "obsidian", words


def _import_folder(args: Arguments, console: Console, form: str, path: str) -> int:
    _require_folder(path, "a folder of markdown")
    if args.dry_run:
        refuse_vault(args, path)

    def take(memory: Memory, progress: Progress | None, terms: Terms) -> Imported:
        return memory.import_folder(
            path,
            name=args.name,
            kind=args.kind,
            tags=args.tag or None,
            project=getattr(args, "project", None),
            backend=_FORMATS[form],
            allow_erased=args.allow_erased,
            terms=terms,
            progress=progress,
        )

    return run_import(args, console, take)


def _import_claude_memory(args: Arguments, console: Console, paths: list[str]) -> int:
    folders = _choose_folders(args, paths)
    project = getattr(args, "project", None)
    for folder in folders:
        folder.project = project or folder.project

    def take(memory: Memory, progress: Progress | None, terms: Terms) -> Imported:
        total = Imported()
        for folder in folders:
            total.add(
                memory.exchange.import_claude_memory(
                    folder.path,
                    name=folder.name,
                    project=folder.project,
                    allow_erased=args.allow_erased,
                    terms=terms,
                    progress=progress,
                )
            )
        return total

    found = [
        {"path": folder.path, "name": folder.name, "project": folder.project} for folder in folders
    ]
    about = [
        f"project {folder.project}" if folder.project else "of no known project"
        for folder in folders
    ]
    lines = [
        console.style("dim", f"{clean(folder.path)}: {clean_line(told)}")
        for folder, told in zip(folders, about, strict=True)
    ]

    def after(imported: Imported) -> list[str]:
        new = {"created", "similar", "updated", "restored"}.intersection(imported.counts)
        waits = "they are in the inbox: engrain list --status inbox --all-projects"
        return [waits] if new else []

    more: Data = {"folders": found}
    return run_import(args, console, take, trust="agent", more=more, before=lines, after=after)


def _import_chats(args: Arguments, console: Console, paths: list[str]) -> int:
    if not paths:
        raise UsageError(f"import {_CHATS} takes a file or a folder", remedy="name an export")
    if args.name or args.kind or args.tag:
        raise UsageError(
            f"import {_CHATS} takes no --name, --kind or --tag",
            remedy="a conversation has its own name",
        )

    def take(memory: Memory, _: Progress | None, terms: Terms) -> Imported:
        return memory.exchange.import_chats(
            paths,
            project=getattr(args, "project", None),
            allow_erased=args.allow_erased,
            terms=terms,
        )

    return run_import(args, console, take)


def _choose_folders(args: Arguments, paths: list[str]) -> list[MemoryFolder]:
    """The memory folders that are meant. Raises UsageError, NotFoundError."""
    if len(paths) > 1:
        raise UsageError(f"import {_CLAUDE} takes one folder, or none")
    if args.name or args.kind or args.tag:
        raise UsageError(
            f"import {_CLAUDE} takes no --name, --kind or --tag", remedy="these are in its files"
        )
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


def _require_folder(path: str, wanted: str) -> None:
    if not os.path.isdir(path):
        what = "is a file" if os.path.exists(path) else "is not there"
        raise UsageError(f"{path} {what}; give {wanted}", path=path)


COMMAND = Command(
    _import,
    f"""
source=[FORMAT] PATH*  FORMAT: {", ".join((*_FORMATS, *_LAYOUTS))}; {_CLAUDE}, whose PATH is found
                if not given; or {_TRANSCRIPTS} or {_CHATS}, with one PATH or more
--format {one_of(_ALL)}  another way to say FORMAT
--name NAME     the source's name; else the folder's
--kind K        the kind of every note; else detected
--tag T*        tags of every note
--trust {one_of(ORIGINS)}  the origin, which decides how far agents rely on it; else external, of
                {_CLAUDE} agent, of {_TRANSCRIPTS} tool; in a terminal you are asked. Given, what
                came in before gets it too
--[no-]restore-deleted  {RESTORE_DELETED}
--allow-erased  {ALLOW_ERASED}
--dry-run       show what would be imported, and write nothing
$ engrain import ~/notes
$ engrain import dendron ~/dendron/vault --name handbook --trust operator
$ engrain import ./docs --kind domain-reference --tag docs --json
$ engrain import ~/notes --dry-run
$ engrain import claude-memory
$ engrain import transcripts ~/.claude/projects ~/.codex/sessions
$ engrain import chats ~/Downloads/conversations.json
$ engrain import --format loki .loki/memory
$ engrain import --format three-layer ~/workspace
$ engrain import --format living ~/agent/memory
""",
)
