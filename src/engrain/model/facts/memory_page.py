"""MEMORY.md: how the operator works, as they write it and as synthesis adds to it (S4.3).

A line of synthesis' own bears a mark at its end, with a key of what it was drawn from and a sum of
its text. One whose text is another than the sum says was edited and is the person's, as every line
without a mark is: it is never rewritten, moved or taken out.
"""

from __future__ import annotations

from engrain.model.note.note import hash_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PLACE = "MEMORY.md"
COMMUNICATION = "Communication"
WORK = "Work patterns"
TOOLS = "Tools"
RELATIONSHIP = "Relationship context"
SECTIONS = (COMMUNICATION, WORK, TOOLS, RELATIONSHIP)

_TITLE = "How the operator works"
_OPEN, _CLOSE = "<!-- engrain ", " -->"
_KEY, _SUM = 12, 8
_ERASED = "[[erased-"
"""How a line begins when what it was drawn from was erased, which no person wrote."""


class OwnLine:
    """A line that synthesis wrote: the `key` of what it was drawn from, its text, and whether that
    is as it was written."""

    __slots__ = ("intact", "key", "text")

    def __init__(self, key: str, text: str, intact: bool) -> None:
        self.key = key
        self.text = text
        self.intact = intact


def key_of(id_: str) -> str:
    """The key of an entry that a line is drawn from."""
    return hash_bytes(id_.encode())[:_KEY]


def write_line(key: str, text: str) -> str:
    """A line with its mark."""
    return f"- {text} {_OPEN}{key} {_sum(text)}{_CLOSE}"


def own_lines(body: str) -> list[OwnLine]:
    """The lines with a mark, in order."""
    found = (_read_mark(line) for line in body.splitlines())
    return [line for line in found if line is not None]


def start_page() -> str:
    """A page that says nothing yet."""
    return f"# {_TITLE}\n" + "".join(f"\n## {section}\n" for section in SECTIONS)


def revise_page(
    body: str, wanted: Mapping[str, str], added: Sequence[tuple[str, str, str]], eol: str = "\n"
) -> str:
    """The page with its own lines as `wanted` has them: text by key, without those that are not in
    it; and with those that are `added`: (section, key, text). Every other byte stays."""
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


def tell_page(text: str) -> str:
    """The page as a session gets it: without marks, and without headings that have no text. A page
    that synthesis never touched, all of whose headings say something, comes as it is."""
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
    """The lines up to the next heading of that level or above; `below` is the last line first."""
    for line in reversed(below):
        other = _level(line)
        if other and other <= level:
            return
        yield line


def _says(line: str) -> bool:
    return bool(line.strip()) and not _level(line)


def _insert(lines: list[str], section: str, line: str, eol: str) -> None:
    """Put a line at the end of a section, which is made where there is none."""
    at = next((n for n, found in enumerate(lines) if _heads(found, section)), None)
    if at is None:
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += eol
        lines += [eol, f"## {section}{eol}", eol, f"{line}{eol}"]
        return
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
    """That of a heading, 0 for any other line."""
    marks = len(line) - len(line.lstrip("#"))
    return marks if 0 < marks <= 6 and line[marks : marks + 1] in (" ", "\n", "\r", "") else 0


def _heads(line: str, section: str) -> bool:
    return _level(line) > 0 and line.strip("#: \t\r\n").casefold() == section.casefold()


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
    as_written = _sum(text) == sum_ or text.startswith(_ERASED)
    return OwnLine(key, text, line.startswith("- ") and as_written)


def _sum(text: str) -> str:
    return hash_bytes(text.encode())[:_SUM]
