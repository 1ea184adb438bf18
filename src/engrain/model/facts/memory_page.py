"""MEMORY.md: how the operator works, written by them, with lines that synthesis adds (S4.3).

A line of synthesis ends with a mark: a key of its source and a checksum of its text. A line whose
text does not fit its checksum was edited and belongs to the person, like every line without a mark:
it is never rewritten, moved or removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engrain.model.note.note import hash_bytes

PLACE = "MEMORY.md"
COMMUNICATION = "Communication"
WORK = "Work patterns"
TOOLS = "Tools"
RELATIONSHIP = "Relationship context"
SECTIONS = (COMMUNICATION, WORK, TOOLS, RELATIONSHIP)

_TITLE = "How the operator works"
_OPEN, _CLOSE = "<!-- engrain ", " -->"
_KEY, _SUM = 12, 8


@dataclass(slots=True)
class OwnLine:
    """A line of synthesis: the key of its source, its text, and whether that is unedited."""

    key: str
    text: str
    intact: bool


def key_of(id_: str) -> str:
    """Return the key of an entry that is the source of a line."""
    return hash_bytes(id_.encode())[:_KEY]


def write_line(key: str, text: str) -> str:
    """Return a line with its mark."""
    return f"- {text} {_OPEN}{key} {_sum(text)}{_CLOSE}"


def own_lines(body: str) -> list[OwnLine]:
    """Return the lines with a mark, in order."""
    return [line for line in map(_read_mark, body.splitlines()) if line is not None]


def start_page() -> str:
    """Return an empty page."""
    return f"# {_TITLE}\n" + "".join(f"\n## {section}\n" for section in SECTIONS)


def revise_page(
    body: str, wanted: Mapping[str, str], added: Sequence[tuple[str, str, str]], eol: str = "\n"
) -> str:
    """Return the page with the unedited lines of synthesis as in `wanted` (text by key; others are
    removed), and with the `added` ones (section, key, text). Every other byte stays."""
    lines: list[str] = []
    for line in body.splitlines(keepends=True):
        own = _read_mark(line)
        if own is None or not own.intact or wanted.get(own.key) == own.text:
            lines.append(line)
        elif own.key in wanted:
            end = line[len(line.rstrip("\r\n")) :]
            lines.append(write_line(own.key, wanted[own.key]) + end)
    for section, key, text in added:
        _insert(lines, section, write_line(key, text), eol)
    return "".join(lines)


def render_page(text: str) -> str:
    """Return the page for a session: without marks, and without headings that have no text."""
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    for line in reversed(lines):
        level = _level(line)
        if level and not any(_says(below) for below in _under(kept, level)):
            while kept and not kept[-1].strip():
                kept.pop()
            continue
        kept.append(_without_mark(line))
    return "".join(reversed(kept)) if any(map(_says, kept)) else ""


def _under(below: Sequence[str], level: int) -> Iterator[str]:
    """Yield the lines up to the next heading of this level or above, from reversed lines."""
    for line in reversed(below):
        other = _level(line)
        if other and other <= level:
            return
        yield line


def _says(line: str) -> bool:
    return bool(line.strip()) and not _level(line)


def _insert(lines: list[str], section: str, line: str, eol: str) -> None:
    """Put a line at the end of a section, which is added if it is missing."""
    names = [_level(one) > 0 and one.strip("#: \t\r\n").casefold() for one in lines]
    if section.casefold() not in names:
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += eol
        lines += [eol, f"## {section}{eol}", eol, f"{line}{eol}"]
        return
    at = names.index(section.casefold())
    level, end = _level(lines[at]), at + 1
    while end < len(lines) and not 0 < _level(lines[end]) <= level:
        end += 1
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    if not lines[end - 1].endswith("\n"):
        lines[end - 1] += eol
    gap = [eol] if end == at + 1 else []
    lines[end:end] = [*gap, f"{line}{eol}"]


def _level(line: str) -> int:
    """Return the level of a heading, 0 for any other line."""
    marks = len(line) - len(line.lstrip("#"))
    return marks if 0 < marks <= 6 and line[marks : marks + 1] in (" ", "\n", "\r", "") else 0


def _without_mark(line: str) -> str:
    at = line.find(_OPEN)
    if at < 0 or _read_mark(line) is None:
        return line
    return line[:at].rstrip() + line[len(line.rstrip("\r\n")) :]


def _read_mark(line: str) -> OwnLine | None:
    said, opened, mark = line.strip().rpartition(_OPEN)
    key, _, sum_ = mark.removesuffix(_CLOSE).partition(" ")
    if not opened or not mark.endswith(_CLOSE) or len(key) != _KEY or len(sum_) != _SUM:
        return None
    text = said.removeprefix("- ").rstrip()
    return OwnLine(key, text, line.startswith("- ") and _sum(text) == sum_)


def _sum(text: str) -> str:
    return hash_bytes(text.encode())[:_SUM]
