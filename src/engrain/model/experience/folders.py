"""Skills as the folders that agents' hosts load, in the Agent Skills format (agentskills.io):
`SKILL.md` with a name and a description in its frontmatter, and files beside it.

A folder becomes the body of one note: its last section has the small text files, and writing the
folder again restores them. No file is ever run.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engrain.language.text.lines import shorten
from engrain.language.text.slugs import safe_component, slugify
from engrain.model.errors import MalformedError
from engrain.model.experience.skills import describe_skill, parse_skill, split_fenced
from engrain.model.note.documents import object_of
from engrain.model.note.field import Value
from engrain.model.note.frontmatter import render_value
from engrain.model.note.note import Note, hash_bytes, split_note

File: TypeAlias = "tuple[str, bytes | None, str]"
"""A file beside `SKILL.md`: its relative path, its bytes (None if not read), and why they were not
read."""

MAIN = "SKILL.md"
MOST_NAME, MOST_DESCRIPTION = 64, 1024
"""The most characters that the format allows."""
MOST_FILE, MOST_FILES = 32 * 1024, 128 * 1024
"""The most bytes of a file that is taken in, and of all files of a skill."""
CARRIED = ("license", "compatibility", "metadata", "allowed-tools")
"""Other fields that the format allows in the frontmatter."""
_TOOLS = "allowed-tools"
_TAGS, _HELD = "engrain-tags", "engrain-allowed-tools"
"""Keys of `metadata`, which hosts ignore: our tags, and tools that are not allowed without
asking."""
_MOST_TOLD = 50

_BESIDE = "## Bundled files"
_FILE = re.compile(r"### `([^`]+)`\s*\Z")
_OPEN = re.compile(r"\A(`{3,}+)text( without a final line end)?\s*\Z")
_PLAIN_FIELD = re.compile(r"([a-z-]+):[ \t]+(\S.*)")


@dataclass(slots=True, eq=False)
class SkillFolder:
    """A skill read from a folder: its `name`, the `body` of its note, `tags`, other fields of its
    frontmatter (`extras`), and what was `left_out`, with the reasons."""

    name: str
    body: str
    tags: Sequence[str]
    extras: Mapping[str, Value]
    left_out: Sequence[tuple[str, str]]


def read_skill_folder(folder: str, main: bytes, beside: Iterable[File] = ()) -> SkillFolder:
    """Read the skill in a folder of that name. Raises MalformedError if `SKILL.md` is no text."""
    note = split_note(main)
    fields = _read_front(note)
    known = ("name", "description", *CARRIED)
    left_out = [(f"{MAIN}: {key}", "is not of the format") for key in fields if key not in known]
    called = str(fields.get("name") or folder)
    name = slugify(called, "skill-" + hash_bytes(main)[:8])
    body = _head_body(note.body.lstrip("\r\n"), called, str(fields.get("description") or ""))
    blocks, refused = _take_in(beside)
    if blocks:
        body = body.rstrip("\n") + f"\n\n{_BESIDE}\n{blocks}"
    extras, tags = _read_extras(fields)
    if refused:
        extras["left_out"] = [path for path, _ in refused[:_MOST_TOLD]]
    return SkillFolder(name, body, tuple(tags), extras, (*left_out, *refused))


def _read_front(note: Note) -> Mapping[str, Value]:
    """Return the fields of `SKILL.md`, read line by line if they are no YAML."""
    try:
        return note.fields
    except MalformedError:
        # Hosts take `description: Use it: often`, which is no YAML.
        lines = map(_PLAIN_FIELD.match, note.front.splitlines())
        return {found[1]: found[2].rstrip().strip("'\"") for found in lines if found}


def _head_body(body: str, called: str, description: str) -> str:
    """Return a body with a heading, and the description below if the body lacks it."""
    if not body.lstrip().startswith("# "):
        body = f"# {called}\n\n{body}"
    said = " ".join(description.split())
    if said and said != skill_description(body):
        heading, _, under = body.partition("\n")
        body = f"{heading}\n\n{said}\n\n" + under.lstrip("\r\n")
    return body


def _read_extras(fields: Mapping[str, Value]) -> tuple[dict[str, Value], list[str]]:
    """Return the other fields and the tags, both of which may be in `metadata`."""
    extras: dict[str, Value] = {key: _texts(fields[key]) for key in CARRIED if fields.get(key)}
    tags: list[str] = []
    metadata = extras.get("metadata")
    if isinstance(metadata, dict):
        tags = str(metadata.get(_TAGS) or "").split()
        if metadata.get(_HELD):
            extras.setdefault(_TOOLS, metadata[_HELD])
        ours = (_TAGS, _HELD)
        extras["metadata"] = {key: metadata[key] for key in metadata if key not in ours}
    return {key: value for key, value in extras.items() if value}, tags


def write_skill_folder(
    slug: str,
    body: str,
    tags: Sequence[str] = (),
    extras: Mapping[str, Value] | None = None,
    *,
    hold: bool = False,
) -> tuple[str, list[tuple[str, bytes]]]:
    """Return the folder's name and its files, `SKILL.md` first. With `hold` the skill allows a host
    no tools without asking."""
    name = skill_name(slug)
    text, files = _give_back(body)
    fields: dict[str, Value] = {"name": name, "description": skill_description(text)}
    fields |= {key: value for key, value in (extras or {}).items() if key in CARRIED}
    ours: dict[str, Value] = {_TAGS: " ".join(tags)} if tags else {}
    if hold and _TOOLS in fields:
        ours[_HELD] = fields.pop(_TOOLS)
    if ours:
        fields["metadata"] = {**object_of(fields.get("metadata")), **ours}
    front = "".join(_render(fields))
    return name, [(MAIN, f"---\n{front}---\n\n{text}".encode()), *files]


def _render(fields: Mapping[str, Value], indent: str = "") -> Iterator[str]:
    """Yield frontmatter that every host can read: the format's own reader accepts no collection on
    one line, and ends at three hyphens wherever they stand."""
    for key, value in fields.items():
        if isinstance(value, dict):
            yield f"{indent}{_scalar(key)}:\n"
            yield from _render(value, indent + "  ")
        elif isinstance(value, list):
            yield f"{indent}{_scalar(key)}:\n"
            yield from (f"{indent}  - {_scalar(item)}\n" for item in value)
        else:
            yield f"{indent}{_scalar(key)}: {_scalar(value)}\n"


def _scalar(value: Value) -> str:
    rendered = render_value(value if isinstance(value, str) else render_value(value))
    if "---" not in rendered:
        return rendered
    return json.dumps(value, ensure_ascii=False).replace("---", "-\\u002d-")


def skill_name(slug: str) -> str:
    """Return a name that the format allows: a-z, 0-9 and single hyphens, 64 at most."""
    plain = unicodedata.normalize("NFKD", slug).encode("ascii", "ignore").decode().lower()
    name = re.sub("[^a-z0-9]+", "-", plain)[:MOST_NAME].strip("-")
    return name or "skill-" + hash_bytes(slug.encode())[:8]


def skill_description(body: str) -> str:
    """Return what a skill is for, cut at a word to the length that the format allows."""
    return shorten(describe_skill(parse_skill(body)), MOST_DESCRIPTION)


def _texts(value: Value) -> Value:
    """Return a value with its numbers as text: in this format every value is text."""
    if isinstance(value, dict):
        return {key: _texts(item) for key, item in value.items() if item not in ({}, [], None)}
    if isinstance(value, list):
        return [_texts(item) for item in value]
    return value if isinstance(value, str) else render_value(value)


def _take_in(beside: Iterable[File]) -> tuple[str, list[tuple[str, str]]]:
    """Return the files as blocks of the body, and those that are left out, with the reasons."""
    blocks = ""
    left_out: list[tuple[str, str]] = []
    room = MOST_FILES
    for path, raw, reason in sorted(beside):
        reason = reason or _refusal(path, raw, room)
        if reason or raw is None:
            left_out.append((path, reason))
            continue
        room -= len(raw)
        text = raw.decode()
        runs = re.findall("`+", text)
        mark = "`" * max(3, 1 + max(map(len, runs), default=0))
        ended = not text or text.endswith("\n")
        opening = f"{mark}text" + ("" if ended else " without a final line end")
        blocks += f"\n### `{path}`\n\n{opening}\n{text}{'' if ended else chr(10)}{mark}\n"
    return blocks, left_out


def _refusal(path: str, raw: bytes | None, room: int) -> str:
    if raw is None:
        return "can't be read"
    if not is_inside(path):
        return "its name is no name on every system"
    if len(raw) > MOST_FILE:
        return f"is over {MOST_FILE} bytes"
    if len(raw) > room:
        return f"all files are over {MOST_FILES} bytes"
    try:
        return "is no text" if "\0" in raw.decode() else ""
    except UnicodeDecodeError:
        return "is no text"


def is_inside(path: str) -> bool:
    """Whether a path, on every system, leads to a file in the skill's folder other than
    `SKILL.md`."""
    parts = path.split("/")
    good = all(part and safe_component(part) == part and "`" not in part for part in parts)
    return good and parts[0].casefold() != MAIN.casefold()


def _give_back(body: str) -> tuple[str, list[tuple[str, bytes]]]:
    """Return the body without the section of files, and the files. A section with anything else in
    it is ordinary text."""
    lines = body.splitlines(keepends=True)
    fenced = [inside for _, inside in split_fenced(lines)]
    starts = [n for n, line in enumerate(lines) if not fenced[n] and line.rstrip() == _BESIDE]
    if not starts:
        return body, []
    files = _read_blocks(lines[starts[-1] + 1 :])
    if files is None:
        return body, []
    return "".join(lines[: starts[-1]]).rstrip("\n") + "\n", list(files.items())


def _read_blocks(lines: Sequence[str]) -> dict[str, bytes] | None:
    """Return the files in a section of blocks, by path; None if it has anything else."""
    files: dict[str, bytes] = {}
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        named, opened = _FILE.match(lines[at]), _OPEN.match("".join(lines[at + 2 : at + 3]))
        if not named or not opened or not is_inside(named[1]):
            return None
        begin = end = at + 3
        while end < len(lines) and lines[end].rstrip() != opened[1]:
            end += 1
        text = "".join(lines[begin:end])
        files[named[1]] = (text[:-1] if opened[2] else text).encode()
        at = end + 1
    return files
