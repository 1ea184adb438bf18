"""Detects kind, status and tags of a note that does not state them (S1.22).

Three tiers are tried in turn, and the result names the tier that decided: `explicit` (a flag or
frontmatter), `convention` (folder and file name), `text`; else `default`. The rules are tables, and
rather decide nothing than guess: an entry of a wrong kind is filed, and fades, in a wrong way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engrain.language.text.folding import slugify, tag_key
from engrain.language.text.link_tokens import prose
from engrain.model.note.tiers import KINDS

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


# Folders that mean a kind without being named as one.
_FOLDER_ALIASES = {
    "adr": "decision",
    "adrs": "decision",
    "daily-notes": "daily",
    "how-to": "procedural",
    "howtos": "procedural",
    "skills": "procedural",
}

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
        ("roadmap", ("roadmap",), r"roadmap\Z"),
        ("progress", ("progress",), r"progress\Z"),
    )
)

_HEAD = r"(?im)\A[#>*_\s-]{0,20}"  # the first words of the text, whatever markup opens it
_LINE = r"(?im)^[#>*_ \t-]{0,20}"  # likewise of any line
_STEPS = r"(?>[\s\S]*?^[ \t]*1[.)][ \t])(?>[\s\S]*?^[ \t]*2[.)][ \t])"  # a numbered list

# (kind, words of which the text must have one, a pattern, what it matches). The first row that
# matches decides. A pattern with \A is only tried at the start.
_TEXT_RULES = tuple(
    (kind, words, re.compile(pattern), r"\A" in pattern, note)
    for kind, words, pattern, note in (
        ("idea", ("idea",), _HEAD + r"ideas?[*_]*:", "labelled as one"),
        (
            "insight",
            ("insight", "lesson", "til"),
            _HEAD + r"(?:insight|lesson(?: learned)?|til)[*_]*:",
            "labelled as one",
        ),
        ("feedback", ("feedback",), _HEAD + r"feedback[*_]*:", "labelled as one"),
        ("anti-pattern", ("pattern",), _HEAD + r"anti-?pattern[*_]*:", "labelled as one"),
        ("preference", ("preference",), _HEAD + r"preferences?[*_]*:", "labelled as one"),
        (
            "decision",
            ("decision", "decided"),
            _LINE + r"(?:decision(?: record)?[*_]*[ \t\r]*(?::|$)"
            r"|we(?: have|'ve)? decided\b|decided[*_]*(?::| (?:to|that|on|against)\b))",
            "a heading or sentence that states it, as decision records do",
        ),
        (
            "fix",
            ("root cause", "fix", "resolved by"),
            r"(?im)\b(?:root cause[*_]*(?::| (?:is|was|turned out)\b)"
            r"|(?:fixed|fixed it|resolved) by\b|the fix (?:is|was)\b)|^#{1,6} root cause\b",
            "says what was wrong, or what put it right",
        ),
        (
            "procedural",
            ("how to",),
            _HEAD + r"how to\b" + _STEPS,
            "a title `How to …` over numbered steps",
        ),
        (
            "workflow",
            ("workflow", "checklist", "runbook"),
            _HEAD + r"[^\n!\[]{0,120}?\b(?:workflow|checklist|runbook)\b" + _STEPS,
            "a title that says so over numbered steps",
        ),
        (
            "preference",
            ("always ", "never ", "prefer"),
            r"(?i)\A[\s\S]{0,200}?\b(?:(?:always|never) (?:use|do|run|write|add|put|commit|push"
            r"|ask)|(?:i|we|user|operator) prefers?)\b",
            "a rule of conduct near the start",
        ),
        ("preference", ("prefer",), _HEAD + r"prefer\b", "opens as an instruction"),
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
    for kind, words, rule, first, _ in _TEXT_RULES:
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
