"""Notes of other tools: read whatever their frontmatter is, and rewritten so that the text of every
value stays; and the kind, status and tags of a note that does not state them (S1.22).

Frontmatter that is not YAML (a template, a title with a colon, a rule at the top) is left as it is
and becomes part of the text. Fields that mean something else to Engrain go under `imported:`.

Three tiers are tried in turn, and the result names the tier that decided: `explicit` (a flag or
frontmatter), `convention` (folder and file name), `text`; else `default`. The rules are tables, and
rather decide nothing than guess: an entry of a wrong kind is filed, and fades, in a wrong way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engrain.language.lexicons import read_rows
from engrain.language.text.folding import slugify, tag_key
from engrain.language.text.link_tokens import prose
from engrain.model.errors import EngrainError, MalformedError
from engrain.model.note.field import Value
from engrain.model.note.note import Note, decode_file, own_lines, render_value, split_note
from engrain.model.note.properties import split_heading
from engrain.model.note.tiers import KINDS

ASIDE = "imported"
"""The field with what another tool meant by the names of Engrain's own fields."""

_TOML = re.compile(r"\ufeff?\+\+\+[ \t]*\r?\n(?:.*\n)*?\+\+\+[ \t]*(?:\r?\n|\Z)")
_IN_FLOW = re.compile(r'"[^"\\]*"|[^\W_][\w./+-]*(?: [\w./+-]+)*')
"""A value that may stand between braces as it is written."""
_KEY = re.compile(r"[A-Za-z_][\w-]{0,99}")


@dataclass(slots=True, frozen=True)
class Foreign:
    """A note of another tool, and the heading that opens its text, None for none. `unread` says why
    its frontmatter is a part of the text, "" where its fields were read."""

    note: Note
    heading: str | None
    unread: str = ""


def read_foreign(raw: bytes) -> Foreign:
    """Return the note in the bytes of another tool's file. Raises MalformedError for a file that is
    no text, or too large."""
    text = decode_file(raw)
    if toml := _TOML.match(text):
        return Foreign(Note("", "", "", text), split_heading(text[toml.end() :])[0], "TOML")
    heading = None
    try:
        note = split_note(raw)
        heading = split_heading(note.body)[0]
        if not note.fence or _is_patchable(note, note.fields):
            return Foreign(note, heading)
        return Foreign(_by_lines(note), heading)
    except MalformedError as error:
        # A note that opens with a rule has no frontmatter, and no text under it.
        heading = None if error.reason == "not-a-mapping" else heading
        return Foreign(Note("", "", "", text), heading, _describe(error))


def _describe(error: MalformedError) -> str:
    return f"{error.message} (line {error.line})" if error.line else error.message


def _is_patchable(note: Note, fields: Mapping[str, Value]) -> bool:
    """Whether fields can be added and each one be removed."""
    try:
        return not note.patch({ASIDE: ""}, fields).fields.keys() & (fields.keys() - {ASIDE})
    except EngrainError:
        return False


def _by_lines(note: Note) -> Note:
    """Return a note whose fields share lines, as those of JSON do, with a line for each. Raises
    MalformedError."""
    fields = note.fields
    lines = (f"{render_value(key)}: {_render(note, key)}{note.eol}" for key in fields)
    made = Note(note.head, "".join(lines), note.fence, note.body)
    if made.fields != fields:
        raise MalformedError("it is written in no form that can be changed", reason="unpatchable")
    return made


def _render(note: Note, key: str) -> str:
    written = note.written(key)
    return written if written and "\n" not in written else render_value(note.fields[key])


def set_aside(note: Note, given: Note, keys: Iterable[str]) -> Note:
    """Return the note with the field `imported`: the fields `keys` of the note `given`, with their
    values as they are written there."""
    names = list(keys)
    if not names:
        return note
    values = {key: given.fields[key] for key in names}
    for write in (_in_braces, _in_lines):
        text = write(given, names)
        if text is None:
            continue
        end = "" if not note.front or note.front.endswith("\n") else note.eol
        made = Note(note.head, f"{note.front}{end}{text}", note.fence, note.body)
        try:
            if made.fields.get(ASIDE) == values:
                return made
        except MalformedError:
            continue
    return note.patch({ASIDE: values})


def _in_braces(given: Note, keys: Iterable[str]) -> str | None:
    """Return the field as one line, None if a value has to stand on lines of its own."""
    written = {key: given.written(key) for key in keys}
    for key in written:
        lines = own_lines(given.front, given.span(key))
        if lines is None or given.front[given.span(key).value_end : lines[1]].strip():
            return None  # a comment stands behind it
    if not all(map(_KEY.fullmatch, written)) or not all(map(_IN_FLOW.fullmatch, written.values())):
        return None
    pairs = ", ".join(f"{key}: {value}" for key, value in written.items())
    return f"{ASIDE}: {{{pairs}}}{given.eol}"


def _in_lines(given: Note, keys: Iterable[str]) -> str | None:
    """Return the field with the lines of each field below it, None if fields share a line."""
    text = f"{ASIDE}:{given.eol}"
    for key in keys:
        lines = own_lines(given.front, given.span(key))
        if lines is None:
            return None
        for line in given.front[slice(*lines)].splitlines(keepends=True):
            text += f"  {line}" if line.strip() else line
        text += "" if text.endswith("\n") else given.eol
    return text


EXPLICIT = "explicit"
CONVENTION = "convention"
TEXT = "text"
DEFAULT = "default"

_TEXT_LIMIT = 2_000  # characters searched for the kind, which a note states early
_PATH_TAGS = 5
_TEXT_TAGS = 10
_MOST_TAGS = 64
_TAG_LENGTH = 80  # characters; a longer word after `#` is data


@dataclass(frozen=True, slots=True)
class Detected:
    """What was found, and the tier that decided: explicit, convention, text or default."""

    value: str
    tier: str


_FOLDER_ALIASES = read_rows("kinds", "folders")
"""Folders that mean a kind without being named as one."""

# Folders of the layout (DESIGN section 4) that are no topic and no kind. `memory` is a kind too,
# but the folder is the agent's tier; `core` has four kinds.
_LAYOUT = frozenset({"agent", "archive", "core", "handoffs", "ledgers", "memory", "projects"})

# File names, as slugs, that mean a kind: their beginnings, and a pattern.
_STEM_RULES = tuple(
    (kind, begins, re.compile(pattern))
    for kind, begins, pattern in (
        ("daily", tuple("0123456789"), r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])\Z"),
        ("fix", ("fix-", "bugfix-"), ""),
        ("decision", ("decision-",), ""),
        ("decision", ("adr",), r"adr-?[0-9]+(?:-|\Z)"),
        ("procedural", ("how-to-", "howto-"), ""),
        ("preference", ("pref-", "preference-"), ""),
        ("idea", ("idea-",), ""),
        ("anti-pattern", ("anti-pattern-", "antipattern-"), ""),
        ("plan", ("plan",), r"plan\Z"),
        ("roadmap", ("roadmap",), r"roadmap\Z"),
        ("progress", ("progress",), r"progress\Z"),
    )
)

_HEAD = r"(?im)\A[#>*_\s-]{0,20}"  # the first words of the text, whatever markup opens it
_LINE = r"(?im)^[#>*_ \t-]{0,20}"  # likewise of any line
_STEPS = r"(?>[\s\S]*?^[ \t]*1[.)][ \t])(?>[\s\S]*?^[ \t]*2[.)][ \t])"  # a numbered list

# (kind, words of which the text must have one, a pattern). The first row that matches decides. A
# pattern with \A is only tried at the start.
_TEXT_RULES = tuple(
    (kind, words, re.compile(pattern), r"\A" in pattern)
    for kind, words, pattern in (
        ("idea", ("idea",), _HEAD + r"ideas?[*_]*:"),
        (
            "insight",
            ("insight", "lesson", "til"),
            _HEAD + r"(?:insight|lesson(?: learned)?|til)[*_]*:",
        ),
        ("feedback", ("feedback",), _HEAD + r"feedback[*_]*:"),
        ("anti-pattern", ("pattern",), _HEAD + r"anti-?pattern[*_]*:"),
        ("preference", ("preference",), _HEAD + r"preferences?[*_]*:"),
        (
            "decision",
            ("decision", "decided"),
            _LINE + r"(?:decision(?: record)?[*_]*[ \t\r]*(?::|$)"
            r"|we(?: have|'ve)? decided\b|decided[*_]*(?::| (?:to|that|on|against)\b))",
        ),
        (
            "fix",
            ("root cause", "fix", "resolved by"),
            r"(?im)\b(?:root cause[*_]*(?::| (?:is|was|turned out)\b)"
            r"|(?:fixed|fixed it|resolved) by\b|the fix (?:is|was)\b)|^#{1,6} root cause\b",
        ),
        ("procedural", ("how to",), _HEAD + r"how to\b" + _STEPS),
        (
            "workflow",
            ("workflow", "checklist", "runbook"),
            _HEAD + r"[^\n!\[]{0,120}?\b(?:workflow|checklist|runbook)\b" + _STEPS,
        ),
        (
            "preference",
            ("always ", "never ", "prefer"),
            r"(?i)\A[\s\S]{0,200}?\b(?:(?:always|never) (?:use|do|run|write|add|put|commit|push"
            r"|ask)|(?:i|we|user|operator) prefers?)\b",
        ),
        ("preference", ("prefer",), _HEAD + r"prefer\b"),
    )
)


def detect_kind(explicit: str | None, path: str, text: str, default: str) -> Detected:
    """Return the kind of the note at `path` (relative, or a bare slug) with this title and body.

    By convention it is that of the nearest folder named after a kind, its plural or its folder in
    the table of kinds, else that of the file's name (`fix-…`, `adr-0001-…`, `2026-01-31`).
    """
    if explicit and explicit.strip():
        return Detected(explicit.strip(), EXPLICIT)
    *folders, name = path.split("/")
    for folder in reversed(folders):
        if kind := _FOLDER_KINDS.get(_word(folder)):
            return Detected(kind, CONVENTION)
    stem = _word(name.removesuffix(".md"))
    for kind, begins, rule in _STEM_RULES:
        if stem.startswith(begins) and rule.match(stem):
            return Detected(kind, CONVENTION)
    head = text[:_TEXT_LIMIT]
    lowered = head.lower()
    for kind, words, rule, first in _TEXT_RULES:
        if _has_any(words, lowered) and (rule.match(head) if first else rule.search(head)):
            return Detected(kind, TEXT)
    return Detected(default, DEFAULT)


def _has_any(words: Iterable[str], lowered: str) -> bool:
    """Whether a text, given in lower case, may have one of some words; always True outside of
    ASCII, where other letters may be cases of these."""
    return not lowered.isascii() or any(map(lowered.__contains__, words))


_FOLDER_STATUS = {
    "_archive": "archived",
    "archive": "archived",
    "_dream-staging": "proposed",
    "_inbox": "inbox",
}


def detect_status(explicit: str | None, path: str) -> Detected:
    """Return the status of a note: the explicit one as it is, else that of a reserved folder, else
    active. No text decides it: a `Status: draft` is about what the note describes."""
    if explicit and explicit.strip():
        return Detected(explicit.strip(), EXPLICIT)
    folders = {folder.casefold() for folder in path.split("/")[:-1]}
    for folder, status in _FOLDER_STATUS.items():
        if folder in folders:
            return Detected(status, CONVENTION)
    return Detected("active", DEFAULT)


# A `#` at the start of a word, up to a space or any punctuation but `-_/`.
_HASHTAG = r"(?<!\S)#([^\s!-,.:-@\[-^`{-~\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]++)"

_COLOUR = re.compile(
    r"(?=[a-f]{0,7}[0-9])(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})\Z|([0-9a-f])\1{2,5}\Z"
)


def detect_tags(
    explicit: Sequence[str] | None, path: str, text: str
) -> tuple[tuple[str, ...], str]:
    """Return the tags of a note, and the tier they came from.

    Explicit ones stay as written, without `#`, blanks and repeats; an empty list decides nothing.
    By convention they are the topic folders of `path` and the dotted prefix of its stem (Dendron's
    `dendron.ref.commands` gives dendron, ref), five at most; by text the `#hashtags` outside code
    and comments, ten at most. Detected tags are in lower case, with words joined by `-`.
    """
    if given := _distinct(tag.strip().lstrip("#").strip() for tag in explicit or ()):
        return given, EXPLICIT
    if topics := _distinct(_topics(path), _PATH_TAGS):
        return topics, CONVENTION
    if "#" in text.replace("# ", "") and (hashtags := _distinct(_hashtags(text), _TEXT_TAGS)):
        return hashtags, TEXT
    return (), DEFAULT


_SPACE = re.compile(r"\s")
_NUMBER = re.compile(r"(?:_.*|v?[0-9]+)?")
_JOINT = re.compile(r"[\s_-]+")


def _topics(path: str) -> Iterator[str]:
    *folders, name = path.split("/")
    for folder in folders:
        word = _word(folder)
        if folder[:1] not in ("_", ".") and word not in _LAYOUT and word not in _FOLDER_KINDS:
            yield _tag(folder)
    stem = name.removesuffix(".md")
    if not _SPACE.search(stem):
        for part in stem.split(".")[:-1]:
            if not _NUMBER.fullmatch(part):
                yield _tag(part)


def read_hashtags(text: str) -> list[str]:
    """Return the `#tags` outside code and comments in a text, as keys (`tag_key`), each once; of a
    long text those that come first."""
    found: dict[str, None] = {}
    for written in re.finditer(_HASHTAG, prose(text)):
        tag = written[1].strip("/")
        if len(tag) <= _TAG_LENGTH and _tag(tag) and not _COLOUR.match(tag.lower()):
            found[tag_key(tag)] = None
            if len(found) == _MOST_TAGS:
                break
    return list(found)


def _hashtags(text: str) -> Iterator[str]:
    for written in dict.fromkeys(found[1] for found in re.finditer(_HASHTAG, prose(text))):
        if len(written) <= _TAG_LENGTH:
            tag = "/".join(part for part in map(_tag, written.split("/")) if part)
            if not _COLOUR.match(tag):
                yield tag


def _tag(written: str) -> str:
    """Return a text as a tag, "" without a letter: a year or an issue number is no topic."""
    slug = slugify(written, "")
    return slug if any(char.isalpha() for char in slug) else ""


def _distinct(tags: Iterable[str], limit: int | None = None) -> tuple[str, ...]:
    seen: dict[str, None] = {}
    for tag in tags:
        if tag:
            seen[tag] = None
        if len(seen) == limit:
            break
    return tuple(seen)


def _word(name: str) -> str:
    """Return a name as in the tables: `How To` and `how_to` become `how-to`. A leading `_` stays,
    since it marks a reserved folder."""
    reserved = "_" if name.startswith("_") else ""
    return reserved + _JOINT.sub("-", name.casefold()).strip("-")


def _folder_kinds() -> dict[str, str]:
    """Return the kind of each folder name, except names that several kinds share or the layout
    has."""
    owners: dict[str, set[str]] = {}
    for kind in KINDS.values():
        for folder in (kind.folder, kind.operator_folder or ""):
            owners.setdefault(_word(folder.rpartition("/")[2]), set()).add(kind.name)
    found = {folder: kinds.pop() for folder, kinds in owners.items() if len(kinds) == 1}
    for name in KINDS:
        plural = name[:-1] + "ies" if name.endswith("y") else name + "s"
        plural = name + "es" if name.endswith(("s", "x", "ch")) else plural
        found |= {name: name, plural: name}
    found |= _FOLDER_ALIASES
    return {folder: kind for folder, kind in found.items() if folder and folder not in _LAYOUT}


_FOLDER_KINDS = _folder_kinds()
