"""Draws docs/figures/two-sessions.svg, the picture of the README, from a real run.

    python docs/make_picture.py [FILE]

A first session saves one memory and ends; a second one starts and has it in its context. Both are
played in a home folder of their own: `engrain` and its hooks run as Claude Code runs them, and
what they print is what the picture shows. Identifiers that are drawn at random are shown as `…`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

TARGET = Path(__file__).with_name("figures") / "two-sessions.svg"
HOST = "claude-code"
LESSON = "psycopg prepares a query after five runs; behind the pooler that fails."
SAVE = ["save", "--kind", "fix", "--title", "Pooler drops prepared statements", LESSON]

WIDTH, MARGIN, LINE, SIZE = 830, 20, 21, 13.5
COLOURS = {"caption": "#8b949e", "typed": "#79c0ff", "printed": "#e6edf3", "known": "#7ee787"}
_RANDOM = re.compile(r"\b(?:[0-9a-z]{26}|[0-9a-f]{16})|(?<=^\[)[a-z]{4}(?= )")
_DATE = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b")


class Line(NamedTuple):
    """One line of the picture: its kind, a key of COLOURS, and its text."""

    kind: str
    text: str


class Panel(NamedTuple):
    """One session: its heading and its lines."""

    heading: str
    lines: list[Line]


def play(home: Path) -> list[Panel]:
    """Run both sessions in an empty home folder; what was typed and printed.

    Raises `subprocess.CalledProcessError` when a command fails.
    """
    run_engrain(home, ["init", "engrain"])
    first = [Line("caption", "The agent has found out why a query fails, and saves it.")]
    start_session(home, "monday")
    first.append(Line("typed", "$ engrain save --kind fix \\"))
    first.append(Line("typed", f'    --title "{SAVE[4]}" \\'))
    first.append(Line("typed", f'    "{LESSON}"'))
    first += [Line("printed", text) for text in run_engrain(home, SAVE).splitlines()[:2]]
    run_hook(home, "session-end", {"session_id": "monday"})
    answer = start_session(home, "tuesday")
    second = [Line("caption", "A new session starts. Its hook adds this to the agent's context:")]
    context = answer["hookSpecificOutput"]["additionalContext"]
    # The lines left out open and close the block, and say how to read it.
    second += [Line("known", text) for text in context.splitlines()[1:-1]]
    second.append(Line("caption", "and shows the person one line:"))
    second.append(Line("printed", answer["systemMessage"]))
    panels = [Panel("Session 1", first), Panel("Session 2, the next day or the next host", second)]
    return [
        Panel(heading, [Line(kind, _RANDOM.sub("…", text)) for kind, text in lines])
        for heading, lines in panels
    ]


def start_session(home: Path, session: str) -> dict:  # type: ignore[type-arg]
    """What the hook of a session's start answers; empty where it has nothing to say."""
    return run_hook(home, "session-start", {"session_id": session, "source": "startup"})


def run_hook(home: Path, event: str, payload: dict[str, str]) -> dict:  # type: ignore[type-arg]
    """Run one hook as the host does: JSON in, JSON or nothing out."""
    text = run_engrain(home, ["hook", event, "--host", HOST], json.dumps(payload))
    return json.loads(text) if text.strip() else {}


def run_engrain(home: Path, arguments: list[str], typed: str = "") -> str:
    """Run the `engrain` of this Python for a user whose home is `home`; its output."""
    environment = {
        "HOME": str(home),
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "ENGRAIN_EMBEDDER": "none",
    }
    return subprocess.run(
        [sys.executable, "-m", "engrain", *arguments],
        input=typed, stdout=subprocess.PIPE, text=True, check=True, cwd=home, env=environment,
    ).stdout  # fmt: skip


def draw(panels: list[Panel]) -> str:
    """The panels below each other, as SVG."""
    shapes = []
    top = 0.0
    for panel in panels:
        height = LINE * (len(panel.lines) + 2) + 10
        shapes.append(
            f'<rect x="0" y="{top:g}" width="{WIDTH}" height="{height}" rx="8" fill="#0d1117"/>'
        )
        y = top + LINE + 6
        shapes.append(
            f'<text x="{MARGIN}" y="{y:g}" fill="#ffffff" font-weight="bold">'
            f"{escape(panel.heading)}</text>"
        )
        for kind, text in panel.lines:
            y += LINE
            shapes.append(
                f'<text x="{MARGIN}" y="{y:g}" fill="{COLOURS[kind]}" class="{kind}" '
                f'xml:space="preserve">{escape(text)}</text>'
            )
        top += height + 12
    font = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top - 12:g}" '
        f'width="{WIDTH}" font-family="{font}" font-size="{SIZE}" role="img">\n'
        "<title>A first session saves a memory; a second session starts with it.</title>\n"
        + "\n".join(shapes)
        + "\n</svg>\n"
    )


def main(arguments: list[str]) -> int:
    """Play the sessions and write the picture, unless only its date would change."""
    target = Path(arguments[0]) if arguments else TARGET
    with tempfile.TemporaryDirectory(prefix="engrain-picture-") as home:
        picture = draw(play(Path(home)))
    old = target.read_text(encoding="utf-8") if target.exists() else ""
    if _DATE.sub("", old) != _DATE.sub("", picture):
        target.write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
