"""A markdown text as what stands before its first section, and its sections, so that one of them
can be written anew and every byte of the others stays.

A section begins at a heading of the first or second level, but for the note's own title.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

Section: TypeAlias = "tuple[str, str]"
"""The heading's line, and all that is under it."""

_FENCES = ("```", "~~~")


def split_outline(body: str) -> tuple[str, list[Section]]:
    """What stands before the first section, and the sections; joined they are the body again, its
    lines ended by `\\n`."""
    lines = _split_lines(body.replace("\r\n", "\n"))
    heads = [at for at in _outside_fences(lines) if is_heading(lines[at])]
    first = next((at for at, line in enumerate(lines) if line.strip("\ufeff \t\n")), 0)
    if heads and heads[0] == first and not lines[first].startswith("##"):
        heads = heads[1:]
    ends = [*heads[1:], len(lines)]
    sections = [
        (lines[at], "".join(lines[at + 1 : end])) for at, end in zip(heads, ends, strict=False)
    ]
    return "".join(lines[: heads[0]] if heads else lines), sections


def join_outline(head: str, sections: Sequence[Section]) -> str:
    """The text of both, with an empty line before each section."""
    text = head
    for line, under in sections:
        if text and not text.endswith("\n"):
            text += "\n"
        if text and not text.endswith("\n\n"):
            text += "\n"
        text += line + under
    return text


def is_heading(line: str) -> bool:
    """Whether a line is a heading of the first or second level."""
    return line.startswith(("# ", "## ")) or line.rstrip() in ("#", "##")


def tame(text: str) -> str:
    """A text that stays within its section: what would begin another, or open a fence, is escaped
    with a backslash."""
    lines = text.replace("\r\n", "\n").strip("\n").rstrip().split("\n")
    return "\n".join(
        f"\\{line}" if is_heading(line) or line.lstrip().startswith(_FENCES) else line
        for line in lines
    )


def _split_lines(text: str) -> list[str]:
    """The lines with their ends; nothing but `\\n` ends one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _outside_fences(lines: Sequence[str]) -> Iterator[int]:
    """The places of the lines that stand in no fenced block; a fence that nobody closes is none."""
    at = 0
    while at < len(lines):
        opened = lines[at].lstrip()[:3]
        if opened in _FENCES:
            closing = (n for n in range(at + 1, len(lines)) if lines[n].strip().startswith(opened))
            at = next(closing, at)
        else:
            yield at
        at += 1
