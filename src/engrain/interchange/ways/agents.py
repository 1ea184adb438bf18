"""Memories of other tools for agents: rules files, Claude Code's own memory, server-memory,
basic-memory, claude-mem, mem0, OpenMemory, memsearch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engrain.interchange.ways.item import ForeignItem, Found, PassedOver, WayIn, split_sections
from engrain.language.text.fences import without_fences
from engrain.language.text.folding import safe_component, slugify
from engrain.language.text.instants import read_instant
from engrain.language.text.written_dates import date_in_name
from engrain.model.errors import MalformedError
from engrain.model.note.documents import list_of, object_of, read_json, text_of, texts_of
from engrain.model.note.foreign import detect_kind, read_foreign
from engrain.model.note.note import split_note
from engrain.model.note.tiers import DEFAULT_KIND
from engrain.seam.source_tree import SourceTree

_RULES = (
    "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENT.md", "GEMINI.md", "QWEN.md",
    ".cursorrules", ".windsurfrules", ".clinerules", "copilot-instructions.md",
)  # fmt: skip
_RULE_FOLDERS = re.compile(
    r"\.mdc$|(?:^|/)(?:\.cursor/rules/.*\.md|\.windsurf/rules/.*\.md|\.roo/rules[^/]*/.*\.md"
    r"|\.clinerules/.*\.md|\.github/instructions/.*\.instructions\.md)$"
)

_OWN_FOLDERS = (".claude", ".codex", ".gemini", ".qwen")
"""Folders of hosts in a person's home: their rules hold in every project."""


def _find_rules(tree: SourceTree) -> Sequence[str]:
    named = tree.named(*_RULES)
    return [*named, *(path for path in tree.files if _RULE_FOLDERS.search(path))]


def _read_rules(tree: SourceTree, files: Sequence[str], _: PassedOver) -> Found:
    """Yield each section of each rules file, with the files for which it holds."""
    for path in files:
        given, body = _split_rule(tree.read_text(path))
        folder = path.rpartition("/")[0]
        personal = folder.rpartition("/")[2] in _OWN_FOLDERS or _is_home(tree, folder)
        scope = ", ".join(f"`{one}`" for one in _list_scope(path, folder, given))
        stem = path.rpartition("/")[2].partition(".")[0] or path.rpartition("/")[2].strip(".")
        named = given.get("description") or "Rules"
        for section in split_sections(body):
            title = section.heading or named
            if " " not in title:  # one word says little without its file
                title = f"{title} ({stem} of {tree.name})"
            yield ForeignItem(
                f"{path}#{slugify(section.heading, 'top')}",
                f"{section.text}\n\nApplies to {scope}." if scope else section.text,
                title,
                "preference" if personal else "workflow",
                "" if personal else None,
                tree.date_of(path),
                ("rules",),
            )


def _split_rule(text: str) -> tuple[dict[str, str], str]:
    """Return the fields above a rules file's text, and the text. Cursor writes `globs: *.ts`, which
    is no YAML."""
    head, end, body = text.removeprefix("---\n").partition("\n---\n")
    if not text.startswith("---\n") or not end:
        return {}, text
    lines = (line.partition(":") for line in head.splitlines())
    return {key.strip(): value.strip(" '\"[]") for key, _, value in lines}, body


def _list_scope(path: str, folder: str, given: Mapping[str, str]) -> list[str]:
    """Return the patterns of files for which a rules file holds; none for all files."""
    applies = f"{given.get('globs', '')},{given.get('applyTo', '')}".split(",")
    if folder and folder not in _OWN_FOLDERS and not _RULE_FOLDERS.search(path):
        applies.append(f"{folder}/")
    return list(dict.fromkeys(one.strip(" '\"") for one in applies if one.strip()))


def _is_home(tree: SourceTree, folder: str) -> bool:
    return not folder and tree.folder.rstrip("/").rpartition("/")[2] in _OWN_FOLDERS


def _read_json_lines(text: str) -> Iterable[dict[str, Any]]:
    for line in text.splitlines():
        try:
            yield object_of(read_json(line))
        except MalformedError:
            yield {}


def _find_server_memory(tree: SourceTree) -> Sequence[str]:
    found = []
    for path in tree.ending(".json", ".jsonl"):
        first = next(iter(_read_json_lines(tree.read_beginning(path))), {})
        if first.get("type") in ("entity", "relation"):
            found.append(path)
    return found


def _read_server_memory(tree: SourceTree, files: Sequence[str], passed: PassedOver) -> Found:
    for path in files:
        lines = list(_read_json_lines(tree.read_text(path)))
        relations: dict[str, list[tuple[str, str]]] = {}
        for line in lines:
            if line.get("type") == "relation":
                relation = slugify(str(line.get("relationType")), "related").replace("-", "_")
                relations.setdefault(str(line.get("from")), []).append(
                    (str(line.get("to")), relation)
                )
        for line in lines:
            name = str(line.get("name") or "")
            if line.get("type") == "entity" and name:
                said = texts_of(list_of(line.get("observations")))
                links = relations.pop(name, [])
                body = [f"- {one}" for one in said]
                body += [f"- {to}: {what.replace('_', ' ')}" for to, what in links]
                tag = slugify(str(line.get("entityType") or ""), "")
                yield ForeignItem(
                    name, "\n".join(body) or name, name, "domain-reference",
                    tags=(tag,) if tag else (), links=links,
                )  # fmt: skip
            elif line.get("type") != "relation":
                passed[path, "a line that is no entity and no relation"] += 1
        for left in relations.values():
            passed[path, "a relation of an entity that is not there"] += len(left)


_RELATION = re.compile(
    r"^[ \t]*+- (?P<what>[\w -]{1,60}?) \[\[(?P<to>[^\[\]|\n]++)[^\[\]\n]*+\]\]", re.MULTILINE
)


def _find_basic_memory(tree: SourceTree) -> Sequence[str]:
    heads = ((path, tree.read_head(path)[:2000]) for path in tree.ending(".md"))
    return [path for path, head in heads if re.match(rb"---\n(?:.*\n){0,30}?permalink:", head)]


def _read_basic_memory(tree: SourceTree, files: Sequence[str], passed: PassedOver) -> Found:
    marked = set(files)
    for path in tree.ending(".md"):
        if path not in marked:
            passed[path, "no permalink; import its folder as notes"] += 1
            continue
        note = read_foreign(tree.read(path)).note
        given = note.fields
        _, _, relations = note.body.partition("\n## Relations")
        links = [
            (one["to"].strip(), slugify(one["what"], "related").replace("-", "_"))
            for one in _RELATION.finditer(relations)
        ]
        title = str(given.get("title") or path.rpartition("/")[2].removesuffix(".md"))
        yield ForeignItem(
            str(given["permalink"]),
            note.body,
            title,
            created=read_instant(given.get("created")) or tree.date_of(path),
            tags=[str(tag) for tag in list_of(given.get("tags"))],
            links=links,
        )


_KINDS_OF_CLAUDE_MEM = {"decision": "decision", "bugfix": "fix"}


def _find_claude_mem(tree: SourceTree) -> Sequence[str]:
    return tree.named("claude-mem.db")


def _read_claude_mem(tree: SourceTree, files: Sequence[str], passed: PassedOver) -> Found:
    for path in files:
        for row in tree.read_rows(path, "observations"):
            facts = [f"- {one}" for one in _texts_in(row.get("facts"))]
            told = [str(row.get(name) or "").strip() for name in ("subtitle", "narrative", "text")]
            touched = dict.fromkeys(
                [*_texts_in(row.get("files_modified")), *_texts_in(row.get("files_read"))]
            )
            named = "Files: " + ", ".join(f"`{one}`" for one in touched) if touched else ""
            text = "\n\n".join(filter(None, [*told, "\n".join(facts), named]))
            kind = _KINDS_OF_CLAUDE_MEM.get(str(row.get("type")), "insight")
            yield ForeignItem(
                f"observation-{row.get('id')}",
                text,
                str(row.get("title") or ""),
                kind,
                str(row.get("merged_into_project") or row.get("project") or "") or None,
                _epoch_of(row.get("created_at_epoch")),
                [slugify(one, "") for one in _texts_in(row.get("concepts"))],
            )
        for table, why in _LEFT_OF_CLAUDE_MEM.items():
            if rows := tree.read_rows(path, table):
                passed[f"{path}: {table}", why] += len(rows)


_LEFT_OF_CLAUDE_MEM = {
    "session_summaries": "summaries of sessions are no memories",
    "user_prompts": "prompts are no memories",
}


def _texts_in(value: object) -> list[str]:
    """Return the texts of a list that is written as JSON, else of the lines of a text."""
    if not isinstance(value, str) or not value.strip():
        return []
    try:
        return texts_of(list_of(read_json(value)))
    except MalformedError:
        return [line.strip("-* \t") for line in value.splitlines() if line.strip("-* \t")]


def _epoch_of(value: object) -> float | None:
    """Return epoch seconds from seconds or milliseconds."""
    if not isinstance(value, int | float) or value <= 0:
        return None
    return value / 1000 if value > 1e11 else float(value)


def _list_mem0(value: object) -> list[Mapping[str, Any]]:
    """Return the memories in an export of mem0 or OpenMemory."""
    given = object_of(value)
    items = list_of(value) or list_of(given.get("results")) or list_of(given.get("memories"))
    objects = [object_of(item) for item in items]
    return [one for one in objects if one.get("id") and (one.get("memory") or one.get("content"))]


def _find_mem0(tree: SourceTree) -> Sequence[str]:
    found = [path for path in tree.named("history.db") if tree.read_rows(path, "history")]
    found += [path for path in tree.named("openmemory.db") if tree.read_rows(path, "memories")]
    for path in tree.ending(".json"):
        head = tree.read_beginning(path)[:4000]
        if '"id"' in head and re.search(r'"(?:memory|content)"\s*:\s*"', head):
            try:
                found += [path] if _list_mem0(read_json(tree.read_text(path))) else []
            except MalformedError:
                continue
    return found


def _read_mem0(tree: SourceTree, files: Sequence[str], passed: PassedOver) -> Found:
    for path in files:
        if path.endswith("history.db"):
            rows: Sequence[Mapping[str, Any]] = _fold_history(tree.read_rows(path, "history"))
        elif path.endswith(".db"):
            rows = tree.read_rows(path, "memories")
        else:
            rows = _list_mem0(read_json(tree.read_text(path)))
        for row in rows:
            state = str(row.get("state") or "active")
            if state != "active" or row.get("is_deleted"):
                gone = "deleted" if row.get("is_deleted") else state
                passed[path, f"a memory that is {gone}"] += 1
                continue
            about = object_of(row.get("metadata"))
            yield ForeignItem(
                str(row["id"]),
                str(row.get("memory") or row.get("content") or ""),
                kind="memory",
                project=str(about.get("project") or "") or None,
                created=_instant_of(row.get("created_at")),
                tags=[slugify(str(one), "") for one in list_of(row.get("categories"))],
            )


def _fold_history(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the last state of each memory in mem0's history of changes."""
    last: dict[str, dict[str, Any]] = {}
    for row in rows:
        id_ = str(row.get("memory_id"))
        before = last.get(id_, {})
        last[id_] = {
            "id": id_,
            "memory": row.get("new_memory") or before.get("memory"),
            "created_at": before.get("created_at") or row.get("created_at"),
            "is_deleted": row.get("is_deleted") or row.get("event") == "DELETE",
        }
    return [one for one in last.values() if one["memory"]]


def _instant_of(value: object) -> float | None:
    return _epoch_of(value) or (read_instant(value) if isinstance(value, str) else None)


_LOG = re.compile(r"(?:^|/)(?:\.memsearch/)?memory/\d{4}-\d\d-\d\d\.md$")


def _find_memsearch(tree: SourceTree) -> Sequence[str]:
    marked = ".memsearch" in f"{tree.folder}/" or any(".memsearch/" in one for one in tree.files)
    paths = ((path, path if "/" in path else f"memory/{path}") for path in tree.files)
    found = [path for path, full in paths if _LOG.search(full)]
    return found if marked else []


def _read_memsearch(tree: SourceTree, files: Sequence[str], _: PassedOver) -> Found:
    """Yield each session of each day's log."""
    for path in files:
        day = path.rpartition("/")[2].removesuffix(".md")
        for number, section in enumerate(split_sections(tree.read_text(path)), 1):
            title = f"{section.heading}, {day}" if section.heading else f"Log of {day}"
            yield ForeignItem(
                f"{path}#{number}", section.text, title, "memory",
                created=date_in_name(day), tags=("log",),
            )  # fmt: skip


_KINDS = {"user": "preference", "feedback": "feedback", "reference": "domain-reference"}
"""The kinds for the types of Claude Code's memories. `project` is missing: Claude uses it for
goals, deadlines, incidents and decisions alike, so the kind is detected, as without a type."""


def _find_claude_memory(tree: SourceTree) -> Sequence[str]:
    """Find the files of the memories, without the index of them."""
    return [path for path in tree.files if path.rpartition("/")[2] != "MEMORY.md"]


def _read_claude_memory(tree: SourceTree, files: Sequence[str], _: PassedOver) -> Found:
    """Yield the memory in each file, by the host's page on memory: its frontmatter has `name`,
    `description`, a `type` and, in later versions, `modified` (the last two also under
    `metadata`)."""
    for path in files:
        note = split_note(tree.read(path))
        text = without_fences(note.body.removeprefix("\ufeff").replace("\r\n", "\n"))
        if not text.strip():
            continue
        given = {**object_of(note.fields.get("metadata")), **note.fields}
        name, description, type_ = (
            " ".join(text_of(given.get(key)).split()) for key in ("name", "description", "type")
        )
        # The slug is the file's own name, so that links between the files resolve here too.
        slug = safe_component(path.rpartition("/")[2].removesuffix(".md"))
        # A name without blanks is a file name, as later versions write it, and no title.
        title = name if " " in name else description or re.sub("[-_]+", " ", name)
        modified = read_instant(given.get("modified"))
        yield ForeignItem(
            f"{tree.name}/{path}",
            text.strip("\n"),
            title,
            detect_kind(_KINDS.get(type_), slug, text, DEFAULT_KIND).value,
            "" if type_ == "user" else None,  # what is about the user holds in every project
            tree.date_of(path) if modified is None else modified,
            aliases=[name] if name not in ("", title) else (),
            slug=slug,
            description=description,
        )


CLAUDE_MEMORY = WayIn(
    "claude-memory", "the memory of Claude Code", _find_claude_memory, _read_claude_memory,
    own_ids=True, renewed=("aliases", "kind", "description"), proposes=True,
)  # fmt: skip
RULES = WayIn(
    "rules", "rules files of agents (CLAUDE.md, AGENTS.md, ...)", _find_rules, _read_rules
)
SERVER_MEMORY = WayIn(
    "server-memory", "the knowledge graph of MCP server-memory", _find_server_memory,
    _read_server_memory,
)  # fmt: skip
BASIC_MEMORY = WayIn(
    "basic-memory", "a project of basic-memory", _find_basic_memory, _read_basic_memory
)
CLAUDE_MEM = WayIn(
    "claude-mem", "the database of claude-mem", _find_claude_mem, _read_claude_mem, own_ids=True
)
MEM0 = WayIn(
    "mem0", "an export or a database of mem0 or OpenMemory", _find_mem0, _read_mem0, own_ids=True
)
MEMSEARCH = WayIn("memsearch", "the daily logs of memsearch", _find_memsearch, _read_memsearch)
