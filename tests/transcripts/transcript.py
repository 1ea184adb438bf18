"""Transcripts: sessions at a shell, written down as they should go.

A transcript is prose with indented blocks, as in Markdown. In a block

    $ begins a command, run by bash (a line that begins with > continues it),

what follows is what it prints, on both streams, up to the next command or the next prose.
`[...]` stands for any text within a line, a line of nothing else for any number of lines. A
command that leaves with another code than 0 says so in a last line, `[exit 3]`. The home folder,
in which a session begins, is written `~`. All commands of a transcript share one shell.

Run as a program this module writes what the commands print now into the files it is given, where
they differ from what is expected; read the difference before you keep it.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import engrain

INDENT = "    "
ANY = "[...]"
SOURCE = str(Path(engrain.__file__).parent.parent)


class Step:
    """One command, at a line of its file, and what it should print."""

    def __init__(self, line: int, command: str) -> None:
        self.line = line
        self.command = command
        self.expected: list[str] = []


# What no two runs have in common: ids, hashes, times, devices, and what is measured.
_VARYING = re.compile(
    r"""\b01[0-9a-z]{24}\b | \b[0-9a-f]{64}\b | \b20\d\d-\d\d-\d\dT[\d:]+Z | \b[0-9a-z]{8}(?=-\d)
    | (?<=--)[0-9a-z]{8}(?=\.md) | (?<=history:\ )[0-9a-z]{8} | \d\.\d\d(?=\)$) | \d+(?=\ ms)
    | ^[0-9a-z]{8}(?=:\ \d+\ change) | \b\d+\.\d(?=\ s$)""",
    re.VERBOSE,
)


def read_steps(text: str) -> list[Step]:
    """The commands of a transcript with their expected output."""
    steps: list[Step] = []
    blank = 0
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            blank += 1
            continue
        if not line.startswith(INDENT):
            inside = False
        elif line.startswith(INDENT + "$ "):
            steps.append(Step(number, line.removeprefix(INDENT + "$ ")))
            inside = True
        elif not inside:
            raise ValueError(f"line {number} is indented and belongs to no command")
        elif line.startswith(INDENT + "> ") and not steps[-1].expected:
            steps[-1].command += "\n" + line.removeprefix(INDENT + "> ")
        else:
            steps[-1].expected += [""] * blank if steps[-1].expected else []
            steps[-1].expected.append(line.removeprefix(INDENT))
        blank = 0
    return steps


def run_steps(steps: list[Step], home: Path) -> list[list[str]]:
    """What each command printed, in one shell that begins in `home`."""
    mark = f"--- {secrets.token_hex(8)}"
    bin_ = home.parent / "bin"
    bin_.mkdir(parents=True)
    for name, arguments in (("engrain", "-m engrain "), ("python", "")):
        command = bin_ / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n')
        command.chmod(0o755)
    home.mkdir()
    script = home.parent / "session.sh"
    script.write_text(
        "exec 2>&1\n" + "".join(f"{step.command}\nprintf '\\n{mark} %d\\n' $?\n" for step in steps)
    )
    done = subprocess.run(
        ["bash", str(script)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=False,
        cwd=home,
        timeout=300,
        env={
            "HOME": str(home),
            "PATH": f"{bin_}{os.pathsep}{os.environ.get('PATH', '')}",
            "LANG": "C.UTF-8",
            "PYTHONPATH": SOURCE,
            "ENGRAIN_EMBEDDER": "none",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
        },
    )
    text = done.stdout.decode(errors="backslashreplace").replace(str(home), "~")
    printed = []
    for part in re.finditer(rf"(.*?)\n{mark} (\d+)\n", text, re.DOTALL):
        lines = part[1].rstrip("\n").splitlines()
        printed.append(lines + ([f"[exit {part[2]}]"] if part[2] != "0" else []))
    return printed


def matches(expected: list[str], actual: list[str]) -> bool:
    """Whether what was printed is what was expected, wildcards considered.

    An exit code is never covered by a wildcard.
    """
    if _exit_line(expected) != _exit_line(actual):
        return False
    pattern = ""
    for line in expected:
        if line.strip() == ANY:
            pattern += r"(?:[^\n]*\n)*?"
        else:
            parts = (re.escape(part) for part in line.rstrip().split(ANY))
            pattern += r"[^\n]*".join(parts) + r"\n"
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in actual)) is not None


def _exit_line(lines: list[str]) -> str:
    return lines[-1] if lines and re.fullmatch(r"\[exit \d+\]", lines[-1]) else ""


def rewrite(path: Path) -> None:
    """Put what the commands print now where it differs from what is expected."""
    lines = path.read_text().splitlines()
    steps = read_steps(path.read_text())
    with tempfile.TemporaryDirectory() as folder:
        printed = run_steps(steps, Path(folder, "home"))
    for step, actual in reversed(list(zip(steps, printed, strict=True))):
        if not matches(step.expected, actual):
            start = step.line + step.command.count("\n")
            today = time.strftime("%Y-%m-%d", time.gmtime())
            fresh = [_VARYING.sub(ANY, line).replace(today, ANY) for line in actual]
            lines[start : start + len(step.expected)] = [
                f"{INDENT}{line}".rstrip() for line in fresh
            ]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        rewrite(Path(name))
