"""Sessions for tests: what an operator and their agent said, as turns and in a transcript."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from engrain import Memory
from engrain.language.text.instants import format_instant
from engrain.learn.reflection.run import Reflected
from engrain.model.facts.fact import AGENT, OPERATOR, Turn

AT = 1_780_000_000.0
"""2026-05-28, before anything that the tests' clock tells."""


def said(*texts: str, role: str = OPERATOR) -> list[Turn]:
    return [Turn("", role, text, AT + n, str(n)) for n, text in enumerate(texts)]


def write_session(
    folder: Path,
    session: str,
    *texts: str,
    at: float = AT,
    cwd: str = "",
    answers: Sequence[str] = (),
) -> Path:
    """A transcript as Claude Code writes it, its answers between what was asked."""
    lines = []
    for number, text in enumerate(texts):
        lines.append(_line("user", session, text, at + 10 * number, cwd))
        if number < len(answers):
            lines.append(_line("assistant", session, answers[number], at + 10 * number + 5, cwd))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    path.write_text("".join(lines))
    return path


def reflect(memory: Memory, *paths: Path) -> Reflected:
    done, read_counts = memory.sessions.reflect([str(path) for path in paths])
    assert read_counts.problems == []
    return done


def outcomes(done: Reflected) -> list[tuple[str, str, str]]:
    """Of each candidate its lane, its outcome and its title."""
    return [(routed.lane, routed.outcome, routed.reflection.title) for routed in done.routed]


def _line(role: str, session: str, text: str, at: float, cwd: str) -> str:
    content: object = text if role == "user" else [{"type": "text", "text": text}]
    line = {
        "type": role,
        "sessionId": session,
        "uuid": f"{role}-{at}",
        "timestamp": format_instant(at),
        "cwd": cwd,
        "message": {"role": role, "content": content},
    }
    return json.dumps(line) + "\n"


__all__ = ["AGENT", "AT", "OPERATOR", "outcomes", "reflect", "said", "write_session"]
