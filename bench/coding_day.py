"""Have Claude Code work through a short day in one session, and show what its model was given: at
the start, at ten prompts, where a test fails, and where a file is touched.

    PYTHONPATH=tests python -m bench.coding_day

The home is that of `bench.real_prompts`, the model is a script, and the tests are canned outputs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.real_prompts import find_memories, make_home
from bench.warm_hooks import open_session
from engrain.language.text.tokens import estimate_tokens
from hosts.clients import Home
from hosts.model import Asked, Call, serving

HOST = "claude-code"
_OUTPUTS = {
    "web": """ FAIL  web/src/returns/ReturnDate.test.tsx > ReturnDate > hydrates
Error: Text content does not match server-rendered HTML.
 Test Files  1 failed | 41 passed (42)""",
    "orders": """E   InvalidSqlStatementName: prepared statement "_pg3_7" does not exist
FAILED orders/tests/test_export.py::test_export_streams - InvalidSqlStatementName
1 failed, 12 passed in 3.41s""",
    "cart": """E   assert 3 == 2
FAILED cart/tests/test_badge.py::test_count - assert 3 == 2
1 failed, 7 passed in 0.61s""",
}
"""What `./check NAME` prints before it fails."""
_FILES = ("pricing/rounding.py", "scripts/rotate_db.py", "components/Badge.tsx", "cart/views.py")


@dataclass(frozen=True)
class Step:
    """A prompt, the calls that the model makes, and the memories that are right after these; ""
    where nothing is."""

    prompt: str
    calls: Sequence[Call] = ()
    right: str = ""


def _check(name: str) -> Call:
    return Call("Bash", {"command": f"./check {name}", "description": "test"})


def _piped(name: str) -> Call:
    return Call("Bash", {"command": f"./check {name} 2>&1 | tail -5", "description": "test"})


def _read(path: str) -> Call:
    return Call("Read", {"file_path": path})


DAY = (
    Step("good morning! how are you today?"),
    Step(
        "GET /webhooks/stripe fails now and then: Charge.DoesNotExist in on_refund when a refund"
        " comes right after the payment",
        right="pay3",
    ),
    Step("run the tests of the returns page", [_piped("web")], "fe2"),
    Step("round the tip to whole cents", [_read("pricing/rounding.py")], "pay2"),
    Step("/cost"),
    Step("ok, go on", [_check("orders")], "db1"),
    Step("Can I scale celery beat to two replicas for availability?", right="cel1"),
    Step("the badge shows 3 instead of 2", [_check("cart"), _read("cart/views.py")]),
    Step("make the badge blue", [_read("components/Badge.tsx")], "fe5"),
    Step("what does --stage do?", [_read("scripts/rotate_db.py")], "inf3"),
)


def main() -> None:
    """Work through the day, and print a line for each moment."""
    with tempfile.TemporaryDirectory() as folder, serving() as model:
        home = make_home(Path(folder), HOST, model)
        for path in _FILES:
            (home.project / path).parent.mkdir(parents=True, exist_ok=True)
            (home.project / path).write_text("# nothing yet\n")
        checks = "".join(f"{name}) cat <<'E'\n{it}\nE\n;;\n" for name, it in _OUTPUTS.items())
        (home.project / "check").write_text(f"#!/bin/sh\ncase $1 in\n{checks}esac\nexit 1\n")
        (home.project / "check").chmod(0o755)
        _hold_session(home)
        for log in home.path.rglob("hooks.log"):
            print(log.read_text())


def _hold_session(home: Home) -> None:
    with open_session(home, home.client.ask) as ask:
        seen: set[str] = set()
        for step in DAY:
            home.model.script[:] = [*_resolve(step.calls, home), "Done."]
            first = len(home.model.turns)
            ask(step.prompt)
            _report(step, home.model.turns[first:], seen)


def _resolve(calls: Sequence[Call], home: Home) -> list[Call]:
    """Return calls with whole paths, as Claude Code's tools want them."""
    return [
        Call(call.tool, {name: str(home.project / it) if name == "file_path" else it
                         for name, it in call.arguments.items()})
        for call in calls
    ]  # fmt: skip


def _report(step: Step, turns: Sequence[Asked], seen: set[str]) -> None:
    """Print what was new in each request of a step."""
    came: Collection[str] = ()
    moments = ["prompt", *(next(iter(call.arguments.values())) for call in step.calls)]
    for moment, turn in zip(moments, turns, strict=False):
        found: dict[str, Any] = find_memories(turn.text)
        new = [id_ for id_ in found if id_ not in seen]
        seen.update(new)
        came = [*came, *new]
        tokens = sum(estimate_tokens(found[id_]) for id_ in new)
        print(f"{moment if moment != 'prompt' else step.prompt[:60]!r}: {new} {tokens or ''}")
    if step.right and step.right not in seen:
        print(f"    missed: {step.right}")


if __name__ == "__main__":
    main()
