"""Documents as the tests read them: their blocks of code, their links, and what output is right.

A `console` block is a session: a line that begins with `$ ` is a command, lines that begin with
`> ` continue it, and what follows is its output. The `text` block right behind a `python` block is
what that prints. In both, `…` stands for the rest of a line, a line of only `…` for any lines, and
what differs from run to run (ids, hashes, devices, times, scores) for any other of its shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = "/home/you"
"""What the documents call the home folder."""

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)

_ANY_LINE = r"[^\n]*"
_ANY_LINES = r"(?:[^\n]*\n)*?"
# What stands in a document -> what a program may print there.
_SHAPES = tuple(
    (re.compile(shown), printed)
    for shown, printed in (
        (r"(?m)^…\n", _ANY_LINES),
        (r"…", _ANY_LINE),
        (r"\b[0-9a-f]{64}\b", r"[0-9a-f]{64}"),
        (r"\b[0-9a-z]{26}\b", r"[0-9a-z]{26}"),
        # A device, or the end of an id: the documents show ones with a digit and a letter.
        (r"\b(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-z]{8}\b", r"[0-9a-z]{8}"),
        (r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z", r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z"),
        (r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b", r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
        (r"\b[0-9]+\.[0-9]+\b", r"[0-9]+\.[0-9]+"),
        (r"\b[0-9]+ ms\b", r"[0-9]+ ms"),
    )
)


class Block:
    """A fenced block: its language, its text, and the line it begins on."""

    def __init__(self, language: str, text: str, line: int) -> None:
        self.language = language
        self.text = text
        self.line = line


class Step:
    """One command of a session, the output shown for it, and the line it stands on."""

    def __init__(self, command: str, output: str, line: int) -> None:
        self.command = command
        self.output = output
        self.line = line

    @property
    def shows_failure(self) -> bool:
        """Whether the output shown is that of a command that fails."""
        return self.output.startswith("engrain: ") or self.output.startswith('{"ok": false')


def list_documents() -> list[Path]:
    """Every document a user or a contributor reads."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def read_blocks(text: str) -> list[Block]:
    """The fenced blocks of a document, in order."""
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start()) + 2)
        for found in _FENCE.finditer(text)
    ]


def read_session(text: str) -> list[Step]:
    """The commands of every `console` block of a document, in order."""
    steps = []
    for block in read_blocks(text):
        if block.language == "console":
            for number, line in enumerate(block.text.splitlines(), block.line):
                if line.startswith("$ "):
                    steps.append(Step(line[2:], "", number))
                elif line.startswith("> ") and not steps[-1].output:
                    steps[-1].command += f"\n{line[2:]}"
                else:
                    steps[-1].output += f"{line}\n"
    return steps


def read_programs(text: str) -> list[Step]:
    """The `python` blocks of a document, in order, each with the `text` block that follows it."""
    steps: list[Step] = []
    before = ""
    for block in read_blocks(text):
        if block.language == "python":
            steps.append(Step(block.text, "", block.line))
        elif block.language == "text" and before == "python":
            steps[-1].output = block.text
        before = block.language
    return steps


def read_links(text: str) -> Iterator[tuple[str, str]]:
    """(path, anchor) of every relative link outside of code; either may be empty."""
    for found in _LINK.finditer(without_code(text)):
        if "://" not in found[1]:
            path, _, anchor = found[1].partition("#")
            yield path, anchor


def read_anchors(text: str) -> set[str]:
    """The anchors of a document's headings, as forges make them."""
    titles = (found[1].lower() for found in _HEADING.finditer(without_code(text)))
    return {re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in titles}


def is_shown(shown: str, printed: str) -> bool:
    """Whether `printed` is the output that a document shows."""
    return re.fullmatch(_pattern(shown.strip("\n") + "\n"), printed.strip("\n") + "\n") is not None


def _pattern(shown: str) -> str:
    """A regular expression for the output a document shows."""
    for shape, printed in _SHAPES:
        if found := shape.search(shown):
            return _pattern(shown[: found.start()]) + printed + _pattern(shown[found.end() :])
    return re.escape(shown)


def without_code(text: str) -> str:
    """A document less its blocks and spans of code."""
    return re.sub(r"`[^`\n]*`", "", _FENCE.sub("", text))
