"""`engrain import`: import notes, an Obsidian vault, transcripts or an agent's own memory."""

from __future__ import annotations

import os
from collections.abc import Mapping

from engrain import Memory
from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.care.imports.folders import (
    Layout,
    Problems,
    add_file,
    find_among,
    import_tree,
    last_name,
    list_below,
    refuse_path,
    refuse_vault,
)
from engrain.adapters.cli.care.imports.transcripts import import_transcripts
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.deciding import run_import
from engrain.adapters.cli.options import ALLOW_ERASED, RESTORE_DELETED, Arguments, Command, one_of
from engrain.adapters.present.records import Data
from engrain.adapters.present.text import clean, clean_line
from engrain.engine.core.outcomes import Imported
from engrain.engine.verbs.intake import Terms
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.interchange import living, loki, three_layer
from engrain.model.note.tiers import ORIGINS
from engrain.resolution.claude_memory import (
    MemoryFolder,
    claude_folder,
    describe_folder,
    find_memory_folders,
)
from engrain.seam.derived import Progress

_FOLDER = three_layer.FOLDER
_WITHIN = ("", "memory", os.path.join(".loki", "memory"))


def _find_loki(path: str) -> str:
    """The folder of the layout that a path means. Raises UsageError."""
    folder = find_among(path, _WITHIN, loki.FOLDERS)
    if folder is None:
        remedy = "name a .loki/memory folder, or the one it lies in"
        raise refuse_path(path, "the loki layout", remedy)
    return folder


def _list_loki(folder: str, problems: Problems) -> dict[str, str]:
    found = list_below(folder, problems)
    beside = os.path.join(folder, os.pardir, loki.CONTINUITY)
    if loki.CONTINUITY not in found and _is_loki(folder) and os.path.lexists(beside):
        # Where the hosts of that layout keep it.
        refused: Problems = []
        add_file(found, loki.CONTINUITY, beside, refused)
        problems += [(f"../{name}", why) for name, why in refused]
    return found


def _is_loki(folder: str) -> bool:
    parts = os.path.realpath(folder).replace("\\", "/").split("/")
    return parts[-2:] == [".loki", "memory"]


LOKI = Layout(
    "loki",
    find=_find_loki,
    list_files=_list_loki,
    order=loki.in_reading_order,
    # What a tree is known by: the folder that `.loki/memory` lies in.
    name_tree=lambda folder: last_name(folder, ("memory", ".loki"), "loki"),
)


def _find_three_layer(path: str) -> str:
    """The folder `memory` of the workspace that a path means. Raises UsageError."""
    found = find_among(path, (_FOLDER, ""), ("entities",))
    if found is None and _has_days(path):
        found = os.path.join(path, _FOLDER)
    if found is None:
        remedy = "name the workspace that has MEMORY.md and memory/, or its folder memory"
        raise refuse_path(path, "three layers", remedy)
    return found


def _has_days(path: str) -> bool:
    try:
        names = os.listdir(os.path.join(path, _FOLDER))
    except OSError:
        return False
    return any(three_layer.day_in(name) for name in names)


def _list_three_layer(folder: str, problems: Problems) -> dict[str, str]:
    """The files of the folder, and the one that lies beside it."""
    refused: Problems = []
    found = list_below(folder, refused, f"{_FOLDER}/")
    beside = os.path.join(folder, os.pardir, three_layer.MEMORY)
    named = os.path.basename(os.path.realpath(folder)) == _FOLDER
    if named and os.path.lexists(beside):
        add_file(found, three_layer.MEMORY, beside, refused)
    problems += [one for one in refused if three_layer.part_at(one[0])]
    return found


def _find_living(path: str) -> str:
    """The folder of the layout that a path means. Raises UsageError."""
    folder = find_among(path, ("", "memory"), living.FOLDERS)
    if folder is None:
        remedy = f"name the folder that has {', '.join(living.FOLDERS)}"
        raise refuse_path(path, "the living layout", remedy)
    return folder


THREE_LAYER = Layout(
    "three-layer",
    find=_find_three_layer,
    list_files=_list_three_layer,
    order=three_layer.in_reading_order,
    name_tree=lambda folder: last_name(folder, (_FOLDER,), "three-layer"),
)
LIVING = Layout(
    "living",
    find=_find_living,
    list_files=list_below,
    order=living.in_reading_order,
    name_tree=lambda folder: last_name(folder, ("memory",), "living"),
)

LAYOUTS: Mapping[str, Layout] = {layout.name: layout for layout in (LOKI, THREE_LAYER, LIVING)}


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
        console.style("dim", f"{clean(folder.path)}: {clean_line(text)}")
        for folder, text in zip(folders, about, strict=True)
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
